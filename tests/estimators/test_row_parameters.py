"""Scores see what belongs to rows: exposure, offset, weights and errors of y."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose
from packaging.version import Version
from scipy.stats import poisson
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wgboost import (
    ConformalRegressor,
    WGBRegressor,
    WGBRegressorCV,
    load,
    metrics,
)

RNG = np.random.default_rng(0)
N = 240
X = RNG.uniform(-1, 1, size=(N, 2))
YEARS = RNG.uniform(0.5, 30, size=N)
COUNTS = RNG.poisson(np.exp(X[:, 0]) * YEARS)
WEIGHT = RNG.integers(1, 4, size=N).astype(float)
FOLDS = KFold(3)
NLL = metrics.get_scorer("nll")


def counting(**settings):
    return WGBRegressor(
        **{"response": "poisson", "n_estimators": 20, "evidence": 10, "n_jobs": 1,
           "random_state": 0, **settings}
    )  # fmt: skip


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def by_hand(model, weight=None):
    """Minus the NLL of each fold, particle by particle with scipy's Poisson distribution."""
    scores = []
    for train, test in FOLDS.split(X):
        own = {} if weight is None else {"sample_weight": weight[train]}
        fitted = model.fit(X[train], COUNTS[train], exposure=YEARS[train], **own)
        rates = fitted.predict_particles(X[test])["mean"]
        likelihood = poisson.pmf(COUNTS[test, None], rates * YEARS[test, None]).mean(axis=1)
        of_test = None if weight is None else weight[test]
        scores.append(np.average(np.log(likelihood), weights=of_test))
    return scores


@pytest.mark.usefixtures("routing")
def test_routing_hands_exposure_to_fit_and_scorer():
    scores = cross_val_score(
        counting(), X, COUNTS, cv=FOLDS, scoring=NLL, params={"exposure": YEARS}
    )
    assert_allclose(scores, by_hand(counting()), rtol=1e-6)


@pytest.mark.usefixtures("routing")
def test_routing_hands_weights_to_those_who_ask():
    scores = cross_validate(
        counting().set_fit_request(sample_weight=True), X, COUNTS, cv=FOLDS,
        scoring={
            "weighed": metrics.get_scorer("nll").set_score_request(sample_weight=True),
            "plain": metrics.get_scorer("nll").set_score_request(sample_weight=False),
            "crps": metrics.get_scorer("crps").set_score_request(sample_weight=False),
        },
        params={"exposure": YEARS, "sample_weight": WEIGHT},
    )  # fmt: skip
    assert_allclose(scores["test_weighed"], by_hand(counting(), WEIGHT), rtol=1e-6)
    assert (scores["test_plain"] != scores["test_weighed"]).all()
    with pytest.raises(ValueError, match="sample_weight"):  # scikit-learn's: nobody asked for it
        cross_val_score(
            counting(), X, COUNTS, cv=FOLDS, scoring=metrics.get_scorer("nll"),
            params={"sample_weight": WEIGHT},
        )  # fmt: skip


@pytest.mark.usefixtures("routing")
def test_a_search_and_a_pipeline_route_exposure():
    pipe = make_pipeline(StandardScaler(), counting())
    search = GridSearchCV(pipe, {"wgbregressor__n_estimators": [0, 20]}, scoring=NLL, cv=FOLDS)
    search.fit(X, COUNTS, exposure=YEARS)
    assert search.best_params_ == {"wgbregressor__n_estimators": 20}
    assert_allclose(search.best_score_, np.mean(by_hand(counting())), rtol=0.02)
    fitted = search.best_estimator_
    expected = r2_score(COUNTS, fitted.predict(X, exposure=YEARS))
    assert fitted.score(X, COUNTS, exposure=YEARS) == expected
    plain = GridSearchCV(counting(), {"n_estimators": [20]}, cv=FOLDS)  # by `score`
    plain.fit(X, COUNTS, exposure=YEARS)
    assert plain.best_score_ > 0.5


