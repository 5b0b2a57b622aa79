"""The commands with every kind of y: bounds, counts, ordered classes, several columns."""

import re

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

import wgboost
from cli_files import FAST, SETTINGS, call, facts
from wgboost import WGBClassifier, WGBRegressor, censored, metrics

RNG = np.random.default_rng(1)
N = 120
X1 = RNG.uniform(-1, 1, N)
LIFE, END = 10 * np.exp(X1) * RNG.weibull(2, N), RNG.uniform(2, 25, N)
TIME, DIED = np.minimum(LIFE, END), LIFE < END
TABLE = pl.DataFrame(
    {
        "x": X1,
        "z": RNG.normal(size=N),
        "time": TIME,
        "died": DIED.astype(int),
        "high": pl.Series(np.where(DIED, TIME, np.nan)).fill_nan(None),
        "entry": np.minimum(1.0, TIME / 2),
        "weight": RNG.uniform(0.5, 2, N),
        "days": RNG.uniform(1, 5, N),
        "count": RNG.poisson(np.exp(1 + X1)),
        "a": X1 + RNG.normal(size=N),
        "b": -X1 + RNG.normal(size=N),
        "size": np.array(["small", "middle", "large"])[np.digitize(X1, [-0.3, 0.3])],
        "grade": RNG.integers(1, 4, N),
    }
)
FEATURES = ["x", "z"]
X = TABLE.select(FEATURES)


@pytest.fixture
def fitted(tmp_path):
    TABLE.write_csv(tmp_path / "t.csv")

    def fit(*flags):
        call("fit", tmp_path / "t.csv", "--features", "x,z", "--out", tmp_path / "m.wgb", *FAST,
             *flags)  # fmt: skip
        return tmp_path / "m.wgb", tmp_path / "t.csv"

    return fit


def particles(path):
    return wgboost.load(path).predict_dist(X).particles


def expect(path, model):
    assert_array_equal(particles(path), model.predict_dist(X).particles)


@pytest.mark.parametrize("flags", [
    ["--target", "time", "--event", "died"],
    ["--lower", "time", "--upper", "high"],
])  # fmt: skip
def test_censored_and_truncated_times(fitted, flags):
    path, data = fitted(*flags, "--entry", "entry", "--response", "weibull")
    y = censored(TIME, np.where(DIED, TIME, np.inf), above=TABLE["entry"].to_numpy())
    model = WGBRegressor(response="weibull", **SETTINGS).fit(X, y)
    expect(path, model)
    result = facts("evaluate", path, data)
    dist = model.predict_dist(X)
    assert result["metrics"]["NLL"] == metrics.nll(dist, y)
    assert result["metrics"]["Concordance"] == metrics.concordance(dist, y)


def test_counts_with_exposure_and_weights(fitted, tmp_path):
    path, data = fitted("--target", "count", "--exposure", "days", "--weight", "weight",
                        "--response", "poisson")  # fmt: skip
    days, weight, count = (TABLE[name].to_numpy() for name in ("days", "weight", "count"))
    model = WGBRegressor(response="poisson", **SETTINGS)
    expect(path, model.fit(X, count, sample_weight=weight, exposure=days))
    result = facts("evaluate", path, data, "--report", tmp_path / "page.html")
    dist = model.predict_dist(X, exposure=days)
    assert result["metrics"]["NLL"] == metrics.nll(dist, count, sample_weight=weight)
    assert (
        f"{metrics.crps(dist, count, sample_weight=weight):.4g}"
        in (tmp_path / "page.html").read_text()
    )
    means = [row["mean"] for row in facts("predict", path, data)["predictions"]]
    assert means == dist.mean().tolist()
    TABLE.drop("days", "weight").write_csv(tmp_path / "rates.csv")
    result = facts("predict", path, tmp_path / "rates.csv")
    assert [row["mean"] for row in result["predictions"]] == model.predict(X).tolist()
    assert "no exposure 'days': 1 is used" in result["notes"][0]


def test_ordered_classes(fitted):
    path, data = fitted("--target", "size", "--response", "ordinal", "--order",
                        "small,middle,large")  # fmt: skip
    y = TABLE["size"].cast(pl.Enum(["small", "middle", "large"]))
    model = WGBClassifier(response="ordinal", **SETTINGS).fit(X, y)
    expect(path, model)
    assert wgboost.load(path).ranks_.tolist() == ["small", "middle", "large"]
    row = facts("predict", path, data)["predictions"][0]
    assert [name for name in row if name.startswith("p_")] == ["p_large", "p_middle", "p_small"]


@pytest.mark.parametrize(
    ("target", "task", "kind"),
    [("grade", None, "regression"), ("grade", "classification", "classification"),
     ("died", None, "classification"), ("died", "regression", "regression"),
     ("size", None, "classification"), ("count", None, "regression")],
)  # fmt: skip
def test_target_column_determines_the_task(fitted, target, task, kind):
    path, data = fitted("--target", target, *(["--task", task] if task else []))
    model = wgboost.load(path)
    assert isinstance(model, WGBClassifier if kind == "classification" else WGBRegressor)
    if target == "grade" and task:
        assert model.classes_.tolist() == [1, 2, 3]
        assert {type(label) for label in model.classes_.tolist()} == {int}
    assert facts("evaluate", path, data)["rows"] == N


