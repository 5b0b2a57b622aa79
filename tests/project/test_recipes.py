"""The recipes in CONTRIBUTING.md, run as they stand, work outside the package."""

import pickle
import sys
from types import ModuleType

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats

import wgboost
from finite_differences import central_difference
from pages import examples
from wgboost import WGBClassifier, WGBoost, WGBRegressor, metrics
from wgboost.directions import Direction
from wgboost.learners import FittedLearner, Learner

mpl.use("Agg")
NAME = "recipes_of_contributing"
MODULE = ModuleType(NAME)
sys.modules[NAME] = MODULE  # a dataclass and a pickle look their module up
for source in examples("CONTRIBUTING.md"):
    exec(source, vars(MODULE))

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(160, 2))
Y = stats.rayleigh.rvs(scale=np.exp(X[:, 0]), random_state=RNG)
TRAIN, TEST = slice(0, 120), slice(120, None)
FAST = {"n_estimators": 15, "n_particles": 5, "evidence": 5.0, "random_state": 0, "n_jobs": 1}


def fit(**options):
    return WGBRegressor(**{**FAST, **options}).fit(X[TRAIN], Y[TRAIN])


def used_everywhere(model, path, **given):
    """Predict, save, load and report; return the metrics of the report."""
    dist = model.predict_dist(X[TEST])
    model.save(path / "model.wgb")
    again = wgboost.load(path / "model.wgb", **given)
    assert_array_equal(again.predict_dist(X[TEST]).theta(), dist.theta())
    numbers = wgboost.report(again, X[TEST], Y[TEST], path / "report.html", n_dependence=0)
    assert numbers["NLL"] == pytest.approx(metrics.nll(dist, Y[TEST]))
    assert (path / "report.html").stat().st_size > 10_000
    return numbers


# --- a response -------------------------------------------------------------------------------


def test_the_response_is_used_end_to_end(tmp_path):
    model = fit(response=MODULE.Rayleigh())
    used_everywhere(model, tmp_path, response=MODULE.Rayleigh)
    with pytest.raises(TypeError, match="a response of your own, 'Rayleigh'"):
        wgboost.load(tmp_path / "model.wgb")
    dist = model.predict_dist(X[TEST])
    start = fit(response=MODULE.Rayleigh(), n_estimators=0).predict_dist(X[TEST])
    assert metrics.nll(dist, Y[TEST]) < metrics.nll(start, Y[TEST]) - 0.1
    assert np.corrcoef(dist.median(), X[TEST, 0])[0, 1] > 0.8
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_the_response_is_the_distribution_of_scipy():
    theta = np.array([[-0.5], [0.7]])
    other = stats.rayleigh(scale=np.exp(theta[:, 0]))
    response, y = MODULE.Rayleigh(), np.array([0.4, 3.0])
    assert_allclose(response.logpdf(y, theta), other.logpdf(y))
    assert_allclose(response.cdf(y, theta), other.cdf(y))
    assert_allclose(response.ppf(np.array([0.1, 0.9]), theta), other.ppf([0.1, 0.9]))
    assert_allclose(response.mean(theta), other.mean())
    assert_allclose(response.var(theta), other.var())
    assert_allclose(response.entropy(theta), other.entropy())
    slope = central_difference(lambda t: response.logpdf(y[:, None], t), theta[:, None])
    assert_allclose(response.likelihood_score(y, theta), slope[:, 0], rtol=1e-6)
    information = [
        integrate.quad(
            lambda v, t=t: (v**2 / t**2 - 2) ** 2 * stats.rayleigh.pdf(v, scale=t), 0, 40
        )[0]
        for t in np.exp(theta[:, 0])
    ]
    assert_allclose(response.likelihood_fisher(theta)[:, 0], information, rtol=1e-6)


# --- a metric ---------------------------------------------------------------------------------


def test_the_metric_is_used_end_to_end(tmp_path, monkeypatch):
    monkeypatch.setitem(metrics.METRICS, "relative_error", MODULE.RELATIVE_ERROR)
    model = fit(response="gamma", eval_metric="relative_error", early_stopping=True, refit=False)
    assert model.n_estimators_ == np.argmin(model.history_["validation"]["relative_error"])
    given = fit(
        response="gamma", eval_metric=MODULE.RELATIVE_ERROR, early_stopping=True, refit=False
    )
    assert given.n_estimators_ == model.n_estimators_
    numbers = used_everywhere(model, tmp_path)
    median = model.predict_dist(X[TEST]).median()
    expected = np.mean(abs(median - Y[TEST]) / Y[TEST])
    assert numbers["Relative error"] == pytest.approx(expected)
    scorer = metrics.get_scorer("relative_error")
    assert scorer(model, X[TEST], Y[TEST]) == pytest.approx(-expected)
    assert "Relative error" in (tmp_path / "report.html").read_text()


