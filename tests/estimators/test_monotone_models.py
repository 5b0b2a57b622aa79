"""Constraints as estimators take them."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from model_particles import particles_of
from monotone_steps import moves_along
from wgboost import TreeLearner, WGBClassifier, WGBoost, WGBRegressor, load
from wgboost.learners.hist_tree import HistTree

RNG = np.random.default_rng(11)
X = RNG.uniform(-2, 2, size=(300, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + np.exp(0.5 * X[:, 0]) * 0.3 * RNG.normal(size=300)
GRID = np.linspace(-2.5, 2.5, 51)
FAST = {"n_estimators": 15, "n_particles": 5, "random_state": 0, "n_jobs": 1}


def moves(model, feature, parameter=0):
    """What one coordinate of every particle does as a feature goes up."""
    return moves_along(partial(particles_of, model), X[:30], feature, GRID)[..., parameter]


@pytest.mark.parametrize("tree", ["shared", "per_particle"])
@pytest.mark.parametrize("leaf", ["mean", "newton"])
@pytest.mark.parametrize("split_on", ["sum", "particle_mean", 2])
def test_the_location_of_every_particle_is_monotone(tree, leaf, split_on):
    trees = TreeLearner(leaf=leaf, split_on=split_on)
    model = WGBRegressor(
        tree=tree, learner=trees, subsample=0.8, colsample=0.7,
        monotone_constraints={0: 1, 1: -1}, **FAST,
    ).fit(X, Y)  # fmt: skip
    assert (moves(model, 0) >= 0).all()
    assert (moves(model, 1) <= 0).all()
    assert (moves(model, 0) > 0).any()
    means = moves_along(lambda rows: model.predict(rows)[:, None], X[:30], 0, GRID)
    assert means.min() >= -1e-12
    free = WGBRegressor(tree=tree, learner=trees, **FAST).fit(X, Y)
    assert (moves(free, 0) < 0).any()


def test_the_spread_follows_a_feature_whose_location_is_held():
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, size=(2000, 1))
    y = -0.2 * x[:, 0] + np.exp(1.5 * x[:, 0]) * rng.normal(size=2000) * 0.3
    options = {**FAST, "n_estimators": 60, "learner": TreeLearner(leaf="newton")}
    model = WGBRegressor(monotone_constraints=[1], **options).fit(x, y)
    low, high = particles_of(model, np.array([[-0.9], [0.9]]))
    assert (high[:, 0] >= low[:, 0]).all()  # in truth it falls
    assert high[:, 1].mean() - low[:, 1].mean() > 1  # in truth by 2.7


def test_a_parameter_is_chosen_by_name_or_index():
    options = {"monotone_constraints": {0: -1}, **FAST}
    named = WGBRegressor(monotone_parameter="log_scale", **options).fit(X, Y)
    number = WGBRegressor(monotone_parameter=1, **options).fit(X, Y)
    assert (moves(named, 0, parameter=1) <= 0).all()
    assert (moves(named, 0) < 0).any()
    assert (moves(named, 0) > 0).any()
    assert particles_of(named, X).tobytes() == particles_of(number, X).tobytes()


def test_columns_go_by_name_or_position_or_all_in_a_list():
    frame = pd.DataFrame(X, columns=["age", "size", "rest"])
    forms = ({"age": 1, "size": 0}, {-3: np.int64(1)}, [1, 0, 0], np.array([1.0, 0.0, 0.0]))
    bits = {
        particles_of(WGBRegressor(monotone_constraints=form, **FAST).fit(frame, Y), frame).tobytes()
        for form in forms
    }
    assert len(bits) == 1
    assert particles_of(WGBRegressor(**FAST).fit(frame, Y), frame).tobytes() not in bits


def test_the_probability_of_the_second_class_is_monotone():
    labels = np.where(Y.mean() < Y, "yes", "no")
    model = WGBClassifier(monotone_constraints={1: 1}, **FAST).fit(X, labels)
    change = moves_along(model.predict_proba, X[:30], 1, GRID)[..., 1]
    assert change.min() >= -1e-12
    assert change.max() > 0
    several = WGBClassifier(monotone_constraints={1: 1}, **FAST)
    with pytest.raises(ValueError, match=r"need two classes, y has 3"):
        several.fit(X, np.digitize(Y, [0, 1]))
    ordered = several.set_params(response="ordinal").fit(X, np.digitize(Y, [0, 1]))
    assert (moves(ordered, 1) >= 0).all()


def test_targets_that_are_samples_are_held_too():
    samples = Y[:, None, None] + np.array([[-0.5], [0.0], [0.5]])
    model = WGBoost(monotone_constraints={0: 1}, **FAST).fit(X, samples)
    assert (moves(model, 0) >= 0).all()
    with pytest.raises(ValueError, match="have no names; give an index below 1"):
        WGBoost(monotone_constraints={0: 1}, monotone_parameter="mean", **FAST).fit(X, samples)


def test_without_interactions_a_model_is_a_sum():
    y = X[:, 0] * X[:, 1]
    alone = WGBRegressor(interaction_constraints="no_interactions", **FAST).fit(X, y)
    change = moves_along(partial(particles_of, alone), X[:30], 0, GRID)
    np.testing.assert_allclose(change, np.broadcast_to(change[:1], change.shape), atol=1e-5)
    together = WGBRegressor(interaction_constraints=[[1, 0]], **FAST).fit(X, y)
    assert together.score(X, y) > alone.score(X, y) + 0.3


def test_groups_by_name_leave_the_other_columns_together():
    frame = pd.DataFrame(X, columns=["age", "size", "rest"])
    model = WGBRegressor(interaction_constraints=[["size"]], **FAST).fit(frame, Y)
    same = WGBRegressor(interaction_constraints=[[0, 2], (1,)], **FAST).fit(X, Y)
    assert particles_of(model, frame).tobytes() == particles_of(same, X).tobytes()
    for tree in model.model_.ensemble.trees:
        used = {*tree.feature[tree.feature >= 0].tolist()}
        assert used <= {1} or used <= {0, 2}


def test_a_file_keeps_constraints(tmp_path):
    options = {"monotone_constraints": {0: 1}, "interaction_constraints": [[0, 1], [2]]}
    model = WGBRegressor(**options, **FAST).fit(X, Y)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert {name: getattr(again, name) for name in options} == options
    assert particles_of(again, X).tobytes() == particles_of(model, X).tobytes()
    again.set_params(warm_start=True, n_estimators=20).fit(X, Y)
    assert (moves(again, 0) >= 0).all()


def test_rounds_without_a_constraint_cannot_be_followed_by_such_with_one():
    model = WGBRegressor(warm_start=True, **FAST).fit(X, Y)
    model.set_params(monotone_constraints={0: 1}, n_estimators=20)
    with pytest.raises(ValueError, match="cannot go on from rounds with constraints=None"):
        model.fit(X, Y)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"monotone_constraints": [1, 0]}, ValueError, "has 2 signs, X has 4 columns"),
        ({"monotone_constraints": {"age": 2}}, ValueError, r"has 2 for column 'age'; 1 is for"),
        ({"monotone_constraints": [0.5, 0, 0, 0]}, ValueError, "has 0.5 for column 'age'"),
        ({"monotone_constraints": {"age": "up"}}, ValueError, "has 'up' for column 'age'"),
        ({"monotone_constraints": {"agee": 1}}, ValueError, "no column of X; did you mean 'age'"),
        ({"monotone_constraints": {7: 1}}, ValueError, "has 7, which is no column"),
        ({"monotone_constraints": {"kind": 1}}, ValueError, "'kind' is categorical"),
        ({"monotone_constraints": "age"}, TypeError, "must be a dict by column"),
        ({"monotone_constraints": [[1]]}, TypeError, "must be a dict by column"),
        ({"monotone_parameter": "scale"}, ValueError, "did you mean 'log_scale'"),
        ({"monotone_parameter": 2}, ValueError, "between 0 and 1; or one of 'mean', 'log_scale'"),
        ({"interaction_constraints": "none"}, ValueError, "no_interactions"),
        ({"interaction_constraints": ["age"]}, TypeError, "a list of groups"),
        ({"interaction_constraints": [["ag"]]}, ValueError, "did you mean 'age'"),
        (
            {"monotone_constraints": {"age": 1}, "learner": DecisionTreeRegressor()},
            ValueError,
            r"hold native trees, not learner=DecisionTreeRegressor\(\)",
        ),
        (
            {"monotone_constraints": {"age": 1}, "init": LinearRegression()},
            ValueError,
            r"not the predictions of init=LinearRegression\(\)",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, message):
    frame = pd.DataFrame(X, columns=["age", "size", "rest"])
    frame["kind"] = pd.Categorical(np.where(X[:, 0] > 0, "a", "b"))
    with pytest.raises(error, match=message):
        WGBRegressor(**options, **FAST).fit(frame, Y)


def test_a_native_learner_of_ones_own_is_held_as_well():
    model = WGBRegressor(learner=HistTree(), monotone_constraints={0: 1}, **FAST).fit(X, Y)
    assert (moves(model, 0) >= 0).all()


def test_rows_without_support_are_uncertain_within_constraints():
    """A held location stays where the trees have it, and the scale grows instead."""
    inside = X[:30]
    edge, outside = (np.column_stack([np.full(30, x), inside[:, 1:]]) for x in (X[:, 0].max(), 30))
    held = WGBRegressor(monotone_constraints={0: 1}, **FAST).fit(X, Y)
    locations = [particles_of(held, rows)[..., 0] for rows in (outside, edge)]
    np.testing.assert_array_equal(*locations)
    ratio = held.predict_dist(outside).std() / held.predict_dist(edge).std()
    assert ratio.min() >= 1
    assert ratio.max() > 1.01
    scale_held = WGBRegressor(monotone_constraints={0: 1}, monotone_parameter="log_scale", **FAST)
    alone = WGBRegressor(interaction_constraints="no_interactions", **FAST)
    for model in (scale_held.fit(X, Y), alone.fit(X, Y)):
        np.testing.assert_array_equal(particles_of(model, outside), particles_of(model, edge))
        lost = model.predict_support(inside).mean() - model.predict_support(outside).mean()
        assert lost > 0.1
