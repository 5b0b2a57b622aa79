"""What follows the number of rows where nothing is said: leaves, and rounds of very few rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from wgboost import WGBClassifier, WGBoost, WGBRegressor, metrics
from wgboost.training.settings import usual_leaves

RNG = np.random.default_rng(5)
X = RNG.normal(size=(700, 4))
Y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + 0.1 * RNG.normal(size=700)
FEW = {"n_estimators": 2, "n_particles": 2, "random_state": 0, "n_jobs": 1, "init": "flow"}


@pytest.mark.parametrize(
    ("n", "leaves"),
    [(1, 4), (128, 4), (256, 8), (512, 16), (2048, 32), (32_768, 128), (10**8, 128)],
)
def test_leaves_by_rows(n, leaves):
    assert usual_leaves(n) == leaves


def test_leaves_never_fall_as_rows_rise():
    leaves = [usual_leaves(n) for n in range(1, 60_000, 7)]
    assert (np.diff(leaves) >= 0).all()


@pytest.mark.parametrize("n", [100, 400, 700])
def test_auto_is_the_number_that_suits_the_rows(n):
    auto = WGBRegressor(**FEW).fit(X[:n], Y[:n])
    said = WGBRegressor(max_leaves=usual_leaves(n), **FEW).fit(X[:n], Y[:n])
    other = WGBRegressor(max_leaves=usual_leaves(n) + 1, **FEW).fit(X[:n], Y[:n])
    assert_array_equal(auto.predict(X), said.predict(X))
    assert (auto.predict(X) != other.predict(X)).any()


def test_rows_to_train_on_count_by_their_weight():
    weight = np.where(np.arange(200) < 100, 3.0, 1.0)
    by_weight = WGBRegressor(**FEW).fit(X[:200], Y[:200], weight)
    said = WGBRegressor(max_leaves=12, **FEW).fit(X[:200], Y[:200], weight)
    assert_array_equal(by_weight.predict(X), said.predict(X))
    stopping = {**FEW, "early_stopping": True, "evidence": 3.0}
    auto = WGBRegressor(**stopping).fit(X[:400], Y[:400])
    said = WGBRegressor(max_leaves=10, **stopping).fit(X[:400], Y[:400])
    assert_array_equal(auto.predict(X), said.predict(X))


def test_a_depth_alone_sets_the_size():
    auto = WGBRegressor(max_depth=5, **FEW).fit(X[:100], Y[:100])
    said = WGBRegressor(max_depth=5, max_leaves=None, **FEW).fit(X[:100], Y[:100])
    assert_array_equal(auto.predict(X), said.predict(X))


def test_every_estimator_knows_auto():
    labels = Y[:100] > 0
    auto = WGBClassifier(max_leaves="auto", **FEW).fit(X[:100], labels)
    said = WGBClassifier(max_leaves=4, **FEW).fit(X[:100], labels)
    assert_array_equal(auto.predict_proba(X), said.predict_proba(X))
    settings = {**FEW, "max_depth": None, "direction": "energy", "init": None}
    samples = Y[:100, None, None] + RNG.normal(size=(100, 5, 1))
    one, other = (
        WGBoost(max_leaves=n, **settings).fit(X[:100], samples).predict_particles(X)
        for n in ("auto", 4)
    )
    assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [("many", ValueError, "max_leaves='many'"), (1, ValueError, "max_leaves=1")],
)
def test_other_words_are_refused(value, error, said):
    with pytest.raises(error, match=said):
        WGBRegressor(max_leaves=value).fit(X, Y)


def test_warm_start_and_files_keep_to_the_rows(tmp_path):
    import wgboost

    settings = {**FEW, "warm_start": True}
    model = WGBRegressor(**settings).fit(X[:400], Y[:400])
    model.save(tmp_path / "model.wgb")
    loaded = wgboost.load(tmp_path / "model.wgb")
    for one in (model, loaded):
        one.set_params(n_estimators=4).fit(X[:400], Y[:400])
    whole = WGBRegressor(**{**FEW, "n_estimators": 4}).fit(X[:400], Y[:400])
    assert_array_equal(model.predict(X), whole.predict(X))
    assert_array_equal(loaded.predict(X), whole.predict(X))


@pytest.mark.parametrize("n", [3, 19, 49])
def test_very_few_rows_have_at_most_as_many_rounds(n):
    found = WGBRegressor(n_jobs=1).fit(X[:n], Y[:n]).n_estimators_
    assert found == n if n < 10 else 1 <= found <= n  # folds find them
    assert WGBClassifier(n_jobs=1).fit(X[:n], np.arange(n) % 2).n_estimators_ == n


def test_without_early_stopping_many_rows_have_a_hundred_rounds():
    model = WGBRegressor(early_stopping=False, n_particles=2, n_jobs=1).fit(X[:50], Y[:50])
    assert model.n_estimators_ == 100


def test_very_few_rows_do_not_make_a_model_sure_of_itself():
    # With 100 rounds 90 % intervals hold 62 to 73 % of new rows.
    shares = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        features = rng.normal(size=(415, 3))
        y = features[:, 0] + rng.normal(size=415)
        model = WGBRegressor(random_state=0, n_jobs=1).fit(features[:15], y[:15])
        shares.append(metrics.coverage(model.predict_dist(features[15:]), y[15:], 0.9))
    assert np.mean(shares) > 0.84
