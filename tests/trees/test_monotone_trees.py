"""Trees under constraints: every particle keeps the order, and the search knows it."""

import lightgbm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from making import TREE_ARRAYS, made
from monotone_steps import moves_along
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.trees import Constraints, TreeSettings

SPLIT_ON = ("all", "sum", "particle_mean", 3)


def grown(X, targets, curvature=None, weight=None, *, held=(), parameter=0, groups=(), **options):
    features = X if isinstance(X, Features) else Features.from_raw(X, weight=weight)
    n_threads = options.pop("n_threads", 1)
    constraints = Constraints(tuple(held), parameter, groups)
    learner = HistTree(TreeSettings(**options), n_threads, constraints=constraints)
    return learner.fit(features, targets, curvature, weight, np.random.default_rng(0))


def wavy(seed, n, m, d):
    """Targets that go up and down along every feature, some of which are missing."""
    X, targets = made(seed, n, 3, m, d, missing=0.1)
    rng = np.random.default_rng(seed)
    waves = np.nan_to_num(np.sin(3 * X) @ rng.normal(size=(3, m * d)) * 2)
    return X, (targets + waves.reshape(n, m, d)).astype(np.float32)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 1000),
    tree=st.sampled_from(["shared", "per_particle"]),
    split_on=st.sampled_from(SPLIT_ON),
    growth=st.sampled_from([("depth_wise", 4, None), ("best_first", None, 12)]),
    curved=st.booleans(),
    weighted=st.booleans(),
    parameter=st.integers(0, 1),
    l2=st.sampled_from([0.0, 1.0]),
    subsample=st.sampled_from([1.0, 0.6]),
)
def test_every_particle_keeps_the_order(
    seed, tree, split_on, growth, curved, weighted, parameter, l2, subsample
):
    X, targets = wavy(seed, 150, 4, 2)
    rng = np.random.default_rng(seed)
    curvature = rng.gamma(0.5, size=targets.shape).astype(np.float32) if curved else None
    weight = rng.integers(0, 4, 150).astype(np.float32) if weighted else None
    order, depth, leaves = growth
    fitted = grown(
        X, targets, curvature, weight, held=(1, -1, 0), parameter=parameter, tree=tree,
        split_on=split_on, growth=order, max_depth=depth, max_leaves=leaves, l2=l2,
        subsample=subsample,
    )  # fmt: skip
    grid = np.linspace(-3, 3, 41)
    assert (moves_along(fitted.predict, X[:40], 0, grid)[..., parameter] >= 0).all()
    assert (moves_along(fitted.predict, X[:40], 1, grid)[..., parameter] <= 0).all()
    # The leaves of the training rows are the same function.
    state = np.zeros_like(targets)
    fitted.add_to(state)
    np.testing.assert_array_equal(state, fitted.predict(X))


def best_edge(X, g, c, mass, l2, sign, parameter, project):
    """The best edge along one feature and its gain, from the formula: a particle in the wrong
    order moves nothing, in whatever the search looks at."""
    m, d = g.shape[1:]
    found = []
    values = np.unique(X)
    for edge in (values[1:] + values[:-1]) / 2:
        left = edge > X
        a, b = (mass[side].sum(0) + l2 for side in (left, ~left))
        part, kept = a / (a + b), np.ones((m, d))
        step = [g[s].sum(0) / (c[s].sum(0) + l2) for s in (left, ~left)]
        kept[:, parameter] = sign * (step[1] - step[0])[:, parameter] >= 0
        # Linear in g, so that outputs can be left out of both sums.
        contrast = project(g * kept)[left].sum(0) - part * project(g * kept).sum(0)
        whole = project(g).sum(0)
        unsplit = whole**2 * l2 / ((a + b) * (a + b - l2))
        found.append(((((a + b) / (a * b)) * contrast**2 - unsplit).sum(), edge))
    return max(found)


@pytest.mark.parametrize("l2", [0.0, 2.0])
@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("split_on", ["all", "sum", "particle_mean"])
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_search_counts_what_a_split_may_do(sign, split_on, curved, l2):
    project = {
        "all": lambda v: v.reshape(len(v), -1),
        "sum": lambda v: v.sum(axis=(1, 2))[:, None],
        "particle_mean": lambda v: v.mean(axis=1),
    }[split_on]
    rng = np.random.default_rng(5)
    for parameter in (0, 1):
        X = rng.normal(size=80)
        g = rng.normal(size=(80, 5, 2)) + np.sin(2 * X)[:, None, None]
        c = rng.gamma(2.0, size=g.shape) + 0.1 if curved else np.ones_like(g)
        mass = project(c) if curved else np.ones((80, 1))
        gain, edge = best_edge(X, g, c, mass, l2, sign, parameter, project)
        tree = grown(
            X[:, None], g.astype(np.float32), c.astype(np.float32) if curved else None,
            held=(sign,), parameter=parameter, max_depth=1, split_on=split_on, l2=l2,
        ).trees[0]  # fmt: skip
        assert tree.threshold[0] == pytest.approx(edge)
        assert tree.gain[0] == pytest.approx(gain, rel=1e-4)


