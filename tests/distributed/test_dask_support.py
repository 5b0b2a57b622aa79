"""Support of models that were fitted on two processes: that of all rows in one process."""

import numpy as np
import pytest

da = pytest.importorskip("dask.array")

import wgboost  # noqa: E402
from clusters import two_processes  # noqa: E402
from wgboost import TreeLearner  # noqa: E402
from wgboost.dask import WGBClassifier, WGBRegressor  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.integers(0, 30, size=(400, 3)).astype(np.float64)
X[:300, 0] -= 40  # the rows of the first worker are elsewhere
X[390:, 1] = np.nan
Y = np.sin(X[:, 0]) + X[:, 2] / 30 + 0.1 * RNG.normal(size=400)
WEIGHT = np.r_[np.ones(350), np.zeros(50)]
FEW = {
    "n_estimators": 5, "n_particles": 3, "max_leaves": 8, "random_state": 0, "n_jobs": 1,
    "early_stopping": False, "learner": TreeLearner(engine="xgboost"),
}  # fmt: skip


@pytest.fixture(scope="module")
def client():
    with two_processes() as client:
        yield client


def parts(values):
    return da.from_array(values, chunks=((250, 50, 100), *((n,) for n in values.shape[1:])))


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["equal", "weighted"])
def test_support_is_that_of_one_process(client, weight):
    known = {} if weight is None else {"sample_weight": parts(weight)}
    model = WGBRegressor(**FEW).fit(parts(X), parts(Y), client=client, **known).model_
    one = wgboost.WGBRegressor(**FEW).fit(X, Y, weight).model_
    for name in ("codes", "missing", "rows", "first_bin", "low", "high"):
        ranges = model.ensemble.ranges, one.ensemble.ranges
        np.testing.assert_array_equal(*(getattr(each, name) for each in ranges), name)
    for name in ("spread", "low", "high", "asked", "reference"):
        known = model.known_support, one.known_support
        np.testing.assert_allclose(*(getattr(each, name) for each in known), atol=1e-12)
    rows = np.concatenate([X[::9], X[::9] + 0.4, 3 * X[::9] + 50])
    a, b = model.support(rows), one.support(rows)
    np.testing.assert_allclose(a.support, b.support, atol=1e-12)
    np.testing.assert_allclose(a.lost, b.lost, atol=1e-4)


def test_the_error_for_partitions_names_the_methods_that_take_them(client):
    lazy, labels = parts(X), parts(np.where(Y > 0, "up", "down"))
    first, last = "predict, predict_dist", "predict_band, ood_score and ood_pvalue take it"
    settings = {**FEW, "n_estimators": 1}
    regressor = WGBRegressor(**settings).fit(lazy, parts(Y), client=client)
    with pytest.raises(TypeError, match=f"{first}, predict_quantiles, predict_interval, {last}"):
        regressor.predict_support(lazy)
    classifier = WGBClassifier(**settings).fit(lazy, labels, client=client)
    with pytest.raises(TypeError, match=f"{first}, predict_proba, {last}"):
        classifier.explain_support(lazy)
    for model in (regressor, classifier):
        np.testing.assert_array_equal(model.ood_pvalue(lazy), model.ood_pvalue(X))


def test_the_native_engine_finds_the_ranges_of_rows(client):
    """The ranges of a pass over rows, and those that growing takes from the histograms."""
    del client
    native = {**FEW, "learner": None}
    model = wgboost.WGBRegressor(**native).fit(X, Y).model_
    from wgboost.data import Features
    from wgboost.trees.xgboost.row_ranges import ranges_of_rows

    trees = model.ensemble
    found = ranges_of_rows(trees, Features.from_raw(X).binned, None, 1)
    np.testing.assert_array_equal(found.codes, trees.ranges.codes)
    np.testing.assert_array_equal(found.missing, trees.ranges.missing)
