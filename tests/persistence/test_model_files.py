"""Model files: what is loaded is what was saved, to the bit."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from model_particles import staged_particles_of
from response_examples import Poisson
from wgboost import (
    AlphaDivergence,
    AveragedFlow,
    DiagonalNewton,
    Kernel,
    LogDensity,
    ModelFileError,
    Normal,
    StudentT,
    Target,
    WGBClassifier,
    WGBoost,
    WGBRegressor,
    load,
)
from wgboost.learners.hist_tree import HistTree
from wgboost.training.flat_parameters import grouped_parameters
from wgboost.trees import TreeSettings

RNG = np.random.default_rng(7)
X = RNG.normal(size=(120, 3))
Y = np.sin(2 * X[:, 0]) + 0.2 * RNG.normal(size=120)
NEW = np.where(RNG.random((40, 3)) < 0.2, np.nan, RNG.normal(size=(40, 3)))
FILES = Path(__file__).parents[1] / "files"


def model(kind=WGBRegressor, **options):
    settings = {"n_estimators": 6, "random_state": 3, "n_jobs": 1}
    if kind is not WGBoost:
        settings["init"] = AveragedFlow(steps=20)
    return kind(**grouped_parameters({**settings, **options}))


def twin(fitted, folder, **given):
    fitted.save(folder / "model")
    return load(folder / "model", **given)


def assert_same(one, other):
    """Two estimators have the same parameters and attributes, and predict the same bits."""
    assert repr(one.get_params()) == repr(other.get_params())
    for name in ("n_estimators_", "seed_", "history_", "interrupted_", "refitted_"):
        assert getattr(one, name) == getattr(other, name)
    assert one.model_.init == other.model_.init
    assert_array_equal(one.feature_importances_, other.feature_importances_)
    assert_array_equal(one.apply(NEW), other.apply(NEW))
    for a, b in zip(staged_particles_of(one, NEW), staged_particles_of(other, NEW), strict=True):
        assert a.tobytes() == b.tobytes()
    assert_array_equal(one.predict(NEW), other.predict(NEW))


SETTINGS = [
    {},
    {"init": AveragedFlow(steps=50), "tree": "per_particle", "leaf": "newton", "l2": 1.0},
    {"init": np.eye(10, 2), "early_stopping": True, "eval_metric": "crps"},
    {"init": [[0.1, 0.2]] * 10, "early_stopping": True, "refit": False},
    {"prior": {"mean": np.linspace(0, 1, 120), "scale": 2}, "evidence": np.linspace(1, 2, 120)},
    {"response": Normal(prior_scale=3.0), "direction": DiagonalNewton(Kernel("scaled", "median"))},
    {"response": StudentT, "direction": AlphaDivergence(alpha=0.5), "n_estimators": np.int64(4)},
    {"response": "auto", "random_state": np.random.RandomState(3), "max_leaves": 4},
    {"learner": HistTree(TreeSettings(max_depth=1)), "bandwidth": float(np.float32(0.3))},
    {"n_estimators": 0},
    {"evidence": pd.Series(np.linspace(1, 2, 120))},
]


@pytest.mark.parametrize("options", SETTINGS, ids=range(len(SETTINGS)))
def test_a_regressor_comes_back_as_it_was(options, tmp_path):
    fitted = model(**options).fit(X, Y)
    again = twin(fitted, tmp_path)
    if not isinstance(options.get("evidence"), pd.Series) and "random_state" not in options:
        assert_same(fitted, again)
    assert_array_equal(fitted.predict(NEW), again.predict(NEW))
    assert (again.model_.units, again.response_) == (fitted.model_.units, fitted.response_)
    assert_array_equal(again.validation_rows_, fitted.validation_rows_)
    refits = [clone(one).fit(X, Y).predict(NEW) for one in (fitted, again)]
    assert_array_equal(*refits)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


LABELS = [
    np.array(["ash", "bêche", "cedar"]),
    np.array(["ash", "bêche", "cedar"], dtype=object),
    np.array([3, 5, 7]),
    np.array([3, 5, 7], dtype=np.float32),
    np.array([False, True]),
    np.array(["2020-01-01", "2021-01-01", "2022-05-05"], dtype="datetime64[D]"),
    np.array(["only"]),
    np.array(["a", "b" * 3000]),
]


@pytest.mark.parametrize("labels", LABELS, ids=range(len(LABELS)))
def test_a_classifier_keeps_its_labels(labels, tmp_path):
    y = labels[np.digitize(Y, [-0.5, 0.5]) % len(labels)]
    fitted = model(WGBClassifier, class_weight=dict.fromkeys(labels.tolist(), 1.5))
    if labels.dtype.kind == "M":
        fitted.set_params(class_weight=None)
    again = twin(fitted.fit(X, y), tmp_path)
    assert_same(fitted, again)
    assert_array_equal(again.classes_, fitted.classes_)
    assert again.classes_.dtype == fitted.classes_.dtype
    assert_array_equal(again.predict_proba(NEW), fitted.predict_proba(NEW))
    assert again.score(X, y) == fitted.score(X, y)


def test_the_order_of_labels_is_kept(tmp_path):
    grades = pd.Categorical.from_codes(np.digitize(Y, [-0.5, 0.5]), ["poor", "fair", "good"], True)
    fitted = model(WGBClassifier, response="ordinal").fit(X, pd.Series(grades))
    again = twin(fitted, tmp_path)
    assert again.ranks_.tolist() == ["poor", "fair", "good"]
    assert_array_equal(again.predict_proba(NEW), fitted.predict_proba(NEW))


def test_several_columns_and_column_names_are_kept(tmp_path):
    table = pd.DataFrame(X, columns=["höhe", "b", "c d"])
    fitted = model(response="multivariate_normal").fit(table, np.stack([Y, X[:, 1]], axis=1))
    again = twin(fitted, tmp_path)
    assert_array_equal(again.predict(table), fitted.predict(table))
    assert again.model_.units == fitted.model_.units
    assert list(again.feature_names_in_) == ["höhe", "b", "c d"]
    assert_array_equal(again.predict(table[["b", "höhe", "c d"]]), fitted.predict(table))
    with pytest.raises(ValueError, match="X lacks the column 'b'"):
        again.predict(table[["höhe", "c d"]])


def test_the_general_algorithm_on_samples(tmp_path):
    samples = RNG.normal(Y[:, None, None], size=(120, 5, 1))
    for given in ({"target": samples}, {"target": list(samples)}):
        fitted = model(WGBoost, direction="energy", **given).fit(X)
        assert_array_equal(twin(fitted, tmp_path).predict(NEW), fitted.predict(NEW))
    with pytest.raises(TypeError, match="target was 'list', which the model file does not hold"):
        load(tmp_path / "model").target()


def log_density(theta, y):
    return -0.5 * (theta[0] - y) ** 2


def pull(particles, y):
    return y[:, None] - particles


@pytest.mark.parametrize("target", [LogDensity(log_density), Target(pull)], ids=["jax", "score"])
def test_a_target_of_ones_own_is_asked_for(target, tmp_path):
    fitted = model(WGBoost, target=target, direction="smoothed").fit(X, Y)
    again = twin(fitted, tmp_path, target=target)
    assert_same(fitted, again)
    assert again.target is target
    name = "log_density" if isinstance(target, LogDensity) else "pull"
    with pytest.raises(TypeError, match=f"has a target of your own, '{name}', .*target=...") as e:
        load(tmp_path / "model")
    assert not isinstance(e.value, ModelFileError)
    with pytest.raises(TypeError, match=f"fitted with the target '{name}', not with 'twin'"):
        load(tmp_path / "model", target=Target(twin))
    with pytest.raises(TypeError, match="holds its direction; leave direction out"):
        load(tmp_path / "model", target=target, direction=pull)


def test_a_response_of_ones_own_is_asked_for(tmp_path):
    fitted = model(response=Poisson(prior_scale=1.5)).fit(X, np.round(np.exp(Y)))
    for given in (Poisson, Poisson()):
        again = twin(fitted, tmp_path, response=given)
        assert_same(fitted, again)
        assert again.response_ == Poisson(prior_scale=1.5)
    with pytest.raises(TypeError, match="has a response of your own, 'Poisson', which the file"):
        load(tmp_path / "model")
    with pytest.raises(TypeError, match="with the response 'Poisson', not with 'Normal'"):
        load(tmp_path / "model", response=Normal)


def test_functions_that_predictions_do_without_are_placeholders(tmp_path):
    def own(_, score, *__):
        return 0.1 * score

    def worst(dist, y):
        return float(-dist.logpdf(y).min())

    fitted = model(direction=own, eval_metric=worst, early_stopping=True).fit(X, Y)
    again = twin(fitted, tmp_path)
    assert_array_equal(again.predict(NEW), fitted.predict(NEW))
    with pytest.raises(TypeError, match=r"was 'worst', which .* set_params\(eval_metric=...\)"):
        again.fit(X, Y)
    given = load(tmp_path / "model", direction=own, eval_metric=worst)
    assert_array_equal(given.fit(X, Y).predict(NEW), fitted.predict(NEW))


@pytest.mark.parametrize(
    "options", [{"learner": DecisionTreeRegressor(max_depth=2)}, {"init": LinearRegression()}]
)
def test_foreign_parts_are_for_skops(options, tmp_path):
    fitted = model(**options, n_estimators=2).fit(X, Y)
    with pytest.raises(TypeError, match=r"is foreign \(\w+\); .* pip install wgboost\[skops\]"):
        fitted.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
    skops = pytest.importorskip("skops.io")
    skops.dump(fitted, tmp_path / "skops")
    trusted = skops.get_untrusted_types(file=tmp_path / "skops")
    again = skops.load(tmp_path / "skops", trusted=trusted)
    assert_array_equal(again.predict(X), fitted.predict(X))


def test_what_a_file_has_no_place_for_is_named(tmp_path):
    class Mine(WGBRegressor):
        pass

    with pytest.raises(NotFittedError):
        model().save(tmp_path / "model")
    with pytest.raises(TypeError, match="Mine is a class of your own"):
        Mine(n_estimators=1).fit(X, Y).save(tmp_path / "model")
    fitted = model().fit(X, Y)
    fitted.note_ = "mine"
    with pytest.raises(TypeError, match="no place for the attribute note_; delete it"):
        fitted.save(tmp_path / "model")
    del fitted.note_
    with pytest.raises(ValueError, match="n_particles=0"):
        fitted.set_params(n_particles=0).save(tmp_path / "model")


def test_a_loaded_model_goes_on(tmp_path):
    options = {"warm_start": True, "subsample": 0.5}
    again = twin(model(**options).fit(X, Y), tmp_path).set_params(n_estimators=9).fit(X, Y)
    assert_array_equal(again.predict(NEW), model(**options, n_estimators=9).fit(X, Y).predict(NEW))
