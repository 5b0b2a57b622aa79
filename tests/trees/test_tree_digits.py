"""What float32 sums must not spoil: offsets, outliers, weights of 1, many rows."""

import numpy as np
import pytest

from making import assert_same_tree, grow, made
from wgboost.learners.hist_tree import HistTree
from wgboost.trees.flat import FlatTrees


def two_levels(rng, step, outputs=1):
    X = rng.integers(-100, 100, size=(2000, 2)) / 100 + 0.005  # fewer values than bins
    y = step * (X[:, 0] > 0) + np.where(X[:, 1] > 0.3, 1.0, -1.0)
    return X, np.tile(y[:, None], (1, outputs)).astype(np.float32)


def squared_error(fitted, targets):
    particles = np.zeros((len(targets), *fitted.flat.shape), np.float32)
    fitted.add_to(particles)
    return np.mean((particles.reshape(len(targets), -1).astype(float) - targets) ** 2)


@pytest.mark.parametrize("step", [0.0, 1e3, 1e5])
@pytest.mark.parametrize("kind", ["weights", "curvature", "many outputs", "tiny l2"])
def test_an_offset_hides_no_split_with(kind, step):
    X, targets = two_levels(np.random.default_rng(0), step, 60 if kind == "many outputs" else 1)
    ones = np.ones(len(X), np.float32)
    options = {
        "weights": {"weight": ones},
        "curvature": {"curvature": np.ones_like(targets)},
        "many outputs": {},
        "tiny l2": {"l2": 1e-9},
    }[kind]
    _, fitted = grow(X, targets, max_depth=2, **options)
    assert fitted.trees[0].n_leaves == (4 if step else 2)
    assert squared_error(fitted, targets) < 1e-4 + 1e-12 * step**2


@pytest.mark.parametrize("kind", ["weight", "curvature"])
def test_ones_change_nothing(kind):
    X, targets = made(3, 600, 4, 3, 2, missing=0.1)
    plain = grow(X, targets, max_depth=4)[1].trees[0]
    ones = np.ones(len(X)) if kind == "weight" else np.ones_like(targets)
    same = grow(X, targets, max_depth=4, **{kind: ones})[1].trees[0]
    assert same.feature.tolist() == plain.feature.tolist()
    assert same.bin.tolist() == plain.bin.tolist()
    np.testing.assert_allclose(same.values, plain.values, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("row", [0, 1, 500])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_wild_row_does_not_spoil_the_others(row, weighted):
    x = np.random.default_rng(0).uniform(-1, 1, 1000)
    targets = np.sign(x)
    targets[row] = 1e7
    X = np.c_[x, np.arange(1000) == row]
    _, fitted = grow(X, targets, max_depth=2, weight=np.ones(1000) if weighted else None)
    assert sorted(fitted.trees[0].values.ravel().round(2).tolist()) == [-1.0, 1.0, 1e7]


def test_rows_of_tiny_curvature_do_not_spoil_the_others():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(2048, 1))
    targets, curvature = np.sign(X[:, 0]), np.ones(2048)
    curvature[:: 2048 // 64] = 1e-9
    _, fitted = grow(X, targets, curvature, max_depth=1)
    assert abs(fitted.trees[0].threshold[0]) < 0.01


def test_float32_sums_of_many_rows_keep_their_digits():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(400_000, 1)).astype(np.float32)
    targets = (0.1 + 0.01 * X[:, 0] + 0.3 * rng.random(len(X))).astype(np.float32)
    tree = grow(X, targets, max_depth=1)[1].trees[0]
    left, right = (targets[X[:, 0] == side].astype(float) for side in (0, 1))
    n, a, b = len(X), len(left), len(right)
    np.testing.assert_allclose(
        tree.gain[0], a * b / n * (left.mean() - right.mean()) ** 2, rtol=1e-3
    )


@pytest.mark.slow
def test_no_leaf_is_empty_beyond_the_integers_of_float32():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(36_000_000, 2), dtype=np.int8).astype(np.float32)
    targets = (X[:, 0] + 0.1 * X[:, 1] + rng.random(len(X), dtype=np.float32)).reshape(-1, 1, 1)
    tree = grow(X, targets, max_depth=4)[1].trees[0]
    assert tree.cover.min() > 0
    assert tree.n_leaves == 4


def test_random_projections_average_the_curvature():
    X, targets = made(5, 500, 4, 3, 2)
    rng = np.random.default_rng(1)
    curvature = rng.gamma(2.0, size=targets.shape)
    matrix = np.random.default_rng(7).standard_normal((6, 2)) / np.sqrt(2)
    g = targets.reshape(-1, 6) @ matrix
    c = np.repeat(curvature.reshape(-1, 6).mean(axis=1, keepdims=True), 2, axis=1)
    # With an l2 of the order of the curvature, a sum in its place would choose other splits.
    ours = grow(X, targets, curvature, split_on=2, l2=100.0, seed=7)[1].trees[0]
    plain = grow(X, g, c, l2=100.0)[1].trees[0]
    assert ours.feature.tolist() == plain.feature.tolist()
    assert ours.bin.tolist() == plain.bin.tolist()
    np.testing.assert_allclose(ours.gain, plain.gain, rtol=1e-3)


def test_a_learner_gives_back_memory_of_other_sizes():
    features, _ = grow(*made(0, 300, 3))
    learner = HistTree()
    first = learner.fit(features, made(0, 300, 3)[1])
    for k in range(1, 80):
        learner.fit(features, np.ones((300, 1, k), np.float32))
    assert_same_tree(learner.fit(features, made(0, 300, 3)[1]).trees[0], first.trees[0])


def test_ensembles_of_different_kinds_are_not_joined():
    a = grow(*made(0, 50, 3, 1, 2))[1].flat
    for b in (grow(*made(0, 50, 3, 2, 1))[1].flat, grow(*made(0, 50, 4, 1, 2))[1].flat):
        with pytest.raises(ValueError, match="cannot be joined"):
            FlatTrees.join([a, b])


def test_targets_of_rows_that_are_not_drawn_have_to_be_finite_too():
    X, targets = made(0, 200, 3)
    targets[5] = np.nan
    for seed in range(5):
        with pytest.raises(ValueError, match=r"targets is nan at \(5, 0, 0\)"):
            grow(X, targets, subsample=0.1, seed=seed)


def test_of_features_that_part_the_rows_alike_the_first_asks():
    # Their sums add the same rows in another order, and targets that cancel lose digits by it.
    for seed in range(50):
        rng = np.random.default_rng(seed)
        side = rng.permutation(np.repeat([0, 1], 20))
        X = rng.uniform(0, 1, (40, 6)) + side[:, None] * np.array([-1, 1, 1, -1, 1, 1])
        targets = 1e3 * rng.standard_normal(40)
        for half in (side == 0, side == 1):
            targets[half] -= targets[half].mean()
        _, fitted = grow(X, targets + side, max_depth=1, min_samples_leaf=20)
        assert fitted.flat.trees[0].feature[0] == 0
