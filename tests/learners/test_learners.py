"""Learners: the native trees, and scikit-learn's regressors in their place."""

from inspect import signature

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import BaggingRegressor, GradientBoostingRegressor, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression, MultiTaskLasso
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from making import made
from regenerate import LEARNERS as CLASSES
from wgboost.data import Features
from wgboost.ensemble import RoundList, join_rounds
from wgboost.learners import FittedLearner, Learner, RegressorLearner, as_learner
from wgboost.learners.hist_tree import HistTree
from wgboost.trees import TreeSettings
from wgboost.trees.flat import FlatTrees

X, G = made(1, 120, 3, 2, 2)
FEATURES = Features.from_raw(X)
PACKAGE = {k.__name__: k for k in CLASSES
           if all(p.default is not p.empty for p in signature(k).parameters.values())}  # fmt: skip
LEARNERS = PACKAGE | {  # every learner of the package that needs no argument, and others
    "shared trees": HistTree, "linear": LinearRegression,
    "trees per particle": lambda: HistTree(TreeSettings(tree="per_particle")),
    "kernel ridge": lambda: KernelRidge(kernel="rbf"),
    "decision tree": lambda: DecisionTreeRegressor(max_depth=3),
    "boosting, one per output": lambda: GradientBoostingRegressor(n_estimators=5),
}  # fmt: skip


@pytest.fixture(params=LEARNERS.values(), ids=list(LEARNERS))
def learner(request):
    return as_learner(request.param())


def test_a_learner_fits_a_function_that_follows_its_targets(learner):
    assert isinstance(learner, Learner)
    fitted = learner.fit(FEATURES, G, None, None, np.random.default_rng(0))
    assert isinstance(fitted, FittedLearner)
    values = fitted.predict(X)
    assert values.shape == G.shape
    assert values.dtype == np.float32
    assert ((values - G) ** 2).sum() < 0.8 * ((G - G.mean(axis=0)) ** 2).sum()
    assert fitted.predict(X[:1]).shape == (1, 2, 2)


def test_training_rows_move_by_what_is_predicted_for_them(learner):
    fitted = learner.fit(FEATURES, G, None, None, np.random.default_rng(0))
    start = np.random.default_rng(1).normal(size=G.shape).astype(np.float32)
    for one in (fitted, fitted.scaled(0.1), fitted.scaled(0.1).scaled(0.7)):
        particles = start.copy()
        one.add_to(particles)
        np.testing.assert_array_equal(particles, start + one.predict(X))


def test_what_a_model_keeps_of_a_round_predicts_the_same_and_does_not_grow_with_the_rows(learner):
    fitted = learner.fit(FEATURES, G, None, None, np.random.default_rng(0)).scaled(0.1)
    kept = fitted.without_rows()
    np.testing.assert_array_equal(kept.predict(X), fitted.predict(X))
    held = [value for value in vars(kept).values() if isinstance(value, np.ndarray)]
    assert all(len(X) not in value.shape and value.base is None for value in held)


def test_a_rate_scales_the_function(learner):
    fitted = learner.fit(FEATURES, G, None, None, np.random.default_rng(0))
    new = X[:10] + 0.1
    np.testing.assert_allclose(fitted.scaled(0.25).predict(new), 0.25 * fitted.predict(new))
    halved = fitted.scaled(0.5).scaled(0.5).predict(new)
    np.testing.assert_array_equal(halved, fitted.scaled(0.25).predict(new))


def test_rounds_of_any_learner_add_up(learner):
    rng = np.random.default_rng(0)
    rounds, particles, path = [], np.full(G.shape, 0.5, np.float32), []
    for _ in range(3):
        rounds.append(learner.fit(FEATURES, G - particles, None, None, rng).scaled(0.5))
        rounds[-1].add_to(particles)
        path.append(particles.copy())
    joined = join_rounds(rounds, 3, (2, 2))
    assert isinstance(joined, FlatTrees if isinstance(learner, HistTree) else RoundList)
    assert joined.n_rounds == 3
    np.testing.assert_array_equal(joined.predict(X, start=0.5), path[-1])
    np.testing.assert_array_equal(joined.predict(X, start=0.5, n_rounds=1), path[0])
    np.testing.assert_array_equal(np.stack(list(joined.staged_predict(X, start=0.5))), path)
    with pytest.raises(ValueError, match="n_rounds=4 must be between 0 and 3"):
        joined.predict(X, n_rounds=4)


@pytest.mark.parametrize(
    "regressor",
    [KernelRidge(), DecisionTreeRegressor(), LinearRegression(), GradientBoostingRegressor()],
    ids=lambda r: type(r).__name__,
)
def test_the_given_regressor_itself_is_never_fitted(regressor):
    before = regressor.get_params()
    as_learner(regressor).fit(FEATURES, G, None, None, np.random.default_rng(0))
    with pytest.raises(NotFittedError):
        check_is_fitted(regressor)
    assert regressor.get_params() == before


def test_one_regressor_fits_all_outputs_where_it_can_and_one_each_where_not():
    count = {
        type(r).__name__: len(as_learner(r).fit(FEATURES, G).regressors)
        for r in (LinearRegression(), KernelRidge(), GradientBoostingRegressor(n_estimators=2))
    }
    assert count == {"LinearRegression": 1, "KernelRidge": 1, "GradientBoostingRegressor": 4}


def test_outputs_of_separate_regressors_stay_in_their_places():
    joint = as_learner(DecisionTreeRegressor(max_depth=1, random_state=0)).fit(FEATURES, G)
    single = [
        DecisionTreeRegressor(max_depth=1, random_state=0).fit(X, G[:, j, k]).predict(X)
        for j in range(2)
        for k in range(2)
    ]

    class OneOutput(DecisionTreeRegressor):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.target_tags.multi_output = False
            return tags

    separate = as_learner(OneOutput(max_depth=1, random_state=0)).fit(FEATURES, G).predict(X)
    np.testing.assert_allclose(separate.reshape(120, 4), np.transpose(single), rtol=1e-6)
    assert not np.allclose(separate, joint.predict(X))


