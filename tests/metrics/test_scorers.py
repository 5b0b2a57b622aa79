"""Metrics in scikit-learn's model selection."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, mean_squared_error
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wgboost import WGBClassifier, WGBRegressor, censored, metrics

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(120, 3))
Y = 5 + 2 * X[:, 0] + 0.3 * rng.normal(size=120)
LABELS = np.where(X[:, 1] + 0.5 * rng.normal(size=120) > 0, "yes", "no")
SETTINGS = {"n_particles": 4, "n_estimators": 15, "random_state": 0, "n_jobs": 1}
FOLDS = KFold(3)


def folds(model, y):
    """Fitted models with the rows they were not fitted on."""
    for train, test in FOLDS.split(X):
        yield model.fit(X[train], y[train]), test


def scores_of(model, y, name, **settings):
    scorer = metrics.get_scorer(name, **settings)
    return cross_val_score(model, X, y, cv=FOLDS, scoring=scorer)


NUMBERS = ["nll", "crps", "rmse", "interval_score", "interval_width", "calibration_error"]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_scorer_is_minus_the_metric_of_the_rows_held_out(name):
    model = WGBRegressor(**SETTINGS)
    ours = scores_of(model, Y, name)
    function = getattr(metrics, name)
    expected = [-function(m.predict_dist(X[rows]), Y[rows]) for m, rows in folds(model, Y)]
    assert_allclose(ours, expected, rtol=1e-12)


def test_scores_of_numbers_by_hand():
    model = WGBRegressor(**SETTINGS)
    rmse, gap = [], []
    for fitted, rows in folds(model, Y):
        rmse.append(-np.sqrt(mean_squared_error(Y[rows], fitted.predict(X[rows]))))
        low, high = fitted.predict_interval(X[rows], 0.8).T
        gap.append(-abs(((low <= Y[rows]) & (Y[rows] <= high)).mean() - 0.8))
    assert_allclose(scores_of(model, Y, "rmse"), rmse)
    assert_allclose(scores_of(model, Y, "coverage", confidence=0.8), gap)


def test_scores_of_classes_are_those_of_scikit_learn():
    model = WGBClassifier(**SETTINGS)
    expected = {"log_loss": [], "brier": [], "accuracy": []}
    for fitted, rows in folds(model, LABELS):
        share, truth = fitted.predict_proba(X[rows]), LABELS[rows]
        expected["log_loss"].append(-log_loss(truth, share, labels=["no", "yes"]))
        expected["brier"].append(-2 * brier_score_loss(truth, share[:, 1], pos_label="yes"))
        expected["accuracy"].append(accuracy_score(truth, fitted.predict(X[rows])))
    for name, values in expected.items():
        assert_allclose(scores_of(model, LABELS, name), values, rtol=1e-9)
    assert_allclose(scores_of(model, LABELS, "nll"), expected["log_loss"], rtol=1e-9)


def test_a_search_takes_the_better_setting():
    search = GridSearchCV(
        WGBRegressor(**SETTINGS), {"n_estimators": [0, 15]}, cv=FOLDS,
        scoring={name: metrics.get_scorer(name) for name in ("nll", "crps")}, refit="crps",
    ).fit(X, Y)  # fmt: skip
    assert search.best_params_ == {"n_estimators": 15}
    assert search.best_score_ == search.cv_results_["mean_test_crps"].max()
    assert_allclose(
        search.cv_results_["mean_test_nll"][1],
        scores_of(WGBRegressor(**SETTINGS), Y, "nll").mean(),
    )


def test_pipelines_and_bounds_are_scored():
    pipe = make_pipeline(StandardScaler(), WGBClassifier(**SETTINGS))
    plain = scores_of(WGBClassifier(**SETTINGS), LABELS, "brier")
    assert_allclose(scores_of(pipe, LABELS, "brier"), plain, rtol=0.05)
    bounds = censored(np.minimum(Y, 6), np.where(Y > 6, np.inf, Y))
    model = WGBRegressor(**SETTINGS)
    expected = [-metrics.nll(m.predict_dist(X[r]), bounds[r]) for m, r in folds(model, bounds)]
    assert_allclose(scores_of(model, bounds, "nll"), expected)
    assert (scores_of(model, bounds, "concordance") > 0.7).all()


def median_error(dist, y, power=1):
    return (abs(dist.median() - y) ** power).mean()


def test_a_metric_of_ones_own_becomes_a_scorer():
    scorer = metrics.make_scorer(median_error, power=2)
    fitted = WGBRegressor(**SETTINGS).fit(X, Y)
    expected = -median_error(fitted.predict_dist(X), Y, 2)
    assert_allclose(scorer(fitted, X, Y), expected)
    assert_allclose(pickle.loads(pickle.dumps(scorer))(fitted, X, Y), expected)
    assert metrics.make_scorer(median_error, greater_is_better=True)(fitted, X, Y) > 0
    with pytest.raises(TypeError, match="takes no sample_weight"):
        scorer(fitted, X, Y, sample_weight=np.ones(120))
    with pytest.raises(TypeError, match="get_scorer takes names"):
        metrics.make_scorer("nll")


def test_weights_reach_the_metric():
    fitted, weight = WGBRegressor(**SETTINGS).fit(X, Y), rng.uniform(size=120)
    for name in NUMBERS:
        expected = -getattr(metrics, name)(fitted.predict_dist(X), Y, sample_weight=weight)
        assert metrics.get_scorer(name)(fitted, X, Y, sample_weight=weight) == expected


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="did you mean 'crps'"):
        metrics.get_scorer("crsp")
    with pytest.raises(TypeError, match="no setting 'confidense'; did you mean 'confidence'"):
        metrics.get_scorer("coverage", confidense=0.5)
    scorer = metrics.get_scorer("nll")
    with pytest.raises(TypeError, match="has no predict_dist"):
        scorer(LinearRegression().fit(X, Y), X, Y)
    with pytest.raises(TypeError, match="WGBRegressor is a class"):
        scorer(WGBRegressor, X, Y)
    fitted = WGBClassifier(**SETTINGS).fit(X, LABELS)
    with pytest.raises(ValueError, match="label 'perhaps'"):
        scorer(fitted, X[:1], ["perhaps"])
    results = cross_validate(
        WGBRegressor(**SETTINGS), X, Y, cv=FOLDS, scoring={"nll": scorer}, error_score="raise"
    )
    assert results["test_nll"].shape == (3,)
