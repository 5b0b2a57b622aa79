"""Credible bands against many particles, scipy's Beta distribution and closed forms."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from wgboost import Mixture
from wgboost.predictive import make_mixture
from wgboost.predictive.ranges import range_of_parameter
from wgboost.responses import RESPONSES, Categorical, Units, as_response

NUMBERS = [name for name in RESPONSES if name != "categorical"]


def response_of(name):
    settings = {"ordinal": {"n_classes": 4}, "multivariate_normal": {"n_dims": 2}}
    return as_response(name, **settings.get(name, {}))


def some_mixture(name, n=6, m=8, error=0.02):
    response, rng = response_of(name), np.random.default_rng(len(name))
    theta = 0.2 * rng.standard_normal((n, m, response.n_params))
    theta[..., 2:] += 3.0 * (name == "student_t")
    q = response.y_shape[0] if response.y_shape else 1
    return make_mixture(response, theta, error=None if error is None else np.full((n, q), error))


def quantities(dist):
    """What has a band whatever the response is."""
    middle = "mean" if dist.response.has_mean else "median"
    return [middle, "median", 0.2, *set(dist.params()) - {"scale"}]


def many(name, location=0.3, spread=(0.1, 0.08), m=40_000):
    """One row of particles that have a normal distribution."""
    response, rng = response_of(name), np.random.default_rng(1)
    theta = rng.standard_normal((1, m, response.n_params)) * spread[: response.n_params]
    theta[..., response.location] += location
    return Mixture(response, theta)


# --- oracles ----------------------------------------------------------------------------------


@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.99])
def test_the_band_of_a_normal_mean_is_a_normal_interval_with_the_error(coverage):
    rng = np.random.default_rng(0)
    theta, error = rng.standard_normal((5, 7, 2)), rng.uniform(0.001, 0.1, (5, 1))
    dist = Mixture(as_response("normal"), theta, Units(30.0, 4.0), error=error)
    expected = stats.norm(dist.mean(), 4 * np.sqrt(error[:, 0])).interval(coverage)
    for of in ("mean", "median", lambda params: params["mean"]):
        assert_allclose(dist.band(of, coverage), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "of", "value"),
    [
        ("normal", "scale", lambda p: p["scale"]),
        ("normal", 0.9, lambda p: p["mean"] + stats.norm.ppf(0.9) * p["scale"]),
        ("laplace", "scale", lambda p: np.sqrt(2) * p["scale"]),
        ("gamma", "mean", lambda p: p["mean"]),
        ("gamma", "shape", lambda p: p["shape"]),
        ("gamma", "scale", lambda p: p["mean"] / np.sqrt(p["shape"])),
        ("gamma", 0.8, lambda p: stats.gamma.ppf(0.8, p["shape"], 0, p["mean"] / p["shape"])),
        ("lognormal", "mean", lambda p: np.exp(p["location"] + p["scale"] ** 2 / 2)),
        ("lognormal", "median", lambda p: np.exp(p["location"])),
        ("weibull", "scale", lambda p: stats.weibull_min(p["shape"], 0, p["scale"]).std()),
        ("poisson", "mean", lambda p: p["mean"]),
        ("poisson", "scale", lambda p: np.sqrt(p["mean"])),
        ("beta", "mean", lambda p: p["mean"]),
        ("beta", "precision", lambda p: p["precision"]),
    ],
)
def test_bands_are_those_of_many_particles(name, of, value):
    dist = many(name)
    drawn = np.asarray(value(dist.params()))[0]
    low, high = np.quantile(drawn, [0.05, 0.95])
    assert_allclose(np.ravel(dist.band(of, 0.9)), [low, high], atol=0.03 * (high - low))


def test_functions_may_use_logs_to_stay_positive():
    dist = many("gamma", spread=(0.8, 0.5))
    ratio = np.exp(dist.band(lambda params: np.log(params["mean"] / params["shape"])))
    drawn = dist.params()["mean"] / dist.params()["shape"]
    assert_allclose(ratio[:, 0], np.quantile(drawn, [0.05, 0.95]), rtol=0.03)


def test_class_probabilities_have_beta_bands():
    rng = np.random.default_rng(3)
    theta, error = rng.normal(size=(4, 6, 2)), rng.uniform(0.001, 0.3, (4, 1))
    dist = Mixture(Categorical(n_classes=3), theta, error=error)
    p = dist.probabilities()
    total = (p * (1 - p)).sum(axis=1, keepdims=True) / error - 1
    beta = stats.beta(total * p, total * (1 - p))
    assert_allclose(beta.var().sum(axis=1), error[:, 0])
    assert_allclose(dist.band("mean", 0.8), beta.interval(0.8), rtol=1e-6)
    for j in range(3):
        one = dist.band(f"probability_{j}", 0.8)
        assert_array_equal(one, np.stack(dist.band("mean", 0.8))[..., j])


def test_class_probabilities_without_an_error_have_the_variance_of_the_particles():
    rng = np.random.default_rng(4)
    weights = rng.random((5, 6))
    dist = Mixture(Categorical(), rng.normal(size=(5, 6, 1)), weights=weights)
    each = special.expit(dist.particles[..., 0])
    mean = np.average(each, axis=1, weights=weights)
    variance = np.average((each - mean[:, None]) ** 2, axis=1, weights=weights)
    total = mean * (1 - mean) / variance - 1
    low, high = dist.band()
    first = stats.beta(total * mean, total * (1 - mean)).interval(0.9)
    assert_allclose([low[:, 0], high[:, 0]], first, rtol=1e-6)
    assert_allclose([1 - high[:, 1], 1 - low[:, 1]], first, rtol=1e-6)


def test_certain_classes_have_bands_without_width():
    low, high = Mixture(Categorical(), [[[1000.0]], [[-1000.0]]]).band()
    assert_array_equal(low, high)
    assert_array_equal(low, [[1, 0], [0, 1]])


# --- contract over the responses --------------------------------------------------------------


@pytest.mark.parametrize("error", [None, 0.02, 1e4])
@pytest.mark.parametrize("name", NUMBERS)
def test_bands_are_ordered_nested_and_inside_their_range(name, error):
    dist = some_mixture(name, error=error)
    for of in quantities(dist):
        low, high = dist.band(of, 0.9)
        inner_low, inner_high = dist.band(of, 0.5)
        assert np.isfinite([low, high]).all(), of
        assert (low <= inner_low).all(), of
        assert (inner_high <= high).all(), of
        in_params = isinstance(of, str) and of not in ("mean", "median")
        reach = range_of_parameter(dist.response, of) if in_params else None
        ends = (reach.low, reach.high) if reach else dist.response.support
        assert (low >= ends[0]).all(), of
        assert (high <= ends[1]).all(), of
        shape = dist.mean().shape if of == "mean" or not in_params else (len(dist),)
        assert low.shape == shape


@pytest.mark.parametrize("name", NUMBERS)
def test_bands_of_rows_are_rows_of_bands(name):
    dist = some_mixture(name)
    for of in quantities(dist):
        whole = np.stack(dist.band(of))
        assert_allclose(np.stack(dist[2:4].band(of)), whole[:, 2:4], rtol=1e-7)
    if dist.response.discrete:
        low, high = dist.band(0.7)
        assert_array_equal([low, high], np.rint([low, high]))


@pytest.mark.parametrize("unit", [1e-200, 1e150])
def test_bands_follow_the_unit(unit):
    response, theta = as_response("normal"), np.random.default_rng(0).normal(size=(3, 5, 2))
    for of in ("mean", "scale", 0.3):
        plain = np.stack(Mixture(response, theta).band(of))
        other = np.stack(Mixture(response, theta, Units(0.0, unit)).band(of))
        assert_allclose(other / unit, plain, rtol=1e-9)


def test_one_particle_with_a_known_error_has_a_band():
    dist = Mixture(as_response("gamma"), [[[0.2, 1.0]]], error=[[0.04]])
    low, high = dist.band()
    assert_allclose(np.log(high / low) / 2, stats.norm.ppf(0.95) * 0.2, rtol=1e-6)
    low, high = Mixture(as_response("gamma"), [[[0.2, 1.0]]]).band()
    assert_allclose(low, high)


def test_infinite_quantities_have_the_range_of_the_particles():
    dist = Mixture(as_response("student_t"), [[[0, 0, -1.0], [0, 0, 3.0]]])  # df 1.4 and 21
    low, high = dist.band("scale")
    assert np.isfinite(low).all()
    assert np.isinf(high).all()


def test_ranges_of_parameters_are_found():
    assert range_of_parameter(as_response("normal"), "mean").low == -np.inf
    assert range_of_parameter(as_response("student_t"), "df").low == 1.0
    assert range_of_parameter(as_response("beta"), "mean").high == 1.0
    cut = range_of_parameter(response_of("ordinal"), "cut_3")
    assert (cut.low, cut.high) == (0.0, np.inf)
    fixed = Mixture(as_response("student_t", df=4.0), np.zeros((1, 3, 2)))
    assert_array_equal(np.ravel(fixed.band("df")), [4.0, 4.0])


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "of", "coverage", "said"),
    [
        ("normal", "mean", 1.0, "coverage=1.0 must be between 0 and 1, such as 0.9"),
        ("normal", "mean", 0, "coverage=0 must be between 0 and 1"),
        ("normal", "mean", np.nan, "coverage=nan must be between 0 and 1"),
        ("normal", "mean", "90%", "coverage='90%' must be a number"),
        ("normal", "mode", 0.9, "of='mode' is none of 'mean', 'median', 'scale', a number"),
        ("gamma", "shap", 0.9, "did you mean 'shape'?"),
        ("normal", 1.5, 0.9, "of=1.5 must be between 0 and 1"),
        ("normal", True, 0.9, "of=True must be a str, a number or a function"),
        ("normal", None, 0.9, "of=None must be a str, a number or a function"),
        ("cauchy", "mean", 0.9, "the response 'cauchy' has no mean; use of='median'"),
        ("cauchy", "scale", 0.9, "has no standard deviation; use a quantile"),
        ("normal", lambda p: p["mean"][0], 0.9, "returned float64 of shape (8,); a number for"),
    ],
)
def test_errors_name_the_value_and_the_remedy(name, of, coverage, said):
    dist = some_mixture(name)
    with pytest.raises((TypeError, ValueError), match=re.escape(said)):
        dist.band(of, coverage)


@pytest.mark.parametrize("of", ["median", "scale", 0.5])
def test_classes_have_bands_of_probabilities_only(of):
    with pytest.raises(ValueError, match="is not for classes; use 'mean', 'probability_0'"):
        Mixture(Categorical(), [[[0.0]]]).band(of)
