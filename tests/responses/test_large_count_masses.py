"""Masses of large counts keep their digits, and modes and entropies follow from them."""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from wgboost import Mixture
from wgboost.predictive.information import mutual_information
from wgboost.responses import Gamma, NegativeBinomial, Normal, Poisson, as_response

MEANS = [1e-2, 1.0, 30.0, 1e4, 1e9, 1e12, 1e15]
DISPERSIONS = [1e-17, 1e-9, 1e-3, 0.6, 7.0, 400.0]


def exact(y, mean, dispersion):
    """The log mass from its formula, in 60 digits."""
    with mpmath.workdps(60):
        y, mean, a = (mpmath.mpf(float(one)) for one in (y, mean, dispersion))
        if a == 0:
            return float(y * mpmath.log(mean) - mean - mpmath.loggamma(y + 1))
        r = 1 / a
        start = mpmath.loggamma(y + r) - mpmath.loggamma(r) - mpmath.loggamma(y + 1)
        share = y * mpmath.log(a * mean / (1 + a * mean))
        return float(start - r * mpmath.log(1 + a * mean) + share)


def near(mean, dispersion):
    spread = np.sqrt(mean + dispersion * mean**2)
    values = np.round(mean + spread * np.array([-3, -1, -1e-3, 0, 1e-3, 1, 5]))
    return np.unique([0, 1, 2, *values[values > 2]])


@pytest.mark.parametrize("mean", MEANS)
def test_log_masses_have_all_their_digits(mean):
    theta = np.log(mean)
    counts = near(mean, 0.0)
    expected = [exact(y, np.exp(theta), 0.0) for y in counts]
    assert_allclose(Poisson().logpdf(counts, np.array([theta])), expected, rtol=1e-12, atol=1e-12)
    for dispersion in DISPERSIONS:
        log = np.log(dispersion)
        counts = near(mean, dispersion)
        expected = [exact(y, np.exp(theta), np.exp(log)) for y in counts]
        got = NegativeBinomial().logpdf(counts, np.array([theta, log]))
        assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mean", [1e6, 1e9, 1e12, 1e15])
@pytest.mark.parametrize("dispersion", [1e-13, 1e-3, 0.6])
def test_the_mode_of_large_counts(mean, dispersion):
    dist = Mixture(NegativeBinomial(), np.log([[[mean, dispersion]]]))
    spread = np.sqrt(mean + dispersion * mean**2)
    assert abs(dist.mode()[0] - mean * (1 - dispersion)) < 1 + 1e-6 * spread


@pytest.mark.parametrize("mean", [1e9, 1e15])
def test_entropies_of_large_counts_are_those_of_their_continuous_limits(mean):
    rng = np.random.default_rng(0)
    particles = np.array([np.log(mean), -0.5]) + 0.3 * rng.normal(size=(2, 5, 2))
    counts = Mixture(NegativeBinomial(), particles)
    gamma = Mixture(Gamma(), particles * [1, -1])  # the dispersion is one over the shape
    assert_allclose(counts.entropy(), gamma.entropy(), rtol=1e-7)
    assert_allclose(counts.mutual_information(), gamma.mutual_information(), atol=1e-6)
    narrow = np.log(mean) + np.array([[-1.0, 0.0, 2.0]]) / np.sqrt(mean)
    normal = Mixture(Normal(), np.stack([np.exp(narrow), narrow / 2], axis=-1))
    assert_allclose(Mixture(Poisson(), narrow[..., None]).entropy(), normal.entropy(), rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "theta", "spread"),
    [
        ("poisson", [np.log(1e6)], 0.003),
        ("negative_binomial", [np.log(1e4), -1.0], 0.003),
        ("negative_binomial", [np.log(1e4), -1.0], 0.3),
        ("zero_inflated_negative_binomial", [np.log(1e4), -1.0, -1.0], 0.3),
    ],
)
def test_the_information_of_many_counts_is_their_sum(name, theta, spread):
    rng = np.random.default_rng(1)
    dist = Mixture(as_response(name), theta + spread * rng.normal(size=(1, 4, len(theta))))
    first = dist.response.ppf(1e-13, dist.theta()).min()
    last = dist.response.isf(1e-13, dist.theta()).max()
    counts = np.arange(first, last + 1)
    logs = dist.response.logpdf(counts[:, None], dist.theta())  # (counts, particles)
    mixed = np.logaddexp.reduce(logs, axis=1) - np.log(4)
    with np.errstate(invalid="ignore"):
        each = np.exp(logs) * (logs - mixed[:, None])
    expected = np.where(np.exp(logs) > 0, each, 0).sum(axis=0).mean()
    assert_allclose(mutual_information(dist), expected, atol=1e-6)
