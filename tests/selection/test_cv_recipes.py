"""The usual recipes, and errors for others."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from wgboost import (
    TreeLearner,
    WGBClassifier,
    WGBClassifierCV,
    WGBRegressor,
    WGBRegressorCV,
    censored,
)
from wgboost.selection import classifier_recipes, regressor_recipes
from wgboost.selection.recipes import checked_recipes
from wgboost.training.settings import resolve_settings

RNG = np.random.default_rng(7)
X = RNG.normal(size=(30, 2))
Y = X[:, 0] + 0.1 * RNG.normal(size=30)


@pytest.mark.parametrize("n", [10, 2000, 10_000, 10**6])
@pytest.mark.parametrize(
    ("kind", "recipes"), [(WGBRegressor, regressor_recipes), (WGBClassifier, classifier_recipes)]
)
def test_the_usual_recipes_are_settings_that_make_sense(kind, recipes, n):
    usual = checked_recipes(recipes(n), kind)
    assert 5 <= len(usual) <= 10
    for parameters in usual.values():
        resolve_settings(kind(**parameters).get_params(deep=False))
    distinct = {repr(sorted(parameters.items(), key=str)) for parameters in usual.values()}
    assert len(distinct) == len(usual)


def test_more_rows_get_more_leaves():
    most = [
        max(one.get("max_leaves", 0) for one in regressor_recipes(n).values())
        for n in (100, 3000, 10_000, 100_000)
    ]
    assert most == sorted(most)
    assert len(set(most)) == len(most)


def test_a_list_gets_names():
    given = [{"max_depth": 2}, {"max_depth": 4}]
    assert checked_recipes(given, WGBRegressor) == {
        "recipe_1": {"max_depth": 2}, "recipe_2": {"max_depth": 4},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("recipes", "kind", "message"),
    [
        ({"a": {"lerning_rate": 1}}, ValueError, r"'a'.*'lerning_rate'; did you mean 'learning_r"),
        ({"a": {"refit": True}}, ValueError, r"'a' sets 'refit': members stay without"),
        ({"a": {"n_jobs": 1}}, ValueError, r"n_jobs to the estimator itself"),
        ({"a": {"eval_metric": "rmse"}}, ValueError, "recipes are compared by it; give eval_metr"),
        ({}, ValueError, "recipes are empty"),
        ([], ValueError, "recipes are empty"),
        ("fast", TypeError, r"recipes='fast' must be a dict"),
        ({"a": 3}, TypeError, r"the recipe 'a' is 3; a name and a dict"),
        ({1: {}}, TypeError, r"the recipe 1 is \{\}"),
    ],
)
def test_invalid_recipes_are_refused(recipes, kind, message):
    with pytest.raises(kind, match=message):
        WGBRegressorCV(recipes).fit(X, Y)


def test_a_bad_value_is_found_before_any_fit_and_the_recipe_named():
    recipes = {"good": {}, "bad": {"learning_rate": -1.0}}
    with pytest.raises(ValueError, match=r"learning_rate=-1\.0 must be > 0") as caught:
        WGBRegressorCV(recipes).fit(X, Y)
    assert caught.value.__notes__ == ["in the recipe 'bad'"]


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({"evidence": [1.0, 2.0]}, r"evidence has shape \(2,\)"),
        ({"init": np.zeros((3, 3))}, r"init has shape \(3, 3\)"),
        ({"monotone_constraints": [1, 0, 0]}, "monotone_constraints has 3 signs, X has 2 columns"),
        ({"monotone_constraints": [1, 0], "monotone_parameter": "x"}, "monotone_parameter='x'"),
        ({"interaction_constraints": [["q"]]}, "interaction_constraints has 'q'"),
        ({"categorical_features": [9]}, "categorical_features has 9"),
        ({"learner": TreeLearner(max_bins=3000)}, "max_bins=3000 must be between 2 and 255"),
        ({"response": "gamma"}, "the response 'gamma' needs numbers > 0"),
    ],
)
def test_what_the_rows_cannot_have_is_found_before_the_first_model(recipe, message, capsys):
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        WGBRegressorCV({"good": {}, "bad": recipe}, verbose=1).fit(X, Y)
    assert caught.value.__notes__ == ["in the recipe 'bad'"]
    assert capsys.readouterr().out == ""


def test_a_smooth_start_that_y_cannot_have_is_found_before_the_first_model(capsys):
    both = {"good": {}, "bad": {"init": "smooth"}}
    with pytest.raises(ValueError, match="needs a response with a location and a scale"):
        WGBRegressorCV(both, response="poisson", verbose=1).fit(X, np.abs(Y).round())
    with pytest.raises(ValueError, match="needs known values of y, not bounds"):
        WGBRegressorCV(both, verbose=1).fit(X, censored(Y, np.where(Y > 0, np.inf, Y)))
    with pytest.raises(TypeError, match="has no predict_proba"):
        WGBClassifierCV({"good": {}, "bad": {"init": Ridge()}}, verbose=1).fit(X, Y > 0)
    assert capsys.readouterr().out == ""


def test_regression_has_no_class_weight():
    with pytest.raises(ValueError, match="WGBRegressor has no parameter 'class_weight'"):
        WGBRegressorCV([{"class_weight": "balanced"}]).fit(X, Y)
    with pytest.raises(TypeError, match="WGBClassifierCV has no parameter 'monotone_parameter'"):
        WGBClassifierCV(monotone_parameter=0)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"time_budget": 0}, ValueError, "time_budget=0 must be > 0"),
        ({"calibrated": "yes"}, TypeError, "calibrated='yes' must be True or False"),
        ({"cv": 1}, ValueError, "cv=1 must be >= 2"),
        ({"cv": 31}, ValueError, "cv=31 folds of n_samples=30; give fewer folds"),
        ({"cv": "five"}, TypeError, "cv='five' must be an integer"),
        ({"cv": []}, ValueError, "has no folds"),
        ({"cv": [([0, 1, 2], [2, 3])]}, ValueError, "3 training rows, 2 test rows and 1 rows in"),
        ({"cv": [([], [2, 3])]}, ValueError, "0 training rows"),
        ({"cv": [([0, 1], [30])]}, ValueError, "fold 0 of cv has the row 30; there are 30"),
        ({"cv": [([0, 1], [0.5])]}, TypeError, "fold 0 of cv has rows of dtype float64"),
        ({"cv": [(X[:9, 0] > 0, X[:9, 0] <= 0)]}, ValueError, r"a mask of shape \(9,\)"),
        ({"cv": [([0, 1], [2]), 3]}, TypeError, "fold 1 of cv is 3; a pair"),
        ({"n_jobs": 0}, ValueError, "n_jobs=0"),
        ({"n_particles": 0}, ValueError, "n_particles=0"),
        ({"response": "norml"}, ValueError, "did you mean 'normal'"),
    ],
)
def test_invalid_parameters_are_refused(options, kind, message):
    with pytest.raises(kind, match=message):
        WGBRegressorCV([{}], **options).fit(X, Y)


def test_classes_are_weighed_by_the_estimator():
    with pytest.raises(ValueError, match="give class_weight to the estimator itself"):
        WGBClassifierCV([{"class_weight": "balanced"}]).fit(X, Y > 0)


@pytest.mark.parametrize(
    ("response", "init"), [("lognormal", "smooth"), ("student_t", "smooth"), ("gamma", "flow")]
)
def test_recipes_may_differ_in_the_response_and_see_y_in_units_of_their_own(response, init):
    few = {"cv": 2, "n_estimators": 5, "n_particles": 3, "random_state": 0, "n_jobs": 1}
    recipe, y = {"learning_rate": 0.3, "evidence": 3.0, "init": init}, np.exp(3 + Y)
    both = {"plain": recipe, "other": {**recipe, "response": response}}
    found = WGBRegressorCV(both, **few).fit(X, y).cv_results_
    alone = {"other": recipe, "slower": {**recipe, "learning_rate": 0.2}}  # they compete by trials
    alone = WGBRegressorCV(alone, response=response, **few).fit(X, y).cv_results_
    assert found["value"][1] == alone["value"][0]
    assert found["value"][0] != found["value"][1]


def test_recipes_that_differ_in_the_middle_of_an_array_are_two():
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(1200, 1)), rng.normal(size=1200)
    ones = np.ones(1200)
    other = np.where(np.abs(np.arange(1200) - 600) < 500, 50.0, 1.0)
    few = {"cv": 2, "n_estimators": 2, "n_particles": 2, "random_state": 0, "n_jobs": 1}
    recipes = {"ones": {"evidence": ones}, "other": {"evidence": other}, "same": {"evidence": ones}}
    found = WGBRegressorCV(recipes, **few).fit(rows, y).cv_results_["value"]
    assert found[0] == found[2] != found[1]


def test_there_are_no_more_folds_than_groups():
    few = {"n_estimators": 2, "n_particles": 2, "random_state": 0, "n_jobs": 1}
    fitted = WGBRegressorCV([{"evidence": 3.0}], **few).fit(X, Y, groups=np.arange(30) % 4)
    assert len(fitted.members_) == 4


def test_groups_have_to_be_of_the_rows_and_more_than_one():
    with pytest.raises(ValueError, match="cv=2 folds of 1 groups; give fewer folds, or leave"):
        WGBRegressorCV([{}]).fit(X, Y, groups=np.zeros(30))
    with pytest.raises(TypeError, match=r"groups cannot be sorted.*labels of one type"):
        WGBRegressorCV([{}]).fit(X, Y, groups=[None] * 15 + ["a"] * 15)
    with pytest.raises(ValueError, match=r"groups have shape \(3,\); \(30,\) is needed"):
        WGBRegressorCV([{}]).fit(X, Y, groups=[1, 2, 3])


@pytest.mark.parametrize(
    "constraints",
    [{"monotone_constraints": [1, 0]}, {"interaction_constraints": "no_interactions"}],
)
def test_with_constraints_the_usual_recipes_start_where_these_hold(constraints):
    few = {"cv": 2, "n_estimators": 3, "n_particles": 3, "random_state": 0, "n_jobs": 1}
    fitted = WGBRegressorCV(**few, **constraints).fit(X, Y)
    assert all(name.startswith("flow_") for name in fitted.cv_results_["recipe"])
    along = np.column_stack([np.linspace(-3, 3, 50), np.zeros(50)])
    assert "monotone_constraints" not in constraints or (np.diff(fitted.predict(along)) >= 0).all()


def test_a_recipe_may_have_the_response_that_several_columns_of_y_need():
    several = np.column_stack([Y, X[:, 1] + 0.1 * np.cos(np.arange(30))])
    few = {"cv": 2, "n_estimators": 3, "n_particles": 3, "random_state": 0, "n_jobs": 1}
    recipe = {"response": "multivariate_normal", "evidence": 3.0}
    found = WGBRegressorCV([recipe], **few).fit(X, several)
    alone = WGBRegressorCV([{"evidence": 3.0}], response="multivariate_normal", **few)
    np.testing.assert_array_equal(found.predict(X), alone.fit(X, several).predict(X))
    assert found.predict(X).shape == (30, 2)
    with pytest.raises(ValueError, match="one value per row") as caught:
        WGBRegressorCV({"both": recipe, "one": {"evidence": 3.0}}, **few).fit(X, several)
    assert caught.value.__notes__ == ["in the recipe 'one'"]


def test_recipes_of_different_responses_are_compared():
    few = {"cv": 3, "n_estimators": 30, "n_particles": 3, "random_state": 0, "n_jobs": 1}
    positive = np.random.default_rng(5).gamma(0.3, 2.0, size=200)
    rows = np.random.default_rng(6).normal(size=(200, 2))
    recipes = {"normal": {"evidence": 3.0}, "gamma": {"response": "gamma", "evidence": 3.0}}
    found = WGBRegressorCV(recipes, **few).fit(rows, positive)
    assert found.best_recipe_ == "gamma"
    assert found.response_.name == "gamma"
    assert (found.predict_quantiles(rows, [0.01]) > 0).all()
