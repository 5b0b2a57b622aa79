"""Targets that are distributions, and functionals beyond the Kullback-Leibler divergence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from finite_differences import central_difference
from wgboost import (
    MMD,
    AlphaDivergence,
    EnergyDistance,
    Kernel,
    Target,
    WGBoost,
    from_histograms,
    from_quantiles,
)
from wgboost.metrics import energy_distance, mmd, sliced_wasserstein
from wgboost.targets.conversion import as_row_target
from wgboost.targets.samples import SampleTarget

RNG = np.random.default_rng(2)
ROWS = slice(0, 3)
PARTICLES = RNG.normal(size=(3, 8, 2)).astype(np.float32)
SAMPLES = RNG.normal(1.0, 0.7, size=(3, 40, 2))


def move(direction, target, x, rate=0.1):
    first, second = target.derivatives(x, slice(0, len(x)), direction.needs, 1)
    g, c = direction(x, first, second, None, rate, RNG)
    return x + np.float32(rate) * (g if c is None else g / c)


@pytest.mark.parametrize("direction", [MMD(bandwidth=1.5), EnergyDistance()])
def test_a_discrepancy_moves_along_its_own_gradient(direction):
    target = SampleTarget.of(SAMPLES)
    step = move(direction, target, PARTICLES, 1.0) - PARTICLES

    def value(x):
        if direction.kernel == "energy":
            return energy_distance(x, SAMPLES)
        return mmd(x, SAMPLES, 1.5)

    # Half of m times minus the gradient in a particle: mean_s grad k - mean_l grad k.
    particles64 = PARTICLES.astype(float)
    for j in (0, 5):

        def moved(t, j=j):
            x = particles64.copy()
            x[:, j] = t
            return value(x)

        slope = central_difference(moved, particles64[:, j], 1e-5)
        assert_allclose(step[:, j], -4 * slope, rtol=2e-3, atol=1e-5)


FLOWS = [
    (MMD(bandwidth=2.0), 0.5, lambda x, t: mmd(x, t, 2.0)),
    (MMD(), 0.5, lambda x, t: mmd(x, t)),
    (EnergyDistance(), 0.1, energy_distance),
]


@pytest.mark.parametrize(("direction", "rate", "value"), FLOWS)
def test_a_discrepancy_falls_along_its_flow(direction, rate, value):
    target, x = SampleTarget.of(SAMPLES), PARTICLES
    before = value(x, SAMPLES)
    for _ in range(300):
        x = move(direction, target, x, rate)
    after = value(x, SAMPLES)
    assert (after < 0.1 * before).all()


def alpha_divergence(x, alpha, h):
    """mean over particles of (rho / mu)^alpha / alpha, or of log (rho / mu), for mu = N(0, 1)."""
    rho = np.exp(-np.square(x[:, :, None, 0] - x[:, None, :, 0]) / h).mean(axis=2)
    log = np.log(rho) - stats.norm.logpdf(x[..., 0])
    return log.mean(axis=1) if alpha == 0 else np.exp(alpha * log).mean(axis=1) / alpha


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_an_alpha_divergence_falls_along_its_flow_and_constants_cancel(alpha):
    h = 0.3
    x = np.random.default_rng(3).normal(1.5, 0.4, size=(2, 60, 1)).astype(np.float32)
    target = Target(
        score=lambda t, _: -t,
        log_density=lambda t, y: -0.5 * t[..., 0] ** 2 + 50 * y[:, :1],
    )
    rows = as_row_target(target, np.array([0.0, 1.0]), 2)
    x[1] = x[0]
    direction = AlphaDivergence(alpha, Kernel(bandwidth=h))
    before = alpha_divergence(x.astype(float), alpha, h)
    for _ in range(400):
        x = move(direction, rows, x, 0.02)
    after = alpha_divergence(x.astype(float), alpha, h)
    assert (after < before - 0.05 * np.abs(before)).all()
    assert_allclose(x[1], x[0], atol=1e-4)
    assert abs(x.mean()) < 0.25
    assert 0.6 < x.std() < 1.2


def test_alpha_0_is_the_score_against_the_density_of_the_particles():
    score = RNG.normal(size=PARTICLES.shape).astype(np.float32)
    g, _ = AlphaDivergence(0.0, Kernel(bandwidth=0.5))(
        PARTICLES, score, np.zeros((3, 8)), None, 0.1, RNG
    )
    particles64 = PARTICLES.astype(float)

    def log_rho(x):
        return np.log(
            np.exp(-np.square(x[:, :, None] - particles64[:, None]).sum(axis=3) / 0.5).sum(2)
        )

    assert_allclose(g, score - central_difference(log_rho, particles64), rtol=1e-3, atol=1e-4)


def test_directions_of_the_score_see_the_density_of_samples():
    target = SampleTarget.of(SAMPLES)
    score, _ = target.derivatives(PARTICLES, ROWS, "log_density", 1)

    line = SampleTarget.of(SAMPLES[..., :1])
    _, ours = line.derivatives(PARTICLES[..., :1], ROWS, "log_density", 1)
    for i in range(3):
        theirs = stats.gaussian_kde(SAMPLES[i, :, 0]).logpdf(PARTICLES[i, :, 0])
        assert_allclose(ours[i] - ours[i, 0], theirs - theirs[0], atol=1e-3)
    particles64 = PARTICLES.astype(float)
    numeric = central_difference(
        lambda x: target.derivatives(x, ROWS, "log_density", 1)[1].astype(float), particles64, 1e-2
    )
    assert_allclose(score, numeric, rtol=0.02, atol=0.02)
    _, hessian = target.derivatives(particles64, ROWS, "hessian", 1)
    numeric = central_difference(
        lambda x: target.derivatives(x, ROWS, "score", 1)[0].astype(float), particles64, 1e-2
    )
    assert_allclose(hessian, numeric, rtol=0.05, atol=0.1)
    _, curvature = target.derivatives(particles64, ROWS, "curvature", 1)
    assert_allclose(curvature, -np.diagonal(hessian, axis1=2, axis2=3))


def test_frozen_distributions_give_score_and_curvature():
    frozen = [stats.norm(1, 2), stats.t(5, 0, 0.1), stats.gumbel_r(3, 1e3)]
    target = as_row_target(None, frozen, 3)
    x = np.array([[0.0, 3.0], [0.1, -0.2], [1e3, -500.0]])[..., None].astype(np.float32)
    score, curvature = target.derivatives(x, ROWS, "curvature", 1)
    assert_allclose(score[0, :, 0], [0.25, -0.5], rtol=1e-4)
    assert_allclose(curvature[0], 0.25, rtol=1e-4)
    z = (x[2, :, 0] - 3) / 1e3
    assert_allclose(score[2, :, 0], (np.exp(-z) - 1) / 1e3, rtol=1e-3)
    assert_allclose(curvature[2, :, 0], np.exp(-z) / 1e6, rtol=1e-3)
    assert target.derivatives(x, ROWS, "hessian", 1)[1].shape == (3, 2, 1, 1)


def test_histograms_and_quantiles_give_samples():
    values = np.array([[0.0, 1.0, 3.0]])
    drawn = from_quantiles([0.0, 0.5, 1.0], values, 1000)
    assert_allclose(np.quantile(drawn, [0.25, 0.5, 0.75]), [0.5, 1, 2], atol=0.01)
    counts = from_histograms([0, 1, 2, 4], [[1, 0, 3], [0, 2, 0]], 1000)
    assert_allclose(np.histogram(counts[0], [0, 1, 2, 4])[0], [250, 0, 750], atol=2)
    assert_allclose([counts[1].min(), counts[1].max()], [1, 2], atol=0.01)


def test_distances_are_those_of_scipy():
    a, b = RNG.normal(size=(2, 30, 1)), RNG.normal(1, 2, size=(2, 45, 1))
    for i in range(2):
        first, second = a[i, :, 0], b[i, :, 0]
        ours = sliced_wasserstein(a, b, order=1)[i]
        assert_allclose(ours, stats.wasserstein_distance(first, second))
        # scipy's energy distance is the root of ours.
        assert_allclose(energy_distance(a, b)[i], stats.energy_distance(first, second) ** 2)
    plane = RNG.normal(size=(40, 2))
    assert_allclose(
        sliced_wasserstein(plane, plane + np.array([3.0, 4.0])), 5 / np.sqrt(2), rtol=0.1
    )
    assert_allclose(mmd(plane, plane), 0, atol=1e-12)


def test_a_bimodal_target_keeps_both_modes():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 1))

    def draw(x, size):
        side = rng.choice([-1.0, 1.0], size=(len(x), size))
        return (side * (1 + x) + 0.2 * rng.normal(size=(len(x), size)))[..., None]

    samples = draw(X, 60)
    fitted = WGBoost(
        direction="energy", n_particles=20, n_estimators=200, learning_rate=0.2, random_state=0
    ).fit(X, samples)
    fresh = draw(X, 400)
    ours = energy_distance(fitted.predict_particles(X), fresh).mean()
    equal = energy_distance(draw(X, 20), fresh).mean()
    assert ours <= 1.2 * equal


WRONG = [
    ([np.zeros((3, 1)), np.zeros((0, 1))], "row 1 has no samples"),
    ([np.zeros((3, 1)), np.zeros((3, 2))], "the samples of row 1 have shape"),
    ([np.zeros(3), np.array([np.nan])], "samples of row 1 are not all finite"),
    ([stats.norm(0, 1), stats.norm(0, np.nan)], "the distribution of row 1"),
    (np.zeros((3, 4)), "X has 2 rows, there are 3 samples"),
]


@pytest.mark.parametrize(("targets", "message"), WRONG)
def test_targets_that_make_no_sense_are_refused(targets, message):
    with pytest.raises(ValueError, match=message):
        WGBoost(n_estimators=1).fit(np.zeros((2, 1)), targets)
