"""Splits by sets of categories."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from making import assert_same_tree, grow, same_partition
from plain_trees import PlainTask, project, score
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.trees import TreeSettings
from wgboost.trees.flat import FlatTrees


def made_categories(seed, n, levels, m=1, d=1, *, missing=0.0):
    """A categorical column, a number, and targets (n, m, d) that mostly follow one axis."""
    rng = np.random.default_rng(seed)
    category, x = rng.integers(0, levels, n), rng.normal(size=n)
    effect = np.outer(rng.normal(size=levels), rng.normal(1, 0.2, size=m * d))
    effect += 0.2 * rng.normal(size=effect.shape)
    g = effect[category] + 0.4 * np.tanh(x)[:, None] + 0.3 * rng.normal(size=(n, m * d))
    X = np.column_stack([category.astype(float), x])
    X[rng.random(n) < missing, 0] = np.nan
    return X, g.reshape(n, m, d).astype(np.float32)


def categorical(X, levels, weight=None):
    return Features.from_raw(X, n_levels=np.array([levels, 0]), weight=weight)


@given(
    hnp.arrays(np.int64, 18, elements=st.integers(0, 6), fill=st.nothing()),
    hnp.arrays(np.float32, 18, elements=st.integers(-32, 32).map(lambda k: k / 8)),
    st.booleans(),
    st.booleans(),
)
def test_of_all_ways_to_part_the_categories_the_best_is_found(codes, g, curved, with_missing):
    c = 1 + np.arange(18, dtype=np.float32) % 3 / 2 if curved else None
    levels = 6 if with_missing else 7  # the code beyond the last level is missing
    features = Features.from_raw(codes[:, None].astype(float), n_levels=np.array([levels]))
    tree = grow(features, g, c, max_depth=1, cat_smooth=0.0, cat_penalty=0)[1].trees[0]
    mass = np.ones(18) if c is None else c.astype(float)
    whole = score(g.sum(keepdims=True, dtype=float), mass.sum(keepdims=True), 0.0)
    best = 0.0
    for sides in product([False, True], repeat=7):
        left = np.array(sides)[codes]
        parts = [(g[side].sum(dtype=float), mass[side].sum()) for side in (left, ~left)]
        best = max(best, sum(G**2 / C for G, C in parts if C) - whole)
    np.testing.assert_allclose(max(tree.gain[0], 0.0), best, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("split_on", ["all", "sum", "particle_mean"])
@pytest.mark.parametrize("tree", ["shared", "per_particle"])
@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize(
    ("smooth", "penalty", "signal"),
    [(0.0, 0.0, 0.0), (5.0, 1.0, 0.0), (5.0, 2.5, 0.0), (5.0, 2.5, 0.25)],
)
def test_the_twin_finds_the_same_groups(split_on, tree, curved, smooth, penalty, signal):
    n, levels, m, d = 400, 30 if penalty else 15, 3, 2
    X, g = made_categories(3, n, levels, m, d, missing=0.1)
    rng = np.random.default_rng(1)
    c = rng.uniform(0.5, 2.0, g.shape).astype(np.float32) if curved else None
    weight = rng.choice([0.0, 0.5, 1.0, 2.0], n).astype(np.float32)
    features = categorical(X, levels, weight)
    rules = {"l2": 0.5, "min_samples_leaf": 5, "cat_smooth": smooth, "cat_penalty": penalty}
    shape = {"max_depth": 4, "max_leaves": 9, "growth": "best_first"}
    given = {"split_on": split_on, "tree": tree, "cat_signal": [signal, 0.0]}
    fitted = grow(features, g, c, weight, **given, **rules, **shape)[1]
    parts = [slice(j, j + 1) for j in range(m)] if tree == "per_particle" else [slice(m)]
    counted = np.flatnonzero(weight)
    for leaf, part in zip(fitted.leaf, parts, strict=True):
        lanes = project(g[:, part], None if c is None else c[:, part], weight, split_on)
        codes, n_bins = features.binned.codes, features.binned.n_bins
        of_a_row = lanes[1].sum(axis=0) / weight.sum()
        task = PlainTask(
            codes, n_bins, *lanes, categorical=(0,), mass_of_a_row=of_a_row, weight=weight,
            cat_signal=signal, **rules,
        )  # fmt: skip
        label = np.full(n, -1)
        for i, rows in enumerate(task.grow(counted, **shape)):
            label[rows] = i
        assert same_partition(leaf[counted], label[counted])


@pytest.mark.parametrize("settings", [{}, {"subsample": 0.5}, {"tree": "per_particle"}], ids=str)
@pytest.mark.parametrize("depth", [3, 30], ids=["small trees", "large trees"])
@pytest.mark.parametrize("levels", [1, 2, 33, 255])
def test_raw_values_codes_and_training_partition_agree_to_the_bit(settings, depth, levels):
    X, g = made_categories(5, 2000, levels, 2, 2, missing=0.05)
    features = categorical(X, levels)
    learner = HistTree(TreeSettings(max_depth=depth, **settings))
    rng = np.random.default_rng(0)
    particles, rounds = np.zeros_like(g), []
    for _ in range(3):
        rounds.append(learner.fit(features, g - particles, rng=rng))
        rounds[-1].add_to(particles)
    flat = FlatTrees.join([r.flat for r in rounds])
    assert levels == 1 or len(flat.sets) > 0
    assert flat.predict(X).tobytes() == particles.tobytes()
    assert flat.predict(X.astype(np.float32)).tobytes() == particles.tobytes()
    assert flat.predict(X[:5]).tobytes() == particles[:5].tobytes()
    assert flat.predict_binned(features.binned).tobytes() == particles.tobytes()
    *_, last = flat.staged_predict(X)
    assert last.tobytes() == particles.tobytes()
    odd = X[:500].copy()
    odd[:, 0] = np.random.default_rng(2).choice([-3, 0.5, 0.7, 254, 255, 1e9, np.inf, -np.inf], 500)
    assert (flat.predict(odd) == flat.predict_binned(features.cuts.apply(odd))).all()


def test_a_node_lists_the_categories_that_go_left():
    X = np.array([[0], [1], [2], [3]] * 5, dtype=float)
    g = np.isin(X[:, 0], [0, 3]).astype(np.float32)
    features = Features.from_raw(X, n_levels=np.array([6]))
    tree = grow(features, g, max_depth=1)[1].trees[0]
    assert set(tree.categories(0)) & {0, 1, 2, 3} == {1, 2}
    assert np.isinf(tree.threshold[0])
    with pytest.raises(ValueError, match="node 1 does not split by categories"):
        tree.categories(1)


@pytest.mark.parametrize("missing", [False, True])
def test_categories_without_rows_at_a_node_go_where_missing_values_go(missing):
    X = np.array([[0.0], [1.0], [3.0]]).repeat([40, 20, 20], axis=0)
    g = np.where(X[:, 0] == 0, 0.0, 1.0).astype(np.float32)
    if missing:  # like the smaller group
        X[-5:] = np.nan
    features = Features.from_raw(X, n_levels=np.array([6]))
    flat = grow(features, g, max_depth=1)[1].flat
    predicted = flat.predict(np.array([[2.0], [4.0], [5.0], [99.0], [np.nan]]))
    assert predicted.ravel().tolist() == [1.0 if missing else 0.0] * 5


def test_the_names_of_categories_do_not_matter():
    X, g = made_categories(7, 1000, 30, 2, 2, missing=0.1)
    other = X.copy()
    named = ~np.isnan(X[:, 0])
    other[named, 0] = np.random.default_rng(0).permutation(30)[X[named, 0].astype(int)]
    a, b = (grow(categorical(x, 30), g, max_depth=5)[1] for x in (X, other))
    assert same_partition(a.leaf[0], b.leaf[0])


def test_a_weight_of_two_is_the_row_twice_and_zero_is_none():
    X, g = made_categories(9, 600, 20, 2, 2, missing=0.1)
    weight = np.random.default_rng(0).integers(0, 3, 600)
    weighted = grow(categorical(X, 20, weight), g, None, weight, max_depth=5)[1]
    again = np.repeat(np.arange(600), weight)
    repeated = grow(categorical(X[again], 20), g[again], max_depth=5)[1]
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-5)
    some = weight > 0
    alone = grow(categorical(X[some], 20, weight[some]), g[some], None, weight[some], max_depth=5)[
        1
    ]
    assert_same_tree(weighted.trees[0], alone.trees[0])


@pytest.mark.parametrize("tree", ["shared", "per_particle"])
def test_threads_do_not_change_a_tree(tree):
    X, g = made_categories(11, 40_000, 200, 3, 2, missing=0.02)
    X = np.column_stack([X, X[:, ::-1]])
    features = Features.from_raw(X, n_levels=np.array([200, 0, 0, 200]))
    one, two = (grow(features, g, tree=tree, max_depth=6, n_threads=t)[1] for t in (1, 2))
    for a, b in zip(one.trees, two.trees, strict=True):
        assert_same_tree(a, b)
    assert one.leaf.tobytes() == two.leaf.tobytes()


@pytest.mark.parametrize("wrong", [[3], [3, -1], [3, 256]])
def test_numbers_of_levels_have_to_make_sense(wrong):
    with pytest.raises(ValueError, match="must be one number between 0 and 255 for each"):
        Features.from_raw(np.zeros((3, 2)), n_levels=np.array(wrong))
