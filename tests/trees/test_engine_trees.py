"""Trees whose splits XGBoost has found: against XGBoost itself, and against the native core."""

import pickle

import numpy as np
import pytest
import xgboost

from making import made
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.trees import Constraints, TreeSettings
from wgboost.trees.xgboost import XGBoostGrower
from wgboost.trees.xgboost.structure import TreeStructure

X, G = made(1, 800, 4, 3, 2, missing=0.1)
NEW = made(2, 300, 4, missing=0.1)[0]
FEATURES = Features.from_raw(X)
CURVATURE = np.exp(np.random.default_rng(3).normal(size=G.shape)).astype(np.float32)
WEIGHT = np.random.default_rng(4).integers(0, 3, len(X)).astype(np.float32)


def fitted(settings, curvature=None, weight=None, grower=None, **more):
    learner = HistTree(TreeSettings(**settings), grower=grower, **more)
    return learner.fit(FEATURES, G, curvature, weight, np.random.default_rng(0))


def test_the_trees_are_those_of_a_booster_on_the_raw_features():
    coarse, g = made(5, 600, 3, 2, 2, missing=0.1, distinct=20)
    data = xgboost.DMatrix(coarse)
    booster = xgboost.Booster(
        {
            "tree_method": "hist", "multi_strategy": "multi_output_tree", "num_target": 4,
            "base_score": [0.0] * 4, "reg_lambda": 2.0, "min_child_weight": 1.0,
            "learning_rate": 1.0, "max_depth": 4, "disable_default_eval_metric": 1,
        },
        [data],
    )  # fmt: skip
    booster.boost(data, 0, grad=-g.reshape(600, 4), hess=np.ones((600, 4), np.float32))
    settings = TreeSettings(split_on="all", l2=2.0, max_depth=4)
    trees = HistTree(settings, grower=XGBoostGrower()).fit(Features.from_raw(coarse), g)
    for rows in (coarse, made(6, 200, 3, missing=0.3, distinct=20)[0]):
        ours = trees.predict(rows).reshape(len(rows), 4)
        np.testing.assert_allclose(ours, booster.predict(xgboost.DMatrix(rows)), atol=1e-5)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
@pytest.mark.parametrize("curvature", [None, CURVATURE], ids=["mean", "newton"])
@pytest.mark.parametrize(
    "settings",
    [
        {"split_on": "all"},
        {"split_on": "sum", "max_depth": 5},
        {"split_on": "particle_mean", "l2": 5.0, "min_gain": 2.0},
        {"tree": "per_particle"},
        {"growth": "best_first", "max_leaves": 9, "max_depth": None, "split_on": "sum"},
    ],
    ids=lambda settings: " ".join(map(str, settings.values())),
)
def test_the_trees_are_those_of_the_native_core(settings, curvature, weight):
    # Where two cuts part the rows alike, either may take the one or the other: by rows, not by
    # thresholds.
    counted = slice(None) if weight is None else weight > 0
    native = fitted(settings, curvature, weight)
    other = fitted(settings, curvature, weight, XGBoostGrower())
    for tree, theirs in zip(native.trees, other.trees, strict=True):
        assert sorted(tree.cover) == sorted(theirs.cover)
        np.testing.assert_allclose(np.sort(tree.gain), np.sort(theirs.gain), rtol=1e-3, atol=0.05)
    np.testing.assert_allclose(native.predict(X)[counted], other.predict(X)[counted], atol=1e-6)


def test_training_rows_move_by_what_is_predicted_for_them():
    trees = fitted({"tree": "per_particle"}, CURVATURE, WEIGHT, XGBoostGrower()).scaled(0.1)
    particles = np.ones_like(G)
    trees.add_to(particles)
    np.testing.assert_array_equal(particles, 1 + trees.predict(X))
    np.testing.assert_array_equal(
        trees.predict(NEW),
        trees.flat.predict_binned(FEATURES.cuts.apply(NEW)),
    )


@pytest.mark.parametrize("split_on", ["sum", "particle_mean"])
@pytest.mark.parametrize("curvature", [None, CURVATURE], ids=["mean", "newton"])
def test_no_leaf_has_fewer_rows_than_min_samples_leaf(split_on, curvature):
    settings = {"split_on": split_on, "min_samples_leaf": 60, "max_depth": 6}
    for weight in (None, WEIGHT):
        [tree] = fitted(settings, curvature, weight, XGBoostGrower()).trees
        assert tree.n_leaves > 2
        assert tree.cover[tree.feature < 0].min() >= 60
        assert tree.cover[0] == (len(X) if weight is None else np.count_nonzero(weight))


def test_rows_that_are_not_drawn_are_not_in_the_leaves():
    trees = fitted({"subsample": 0.25, "split_on": "sum"}, grower=XGBoostGrower())
    [tree] = trees.trees
    assert tree.cover[0] == 200
    drawn_alone = np.stack([G[trees.leaf[0] == i].mean(axis=0) for i in range(tree.n_leaves)])
    assert np.abs(tree.values.reshape(-1, 3, 2) - drawn_alone).max() > 1e-3


def test_a_share_of_the_columns_is_asked_for():
    for seed in range(5):
        learner = HistTree(TreeSettings(colsample=0.5, max_depth=6), grower=XGBoostGrower())
        [tree] = learner.fit(FEATURES, G, rng=np.random.default_rng(seed)).trees
        assert len(set(tree.feature[tree.feature >= 0])) == 2


def test_features_of_different_groups_do_not_meet_on_a_path():
    groups = Constraints(groups=((0, 1), (2, 3)))
    [tree] = fitted(
        {"split_on": "sum", "max_depth": 5}, grower=XGBoostGrower(), constraints=groups
    ).trees
    paths = [(0, set())]
    for node, asked in paths:
        if tree.left[node] < 0:
            assert asked <= {0, 1} or asked <= {2, 3}
            continue
        now = asked | {int(tree.feature[node])}
        paths += [(int(tree.left[node]) + side, now) for side in (0, 1)]


def test_a_condition_beyond_the_codes_parts_values_from_missing_ones():
    # XGBoost's first cut lies below all codes, its last above all of them.
    tree = {
        "left_children": [1, -1, -1], "right_children": [2, -1, -1], "split_indices": [0, 0, 0],
        "default_left": [1, 0, 0], "loss_changes": [3.0, 0.0, 0.0],
    }  # fmt: skip
    below = TreeStructure.from_json({**tree, "split_conditions": [-1e-5, 0.0, 0.0]}, np.array([7]))
    beyond = TreeStructure.from_json(
        {**tree, "split_conditions": [508.0, 0.0, 0.0], "default_left": [0, 0, 0]}, np.array([7])
    )
    for found in (below, beyond):
        assert (found.bin[0], found.missing_left[0]) == (6, 0)


def test_a_grower_is_pickled_without_its_data():
    grower = XGBoostGrower("cpu")
    first = fitted({}, grower=grower)
    again = fitted({}, grower=pickle.loads(pickle.dumps(grower)))
    np.testing.assert_array_equal(first.predict(NEW), again.predict(NEW))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_targets_that_are_not_finite_are_named(bad):
    spoiled = G.copy()
    spoiled[3, 1, 0] = bad
    learner = HistTree(grower=XGBoostGrower())
    with pytest.raises(ValueError, match=r"targets is (nan|inf) at \(3, 1, 0\)"):
        learner.fit(FEATURES, spoiled)
    with pytest.raises(ValueError, match=r"curvature is -1.0 at \(0, 0, 0\)"):
        learner.fit(FEATURES, G, np.full_like(G, -1))