@pytest.mark.parametrize("split_on", SPLIT_ON)
def test_a_constraint_that_holds_anyway_changes_nothing(split_on):
    X = np.random.default_rng(0).normal(size=(300, 2))
    targets = np.stack([np.tanh(X[:, 0]), np.sin(3 * X[:, 1]), X[:, 0] ** 3, X[:, 1]], axis=1)
    targets = targets.reshape(300, 2, 2).astype(np.float32)
    free = grown(X, targets, max_depth=1, split_on=split_on).trees[0]
    held = grown(X, targets, held=(1, 0), max_depth=1, split_on=split_on).trees[0]
    for name in TREE_ARRAYS:
        assert getattr(free, name).tobytes() == getattr(held, name).tobytes(), name


def test_a_particle_in_the_wrong_order_stays_and_others_follow():
    X = np.repeat([0.0, 1.0], 10)[:, None]
    targets = np.zeros((20, 2, 2), np.float32)
    targets[:, 0, 0] = 2 * X[:, 0]  # rises, as it should
    targets[:, 1, 0] = -2 * X[:, 0]  # falls
    targets[:, :, 1] = 1 - X  # the other coordinate is free
    tree = grown(X, targets, held=(1,), max_depth=1).trees[0]
    assert tree.values.tolist() == [[0.0, 1.0, -1.0, 1.0], [2.0, 0.0, -1.0, 0.0]]
    alone = grown(X, targets[:, 1:, :1], held=(1,), max_depth=1).trees[0]
    assert alone.n_leaves == 1


@pytest.mark.parametrize("split_on", ["all", 3])
def test_the_number_of_threads_does_not_matter(split_on):
    X, targets = wavy(1, 12_000, 4, 2)
    options = {"held": (1, -1, 0), "max_depth": 4, "split_on": split_on}
    one, two = (grown(X, targets, **options, n_threads=n).flat for n in (1, 3))
    for name in TREE_ARRAYS:
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes(), name


def test_boosting_fits_as_well_as_lightgbm():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, size=(1500, 3))
    y = np.sin(4 * X[:, 0]) + X[:, 1] + X[:, 0] * X[:, 2] + 0.3 * rng.normal(size=1500)
    held = (1, 1, 0)
    peer = lightgbm.LGBMRegressor(
        n_estimators=100, max_depth=3, num_leaves=8, min_child_samples=5, max_bin=255,
        min_child_weight=0, monotone_constraints=held, min_data_in_bin=1, verbose=-1, n_jobs=1,
    ).fit(X, y)  # fmt: skip
    features, state = Features.from_raw(X), np.full((1500, 1, 1), y.mean(), np.float32)
    for _ in range(100):
        residual = (y[:, None, None] - state).astype(np.float32)
        grown(features, residual, held=held, max_depth=3, min_samples_leaf=5).scaled(0.1).add_to(
            state
        )
    ours, theirs = np.mean((y - state[:, 0, 0]) ** 2), np.mean((y - peer.predict(X)) ** 2)
    assert ours == pytest.approx(theirs, rel=0.03)


@pytest.mark.parametrize("tree", ["shared", "per_particle"])
def test_features_of_different_groups_never_meet_on_a_path(tree):
    X = np.random.default_rng(2).normal(size=(400, 4))
    y = np.where(X[:, 3] > 0, 9 + X[:, 0] + X[:, 1], X[:, 2])
    targets = np.tile(y[:, None, None], (1, 2, 2)).astype(np.float32)
    groups = ((0, 1, 3), (2, 3))
    for one in grown(X, targets, groups=groups, max_depth=5, tree=tree).trees:
        paths = {0: frozenset()}
        for node in np.flatnonzero(one.feature >= 0):
            here = paths[node] | {int(one.feature[node])}
            paths[one.left[node]] = paths[one.left[node] + 1] = here
        assert all(any(path <= {*group} for group in groups) for path in paths.values())
        assert {*one.feature} == {-1, 0, 1, 2, 3}


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (Constraints(monotone=(1,)), "for each of 2 features"),
        (Constraints(monotone=(1, 2)), "-1, 0 or 1"),
        (Constraints(monotone=(0, 1)), "feature 1 is categorical"),
        (Constraints(monotone=(1, 0), parameter=1), "none of 1 coordinates"),
        (Constraints(groups=((0, 2),)), "outside the 2 features"),
    ],
)
def test_constraints_that_do_not_fit_are_refused(constraints, message):
    features = Features.from_raw(np.ones((5, 2)), n_levels=np.array([0, 3]))
    with pytest.raises(ValueError, match=message):
        HistTree(constraints=constraints).fit(features, np.ones((5, 1, 1)))


@pytest.mark.parametrize(
    "constraints", [None, Constraints((1, 0), 1), Constraints(groups=((0,), (1, 2)))]
)
def test_constraints_are_read_from_their_description(constraints):
    assert Constraints.parse(repr(constraints)) == constraints


@pytest.mark.parametrize(
    "text", ["", "1", "Constraints(", "Other(monotone=(1,))", "Constraints(monotone=print())",
             "Constraints(monotone=(1,), parameter=0.0, groups=())", "Constraints(monotone=(1,))"],
)  # fmt: skip
def test_other_texts_describe_no_constraints(text):
    with pytest.raises(ValueError, match="does not describe constraints"):
        Constraints.parse(text)