def test_several_target_columns(fitted, tmp_path):
    path, data = fitted("--target", "a", "--target", "b", "--response", "multivariate_normal")
    y = TABLE.select("a", "b").to_numpy()
    model = WGBRegressor(response="multivariate_normal", **SETTINGS).fit(X, y)
    expect(path, model)
    call("predict", path, data, "--out", tmp_path / "out.tsv", "--quantiles", "0.25")
    found = pl.read_csv(tmp_path / "out.tsv", separator="\t")
    assert found.select("a_mean", "b_mean").to_numpy().tolist() == model.predict(X).tolist()
    marginal = model.predict_dist(X).marginal(1)
    assert found["b_q0.25"].to_list() == marginal.ppf(0.25).tolist()
    assert facts("evaluate", path, data)["metrics"]["Energy score"] == metrics.energy_score(
        model.predict_dist(X), y
    )


def test_early_stopping_on_another_file(fitted, tmp_path):
    TABLE[80:].write_parquet(tmp_path / "watched.parquet")
    path, _ = fitted("--target", "a", "--validation-data", tmp_path / "watched.parquet")
    model = WGBRegressor(early_stopping=True, **SETTINGS).fit(
        X, TABLE["a"], X_val=X[80:], y_val=TABLE["a"][80:]
    )
    expect(path, model)
    assert wgboost.load(path).history_ == model.history_


def test_resumed_checkpoint_gives_the_same_model(fitted, tmp_path):
    path, data = fitted("--target", "a", "--checkpoint", tmp_path / "c.wgb")
    whole = path.read_bytes()
    assert wgboost.load(tmp_path / "c.wgb").n_estimators_ < 12
    fitted("--target", "a", "--resume", tmp_path / "c.wgb")
    assert path.read_bytes() == whole
    fitted("--target", "a", "--max-time", "1e-9")
    assert wgboost.load(path).n_estimators_ == 1
    assert data.exists()


def test_ood_metrics_of_other_rows(fitted, tmp_path):
    path, data = fitted("--target", "a", "--option", "kernel=scaled")
    TABLE.with_columns(pl.col("x") * 9).write_csv(tmp_path / "far.csv")
    result = facts("evaluate", path, data, "--ood", tmp_path / "far.csv")
    model = wgboost.load(path)
    far = X.with_columns(pl.col("x") * 9)
    expected = metrics.ood_roc_auc(model.ood_score(X), model.ood_score(far))
    assert result["metrics"]["OOD ROC AUC"] == expected
    assert "OOD ROC AUC" not in result["before_round_1"]


def test_number_of_threads_does_not_change_results(fitted):
    path, data = fitted("--target", "a", "--option", "cat_smooth=5")
    whole = path.read_bytes()
    fitted("--target", "a", "--option", "cat_smooth=5", "--threads", "3")
    assert path.read_bytes() == whole
    found = {call("predict", path, data, "--threads", n).stdout for n in (1, 2)}
    assert len(found) == 1


def test_info_shows_the_model(fitted):
    path, _ = fitted("--target", "a", "--weight", "weight", "--validation", "0.2")
    result, model = facts("info", path), wgboost.load(path)
    assert result["columns"] == {"target": ["a"], "weight": "weight"}
    assert result["rounds"] == model.n_estimators_
    best = min(model.history_["validation"]["nll"])
    assert result["validation"] == {"nll": best}
    gains = dict(zip(FEATURES, model.feature_importances_.tolist(), strict=True))
    assert {one["name"]: one["importance"] for one in result["features"]} == gains
    assert result["parameters"]["n_particles"] == 5
    text = call("info", path).stdout
    assert re.search(r"^columns +target a, weight weight$", text, flags=re.MULTILINE)


def test_plots_with_and_without_the_target(fitted, tmp_path):
    path, data = fitted("--target", "a", "--validation", "0.2")
    result = facts("plot", path, data, "--out", tmp_path / "all", "--along", "1", "--dpi", "40")
    names = {name.rsplit("/")[-1] for name in result["plots"]}
    first = FEATURES[wgboost.load(path).feature_importances_.argmax()]
    assert names == {
        "predictive.png", "density.png", "particles.png", "calibration.png", "pit.png",
        "coverage.png", "uncertainty.png", "importance.png", "learning_curve.png",
        f"mean_by_{first}.png", f"epistemic_share_by_{first}.png",
    }  # fmt: skip
    assert all((tmp_path / "all" / name).read_bytes()[:4] == b"\x89PNG" for name in names)
    X.write_csv(tmp_path / "x.csv")
    only = ["--only", "density", "--only", "importance", "--format", "svg"]
    result = facts("plot", path, tmp_path / "x.csv", "--out", tmp_path / "some", *only)
    assert len(result["plots"]) == 2
    assert "<svg" in (tmp_path / "some" / "density.svg").read_text()
    assert "without the target" in result["notes"][0]
    wrong = call("plot", path, tmp_path / "x.csv", "--out", tmp_path, "--only", "pitt", code=2)
    assert "--only pitt: the plots are predictive, density" in wrong.stderr


def test_demo_runs_every_command(tmp_path):
    result = facts("demo", "--out", tmp_path / "demo")
    commands = [one["command"].split()[0] for one in result["results"]]
    assert {*commands} == {"fit", "info", "predict", "evaluate", "plot"}
    scores = [one for one in result["results"] if "metrics" in one]
    assert scores[0]["metrics"]["NLL"] < scores[0]["before_round_1"]["NLL"]
    assert scores[1]["metrics"]["Accuracy"] > 0.9
    assert (tmp_path / "demo" / "patients.html").read_text().startswith("<!doctype html>")
    again = call("demo", "--out", tmp_path / "demo", code=2)
    assert "not an empty folder" in again.stderr
