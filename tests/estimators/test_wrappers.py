"""Predictive distributions through scikit-learn's wrappers, and metrics by name."""

import doctest
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics as sklearn_metrics
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler

from mixture_examples import categorical_mixture, normal_mixture
from wgboost import (
    LogNormal,
    Mixture,
    Normal,
    TreeLearner,
    WGBClassifier,
    WGBRegressor,
    metrics,
    predict_dist,
)
from wgboost.metrics import point_scores, unwrapping
from wgboost.predictive.decisions import bayes_action
from wgboost.predictive.transformed import inverse_transformed
from wgboost.responses import Units

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(150, 2))
Y = np.exp(X[:, 0] + 0.3 * RNG.normal(size=150))
MODEL = WGBRegressor(n_estimators=10, evidence=10, random_state=0)


class Function:
    """A transformer of two functions."""

    def __init__(self, transform, inverse_transform):
        self.transform, self.inverse_transform = transform, inverse_transform


# --- pipelines and searches -------------------------------------------------------------------


def test_pipelines_and_searches_predict_what_their_model_predicts():
    pipe = make_pipeline(StandardScaler(), MODEL).fit(X, Y)
    plain = pipe[-1].predict_dist(pipe[:-1].transform(X))
    assert_array_equal(predict_dist(pipe, X).particles, plain.particles)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), MODEL), {"wgbregressor__l2": [1.0, 3.0]}, cv=2,
        scoring=metrics.get_scorer("mae"),
    ).fit(X, Y)  # fmt: skip
    best = search.best_estimator_
    assert_array_equal(predict_dist(search, X).mean(), best.predict(X))
    assert_array_equal(
        predict_dist(search, X, n_rounds=2).mean(), predict_dist(best, X, n_rounds=2).mean()
    )


def test_what_has_no_distributions_is_named():
    with pytest.raises(TypeError, match="LinearRegression has no predict_dist"):
        predict_dist(make_pipeline(StandardScaler(), LinearRegression()).fit(X, Y), X)
    with pytest.raises(TypeError, match="WGBRegressor is a class"):
        predict_dist(WGBRegressor, X)
    with pytest.raises(NotFittedError):
        predict_dist(GridSearchCV(MODEL, {"l2": [1.0]}), X)


# --- transformed targets ----------------------------------------------------------------------