def test_without_routing_a_missing_exposure_is_no_score_and_a_named_one_is():
    options = {"cv": FOLDS, "scoring": NLL}
    with pytest.warns(UserWarning, match="fitted with exposure.*enable_metadata_routing"):
        scores = cross_val_score(counting(), X, COUNTS, params={"exposure": YEARS}, **options)
    assert np.isnan(scores).all()
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(years=YEARS)
    scores = cross_val_score(counting(), frame, COUNTS, params={"exposure": "years"}, **options)
    assert_allclose(scores, by_hand(counting()), rtol=1e-6)
    search = GridSearchCV(counting(), {"n_estimators": [20]}, cv=FOLDS, scoring=NLL)
    search.fit(frame, COUNTS, exposure="years")
    assert_allclose(search.best_score_, np.mean(by_hand(counting())), rtol=1e-6)
    with pytest.raises(RuntimeError, match="enable_metadata_routing"):
        metrics.get_scorer("nll").set_score_request(sample_weight=True)


@pytest.mark.skipif(
    Version(sklearn.__version__) < Version("1.7"),
    reason="searches without routing pass weights to scorers from scikit-learn 1.7 on",
)
def test_searches_without_routing_weigh_several_metrics():
    search = GridSearchCV(
        counting(), {"n_estimators": [5]}, cv=FOLDS, refit="nll",
        scoring={name: metrics.get_scorer(name) for name in ("nll", "rmse")},
    ).fit(X, COUNTS, sample_weight=WEIGHT)  # fmt: skip
    fitted = [
        (counting(n_estimators=5).fit(X[a], COUNTS[a], sample_weight=WEIGHT[a]), b)
        for a, b in FOLDS.split(X)
    ]
    expected = [
        -metrics.rmse(m.predict_dist(X[b]), COUNTS[b], sample_weight=WEIGHT[b]) for m, b in fitted
    ]
    assert_allclose(search.cv_results_["mean_test_rmse"], np.mean(expected))


@pytest.mark.parametrize("kind", ["one", "loaded", "bag", "conformal"])
def test_every_model_fitted_with_exposure_is_scored_with_it(kind, tmp_path):
    if kind == "bag":
        model = WGBRegressorCV(
            [{"n_estimators": 10, "evidence": 10}], response="poisson", cv=2, n_jobs=1,
            random_state=0,
        )  # fmt: skip
    elif kind == "conformal":
        model = ConformalRegressor(counting(), cv=2, random_state=0)
    else:
        model = counting()
    model.fit(X, COUNTS, exposure=YEARS)
    if kind == "loaded":
        model.save(tmp_path / "model")
        model = load(tmp_path / "model")
    expected = r2_score(COUNTS, model.predict(X) * YEARS, sample_weight=WEIGHT)
    assert_allclose(model.score(X, COUNTS, WEIGHT, exposure=YEARS), expected, rtol=1e-6)
    with pytest.raises(ValueError, match=r"fitted with exposure.*exposure=1 for none"):
        model.score(X, COUNTS)
    alone = r2_score(COUNTS, model.predict(X))
    assert_allclose(model.score(X, COUNTS, exposure=1), alone, rtol=1e-6)
    if kind != "conformal":
        for call in (model.calibrate, lambda *rows: NLL(model, *rows)):
            with pytest.raises(ValueError, match="fitted with exposure"):
                call(X, COUNTS)


def test_offsets_and_errors_of_y_reach_the_metric():
    offset, error = RNG.normal(0, 5, size=N), RNG.uniform(0.5, 2, size=N)
    y = X[:, 0] + offset + error * RNG.normal(size=N)
    model = WGBRegressor(n_estimators=10, evidence=10, n_jobs=1, random_state=0)
    model.fit(X, y, offset=offset, y_std=error)
    dist = model.predict_dist(X, offset=offset)
    assert NLL(model, X, y, offset=offset, y_std=error) == -metrics.nll(dist, y, y_std=error)
    rmse = metrics.get_scorer("rmse")
    assert rmse(model, X, y, offset=offset, y_std=error) == -metrics.rmse(dist, y)
    with pytest.raises(ValueError, match=r"fitted with offset.*offset=0 for none"):
        model.score(X, y)


@pytest.mark.usefixtures("routing")
def test_scorers_do_not_share_requests():
    metrics.get_scorer("nll").set_score_request(exposure=False)
    again = metrics.get_scorer("nll").get_metadata_routing().score.requests
    assert again["exposure"] is True
    assert again["sample_weight"] is None
    with pytest.raises(TypeError, match="takes no 'exposur'; did you mean 'exposure'"):
        metrics.get_scorer("nll").set_score_request(exposur=True)
