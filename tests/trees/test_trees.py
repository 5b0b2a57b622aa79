"""Trees against scikit-learn and LightGBM, grown on the same binned features."""

import lightgbm
import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from making import fitted_values, grow, made
from wgboost.data import Features


def as_floats(features):
    """The codes as numbers that other libraries split between as ours does."""
    codes = features.binned.codes.astype(np.float64)
    codes[codes == features.binned.n_bins] = np.nan
    return codes + 1.0


def squared_error(values, targets, weight=None):
    per_row = ((values.astype(float) - targets) ** 2).reshape(len(targets), -1).sum(axis=1)
    return np.average(per_row, weights=weight)


def assert_error_equals_scikit_learn(features, targets, weight=None, threads=1, **limits):
    _, fitted = grow(features, targets, weight=weight, n_threads=threads, **limits)
    n = len(targets)
    peer = DecisionTreeRegressor(criterion="squared_error", random_state=0, **limits)
    peer.fit(as_floats(features), targets.reshape(n, -1), sample_weight=weight)
    peer_values = peer.predict(as_floats(features)).reshape(targets.shape)
    ours = squared_error(fitted_values(fitted), targets, weight)
    theirs = squared_error(peer_values, targets, weight)
    assert theirs < 0.9 * squared_error(0 * targets + targets.mean(0), targets, weight)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
@pytest.mark.parametrize(("m", "d"), [(1, 1), (1, 2), (3, 1), (10, 2), (35, 2)])
@pytest.mark.parametrize("weighted", [False, True])
def test_squared_error_equals_that_of_scikit_learn(m, d, depth, weighted):
    X, targets = made(depth + 10 * m, 1500, 5, m, d)
    weight = None
    if weighted:
        weight = np.random.default_rng(m).gamma(1.0, size=1500).astype(np.float32)
    assert_error_equals_scikit_learn(
        Features.from_raw(X, weight=weight), targets, weight, max_depth=depth
    )


@pytest.mark.parametrize("least", [2, 30])
def test_squared_error_equals_that_of_scikit_learn_with_enough_rows_in_each_leaf(least):
    X, targets = made(21, 800, 4, 5, 2)
    assert_error_equals_scikit_learn(
        Features.from_raw(X), targets, max_depth=6, min_samples_leaf=least
    )


def test_squared_error_equals_that_of_scikit_learn_with_missing_values():
    X, targets = made(22, 1000, 4, 3, 2, missing=0.2)
    assert_error_equals_scikit_learn(Features.from_raw(X), targets, max_depth=4)


@pytest.mark.parametrize("threads", [1, 2])
def test_squared_error_equals_that_of_scikit_learn_on_many_rows(threads):
    X, targets = made(24, 70_000, 3, 1, 2, missing=0.05, distinct=50)
    assert_error_equals_scikit_learn(Features.from_raw(X), targets, max_depth=4, threads=threads)


def test_squared_error_equals_that_of_scikit_learn_when_histograms_are_too_many_to_keep():
    # 400 features x 256 bins x 64 lanes: 26 MB each, so that 512 MB hold fewer than a level.
    X, targets = made(23, 700, 400, 31, 2)
    assert_error_equals_scikit_learn(Features.from_raw(X), targets, max_depth=6)


@pytest.mark.parametrize("depth", [3, 5])
def test_squared_error_equals_that_of_scikit_learn_on_boston(data_folder, depth):
    boston = np.load(data_folder / "uci" / "boston.npz")
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(len(boston["y"]), 10, 2))
    targets = (boston["y"][:, None, None] + noise).astype(np.float32)
    assert_error_equals_scikit_learn(Features.from_raw(boston["X"]), targets, max_depth=depth)


def lightgbm_values(features, g, c, *, num_leaves, l2, max_depth=-1):
    """One round of LightGBM from zero on gradients -g and hessians c."""
    X = as_floats(features)
    data = lightgbm.Dataset(
        X, label=np.zeros(len(X)), free_raw_data=False,
        params={"max_bin": 255, "min_data_in_bin": 1, "feature_pre_filter": False,
                "enable_bundle": False, "verbose": -1, "num_threads": 1},
    )  # fmt: skip
    model = lightgbm.train(
        {
            "objective": lambda *_: (-g.astype(float), c.astype(float)),
            "learning_rate": 1.0, "num_leaves": num_leaves, "max_depth": max_depth,
            "lambda_l2": l2, "min_data_in_leaf": 0, "min_sum_hessian_in_leaf": 0.0,
            "deterministic": True, "force_row_wise": True, "num_threads": 1, "verbose": -1,
        },
        data, num_boost_round=1,
    )  # fmt: skip
    return model.predict(X)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("l2", [0.0, 3.0])
@pytest.mark.parametrize("kind", ["plain", "weights", "curvature", "both"])
@pytest.mark.parametrize("leaves", [2, 8, 31])
def test_best_first_trees_predict_what_lightgbm_predicts(missing, l2, kind, leaves):
    X, targets = made(31, 2000, 6, missing=missing, distinct=60)
    g = targets[:, 0, 0]
    # LightGBM guesses the rows of a bin from its hessian; no row may be far from the average.
    rng = np.random.default_rng(32)
    ones = np.ones_like(g)
    weight = (0.5 + rng.random(2000)).astype(np.float32) if kind in ("weights", "both") else None
    c = (0.5 + rng.random(2000)).astype(np.float32) if kind in ("curvature", "both") else None
    features, fitted = grow(
        X, g, c, weight, growth="best_first", max_depth=None, max_leaves=leaves, l2=l2
    )
    w, h = ones if weight is None else weight, ones if c is None else c
    expected = lightgbm_values(features, w * g, w * h, num_leaves=leaves, l2=l2)
    assert len(np.unique(expected)) == leaves
    np.testing.assert_allclose(fitted_values(fitted)[:, 0, 0], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("depth", [1, 3, 5])
def test_depth_wise_trees_predict_what_lightgbm_predicts(depth):
    X, targets = made(33, 3000, 5, missing=0.05, distinct=200)
    g = targets[:, 0, 0]
    features, fitted = grow(X, g, max_depth=depth, l2=1.0)
    expected = lightgbm_values(
        features, g, np.ones_like(g), num_leaves=2**depth, l2=1.0, max_depth=depth
    )
    np.testing.assert_allclose(fitted_values(fitted)[:, 0, 0], expected, rtol=1e-5, atol=1e-5)