def test_a_scaled_target_is_a_change_of_units():
    scaled = TransformedTargetRegressor(MODEL, transformer=StandardScaler()).fit(X, Y)
    dist = predict_dist(scaled, X)
    assert_allclose(dist.mean(), scaled.predict(X), rtol=1e-9)
    inner = scaled.regressor_.predict_dist(X)
    z = (Y - Y.mean()) / Y.std()
    assert_allclose(dist.cdf(Y), inner.cdf(z), rtol=1e-9)
    assert_allclose(metrics.nll(dist, Y), metrics.nll(inner, z) + np.log(Y.std()), rtol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_exponential_of_normals_is_the_lognormal_response(weighted):
    dist = normal_mixture(weighted=weighted, units=Units(0.5, 0.3))
    found = inverse_transformed(dist, Function(np.log, np.exp))
    theta = dist.theta() * [0.3, 1] + [0.5, np.log(0.3)]
    plain = Mixture(LogNormal(), theta, weights=dist.weights)
    y = plain.rvs(4, random_state=0)
    for method in ("logpdf", "cdf", "sf"):
        assert_allclose(getattr(found, method)(y), getattr(plain, method)(y), rtol=1e-8)
    q = np.array([[1e-6, 0.1, 0.5, 0.9, 1 - 1e-6]])
    assert_allclose(found.ppf(q), plain.ppf(q), rtol=1e-9)
    for method in ("mean", "std", "median", "aleatoric", "epistemic", "mode"):
        assert_allclose(getattr(found, method)(), getattr(plain, method)(), rtol=1e-5)
    assert_allclose(found.entropy(), plain.entropy(), atol=1e-6)
    assert_allclose(metrics.crps(found, y[:, 0]), metrics.crps(plain, y[:, 0]), rtol=1e-6)
    assert found.rvs(3, random_state=0).min() > 0
    assert_array_equal(found.cdf(-1.0), 0)
    assert_array_equal(found.logpdf(-1.0), -np.inf)


def test_a_falling_function_turns_the_tails_around():
    dist = Mixture(Normal(), [[[0.5, -2.0], [0.7, -2.0]]])
    found = inverse_transformed(dist, Function(np.negative, np.negative))
    assert_allclose(found.cdf(-0.6), dist.sf(0.6))
    assert_allclose(found.ppf([0.1, 0.9]), -dist.ppf([0.9, 0.1]))
    assert_allclose(found.mean(), -dist.mean())


def test_a_fitted_log_target_and_a_power_target():
    log = TransformedTargetRegressor(MODEL, func=np.log, inverse_func=np.exp).fit(X, Y)
    dist = predict_dist(log, X)
    assert_allclose(np.log(dist.median()), log.regressor_.predict_dist(X).median(), rtol=1e-9)
    jacobian = metrics.nll(log.regressor_.predict_dist(X), np.log(Y)) + np.log(Y).mean()
    assert_allclose(metrics.nll(dist, Y), jacobian, rtol=1e-7)
    assert_array_equal(dist.support()[0], 0)
    twin = pickle.loads(pickle.dumps(dist))
    assert_array_equal(twin.ppf(0.3), dist.ppf(0.3))
    assert_allclose(dist.to_frame()["mean"], dist.mean())
    order = bayes_action(dist, lambda a, y: np.abs(a - y), over="y")
    assert_allclose(order, dist.median(), rtol=1e-4)
    power = TransformedTargetRegressor(MODEL, transformer=PowerTransformer()).fit(X, Y)
    some = predict_dist(make_pipeline(power).fit(X, Y), X[:5])
    assert_allclose(some.cdf(some.ppf(0.3)), 0.3, rtol=1e-7)
    score = cross_val_score(log, X, Y, cv=2, scoring=metrics.get_scorer("nll"))
    assert np.isfinite(score).all()


def test_what_cannot_be_transformed_back_is_named():
    with pytest.raises(ValueError, match="is not monotone from"):
        inverse_transformed(Mixture(Normal(), [[[0.0, 0.0]]]), Function(np.sqrt, np.square))
    with pytest.raises(TypeError, match="only one column of numbers can"):
        inverse_transformed(categorical_mixture(), Function(np.log, np.exp))


# --- metrics by name --------------------------------------------------------------------------


def test_errors_of_medians_and_quantiles_are_scikit_learns():
    dist, weight = normal_mixture(), np.arange(1.0, 6)
    y = dist.rvs(random_state=1)
    expected = sklearn_metrics.mean_absolute_error(y, dist.median(), sample_weight=weight)
    assert_allclose(metrics.mae(dist, y, sample_weight=weight), expected)
    for q in (0.1, 0.5, 0.95):
        expected = sklearn_metrics.mean_pinball_loss(y, dist.ppf(q), alpha=q, sample_weight=weight)
        assert_allclose(metrics.pinball(dist, y, q, sample_weight=weight), expected)
    each = [metrics.pinball(dist, y, q) for q in (0.05, 0.5, 0.95)]
    assert_allclose(metrics.pinball(dist, y), np.mean(each))
    for function in (metrics.mae, metrics.pinball):
        with pytest.raises(ValueError, match="needs ordered outcomes"):
            function(categorical_mixture(), np.zeros(5))
    with pytest.raises(ValueError, match="q=2 must be between 0 and 1"):
        metrics.pinball(dist, y, 2)


@pytest.mark.parametrize("k", [2, 4])
def test_the_auc_is_scikit_learns(k):
    dist = categorical_mixture(n=60, k=k)
    y, weight = dist.rvs(random_state=0), RNG.uniform(0, 2, 60)
    shares = dist.probabilities()
    expected = sklearn_metrics.roc_auc_score(
        y, shares[:, 1] if k == 2 else shares, multi_class="ovr"
    )
    assert_allclose(metrics.auc(dist, y), expected)
    if k == 2:
        expected = sklearn_metrics.roc_auc_score(y, shares[:, 1], sample_weight=weight)
        assert_allclose(metrics.auc(dist, y, sample_weight=weight), expected)
    with pytest.raises(ValueError, match="rows of different classes and y has 1"):
        metrics.auc(dist, np.zeros(60))


@pytest.mark.parametrize("name", ["mae", "pinball"])
def test_training_stops_by_errors_of_numbers(name):
    fitted = WGBRegressor(
        n_estimators=15, evidence=10, early_stopping=True, refit=False, eval_metric=name,
        random_state=0, learner=TreeLearner(support=False),
    ).fit(X, Y)  # fmt: skip
    held = fitted.validation_rows_
    value = getattr(metrics, name)(fitted.predict_dist(X[held]), Y[held])
    assert_allclose(fitted.history_["validation"][name][fitted.n_estimators_], value, rtol=1e-6)
    assert metrics.get_scorer(name)(fitted, X[held], Y[held]) == -value


def test_training_stops_by_scores_of_classes():
    labels = np.where(Y > 1, "up", "down")
    fitted = WGBClassifier(
        n_estimators=10, early_stopping=True, refit=False, eval_metric=["auc", "log_loss"],
        random_state=0,
    ).fit(X, labels)  # fmt: skip
    held, at = fitted.validation_rows_, fitted.n_estimators_
    shares = fitted.predict_proba(X[held])[:, 1]
    area = sklearn_metrics.roc_auc_score(labels[held], shares)
    history = fitted.history_["validation"]
    assert_allclose(history["one_minus_auc"][at], 1 - area, rtol=1e-6)
    assert_allclose(history["log_loss"][at], sklearn_metrics.log_loss(labels[held], shares), 1e-5)
    assert_allclose(metrics.get_scorer("auc")(fitted, X[held], labels[held]), area)
    with pytest.raises(ValueError, match="for the response 'normal'='auc' must be one of"):
        WGBRegressor(eval_metric="auc", early_stopping=True).fit(X, Y)


def test_the_examples_in_docstrings_are_right():
    for module in (unwrapping, point_scores):
        found = doctest.testmod(module)
        assert found.attempted > 0
        assert found.failed == 0
