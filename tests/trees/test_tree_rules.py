"""What each setting of a tree does."""

import numpy as np
import pytest

from making import assert_same_tree, fitted_values, grow, made, same_partition

STEP = np.arange(8.0)[:, None]


def only_tree(X, targets, *args, **settings):
    return grow(X, targets, *args, **settings)[1].trees[0]


def split_order(tree):
    """Inner nodes in the order in which they were split."""
    inner = np.flatnonzero(tree.feature >= 0)
    return inner[np.argsort(tree.left[inner])]


def test_a_leaf_is_the_mean_of_its_targets():
    tree = only_tree(STEP, [1, 1, 1, 1, 5, 5, 5, 7], max_depth=1)
    assert tree.values.ravel().tolist() == [1.0, 5.5]
    assert tree.threshold[0] == 3.5
    assert tree.cover.tolist() == [8, 4, 4]


def test_weights_and_curvature_and_l2_enter_a_leaf_as_the_formula_says():
    g = np.array([2.0, 4.0, 6.0], np.float32)
    c = np.array([1.0, 3.0, 0.5], np.float32)
    w = np.array([1.0, 2.0, 4.0], np.float32)
    tree = only_tree(np.zeros((3, 1)), g, c, w, l2=1.5)
    np.testing.assert_allclose(tree.values, [[(2 + 8 + 24) / (1 + 6 + 2 + 1.5)]], rtol=1e-6)


def test_an_output_without_curvature_gets_no_movement_without_l2():
    g, c = np.ones((4, 2), np.float32), np.zeros((4, 2), np.float32)
    c[:, 1] = 2.0
    assert only_tree(np.zeros((4, 1)), g, c).values.tolist() == [[0.0, 0.5]]
    assert only_tree(np.zeros((4, 1)), g, c, l2=0.5).values.tolist() == [[8.0, np.float32(4 / 8.5)]]


def test_rows_without_curvature_do_not_invent_a_gain():
    # Unsplit 2^2 / 2, split 0 + 0^2 / 2: the row without curvature is better kept in company.
    g, c = np.array([2.0, 1.0, -1.0]), np.array([0.0, 1.0, 1.0])
    tree = only_tree(np.array([[0.0], [1.0], [1.0]]), g, c, max_depth=1)
    assert tree.values.tolist() == [[1.0]]


def test_a_single_row_and_constant_features_make_one_leaf():
    for X in (np.ones((1, 3)), np.ones((9, 2)), np.full((9, 1), np.nan)):
        tree = only_tree(X, np.arange(len(X), dtype=float), max_depth=5)
        assert tree.feature.tolist() == [-1]
        assert tree.values.ravel() == pytest.approx([(len(X) - 1) / 2])


def test_equal_targets_are_never_split():
    X, _ = made(1, 300, 3)
    assert only_tree(X, np.full(300, 0.1, np.float32), max_depth=4).n_leaves == 1


def test_the_gain_is_what_the_split_takes_off_the_squared_error():
    X, targets = made(2, 500, 3, 4)
    _, fitted = grow(X, targets, max_depth=4)
    before = ((targets - targets.mean(axis=0)) ** 2).sum()
    after = ((targets - fitted_values(fitted)) ** 2).sum()
    np.testing.assert_allclose(fitted.trees[0].gain.sum(), before - after, rtol=1e-4)


def test_min_gain_is_the_gain_that_a_split_has_to_exceed():
    targets = [0, 0, 0, 0, 1, 1, 1, 1]  # the split is worth 8 * 0.25 = 2
    assert only_tree(STEP, targets, min_gain=1.99).n_leaves == 2
    assert only_tree(STEP, targets, min_gain=2.0).n_leaves == 1
    X, y = made(3, 600, 4)
    tree = only_tree(X, y, max_depth=8, min_gain=3.0)
    assert tree.n_leaves > 3
    assert tree.gain[tree.feature >= 0].min() > 3.0


@pytest.mark.parametrize("least", [1, 3, 20, 99, 100, 101])
def test_every_leaf_has_min_samples_leaf_rows(least):
    X, targets = made(4, 200, 3, missing=0.2)
    tree = only_tree(X, targets, max_depth=20, min_samples_leaf=least)
    assert tree.cover[tree.feature < 0].min() >= least
    assert (tree.n_leaves > 1) == (least <= 100)


@pytest.mark.parametrize("growth", ["depth_wise", "best_first"])
@pytest.mark.parametrize("leaves", [2, 3, 7, 20])
def test_growth_stops_at_max_leaves(growth, leaves):
    X, targets = made(5, 500, 3)
    tree = only_tree(X, targets, growth=growth, max_depth=None, max_leaves=leaves)
    assert tree.n_leaves == leaves
    assert tree.feature.size == 2 * leaves - 1


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("growth", ["depth_wise", "best_first"])
def test_growth_stops_at_max_depth(depth, growth):
    X, targets = made(6, 2000, 3)
    tree = only_tree(X, targets, growth=growth, max_depth=depth)
    level = np.zeros(tree.feature.size, int)
    for node in np.flatnonzero(tree.feature >= 0):
        level[tree.left[node] : tree.left[node] + 2] = level[node] + 1
    assert level.max() == depth
    assert tree.n_leaves == 2**depth


def test_best_first_splits_the_largest_gain_first():
    X, targets = made(7, 1000, 4)
    tree = only_tree(X, targets, growth="best_first", max_depth=None, max_leaves=20)
    waiting = {0}
    for node in split_order(tree):
        assert tree.gain[node] == max(tree.gain[list(waiting)])
        waiting = waiting - {node} | {tree.left[node], tree.left[node] + 1}


