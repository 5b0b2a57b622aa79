"""Where the rarer parameters are: in a TreeLearner, a direction or a response."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge

import wgboost
from file_parts import loaded, made, parts
from wgboost import (
    DiagonalNewton,
    Kernel,
    Normal,
    SmoothedGradient,
    TreeLearner,
    WGBClassifier,
    WGBClassifierCV,
    WGBoost,
    WGBRegressor,
    WGBRegressorCV,
)
from wgboost.training.flat_parameters import (
    GROUPED,
    cluster_parameters,
    flat_parameters,
    grouped_parameters,
)
from wgboost.training.settings import resolve_settings

ALL = (WGBRegressor, WGBClassifier, WGBoost, WGBRegressorCV, WGBClassifierCV)
X = np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize("kind", ALL)
def test_a_constructor_has_at_most_28_parameters(kind):
    assert len(kind().get_params(deep=False)) <= 28


@pytest.mark.parametrize("name", GROUPED)
def test_a_parameter_that_is_elsewhere_is_named_with_its_place(name):
    place = GROUPED[name].partition("=")[0]
    with pytest.raises(TypeError, match=f"WGBRegressor has no parameter '{name}'; write {place}="):
        WGBRegressor(**{name: 1})
    if place != "response":
        message = f"WGBRegressorCV has no parameter '{name}'; write {place}=.* in a recipe"
        with pytest.raises(TypeError, match=message):
            WGBRegressorCV(**{name: 1})
    with pytest.raises(ValueError, match=f"recipe 'a'.*'{name}'; write {place}="):
        WGBRegressorCV({"a": {name: 1}}).fit(X, X[:, 0])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (WGBRegressor, ("particle_mean", "newton", "best_first")),
        (WGBClassifier, ("all", "newton", "best_first")),
        (WGBoost, ("all", "mean", "depth_wise")),
    ],
)
def test_none_stands_for_the_rules_of_the_estimator(kind, expected):
    rules = flat_parameters(kind().get_params(deep=False))
    assert tuple(rules[name] for name in ("split_on", "leaf", "growth")) == expected
    assert rules["engine"] == "native"
    given = flat_parameters(kind(learner=TreeLearner()).get_params(deep=False))
    assert given == rules
    other = kind(learner=TreeLearner(split_on="sum", max_bins=7))
    tree = resolve_settings(other.get_params(deep=False))
    assert (tree.tree.split_on, tree.max_bins) == ("sum", 7)


def test_flat_parameters_find_their_objects():
    found = grouped_parameters(
        {"max_leaves": 3, "leaf": "mean", "kernel": "scaled", "bandwidth": 2.0,
         "response": "normal", "prior": {"scale": 3.0}}
    )  # fmt: skip
    assert found == {
        "max_leaves": 3, "learner": TreeLearner(leaf="mean"),
        "direction": DiagonalNewton(Kernel("scaled", 2.0)), "response": Normal(prior_scale=3.0),
    }  # fmt: skip
    both = grouped_parameters({"learner": TreeLearner(leaf="mean"), "max_bins": 9})
    assert both == {"learner": TreeLearner(leaf="mean", max_bins=9)}
    named = grouped_parameters({"direction": "smoothed", "bandwidth": 0.5})
    assert named == {"direction": SmoothedGradient(Kernel("gaussian", 0.5))}
    foreign = Ridge()
    assert grouped_parameters({"learner": foreign, "leaf": "mean"}) == {"learner": foreign}


def test_a_cluster_has_xgboost_unless_an_engine_is_given():
    params = WGBRegressor().get_params(deep=False)
    assert cluster_parameters(params)["learner"] == TreeLearner(engine="xgboost")
    params["learner"] = TreeLearner(max_bins=9)
    assert cluster_parameters(params)["learner"] == TreeLearner(max_bins=9, engine="xgboost")
    params["learner"] = TreeLearner(engine="native")
    assert cluster_parameters(params)["learner"] == TreeLearner(engine="native")


def test_a_learner_of_trees_is_copied_shown_and_saved(tmp_path):
    learner = TreeLearner(split_on="sum", max_bins=15)
    assert repr(learner) == "TreeLearner(split_on='sum', max_bins=15)"
    model = WGBRegressor(n_estimators=3, learner=learner, random_state=0, n_jobs=1)
    assert clone(model).learner == learner
    model.fit(X, X[:, 0]).save(tmp_path / "model.wgb")
    loaded = wgboost.load(tmp_path / "model.wgb")
    assert loaded.learner == learner
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_a_wrong_rule_is_refused_before_the_fit():
    with pytest.raises(ValueError, match="split_on='som' must be one of"):
        WGBRegressor(learner=TreeLearner(split_on="som")).fit(X, X[:, 0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'spliton'"):
        TreeLearner(spliton="sum")


def test_a_prior_is_a_parameter_of_the_response_of_the_estimator():
    with pytest.raises(TypeError, match=r"'prior'; write response=Categorical\(prior_scale"):
        WGBClassifier(prior={"scale": 2.0})
    with pytest.raises(TypeError, match=r"WGBoost has no parameter 'prior'$"):
        WGBoost(prior={"scale": 2.0})
    with pytest.raises(ValueError, match="name the response that it belongs to"):
        grouped_parameters({"response": "auto", "prior": {"scale": 2.0}})


def test_the_papers_rules_stay_unless_a_learner_sets_them():
    found = WGBRegressor.paper(learner=TreeLearner(max_bins=31, leaf="newton")).learner
    expected = TreeLearner(split_on="sum", leaf="newton", growth="depth_wise", max_bins=31)
    assert found == expected


def test_a_kernel_is_an_object():
    with pytest.raises(TypeError, match=r"kernel='scaled' must be a Kernel, such as Kernel\("):
        DiagonalNewton("scaled")


@pytest.mark.parametrize("listed", [False, True])
def test_flat_recipes_of_earlier_files_are_grouped(tmp_path, listed):
    recipe = {"learning_rate": 0.3, "evidence": 3.0}
    recipes = [recipe] if listed else {"a": recipe}
    bag = WGBClassifierCV(recipes, n_estimators=3, cv=2, n_particles=2, random_state=0)
    bag.fit(X, X[:, 0] > 0).save(tmp_path / "bag.wgb")
    header, model, body = parts((tmp_path / "bag.wgb").read_bytes())
    text = json.dumps(model["parameters"]["recipes"])
    text = text.replace('["learning_rate", 0.3]', '["learning_rate", 0.3], ["split_on", "sum"]')
    assert "split_on" in text
    model["parameters"]["recipes"] = json.loads(text)
    found = loaded(made(header, model, body), tmp_path).recipes
    found = found[0] if listed else found["a"]
    assert found == {**recipe, "learner": TreeLearner(split_on="sum")}
