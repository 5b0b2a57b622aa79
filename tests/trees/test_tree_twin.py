"""Trees against the slow twin, on data that hypothesis makes up.

Targets, weights and curvatures are small dyadic numbers, so that sums in float32 are exact and
what remains to differ is the rounding of quotients: among splits of equal gain any may be taken.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from making import fitted_values, grow, made
from plain_trees import PlainTask, leaf_value, project, rows_of_nodes
from wgboost.data import Features


@dataclass
class Case:
    X: np.ndarray  # (n, p)
    g: np.ndarray  # (n, m, d)
    c: np.ndarray | None
    weight: np.ndarray | None
    settings: dict


@st.composite
def cases(draw):
    n = draw(st.one_of(st.integers(1, 30), st.integers(20, 30)))
    p = draw(st.integers(1, 3))
    m, d = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    levels = st.integers(0, draw(st.sampled_from([0, 1, 3, 40])))
    cell = st.one_of(levels.map(float), st.just(np.nan)) if draw(st.booleans()) else levels
    X = draw(hnp.arrays(np.float64, (n, p), elements=cell, fill=st.nothing()))
    eighths = st.integers(-32, 32).map(lambda k: k / 8)
    g = draw(hnp.arrays(np.float32, (n, m, d), elements=eighths, fill=st.nothing()))
    l2 = draw(st.sampled_from([0.0, 0.5, 4.0]))
    quarters = st.integers(1 if l2 == 0 else 0, 12).map(lambda k: k / 4)
    c = draw(st.none() | hnp.arrays(np.float32, (n, m, d), elements=quarters, fill=st.nothing()))
    weights = st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, 3.0])
    weight = draw(st.none() | hnp.arrays(np.float32, (n,), elements=weights, fill=st.nothing()))
    if weight is not None and not weight.any():
        weight = None
    settings = {
        "tree": draw(st.sampled_from(["shared", "per_particle"])),
        "split_on": draw(st.sampled_from(["all", "sum", "particle_mean"])),
        "growth": draw(st.sampled_from(["depth_wise", "best_first"])),
        "max_depth": draw(st.sampled_from([1, 2, 3, 6])),
        "max_leaves": draw(st.sampled_from([None, 2, 3, 5, 8])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 2, 5])),
        "l2": l2,
        "min_gain": draw(st.sampled_from([0.0, 0.0, 1.0])),
    }
    return Case(X, g, c, weight, settings)


def tasks(case, features, matrix=None):
    """One twin per tree, with the particles that the tree is for."""
    s, m = case.settings, case.g.shape[1]
    for part in [slice(j, j + 1) for j in range(m)] if s["tree"] == "per_particle" else [slice(m)]:
        g, c = case.g[:, part], None if case.c is None else case.c[:, part]
        lanes = project(g, c, case.weight, s["split_on"], matrix)
        rules = {name: s[name] for name in ("l2", "min_samples_leaf", "min_gain")}
        yield part, PlainTask(features.binned.codes, features.binned.n_bins, *lanes, **rules)


def counted_rows(case):
    return np.arange(len(case.X)) if case.weight is None else np.flatnonzero(case.weight)


def split_made(tree, task, node, rows):
    """The twin's account of a node's split; a side for missing values only where there are some."""
    f = tree.feature[node]
    missing = (task.codes[rows, f] == task.n_bins[f]).any()
    name = (f, tree.bin[node], bool(missing and tree.missing_left[node]))
    found = [split for split in task.splits(rows) if split[1:] == name]
    assert len(found) == 1, "a split that is not admissible"
    return found[0]


def check_growth(tree, task, arrived, settings):
    """Every split is a best one, made in the right order, and none was left out."""
    best = {node: max([0.0, *(s.gain for s in task.splits(r))]) for node, r in arrived.items()}
    # What rounding can do to a score: of its own digits, and of sums that went through the root.
    root = 3e-7 * sum(task.whole([row]) for row in arrived[0])
    slack = {node: 4e-6 * (task.whole(r) + best[node]) + root for node, r in arrived.items()}
    depth, pending, best_first = {0: 0}, [0], settings["growth"] == "best_first"
    inner = np.flatnonzero(tree.feature >= 0)
    for node in sorted(inner, key=lambda i: tree.left[i]):  # the order in which they were split
        gain = split_made(tree, task, node, arrived[node]).gain
        assert gain >= best[node] * (1 - 1e-4) - slack[node]
        assert gain > task.min_gain - slack[node]
        np.testing.assert_allclose(tree.gain[node], gain, rtol=1e-4, atol=slack[node])
        pending.remove(node)
        for other in pending:
            if depth[other] == settings["max_depth"] or best[other] <= task.min_gain:
                continue
            unclear = 1e-4 * gain + slack[other] + slack[node]
            if best_first or depth[other] == depth[node]:
                assert best[other] <= gain + unclear
            elif depth[other] < depth[node]:
                assert best[other] <= task.min_gain + unclear
        for child in (tree.left[node], tree.left[node] + 1):
            depth[child] = depth[node] + 1
            pending.append(child)
    assert max(depth.values()) <= settings["max_depth"]
    room = (settings["max_leaves"] or np.inf) - len(pending)
    assert room >= 0
    for node in pending:
        if room and depth[node] < settings["max_depth"]:
            assert best[node] <= task.min_gain + 2 * slack[node]


def check(case, matrix=None, seed=0):
    features = Features.from_raw(case.X, weight=case.weight)
    _, fitted = grow(features, case.g, case.c, case.weight, seed=seed, **case.settings)
    rows, n = counted_rows(case), len(case.X)
    values = fitted_values(fitted)
    parts = list(tasks(case, features, matrix))
    assert len(parts) == len(fitted.trees)
    for (part, task), tree, leaf in zip(parts, fitted.trees, fitted.leaf, strict=True):
        arrived = rows_of_nodes(tree, task.codes, task.n_bins, rows)
        everyone = rows_of_nodes(tree, task.codes, task.n_bins, np.arange(n))
        check_growth(tree, task, arrived, case.settings)
        assert tree.cover.tolist() == [len(arrived[i]) for i in range(len(tree.feature))]
        c = None if case.c is None else case.c[:, part]
        for node in np.flatnonzero(tree.feature < 0):
            expected = leaf_value(
                arrived[node], case.g[:, part], c, case.weight, case.settings["l2"]
            )
            np.testing.assert_allclose(
                tree.values[tree.leaf[node]], expected.ravel(), rtol=1e-6, atol=1e-7
            )
            assert (leaf[everyone[node]] == tree.leaf[node]).all()
            for row in everyone[node]:
                np.testing.assert_array_equal(
                    values[row, part].ravel(), tree.values[tree.leaf[node]]
                )
    event(f"leaves {min(8, fitted.trees[0].n_leaves)}")


@hypothesis_settings(max_examples=250)
@given(cases())
def test_every_split_is_a_best_one_and_every_leaf_its_formula(case):
    check(case)


@given(cases(), st.integers(1, 4), st.integers(0, 99))
def test_random_projections_are_gaussian_and_treated_like_any_other(case, k, seed):
    s = case.settings
    outputs = case.g.shape[2] * (1 if s["tree"] == "per_particle" else case.g.shape[1])
    matrix = None
    if k < outputs:
        rng = np.random.default_rng(seed)
        matrix = (rng.standard_normal((outputs, k)) / np.sqrt(k)).astype(np.float32)
    case.settings = {**s, "split_on": k}
    check(case, matrix, seed)


@pytest.mark.parametrize("growth", ["depth_wise", "best_first"])
@pytest.mark.parametrize("split_on", ["all", "sum", "particle_mean"])
@pytest.mark.parametrize("l2", [0.0, 2.0])
@pytest.mark.parametrize("newton", [False, True])
def test_whole_trees_equal_those_of_the_twin(growth, split_on, l2, newton):
    X, g = made(11, 400, 4, 3, 2, missing=0.1)
    rng = np.random.default_rng(12)
    c = (0.2 + rng.random(g.shape)).astype(np.float32) if newton else None
    weight = rng.integers(0, 4, size=400).astype(np.float32)
    limits = {"growth": growth, "max_depth": 5, "max_leaves": 11}
    features, fitted = grow(
        X, g, c, weight, split_on=split_on, l2=l2, min_samples_leaf=7, max_bins=40, **limits
    )
    task = PlainTask(
        features.binned.codes, features.binned.n_bins, *project(g, c, weight, split_on),
        l2=l2, min_samples_leaf=7,
    )  # fmt: skip
    leaves = task.grow(np.flatnonzero(weight), **limits)
    assert len(leaves) == fitted.trees[0].n_leaves == 11
    values = fitted_values(fitted)
    for rows in leaves:
        expected = leaf_value(rows, g, c, weight, l2)
        np.testing.assert_allclose(values[rows], expected[None].repeat(len(rows), 0), rtol=1e-5)
