"""The two responses of the paper: its formulas, their extremes, their units, bad input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from response_examples import Poisson, example
from wgboost.responses import RESPONSES, Categorical, Normal, Response, Units, as_response


def test_the_normal_posterior_is_that_of_the_paper():
    y, (a, s) = 0.7, (0.3, -0.8)
    theta = np.array([[[a, s], [0.0, 0.0]]])
    log = Normal().log_posterior(np.array([y]), theta)[0]
    paper = -((y - a) ** 2) * np.exp(-2 * s) / 2 - a**2 / 200 - 1.01 * s - 0.01 * np.exp(-s)
    assert_allclose(log[0] - log[1], paper - (-(y**2) / 2 - 0.01), rtol=1e-12)


def test_the_normal_posterior_is_prior_times_likelihood_times_jacobian():
    response = Normal(prior_mean=0.4, prior_scale=2.0, prior_shape=3.0, prior_rate=0.7)
    theta = example("normal").theta[:1]
    mean, scale = theta[0, :, 0], np.exp(theta[0, :, 1])
    for kappa in (1.0, 10.0):
        direct = (
            kappa * stats.norm.logpdf(0.7, mean, scale)
            + stats.norm.logpdf(mean, 0.4, 2.0)
            + stats.invgamma.logpdf(scale, 3.0, scale=0.7)
            + theta[0, :, 1]
        )
        log = response.log_posterior(np.array([0.7]), theta, kappa)[0]
        assert_allclose(log - log[0], direct - direct[0], rtol=1e-11)


def test_the_categorical_posterior_is_that_of_the_paper():
    theta = np.array([[[0.4, -1.2], [0.0, 0.0]]])
    z = 1 + np.exp(0.4) + np.exp(-1.2)
    for y, ratio in ((0, 0.4), (1, -1.2), (2, 0.0)):
        log = Categorical(n_classes=3).log_posterior(np.array([y]), theta)[0]
        paper = ratio - np.log(z) - (0.4**2 + 1.2**2) / 200
        assert_allclose(log[0] - log[1], paper + np.log(3), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extreme_log_scales_give_finite_derivatives_that_lead_back(dtype):
    scales = np.array([-1000, -100, -50, 50, 100, 1000])
    theta = np.stack([np.zeros(6), scales], axis=-1)[None].astype(dtype)
    for y in (0.0, 1.0, -3.0):
        score = Normal().score(np.array([y]), theta)
        assert np.isfinite(score).all()
        assert np.isfinite(Normal().curvature(np.array([y]), theta)).all()
        assert np.isfinite(Normal().hessian(np.array([y]), theta)).all()
        assert (score[0, :3, 1] > 0).all()
        assert (score[0, 3:, 1] < 0).all()
        assert np.isfinite(Normal().log_posterior(np.array([y]), theta)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_log_ratios_do_not_overflow(dtype):
    response = Categorical(n_classes=3)
    theta = np.array([[[1e4, -1e4], [-1e4, -1e4], [30, 30], [-1e30, 1e30]]], dtype=dtype)
    probabilities = response.probabilities(theta)
    assert_allclose(probabilities.sum(axis=-1), 1)
    assert_allclose(probabilities[0, :, 2], [0, 1, np.exp(-30) / 2, 0], rtol=1e-5)
    for function in (response.score, response.curvature, response.log_posterior):
        assert np.isfinite(function(np.array([0]), theta[:, :3])).all()


def test_class_probabilities_are_a_softmax_with_the_last_log_ratio_zero():
    probabilities = Categorical(n_classes=3).probabilities(np.log([2.0, 3.0]))
    assert_allclose(probabilities, [2 / 6, 3 / 6, 1 / 6])
    bernoulli = Categorical().probabilities(np.array([np.log(3.0)]))
    assert_allclose(bernoulli, [0.75, 0.25])


def test_a_single_class_is_two_of_which_one_never_occurs():
    response = Categorical(n_classes=1)
    assert response == Categorical(n_classes=2)
    assert_allclose(response.statistics(np.zeros(5)), [1, 0])
    assert (response.score(np.zeros(1), np.zeros((1, 1, 1))) > 0).all()


# --- units ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shift", "scale"), [(0, 1), (1e8, 1), (0, 1e-8), (0, 1e8), (-3e5, 1e-3)])
@pytest.mark.parametrize("weighted", [False, True])
def test_units_are_mean_and_deviation_at_any_scale(shift, scale, weighted):
    rng = np.random.default_rng(1)
    z = rng.normal(size=500)
    weight = rng.integers(0, 4, 500).astype(float) if weighted else None
    mean = np.average(z, weights=weight)
    deviation = np.sqrt(np.average((z - mean) ** 2, weights=weight))
    units = Normal().units(shift + scale * z, weight)
    assert_allclose((units.shift - shift) / scale, mean, atol=1e-6)
    assert_allclose(units.scale / scale, deviation, rtol=1e-6)
    standard = units.standardise(shift + scale * z)
    assert_allclose(np.average(standard, weights=weight), 0, atol=1e-6)
    assert_allclose(np.average(standard**2, weights=weight), 1, rtol=1e-6)
    assert_allclose(units.restore(standard), shift + scale * z, rtol=1e-12, atol=1e-12 * scale)


@pytest.mark.parametrize("y", [[0.1] * 7, [0.0], [1e300] * 3, [-1e-300] * 2])
def test_the_scale_of_constant_y_falls_with_the_number_of_rows(y):
    units, alone = Normal().units(np.array(y)), Normal().units(np.array(y[:1]))
    assert units.shift == y[0]
    assert np.isfinite(units.scale)
    assert units.scale * len(y) >= max(1.0, abs(y[0]))  # such rows say nothing of a smaller scale
    assert units.scale * len(y) <= alone.scale * len(y)


def test_rows_of_weight_zero_do_not_count_in_the_units():
    y, weight = np.array([1.0, 3.0, 1e9]), np.array([2.0, 2.0, 0.0])
    assert Normal().units(y, weight) == Units(2.0, 1.0)
    assert Normal().units(y[[0, 2]], weight[[0, 2]]) == Normal().units(np.array([1.0, 1.0]))
    for factor in (1e-300, 8e307):
        assert_allclose(Normal().units(y, weight * factor).scale, 1.0)


def test_units_of_the_largest_numbers_are_finite():
    units = Normal().units(np.array([-1.5e308, 1.5e308]))
    assert_allclose([units.shift, units.scale], [0, 1.5e308])
    tiny = Normal().units(np.array([0.0, 5e-324]))
    assert tiny.scale > 0


@pytest.mark.parametrize("response", [Categorical(), Poisson()])
def test_discrete_y_keeps_its_units(response):
    assert response.units(np.array([0.0, 1.0, 1.0])) == Units(0, 1)


def test_bad_units_are_refused():
    for shift, scale in ((np.nan, 1), (0, 0), (0, -1), (0, np.inf)):
        with pytest.raises(ValueError, match="scale="):
            Units(shift, scale)


# --- names, objects, bad input ----------------------------------------------------------------


def test_a_response_is_given_by_name_class_or_object():
    assert as_response("normal") == as_response(Normal) == as_response(Normal()) == Normal()
    assert as_response("categorical", n_classes=5).n_params == 4
    assert as_response(Normal(prior_scale=3), prior_mean=1) == Normal(1, 3)
    assert as_response(Poisson) == Poisson()
    assert all(isinstance(as_response(name), Response) for name in RESPONSES)


def test_the_nearest_name_is_suggested_for_a_misspelt_response():
    with pytest.raises(ValueError, match="did you mean 'normal'"):
        as_response("norma")
    with pytest.raises(TypeError, match="did you mean 'prior_scale'"):
        as_response("normal", prior_scal=3)
    for wrong in (None, 3, dict, ["normal"]):
        with pytest.raises(TypeError, match="'normal', 'categorical'"):
            as_response(wrong)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"prior_scale": 0}, "prior_scale=0.*> 0"),
        ({"prior_scale": [1.0, -2.0]}, "prior_scale is -2 at row 1.*> 0"),
        ({"prior_shape": -1.0}, "prior_shape=-1.0.*> 0"),
        ({"prior_rate": np.inf}, "prior_rate=inf.*> 0"),
        ({"prior_mean": np.nan}, "prior_mean=nan.*finite"),
        ({"prior_mean": [0.0, np.nan]}, "prior_mean is nan at row 1"),
        ({"prior_mean": np.zeros((3, 2))}, r"prior_mean has shape \(3, 2\)"),
    ],
)
def test_invalid_priors_are_refused_by_name(setting, message):
    with pytest.raises(ValueError, match=message):
        Normal(**setting)


def test_priors_that_are_no_numbers_are_refused():
    for wrong in ("10", None, True):
        with pytest.raises(TypeError, match="prior_scale="):
            Normal(prior_scale=wrong)
    with pytest.raises(TypeError, match="n_classes"):
        Categorical(n_classes=2.5)
    with pytest.raises(ValueError, match="n_classes=0"):
        Categorical(n_classes=0)


def test_a_prior_of_the_wrong_length_is_refused():
    response = Normal(prior_mean=np.zeros(3))
    response.check_rows(3)
    with pytest.raises(ValueError, match="prior_mean has 3 values, there are 4 rows"):
        response.check_rows(4)
    with pytest.raises(ValueError, match="prior_mean has 3 values"):
        response.score(np.zeros(4), np.zeros((4, 2, 2)))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.0, np.nan], "y is nan at row 1"),
        ([np.inf, 0.0], "y is inf at row 0"),
        ([], "0 rows"),
        ([[1.0, 2.0]], r"shape \(1, 2\)"),
        (["a", "b"], "not numeric"),
        ([1j, 2.0], "Complex data not supported"),
    ],
)
@pytest.mark.parametrize("response", [Normal(), Categorical()])
def test_y_that_is_no_column_of_finite_numbers_is_refused(response, y, message):
    with pytest.raises(ValueError, match=message):
        response.check(y)


@pytest.mark.parametrize(
    ("y", "message"),
    [([0, 1, 3], "y is 3 at row 2.*0 to 2"), ([-1], "-1 at row 0"), ([0, 0.5], "0.5")],
)
def test_a_code_that_no_class_has_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        Categorical(n_classes=3).check(y)


def test_y_is_checked_into_double_precision():
    for y in ([1, 0, 2], np.array([1, 0, 2], dtype=np.uint8), np.array([1, 0, 2], dtype=object)):
        for response in (Normal(), Categorical(n_classes=3)):
            assert response.check(y).dtype == np.float64


@pytest.mark.parametrize(
    ("y", "theta", "evidence", "message"),
    [
        (np.zeros(2), np.zeros((3, 4, 2)), 1.0, "y has shape"),
        (np.zeros(3), np.zeros((3, 4, 3)), 1.0, r"\(n, m, 2\)"),
        (np.zeros(3), np.zeros((4, 2)), 1.0, r"\(n, m, 2\)"),
        (np.zeros(3), np.zeros((3, 4, 2)), np.ones(2), "evidence has shape"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(y, theta, evidence, message):
    for function in (Normal().score, Normal().score_and_curvature):
        for dtype in (np.float32, np.float64):
            with pytest.raises(ValueError, match=message):
                function(y, theta.astype(dtype), evidence)
