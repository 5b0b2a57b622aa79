"""What a fitted WGBoost answers beside its particles."""

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from wgboost import LogDensity, Target, TreeLearner, WGBoost

RNG = np.random.default_rng(2)
N = 120
X = RNG.uniform(-1, 1, size=(N, 1))
Y = np.sin(2 * X[:, 0]) + 0.3 * RNG.normal(size=N)
SETTINGS = {"n_particles": 8, "n_estimators": 30, "random_state": 0, "n_jobs": 1}


def log_normal(t, y):
    return stats.norm.logpdf(y, t[..., 0], 0.3)


NORMAL = Target(
    score=lambda t, y: (y[:, None] - t) / 0.09,
    curvature=lambda t, _: np.full_like(t, 1 / 0.09),
    likelihood=log_normal,
)
FITTED = WGBoost(NORMAL, **SETTINGS).fit(X, Y)
TWO = WGBoost(direction="energy", **SETTINGS).fit(X, RNG.normal(size=(N, 20, 2)))


def test_a_target_in_numpy_predicts_with_its_likelihood():
    particles = FITTED.predict_particles(X)[..., 0]
    expected = np.log(stats.norm.pdf(Y[:, None], particles, 0.3).mean(axis=1))
    assert_allclose(FITTED.log_likelihood(X, Y), expected, rtol=1e-5)
    assert_allclose(FITTED.score(X, Y), expected.mean(), rtol=1e-5)
    weight = RNG.uniform(size=N)
    assert_allclose(FITTED.score(X, Y, weight), np.average(expected, weights=weight), rtol=1e-5)


def test_a_target_in_numpy_stops_early_by_its_likelihood():
    held = np.arange(N) % 3 == 0
    options = {**SETTINGS, "early_stopping": True, "refit": False}
    options["learner"] = TreeLearner(support=False)
    fitted = WGBoost(NORMAL, **options).fit(X, Y, validation_rows=held)
    history = fitted.history_["validation"]["nll"]
    assert 0 < fitted.n_estimators_ == np.argmin(history)
    assert_allclose(min(history), -fitted.log_likelihood(X[held], Y[held]).mean(), rtol=1e-5)


def test_a_likelihood_of_another_shape_or_nan_is_refused():
    def fitted(likelihood):
        target = Target(NORMAL.score, NORMAL.curvature, likelihood=likelihood)
        return WGBoost(target, **{**SETTINGS, "n_estimators": 1}).fit(X, Y)

    with pytest.raises(ValueError, match=r"shape \(120, 8, 1\); numbers \(120, 8\) are needed"):
        fitted(lambda t, y: y[:, None] - t).log_likelihood(X, Y)
    odd = np.where(np.arange(N) == 3, np.nan, 1.0)[:, None]
    with pytest.raises(ValueError, match="likelihood returned nan, row 3"):
        fitted(lambda t, _: odd * t[..., 0]).log_likelihood(X, Y)
    with pytest.raises(TypeError, match=r"or Target\(..., likelihood=...\)"):
        fitted(None).log_likelihood(X, Y)


def test_draws_are_particles():
    particles, drawn = FITTED.predict_particles(X)[..., 0], FITTED.sample(X, 500, random_state=1)
    assert drawn.shape == (N, 500)
    for row in (0, N - 1):
        assert set(drawn[row]) == set(particles[row])
    assert_array_equal(drawn, FITTED.sample(X, 500, random_state=1))
    assert TWO.sample(X, 3).shape == (N, 3, 2)


def test_quantiles_and_spread_are_those_of_the_particles():
    particles = np.sort(FITTED.predict_particles(X)[..., 0].astype(float), axis=1)
    levels = (np.arange(8) + 0.5) / 8
    assert_allclose(FITTED.predict_quantiles(X, levels), particles, rtol=1e-6)
    assert_allclose(FITTED.predict_quantiles(X, 0.5)[:, 0], np.median(particles, axis=1))
    assert_allclose(FITTED.predict_uncertainty(X), particles.var(axis=1), rtol=1e-6)
    assert TWO.predict_quantiles(X).shape == (N, 3, 2)
    assert_allclose(TWO.ood_score(X), TWO.predict_uncertainty(X).sum(axis=1))
    with pytest.raises(ValueError, match="alpha=2 must be probabilities"):
        TWO.predict_quantiles(X, 2)


def test_decisions_are_of_least_mean_loss():
    particles = FITTED.predict_particles(X)[..., 0].astype(float)
    best = FITTED.decide(X, lambda a, t: (a - t[..., 0]) ** 2)
    assert_allclose(best, particles.mean(axis=1), atol=1e-4)
    sign = FITTED.decide(X, utility=lambda a, t: a * t[..., 0], actions=[-1, 1])
    assert_array_equal(sign, np.sign(particles.mean(axis=1)))
    with pytest.raises(ValueError, match="2 parameters; give actions"):
        TWO.decide(X, lambda a, t: (a - t[..., 0]) ** 2)
    with pytest.raises(ValueError, match="one of the two"):
        FITTED.decide(X)


def test_a_score_needs_something_to_measure_against():
    silent = WGBoost(Target(NORMAL.score, NORMAL.curvature), **SETTINGS).fit(X, Y)
    with pytest.raises(ValueError, match="needs targets that are samples"):
        silent.score(X, Y)


BACKENDS = {
    "nan": (lambda t, y: jnp.log(t[0] - 100) - 0 * y, r"row 0 is nan at the start particle"),
    "outside": (lambda t, _: jnp.where(t[0] > 0, -t[0], -jnp.inf), r"row 0 is -inf at the start"),
    "one row": (
        lambda t, y: jnp.where(y > 5, jnp.nan, 0) - t[0] ** 2,
        r"row 70 is nan .* theta = \(.*exp\(theta\)",
    ),
}


@pytest.mark.parametrize("name", BACKENDS)
def test_a_log_density_has_to_be_a_number_where_particles_start(name):
    function, message = BACKENDS[name]
    y = np.where(np.arange(N) == 70, 9.0, Y)
    with pytest.raises(ValueError, match=message):
        WGBoost(LogDensity(function), **SETTINGS).fit(X, y)


def test_so_it_is_with_torch():
    torch = pytest.importorskip("torch")
    density = LogDensity(lambda t, y: torch.log(t[0] - 100) - 0 * y, backend="torch")
    with pytest.raises(ValueError, match="row 0 is nan at the start particle"):
        WGBoost(density, **SETTINGS).fit(X, Y)
