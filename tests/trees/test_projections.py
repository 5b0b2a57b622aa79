"""What the split search sees of the outputs, and trees of single particles."""

from dataclasses import replace

import numpy as np
import pytest

from making import assert_same_tree, fitted_values, grow, made, same_partition
from wgboost.data import Features


def problem(newton=False, weighted=False, n=600, m=4, d=2):
    X, g = made(1, n, 4, m, d, missing=0.1)
    rng = np.random.default_rng(2)
    c = (0.3 + rng.random(g.shape)).astype(np.float32) if newton else None
    weight = rng.integers(0, 4, n).astype(np.float32) if weighted else None
    return Features.from_raw(X, weight=weight), g, c, weight


def assert_same_structure(a, b):
    for name in ("feature", "bin", "left", "leaf", "cover", "missing_left"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


both = pytest.mark.parametrize("newton", [False, True])
weights = pytest.mark.parametrize("weighted", [False, True])
penalties = pytest.mark.parametrize("l2", [0.0, 1.0])


@both
@weights
@penalties
def test_split_on_sum_finds_the_tree_of_the_summed_outputs(newton, weighted, l2):
    X, g, c, weight = problem(newton, weighted)
    rules = {"weight": weight, "max_depth": 4, "min_samples_leaf": 8, "l2": l2}
    _, fitted = grow(X, g, c, split_on="sum", **rules)
    summed = [None if v is None else v.sum(axis=(1, 2)) for v in (g, c)]
    _, scalar = grow(X, *summed, **rules)
    assert_same_structure(fitted.trees[0], scalar.trees[0])
    _, full = grow(X, g, c, split_on="all", **rules)
    assert not same_partition(fitted.leaf[0], full.leaf[0])


@both
@weights
@penalties
def test_split_on_particle_mean_finds_the_tree_of_the_mean_particle(newton, weighted, l2):
    X, g, c, weight = problem(newton, weighted)
    rules = {"weight": weight, "max_depth": 4, "min_samples_leaf": 8, "l2": l2}
    _, fitted = grow(X, g, c, split_on="particle_mean", **rules)
    mean = [None if v is None else v.mean(axis=1, keepdims=True) for v in (g, c)]
    _, small = grow(X, *mean, **rules)
    assert_same_structure(fitted.trees[0], small.trees[0])
    _, full = grow(X, g, c, split_on="all", **rules)
    assert not same_partition(fitted.leaf[0], full.leaf[0])


@pytest.mark.parametrize("split_on", ["all", "sum", "particle_mean", 1, 3])
def test_leaves_hold_every_output_whatever_the_search_saw(split_on):
    X, g, _, _ = problem()
    _, fitted = grow(X, g, split_on=split_on, max_depth=3)
    values = fitted_values(fitted)
    assert fitted.trees[0].values.shape == (8, 8)
    for leaf in range(8):
        rows = fitted.leaf[0] == leaf
        mean = g[rows].mean(axis=0, dtype=float)
        np.testing.assert_allclose(values[rows][0], mean, rtol=1e-5, atol=1e-6)


@both
@weights
@pytest.mark.parametrize("split_on", ["all", "sum", "particle_mean", 1])
@pytest.mark.parametrize("growth", ["depth_wise", "best_first"])
def test_per_particle_trees_are_those_of_each_particle_alone(newton, weighted, split_on, growth):
    X, g, c, weight = problem(newton, weighted)
    rules = {
        "weight": weight, "split_on": split_on, "growth": growth, "max_depth": 5, "max_leaves": 9,
        "subsample": 0.7, "colsample": 0.5, "l2": 0.5 * newton, "seed": 3,
    }  # fmt: skip
    _, together = grow(X, g, c, tree="per_particle", **rules)
    assert len(together.trees) == 4
    for j, tree in enumerate(together.trees):
        part = slice(j, j + 1)
        _, alone = grow(X, g[:, part], None if c is None else c[:, part], **rules)
        assert tree.output == 2 * j
        assert_same_tree(tree, replace(alone.trees[0], output=tree.output))
        np.testing.assert_array_equal(together.leaf[j], alone.leaf[0])


def test_per_particle_trees_of_many_rows_are_those_of_each_particle_alone():
    # More rows than one float32 sum takes, so that partial sums are added up.
    X, g = made(4, 140_000, 3, 3, 1)
    features = Features.from_raw(X)
    _, together = grow(features, g, tree="per_particle", max_depth=2)
    for j, tree in enumerate(together.trees):
        assert_same_tree(tree, grow(features, g[:, j : j + 1], max_depth=2)[1].trees[0])


def test_particles_add_only_to_their_own_outputs():
    X, g, _, _ = problem()
    silent = g.copy()
    silent[:, 1] = 0
    _, fitted = grow(X, silent, tree="per_particle", max_depth=3)
    values = fitted_values(fitted)
    assert not values[:, 1].any()
    assert all(values[:, j].any() for j in (0, 2, 3))


@pytest.mark.parametrize("tree", ["shared", "per_particle"])
@both
def test_all_projections_of_a_single_output_are_the_same(tree, newton):
    X, g, c, weight = problem(newton, m=1, d=1)
    trees = [
        grow(X, g, c, weight, tree=tree, split_on=split_on, max_depth=4)[1].trees[0]
        for split_on in ("all", "sum", "particle_mean", 1, 5)
    ]
    assert trees[0].n_leaves > 10
    for other in trees[1:]:
        assert_same_tree(trees[0], other)


def test_as_many_random_projections_as_outputs_are_all_outputs():
    X, g, _, _ = problem()
    assert_same_tree(
        grow(X, g, split_on=8, max_depth=4)[1].trees[0],
        grow(X, g, split_on="all", max_depth=4)[1].trees[0],
    )


def test_a_random_projection_is_a_function_of_its_seed():
    X, g, _, _ = problem()
    first, again, other = (
        grow(X, g, split_on=1, max_depth=5, seed=seed)[1] for seed in (1, 1, 2)
    )  # fmt: skip
    assert_same_tree(first.trees[0], again.trees[0])
    assert not same_partition(first.leaf[0], other.leaf[0])


def test_the_expected_gain_of_a_random_projection_is_that_of_all_outputs():
    X, g, _, _ = problem()
    step = (X.raw[:, 0] > 0).astype(float)[:, None]  # one feature, one possible split
    full = grow(step, g, max_depth=1)[1].trees[0].gain[0]
    gains = [grow(step, g, split_on=4, max_depth=1, seed=s)[1].trees[0].gain[0] for s in range(400)]
    assert np.mean(gains) == pytest.approx(full, rel=0.15)
