"""Particles in groups that share a tree: between one tree for all and one for each."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from wgboost import WGBRegressor, load
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.trees import TreeSettings
from wgboost.trees.xgboost import XGBoostGrower

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
X[::7, 1] = np.nan
DIRECTIONS = RNG.normal(size=(300, 6, 2)).astype(np.float32)
DIRECTIONS[:, :3] += np.sign(X[:, :1, None])
CURVATURE = RNG.uniform(0.5, 2, size=DIRECTIONS.shape).astype(np.float32)
FEATURES = Features.from_raw(X, bins=63)


def grown(tree, *, particles=slice(None), grower=None, **settings):
    rules = TreeSettings(tree=tree, max_depth=None, max_leaves=9, l2=1.0, **settings)
    learner = HistTree(rules, grower=grower)
    return learner.fit(FEATURES, DIRECTIONS[:, particles], CURVATURE[:, particles])


@pytest.mark.parametrize("split_on", ["all", "sum", "particle_mean"])
@pytest.mark.parametrize("n_trees", [2, 3])
def test_a_group_has_the_tree_that_its_particles_share_alone(n_trees, split_on):
    found = grown(n_trees, split_on=split_on).predict(X)
    size = 6 // n_trees
    for first in range(0, 6, size):
        group = slice(first, first + size)
        alone = grown("shared", particles=group, split_on=split_on)
        assert_array_equal(found[:, group], alone.predict(X))


@pytest.mark.parametrize(("number", "name"), [(1, "shared"), (6, "per_particle")])
def test_one_group_and_groups_of_one_have_names(number, name):
    assert_array_equal(grown(number).predict(X), grown(name).predict(X))


def test_groups_with_xgboost_as_the_engine():
    ours, theirs = (
        grown(3, split_on="all", growth="best_first", grower=grower).predict(X)
        for grower in (None, XGBoostGrower())
    )
    assert theirs.shape == ours.shape
    gaps = [np.mean((DIRECTIONS / CURVATURE - one) ** 2) for one in (ours, theirs)]
    assert_allclose(gaps[1], gaps[0], rtol=0.05)


def test_the_number_has_to_divide_the_particles():
    with pytest.raises(ValueError, match=r"tree=4 .*n_particles=6.*\[1, 2, 3, 6\]"):
        grown(4)
    with pytest.raises(ValueError, match="tree=0 must be >= 1"):
        TreeSettings(tree=0)
    for few in (300, 20):
        with pytest.raises(ValueError, match=r"tree=3 .*n_particles=10"):
            WGBRegressor(tree=3).fit(X[:few], X[:few, 0])


def test_models_with_groups_have_support_and_files(tmp_path):
    y = X[:, 0] + 0.1 * RNG.normal(size=300)
    model = WGBRegressor(
        tree=5, n_estimators=30, early_stopping=False, evidence=3.0, random_state=0
    ).fit(X, y)
    assert model.model_.ensemble.trees_per_round == 5
    far = X + 9.0
    assert model.predict_support(far).max() < 0.2
    lost, known = (model.predict_uncertainty(rows)["epistemic"].mean() for rows in (far, X))
    assert lost > known
    model.save(tmp_path / "model.wgb")
    assert_array_equal(load(tmp_path / "model.wgb").predict(far), model.predict(far))