def test_order_matters_only_when_max_leaves_ends_the_growth():
    X, targets = made(8, 1000, 4)
    free = [grow(X, targets, growth=g, max_depth=4)[1] for g in ("depth_wise", "best_first")]
    assert same_partition(free[0].leaf[0], free[1].leaf[0])
    ended = [
        grow(X, targets, growth=g, max_depth=9, max_leaves=14)[1]
        for g in ("depth_wise", "best_first")
    ]
    assert not same_partition(ended[0].leaf[0], ended[1].leaf[0])


@pytest.mark.parametrize("like", [0.0, 4.0])
def test_missing_values_go_to_the_side_whose_targets_they_share(like):
    X = np.append(np.arange(8.0), [np.nan] * 4)[:, None]
    targets = np.append([0.0] * 4 + [4.0] * 4, [like] * 4)
    _, fitted = grow(X, targets, max_depth=1)
    assert fitted.trees[0].missing_left[0] == (like == 0.0)
    np.testing.assert_array_equal(fitted_values(fitted)[:, 0, 0], targets)
    assert fitted.predict([[np.nan]]) == like


def test_being_missing_can_be_all_there_is_to_know():
    X = np.where(np.arange(20) % 3 == 0, np.nan, np.arange(20.0))[:, None]
    targets = np.isnan(X[:, 0]).astype(float)
    _, fitted = grow(X, targets, max_depth=1)
    np.testing.assert_array_equal(fitted_values(fitted)[:, 0, 0], targets)
    beyond = [[np.nan], [-np.inf], [-1e9], [7.5], [1e9], [np.inf]]
    assert fitted.predict(beyond).ravel().tolist() == [1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("targets", [[0, 0, 0, 1], [0, 1, 1, 1]])
def test_a_value_that_is_missing_for_the_first_time_goes_to_the_larger_child(targets):
    _, fitted = grow(np.arange(4.0)[:, None], np.array(targets, float), max_depth=1)
    assert fitted.predict([[np.nan]]) == np.median(targets)


@pytest.mark.parametrize("offset", [1e4, -1e4])
@pytest.mark.parametrize("kind", ["plain", "weights", "curvature"])
@pytest.mark.parametrize("tree", ["shared", "per_particle"])
def test_a_large_common_offset_does_not_hide_the_splits(offset, kind, tree):
    X, targets = made(9, 3000, 3, 2)
    rng = np.random.default_rng(0)
    weight = rng.random(3000).astype(np.float32) + 0.5 if kind == "weights" else None
    c = (rng.random(targets.shape) + 0.5).astype(np.float32) if kind == "curvature" else None
    moved = (targets + offset * (1 if c is None else c)).astype(np.float32)
    settings = {"weight": weight, "max_depth": 3, "tree": tree}
    small, large = grow(X, targets, c, **settings)[1], grow(X, moved, c, **settings)[1]
    for a, b in zip(small.leaf, large.leaf, strict=True):
        assert same_partition(a, b)
    np.testing.assert_allclose(fitted_values(large) - offset, fitted_values(small), atol=3e-3)


@pytest.mark.parametrize("power", [-30, 30])
def test_the_unit_of_the_targets_does_not_matter(power):
    X, targets = made(10, 800, 4, 3)
    unit = np.float32(2.0**power)
    small, large = only_tree(X, targets, max_depth=4), only_tree(X, targets * unit, max_depth=4)
    np.testing.assert_array_equal(small.feature, large.feature)
    np.testing.assert_array_equal(small.bin, large.bin)
    np.testing.assert_array_equal(small.values * unit, large.values)


@pytest.mark.parametrize("kind", ["plain", "curvature"])
@pytest.mark.parametrize("tree", ["shared", "per_particle"])
def test_rows_of_weight_zero_influence_nothing(kind, tree):
    X, targets = made(11, 400, 3, 2, missing=0.1)
    c = np.abs(targets) + 0.5 if kind == "curvature" else None
    weight = np.random.default_rng(1).integers(0, 3, 400).astype(np.float32)
    kept = weight > 0
    wild = np.where(kept[:, None], X, 1e6 * X[::-1])
    wild_targets = np.where(kept[:, None, None], targets, np.nan).astype(np.float32)
    _, all_rows = grow(wild, wild_targets, c, weight, tree=tree, max_depth=4)
    _, few_rows = grow(
        X[kept], targets[kept], None if c is None else c[kept], weight[kept], tree=tree,
        max_depth=4,
    )  # fmt: skip
    for a, b in zip(all_rows.trees, few_rows.trees, strict=True):
        assert_same_tree(a, b)


@pytest.mark.parametrize("newton", [False, True])
def test_a_row_of_weight_two_counts_as_two_rows(newton):
    X, targets = made(12, 300, 3, 2, missing=0.1)
    c = np.abs(targets) + 0.5 if newton else None
    times = np.random.default_rng(2).integers(1, 4, 300)
    _, weighted = grow(X, targets, c, times.astype(np.float32), max_depth=4, l2=0.5)
    again = np.repeat(np.arange(300), times)
    _, repeated = grow(
        X[again], targets[again], None if c is None else c[again], max_depth=4, l2=0.5
    )
    assert same_partition(weighted.leaf[0][again], repeated.leaf[0])
    np.testing.assert_allclose(
        fitted_values(weighted)[again], fitted_values(repeated), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("step", [300.0, 3e4])
def test_a_large_step_above_does_not_hide_the_splits_below(step):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(4000, 2)).astype(float)
    y = step * (2 * X[:, 0] - 1) + (2 * X[:, 1] - 1)
    tree = only_tree(X, y, max_depth=2)
    assert tree.feature[:3].tolist() == [0, 1, 1]
    np.testing.assert_allclose(
        np.sort(tree.values.ravel()), [-step - 1, -step + 1, step - 1, step + 1], rtol=1e-6
    )
