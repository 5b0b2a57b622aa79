"""Exposure, another prior in every prediction, and what early stopping goes by."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GridSearchCV

from wgboost import DiagonalNewton, Kernel, WGBClassifier, WGBRegressor, censored, metrics
from wgboost.training.flat_parameters import grouped_parameters

RNG = np.random.default_rng(6)
N = 300
X = RNG.uniform(-1, 1, size=(N, 2))
EXPOSURE = RNG.uniform(0.5, 4, size=N)
COUNTS = RNG.poisson(EXPOSURE * np.exp(1 + X[:, 0]))
TIMES = RNG.weibull(1.5, size=N) * np.exp(X[:, 0])
SEEN = censored(np.minimum(TIMES, 1.5), np.where(TIMES < 1.5, TIMES, np.inf))
HELD = np.arange(N) % 4 == 0


def model(response="normal", **options):
    fixed = {"n_estimators": 15, "random_state": 0, "n_jobs": 1}
    return WGBRegressor(response=response, **grouped_parameters({**fixed, **options}))


def test_an_exposure_is_an_offset_of_its_log():
    ours = model("poisson").fit(X, COUNTS, exposure=EXPOSURE)
    theirs = model("poisson").fit(X, COUNTS, offset=np.log(EXPOSURE))
    assert_array_equal(ours.predict(X), theirs.predict(X))
    at = {"exposure": EXPOSURE}
    assert_allclose(ours.predict(X, **at), ours.predict(X) * EXPOSURE, rtol=1e-5)
    log = {"offset": np.log(EXPOSURE)}
    for answer in (
        lambda **k: ours.predict_quantiles(X, **k),
        lambda **k: ours.predict_interval(X, **k),
        lambda **k: ours.predict_uncertainty(X, **k)["total"],
        lambda **k: ours.sample(X, 3, 0, **k),
        lambda **k: ours.score(X, COUNTS, **k),
        lambda **k: ours.decide(X, lambda a, t: (a - t["mean"]) ** 2, [1, 5], **k),
    ):
        assert_array_equal(answer(**at), answer(**log))


def test_validation_rows_have_an_exposure():
    fit_params = {"exposure_val": EXPOSURE[HELD], "exposure": EXPOSURE[~HELD]}
    fitted = model("poisson", early_stopping=True)
    fitted.fit(X[~HELD], COUNTS[~HELD], X_val=X[HELD], y_val=COUNTS[HELD], **fit_params)
    dist = fitted.predict_dist(X[HELD], exposure=EXPOSURE[HELD])
    history = fitted.history_["validation"]["nll"]
    assert_allclose(min(history), metrics.nll(dist, COUNTS[HELD]), rtol=1e-5)


WRONG = [
    ("poisson", {"exposure": EXPOSURE, "offset": 0.0}, "an offset or an exposure"),
    ("normal", {"exposure": EXPOSURE}, "'normal' takes no exposure.*divide y by it"),
    ("poisson", {"exposure": np.where(np.arange(N) == 7, 0, 1)}, "exposure is 0.0 at row 7"),
    ("poisson", {"exposure": EXPOSURE[:3]}, r"shape \(3,\)"),
]


@pytest.mark.parametrize(("response", "fit_params", "message"), WRONG)
def test_an_invalid_exposure_is_refused(response, fit_params, message):
    with pytest.raises(ValueError, match=message):
        model(response).fit(X, COUNTS, **fit_params)


@pytest.mark.parametrize("error", [None, 1.0])
def test_the_spread_of_particles_follows_from_evidence_and_known_errors(error):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (2000, 1)).astype(float), 0.3 * rng.normal(size=2000)
    deviation = np.hypot(0.3, error or 0)
    if error:
        y += error * rng.normal(size=2000)
    model = WGBRegressor(
        evidence=30, direction=DiagonalNewton(Kernel("scaled")), n_estimators=100, max_leaves=2,
        tree="shared", random_state=0,
    ).fit(X, y, y_std=error)  # fmt: skip
    means = model.predict_particles(np.array([[0.0], [1.0]]))["mean"]
    assert abs(means.std(axis=1) * np.sqrt(30) / deviation - 1).max() < 0.15


def test_every_prediction_takes_another_prior():
    fitted, prior = model(n_particles=40).fit(X, TIMES), {"scale": 2.0}
    dist = fitted.predict_dist(X, prior=prior)
    assert np.abs(dist.mean() - fitted.predict(X)).max() > 0
    assert_array_equal(fitted.predict(X, prior=prior), dist.mean())
    assert_array_equal(fitted.predict_quantiles(X, 0.3, prior=prior)[:, 0], dist.ppf(0.3))
    assert_array_equal(fitted.predict_interval(X, 0.5, prior=prior).T, dist.interval(0.5))
    parts = fitted.predict_uncertainty(X, prior=prior)
    assert_array_equal(parts["epistemic"], dist.epistemic())


def test_classes_take_another_prior_in_every_prediction():
    fitted = WGBClassifier(n_estimators=10, random_state=0).fit(X, X[:, 0] > 0)
    prior = {"mean": 1.0, "scale": 5.0}
    dist = fitted.predict_dist(X, prior=prior)
    assert_array_equal(fitted.predict_proba(X, prior=prior), dist.probabilities())
    assert_array_equal(fitted.predict(X, prior=prior), fitted.classes_[dist.mode()])
    assert_array_equal(fitted.predict_uncertainty(X, prior=prior)["epistemic"], dist.epistemic())


def test_a_prior_that_leaves_few_effective_particles_warns():
    fitted, prior = model().fit(X, TIMES), {"mean": 5.0, "scale": 0.05}
    with pytest.warns(UserWarning, match=r"of 300 rows have fewer than 2 effective .*fit with"):
        dist = fitted.predict_dist(X, prior=prior)
    few = int((dist.effective_sample_size() < 2).sum())
    with pytest.warns(UserWarning, match=f"prior {few} of 300"):
        fitted.predict(X, prior=prior)


def test_the_first_of_several_metrics_decides():
    settings = {"early_stopping": True, "refit": False, "n_estimators": 40, "learning_rate": 0.5}
    settings |= {"eval_metric": ["rmse", "nll", "concordance"], "support": False}
    fitted = model(**settings).fit(X, TIMES)
    history = fitted.history_["validation"]
    assert list(history) == ["rmse", "nll", "discordance"]
    assert fitted.n_estimators_ == np.argmin(history["rmse"])
    dist, held = fitted.predict_dist(X), fitted.validation_rows_
    assert_allclose(
        history["discordance"][fitted.n_estimators_],
        1 - metrics.concordance(dist[held], TIMES[held]),
    )


def test_concordance_can_decide_about_bounds():
    fitted = model("weibull", eval_metric="concordance", early_stopping=True).fit(X, SEEN)
    assert fitted.n_estimators_ == np.argmin(fitted.history_["validation"]["discordance"])
    with pytest.raises(ValueError, match="for the response 'categorical'='concordance' must be"):
        WGBClassifier(eval_metric="concordance", early_stopping=True).fit(X, X[:, 0] > 0)


def test_a_grid_search_over_bounds_needs_the_scorer_that_the_error_names():
    with pytest.raises(ValueError, match=r'scoring=wgboost.metrics.get_scorer\("nll"\)'):
        model("weibull").fit(X, SEEN).score(X, SEEN)
    for name in ("nll", "concordance"):
        search = GridSearchCV(
            model("weibull"), {"max_depth": [1, 2]}, scoring=metrics.get_scorer(name), cv=2
        ).fit(X, SEEN)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert np.isfinite(search.score(X, SEEN))
