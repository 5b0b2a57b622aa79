"""What the predictive mixture refuses, and says, and keeps."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mixture_examples import KINDS, UNITS, categorical_mixture, normal_mixture
from wgboost.predictive import Mixture
from wgboost.responses import Normal, Units


@pytest.mark.parametrize(
    ("particles", "message"),
    [
        (np.zeros((3, 2)), r"\(rows, particles, 2\)"),
        (np.zeros((3, 4, 3)), "for the response 'normal'"),
        (np.zeros((3, 0, 2)), r"\(3, 0, 2\)"),
    ],
)
def test_particles_of_the_wrong_shape_are_refused(particles, message):
    with pytest.raises(ValueError, match=message):
        Mixture(Normal(), particles)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(4), r"\(3, 4\) is needed"),
        (np.ones((3, 5)), r"\(3, 4\) is needed"),
        (np.where(np.eye(3, 4), -1.0, 1.0), "weight -1.0 of row 0, particle 0"),
        (np.where(np.eye(3, 4, k=1), np.nan, 1.0), "weight nan of row 0, particle 1"),
        (np.eye(3, 4) * [[1.0], [1.0], [0.0]], "all weights of row 2 are zero"),
    ],
)
def test_senseless_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        Mixture(Normal(), np.zeros((3, 4, 2)), weights=weights)


def test_wrong_kinds_are_refused():
    for response, particles, units in (
        ("normal", np.zeros((1, 1, 2)), None),
        (Normal, np.zeros((1, 1, 2)), None),
        (Normal(), np.full((1, 1, 2), "a"), None),
        (Normal(), np.zeros((1, 1, 2)), (0, 1)),
    ):
        with pytest.raises(TypeError):
            Mixture(response, particles, units)


def test_values_that_do_not_fit_the_rows_are_refused():
    dist = normal_mixture(n=3)
    for method in (dist.pdf, dist.cdf, dist.ppf):
        with pytest.raises(ValueError, match=r"shape \(4,\), the distribution has 3 rows"):
            method(np.full(4, 0.5))
        with pytest.raises(ValueError, match=r"give a number.* \(1, g\) or \(3, g\)"):
            method(np.full((4, 3), 0.5))
        with pytest.raises(ValueError, match="not numeric"):
            method("much")


def test_a_continuous_response_has_a_density_and_a_discrete_one_a_mass():
    with pytest.raises(AttributeError, match="has a pdf, not a pmf"):
        normal_mixture().pmf(50.0)
    with pytest.raises(AttributeError, match="has a pmf, not a pdf"):
        categorical_mixture().logpdf(0)
    with pytest.raises(NotImplementedError, match="'normal' has no classes"):
        normal_mixture().probabilities()


@pytest.mark.parametrize("confidence", [-0.1, 1.1, np.nan, [0.5, 2.0], [[0.5]], []])
def test_a_confidence_outside_0_and_1_is_refused(confidence):
    with pytest.raises(ValueError, match="between 0 and 1"):
        normal_mixture().interval(confidence)


@pytest.mark.parametrize("rows", [5, -6, [0, 9], [True, False], 1.5, "a", (0, 1, 2, [0]), None])
def test_rows_that_are_not_there_are_refused(rows):
    with pytest.raises((IndexError, ValueError)):
        normal_mixture(n=5)[rows]


@pytest.mark.parametrize("kind", KINDS)
def test_a_mixture_survives_pickling(kind):
    dist = KINDS[kind](weighted=True)
    twin = pickle.loads(pickle.dumps(dist))
    assert_array_equal(twin.mean(), dist.mean())
    assert repr(twin) == repr(dist)


def test_a_mixture_says_what_it_is():
    assert repr(normal_mixture()) == "<Mixture of normal: 5 rows, 6 particles>"
    assert repr(categorical_mixture(weighted=True)[1]) == (
        "<Mixture of categorical: 1 rows, 6 particles, weighted>"
    )


def test_single_precision_particles_are_used_in_double_precision():
    theta = normal_mixture().particles.astype(np.float32)
    single, double = Mixture(Normal(), theta, UNITS), Mixture(Normal(), theta.astype(float), UNITS)
    for method in ("mean", "var", "entropy", "median"):
        assert_array_equal(getattr(single, method)(), getattr(double, method)())
    assert_array_equal(single.logpdf(51.0), double.logpdf(51.0))
    assert single.particles.dtype == np.float32
    assert isinstance(Mixture(Normal(), theta).units, Units)
