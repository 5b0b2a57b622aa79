"""The examples of the pages on tasks run as they stand, and show what the pages say."""

import numpy as np
import pytest

from pages import examples, ran


def test_the_examples_of_regression():
    names = ran("docs/regression.md")
    y, n = names["y_test"], len(names["y_test"])
    assert names["rmse"] < 0.75 * y.std()
    assert 0.8 < ((names["low"] < y) & (y < names["high"])).mean() < 1
    assert names["quantiles"].shape == (n, 3)
    assert names["draws"].shape == (n, 100)
    np.testing.assert_allclose(-np.log(names["density"]).mean(), names["nll"])
    parts = names["parts"]
    np.testing.assert_allclose(parts["total"], names["dist"].var())
    np.testing.assert_allclose(names["particles"]["mean"].mean(axis=1), names["mean"])
    assert ((names["above"] > 0) & (names["above"] < 1)).all()
    dist = names["dist"]
    np.testing.assert_allclose(names["expected"], dist.var() + dist.mean() ** 2, rtol=1e-6)
    assert (names["worst"] < dist.ppf(0.05)).all()
    assert (np.subtract(*names["shortest"][::-1]) <= np.subtract(*dist.interval(0.9)[::-1])).all()
    np.testing.assert_allclose(names["each"].mean(axis=1), names["above"])
    assert names["highs"].shape == (n, 2)
    assert (names["over"] >= 0).all()
    assert (dist.pdf(names["most_likely"]) >= dist.pdf(dist.median())).all()
    np.testing.assert_array_equal(names["table"]["mean"], names["mean"])


def test_the_examples_of_classification():
    names = ran("docs/classification.md")
    assert names["accuracy"] == (names["kinds"] == names["y_test"]).mean() > 0.9
    np.testing.assert_allclose(names["proba"].sum(axis=1), 1)
    assert names["log_loss"] < 0.4
    assert names["rows"].sum() == pytest.approx(len(names["y_test"]))
    assert len(names["predicted"]) == len(names["frequency"])
    assert names["auc"] > 0.95
    np.testing.assert_allclose(np.exp(names["logs"]), names["proba"])
    assert (names["table"].index == names["X_test"].index).all()
    np.testing.assert_allclose(names["parts"]["total"], names["dist"].entropy())
    assert (names["spread"] ** 2 <= names["unlike"] * (1 + 1e-6)).all()


def test_the_examples_of_counts():
    names = ran("docs/counts.md")
    rate = np.exp(names["X"][:, 0])
    assert abs(names["per_year"] / rate - 1).mean() < 0.2
    assert abs(names["expected"] / names["years"] / rate - 1).mean() < 0.2
    claims = names["claims"]
    assert ((names["low"] <= claims) & (claims <= names["high"])).mean() >= 0.9
    np.testing.assert_allclose(names["none"], names["dist"].cdf(0))
    assert (names["low"] == np.round(names["low"])).all()
    assert (names["more_than_five"] < 1).all()


def test_the_examples_of_decisions():
    names = ran("docs/decisions.md")
    np.testing.assert_allclose(names["loaves"], names["same"], rtol=1e-4)
    np.testing.assert_allclose(names["loaves"], names["again"], rtol=1e-4)
    theta, cost = names["model"].predict_particles(names["X"]), names["cost_of_theta"]
    risk = cost(names["loaves"][:, None], theta).mean(axis=1)
    np.testing.assert_allclose(names["risk"], risk)
    around = [cost((names["loaves"] + by)[:, None], theta).mean(axis=1) for by in (-2, 2)]
    assert (np.minimum(*around) > risk).all()
    assert set(names["actions"]) == {"home", "treat", "test"}
    ill = names["doctor"].predict_proba(names["X"])[:, 0]
    np.testing.assert_array_equal(names["actions"] == "test", (ill > 1 / 20) & (ill < 4 / 5))
    np.testing.assert_array_equal(names["careful"] == "ill", 20 * ill >= 1 - ill)
    quantile = names["model"].predict_dist(names["X"]).ppf(1 - 2 / names["price"][:, 0])
    np.testing.assert_allclose(names["order"], quantile, rtol=1e-4)
    assert (names["gain"] > 0).all()


def test_the_examples_of_rows_from_elsewhere():
    names = ran("docs/out_of_distribution.md")
    assert min(names["area"], names["area_information"]) > 0.8
    assert names["found"] > 0.3


def test_the_examples_of_calibration():
    names = ran("docs/calibration.md")
    assert 0.87 < names["covered"] < 0.96
    assert names["off"] < 4 * names["by_chance"]
    assert abs(names["share"] - names["level"]).max() < 0.06
    assert all(0.85 < held < 0.98 for held in names["halves"])


def test_the_examples_of_priors():
    names = ran("docs/priors.md")
    assert names["changed"].mean().mean() < 0.8 * names["fitted"].predict(names["X"]).mean()
    assert 1 < names["left"].mean() < 9
    assert 0.2 < names["spread"].mean() < 0.4
    plain = names["metrics"].nll(names["clean"].predict_dist(names["X"]), names["measured"])
    assert names["nll"] < plain


def test_the_examples_of_large_data():
    names = ran("docs/large_data.md")
    model = names["model"]
    assert model.n_estimators_ < len(model.history_["validation"]["nll"]) - 1
    assert not model.refitted_


def test_the_examples_of_scale():
    names = ran("docs/scale.md")
    assert names["model"].n_features_in_ == 5
    assert names["model"].n_estimators_ == 50
    assert names["gap"] < 1e-3
    assert names["far"] < 1e-3


def test_the_examples_of_several_columns():
    names = ran("docs/several_columns.md")
    clear = abs(names["X"][600:, 0]) > 0.2
    sign = np.sign(names["X"][600:, 0])[clear]
    assert (sign * names["correlation"][clear] > 0.5).mean() > 0.9
    assert abs(names["mean"] - names["X"][600:]).mean() < 0.3
    second = names["y"][600:, 1]
    assert 0.8 < ((names["low"] < second) & (second < names["high"])).mean() < 1
    assert names["draws"].shape == (200, 100, 2)
    assert 0 < names["energy"] < names["nll"]


def test_the_examples_of_coming_from_ngboost():
    page = "docs/coming_from_ngboost.md"
    theirs, ours = examples(page)
    names: dict = {}
    exec(ours, names)
    held = (names["wgb_low"] < names["y_test"]) & (names["y_test"] < names["wgb_high"])
    assert 0.8 < held.mean() < 1
    assert (names["unknown"] > 0).all()
    pytest.importorskip("ngboost")
    exec(theirs, names)
    assert abs(names["wgb_nll"] - names["ngb_nll"]) < 0.1
    assert names["ngb_low"].shape == names["wgb_low"].shape
