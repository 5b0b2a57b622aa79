"""Rows and features drawn for each round."""

import numpy as np
import pytest

from making import assert_same_tree, grow, made, same_partition
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.trees import TreeSettings


def drawn_rows(n, share, seed, weight=None):
    """Which rows a tree was grown on, read off the bits of the sum in its only leaf."""
    g = 2.0 ** np.arange(n)
    _, fitted = grow(np.zeros((n, 1)), g, weight=weight, subsample=share, seed=seed)
    tree = fitted.trees[0]
    total = round(float(tree.values[0, 0]) * tree.cover[0])
    return np.flatnonzero([total >> i & 1 for i in range(n)])


@pytest.mark.parametrize(("share", "size"), [(0.5, 8), (0.25, 4), (0.13, 2), (0.01, 1), (1.0, 16)])
def test_subsample_draws_that_share_of_the_rows_without_replacement(share, size):
    draws = [drawn_rows(16, share, seed) for seed in range(60)]
    assert all(len(rows) == size for rows in draws)
    times = np.bincount(np.concatenate(draws), minlength=16)
    assert times.min() > 0
    assert abs(times - times.mean()).max() < 4.5 * np.sqrt(times.mean())


def test_rows_of_weight_zero_are_never_drawn():
    weight = np.array([1.0, 0.0] * 8)
    draws = [drawn_rows(16, 0.5, seed, weight) for seed in range(60)]
    assert all(len(rows) == 4 for rows in draws)
    np.testing.assert_array_equal(np.unique(np.concatenate(draws)), np.arange(0, 16, 2))


@pytest.mark.parametrize(("share", "size"), [(0.5, 3), (0.3, 2), (0.01, 1)])
@pytest.mark.parametrize("tree", ["shared", "per_particle"])
def test_colsample_draws_that_share_of_the_features(share, size, tree):
    X, g = made(1, 300, 6, 3)
    features, used = Features.from_raw(X), []
    for seed in range(30):
        _, fitted = grow(features, g, colsample=share, max_depth=7, seed=seed, tree=tree)
        here = {int(f) for one in fitted.trees for f in one.feature if f >= 0}
        assert len(here) == size
        used.append(frozenset(here))
    assert set().union(*used) == set(range(6))
    assert len(set(used)) > 4


@pytest.mark.parametrize("tree", ["shared", "per_particle"])
def test_rows_not_drawn_have_the_leaf_that_prediction_gives(tree):
    X, g = made(2, 700, 3, 2, 2, missing=0.2)
    weight = np.random.default_rng(0).integers(0, 3, 700).astype(np.float32)
    _, fitted = grow(X, g, weight=weight, subsample=0.1, colsample=0.7, tree=tree, max_depth=6)
    assert fitted.trees[0].cover[0] == round(0.1 * (weight > 0).sum())
    np.testing.assert_array_equal(fitted.leaf.T, fitted.flat.apply(X))
    assert (fitted.leaf >= 0).all()


def test_a_tree_of_drawn_rows_is_the_tree_of_those_rows_alone():
    X, g = made(3, 400, 3, 2)
    features = Features.from_raw(X)
    rng = np.random.default_rng(5)
    weight = (rng.random(400) < 0.4).astype(np.float32)
    _, drawn = grow(features, g, weight=weight, max_depth=4)
    kept = weight > 0
    _, alone = grow(
        Features(X[kept], features.cuts, features.cuts.apply(X[kept])), g[kept], max_depth=4
    )
    np.testing.assert_array_equal(drawn.leaf[0][kept], alone.leaf[0])
    np.testing.assert_allclose(drawn.trees[0].values, alone.trees[0].values, rtol=1e-6)


def test_randomness_comes_from_the_generator_alone():
    X, g = made(4, 400, 6, 2)
    features = Features.from_raw(X)
    settings = TreeSettings(subsample=0.5, colsample=0.5, max_depth=4)
    learner = HistTree(settings)
    rng, same = np.random.default_rng(1), np.random.default_rng(1)
    first, second = (learner.fit(features, g, rng=rng) for _ in range(2))
    first_again, second_again = (learner.fit(features, g, rng=same) for _ in range(2))
    assert_same_tree(first.trees[0], first_again.trees[0])
    assert_same_tree(second.trees[0], second_again.trees[0])
    assert not same_partition(first.leaf[0], second.leaf[0])