# --- a direction ------------------------------------------------------------------------------


def test_the_direction_is_used_end_to_end(tmp_path):
    direction = MODULE.NewtonLangevin()
    assert isinstance(direction, Direction)
    model = fit(response="gamma", direction=direction)
    used_everywhere(model, tmp_path, direction=direction)
    start = fit(response="gamma", direction=direction, n_estimators=0)
    losses = [metrics.nll(one.predict_dist(X[TEST]), Y[TEST]) for one in (model, start)]
    assert losses[0] < losses[1]
    again = wgboost.load(tmp_path / "model.wgb", direction=direction)
    longer = again.set_params(n_estimators=20, warm_start=True).fit(X[TRAIN], Y[TRAIN])
    assert_array_equal(
        longer.predict(X), fit(direction=direction, response="gamma", n_estimators=20).predict(X)
    )


def test_the_direction_samples_the_posterior():
    """Many small steps of one row, without trees, end at the target: a normal distribution."""
    rng, rate = np.random.default_rng(0), 0.02
    particles = np.zeros((1, 4000, 1), np.float32)
    for _ in range(400):
        score = (1.0 - particles) / 4
        curvature = np.full_like(particles, 0.25)
        g, c = MODULE.NewtonLangevin()(particles, score, curvature, None, rate, rng)
        particles = particles + rate * g / c
    assert particles.mean() == pytest.approx(1.0, abs=0.15)
    assert particles.std() == pytest.approx(2.0, abs=0.1)


# --- a learner --------------------------------------------------------------------------------


def test_the_learner_is_used_end_to_end(tmp_path):
    learner = MODULE.Line()
    assert isinstance(learner, Learner)
    model = fit(response="gamma", learner=learner, n_estimators=40)
    dist = model.predict_dist(X[TEST])
    assert np.corrcoef(np.log(dist.median()), X[TEST, 0])[0, 1] > 0.97
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict_dist(X[TEST]).theta(), dist.theta())
    numbers = wgboost.report(again, X[TEST], Y[TEST], tmp_path / "report.html", n_dependence=0)
    assert numbers["NLL"] == pytest.approx(metrics.nll(dist, Y[TEST]))
    with pytest.raises(TypeError, match=r"skops\.io\.dump"):
        model.save(tmp_path / "model.wgb")


def test_the_learner_is_saved_by_skops(tmp_path):
    skops = pytest.importorskip("skops.io")
    model = fit(response="gamma", learner=MODULE.Line())
    skops.dump(model, tmp_path / "model.skops")
    kinds = skops.get_untrusted_types(file=tmp_path / "model.skops")
    again = skops.load(tmp_path / "model.skops", trusted=kinds)
    assert_array_equal(again.predict(X), model.predict(X))


def test_the_learner_moves_training_rows_by_what_it_predicts():
    from wgboost.data import Features

    targets = RNG.normal(size=(160, 2, 2)).astype(np.float32)
    fitted = MODULE.Line().fit(Features.from_raw(X), targets).scaled(0.3)
    assert isinstance(fitted, FittedLearner)
    particles = np.zeros_like(targets)
    fitted.add_to(particles)
    assert_array_equal(particles, fitted.without_rows().predict(X))


def test_all_four_together_and_other_estimators():
    own = {"direction": MODULE.NewtonLangevin(), "learner": MODULE.Line()}
    model = fit(
        response=MODULE.Rayleigh(), eval_metric=MODULE.RELATIVE_ERROR, early_stopping=True, **own
    )
    assert metrics.get_scorer(MODULE.RELATIVE_ERROR)(model, X[TEST], Y[TEST]) > -2
    labels = WGBClassifier(**FAST, **own).fit(X, Y > 1)
    assert labels.predict_proba(X).shape == (160, 2)
    rows = stats.norm(X[:, 0], 0.5)
    general = WGBoost(n_estimators=15, n_particles=5, random_state=0, **own).fit(X, rows)
    assert general.predict_particles(X).shape == (160, 5, 1)