def test_open_random_states_are_drawn_from_the_generator():
    learner = as_learner(RandomForestRegressor(n_estimators=3))
    rng, same = np.random.default_rng(3), np.random.default_rng(3)
    first, second = (learner.fit(FEATURES, G, None, None, rng).predict(X) for _ in range(2))
    again = learner.fit(FEATURES, G, None, None, same).predict(X)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, second)


def test_random_states_of_nested_regressors_are_drawn_too_and_given_ones_kept():
    nested = BaggingRegressor(DecisionTreeRegressor(splitter="random"), n_estimators=2)
    inner = as_learner(nested).fit(FEATURES, G[:, :1, :1]).regressors[0]
    assert isinstance(inner.random_state, int)
    assert isinstance(inner.estimator.random_state, int)
    fixed = as_learner(RandomForestRegressor(n_estimators=2, random_state=7)).fit(FEATURES, G)
    assert fixed.regressors[0].random_state == 7


def test_weights_reach_the_regressor():
    weight = (np.arange(120) < 30).astype(float)
    fitted = as_learner(LinearRegression()).fit(FEATURES, G, None, weight)
    expected = LinearRegression().fit(X[:30], G[:30].reshape(30, -1)).predict(X)
    np.testing.assert_allclose(fitted.predict(X).reshape(120, 4), expected, rtol=1e-4, atol=1e-5)


def test_weights_for_a_regressor_that_takes_none_are_refused():
    learner = as_learner(KNeighborsRegressor())
    with pytest.raises(TypeError, match="KNeighborsRegressor takes no sample weights; leave them"):
        learner.fit(FEATURES, G, None, np.ones(120))


def test_with_a_curvature_the_regressor_fits_the_newton_movement():
    c = (0.5 + np.random.default_rng(0).random(G.shape)).astype(np.float32)
    fitted = as_learner(LinearRegression()).fit(FEATURES, G, c)
    expected = LinearRegression().fit(X, (G / c).reshape(120, -1)).predict(X)
    np.testing.assert_allclose(fitted.predict(X).reshape(120, 4), expected, rtol=1e-4, atol=1e-5)


def test_a_newton_movement_without_curvature_is_refused():
    c = np.ones_like(G)
    c[3, 1, 0] = 0
    with pytest.raises(ValueError, match=r"targets / curvature is -?inf at \(3, 1, 0\); every"):
        as_learner(LinearRegression()).fit(FEATURES, G, c)


@pytest.mark.parametrize("shape", [(120, 1, 2), (120, 2, 1), (120, 1, 1)])
@pytest.mark.parametrize("cls", [HistTree, LinearRegression])
def test_a_curvature_of_another_shape_is_refused(cls, shape):
    with pytest.raises(ValueError, match=r"curvature has shape .* the targets \(120, 2, 2\)"):
        as_learner(cls()).fit(FEATURES, G, np.ones(shape, np.float32))


def test_trees_ask_for_binned_features():
    with pytest.raises(ValueError, match=r"use Features\.from_raw\(X, bins=255\)"):
        HistTree().fit(Features.from_raw(X, bins=None), G)
    assert HistTree().uses_codes
    assert not as_learner(LinearRegression()).uses_codes


def test_particles_that_cannot_be_moved_in_place_are_refused():
    fitted = HistTree().fit(FEATURES, G)
    for wrong in (np.zeros(G.shape), np.zeros(G.shape[::-1], np.float32).T):
        with pytest.raises(TypeError, match="C-contiguous float32"):
            fitted.add_to(wrong)
        assert not wrong.any()


def test_a_learner_stays_itself_and_a_regressor_is_wrapped():
    tree = HistTree()
    assert as_learner(tree) is tree
    assert isinstance(as_learner(LinearRegression()), RegressorLearner)


def test_an_own_estimator_will_do():
    class MeanOnly(RegressorMixin, BaseEstimator):
        def fit(self, _, y):
            self.mean_ = y.mean()
            return self

        def predict(self, X):
            return np.full(len(X), self.mean_)

    fitted = as_learner(MeanOnly()).fit(FEATURES, G)
    np.testing.assert_allclose(fitted.predict(X)[5], G.mean(axis=0), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("cls", [HistTree, LinearRegression])
def test_a_class_in_place_of_an_object_is_refused(cls):
    name = cls.__name__
    with pytest.raises(TypeError, match=rf"{name} is a class; give an object: {name}\(\)"):
        as_learner(cls)


@pytest.mark.parametrize("nonsense", [None, 3, "tree", object(), [HistTree()]])
def test_nonsense_in_place_of_a_learner_is_refused(nonsense):
    with pytest.raises(TypeError, match="neither a TreeLearner"):
        as_learner(nonsense)


def test_particles_of_another_shape_are_refused():
    for learner in (HistTree(), RegressorLearner(LinearRegression())):
        fitted = learner.fit(FEATURES, G)
        with pytest.raises(ValueError, match=r"particles have shape \(120, 2, 3\)"):
            fitted.add_to(np.zeros((120, 2, 3), np.float32))


def test_a_regressor_that_wants_a_matrix_gets_one():
    fitted = RegressorLearner(MultiTaskLasso(alpha=1e-3)).fit(FEATURES, G[:, :1, :1])
    assert fitted.predict(X).shape == (120, 1, 1)


def test_a_classifier_is_no_learner():
    with pytest.raises(TypeError, match="is a classifier"):
        as_learner(LogisticRegression())
