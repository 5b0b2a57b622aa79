"""Two factors, fitted to rows that a model has not seen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import optimize, stats

from mixture_examples import any_mixtures, categorical_mixture, normal_mixture, poisson_mixture
from wgboost import Calibration, Mixture, censored, metrics
from wgboost.predictive import JointMixture
from wgboost.responses import Categorical, MultivariateNormal, Normal, Units


def wrong(n, m, scale, spread, seed=0):
    """Mixtures that y is drawn from, and what a model would say that needs these factors."""
    rng = np.random.default_rng(seed)
    theta = np.stack([rng.normal(size=(n, 1)) + 0.6 * rng.normal(size=(n, m)),
                      -1 + 0.3 * rng.normal(size=(n, m))], axis=-1)  # fmt: skip
    right = Mixture(Normal(), theta, Units(5.0, 2.0))
    centre = theta[..., 0].mean(axis=1, keepdims=True)
    told = np.stack([centre + (theta[..., 0] - centre) / spread, theta[..., 1] - np.log(scale)], -1)
    return right, Mixture(Normal(), told, Units(5.0, 2.0)), right.rvs(random_state=seed)


def test_the_factors_that_are_missing_are_found():
    right, told, y = wrong(6000, 8, scale=1.7, spread=0.5)
    fitted = Calibration.fit(told, y)
    assert abs(np.log(fitted.scale / 1.7)) < 0.1
    assert abs(np.log(fitted.spread / 0.5)) < 0.1
    assert fitted.nll_before > fitted.nll_after + 0.2
    assert fitted.nll_before == pytest.approx(metrics.nll(told, y))
    assert fitted.nll_after == pytest.approx(metrics.nll(fitted(told), y))
    assert abs(fitted.nll_after - metrics.nll(right, y)) < 0.003


def test_factors_that_may_not_widen_are_the_best_of_those_up_to_1():
    _, told, y = wrong(1500, 4, scale=1.3, spread=0.5)
    free, held = Calibration.fit(told, y), Calibration.fit(told, y, allow_widening=False)
    assert free.scale > 1 == held.scale
    assert held.spread < 1
    assert free.nll_after < held.nll_after < held.nll_before
    tries = [Calibration(1.0, s) for s in held.spread * np.array([0.9, 1.1])]
    assert min(metrics.nll(one(told), y) for one in tries) > held.nll_after
    _, overdispersed, y = wrong(1500, 4, scale=0.6, spread=0.6)
    free, held = (
        Calibration.fit(overdispersed, y),
        Calibration.fit(overdispersed, y, allow_widening=False),
    )
    assert_allclose([held.scale, held.spread], [free.scale, free.spread], rtol=1e-3)


def test_right_predictions_are_left_alone():
    right, _, y = wrong(6000, 8, scale=1, spread=1, seed=1)
    fitted = Calibration.fit(right, y)
    assert abs(np.log([fitted.scale, fitted.spread])).max() < 0.15


def test_the_factors_minimise_nll_and_prior_as_scipy_has_them():
    _, told, y = wrong(40, 5, scale=2.0, spread=0.7, seed=2)
    (means, log_scale), unit = np.moveaxis(told.theta(), -1, 0), 2.0
    centre = means.mean(axis=1, keepdims=True)

    def loss(logs):
        mean = centre + np.exp(logs[1]) * (means - centre)
        part = stats.norm(5 + unit * mean, unit * np.exp(log_scale + logs[0]))
        nll = -np.log(part.pdf(y[:, None]).mean(axis=1)).sum()
        return nll + (logs**2).sum() / (2 * 0.25**2)

    best = optimize.minimize(loss, [0, 0], method="Nelder-Mead", options={"xatol": 1e-7})
    fitted = Calibration.fit(told, y)
    assert_allclose(np.log([fitted.scale, fitted.spread]), best.x, atol=1e-3)


def test_the_temperature_of_classes_is_found():
    rng = np.random.default_rng(3)
    theta = rng.normal(0, 1.5, (8000, 1, 3))
    y = Mixture(Categorical(n_classes=4), theta).rvs(random_state=3)
    fitted = Calibration.fit(Mixture(Categorical(n_classes=4), 2.5 * theta), y)
    assert abs(fitted.scale - 2.5) < 0.1
    assert fitted.spread == 1  # one particle has none


@given(any_mixtures(), st.integers(0, 2**32))
def test_the_rows_it_saw_are_never_predicted_worse(dist, seed):
    y = dist.rvs(random_state=seed)
    fitted = Calibration.fit(dist, y)
    assert fitted.nll_after <= fitted.nll_before
    assert_allclose(metrics.nll(fitted(dist), y), fitted.nll_after, rtol=1e-12, atol=1e-12)


def test_few_rows_do_no_harm():
    right, _, y = wrong(3000, 6, scale=1, spread=1, seed=4)
    rest, fresh = right[1000:], y[1000:]
    nll = metrics.nll(rest, fresh)

    def harm(shrinkage):
        parts = [slice(i, i + 6) for i in range(0, 180, 6)]
        fits = [Calibration.fit(right[p], y[p], shrinkage=shrinkage) for p in parts]
        return np.mean([metrics.nll(one(rest), fresh) for one in fits]) - nll

    assert harm(0.25) < 0.03
    assert harm(3.0) > 3 * harm(0.25)


def test_the_map_moves_locations_about_their_weighted_mean_and_scales_responses():
    dist = normal_mixture(weighted=True)
    moved = Calibration(scale=2.0, spread=0.5)(dist)
    means = [np.sum(dist.weights * one.particles[..., 0], axis=1) for one in (dist, moved)]
    assert_allclose(*means, atol=1e-12)
    assert_allclose(moved.epistemic(), 0.25 * dist.epistemic())
    assert_allclose(moved.aleatoric(), 4 * dist.aleatoric())
    assert moved.units == dist.units
    assert_array_equal(moved.weights, dist.weights)


def test_of_classes_all_log_ratios_are_spread():
    dist = categorical_mixture(3, 5, 4)
    moved, theta = Calibration(spread=3.0)(dist), dist.theta()
    assert_allclose(moved.particles.std(axis=1), 3 * theta.std(axis=1))
    assert_allclose(moved.particles.mean(axis=1), theta.mean(axis=1))
    # Whichever class the others are compared with.
    last = Calibration(1.4, 3.0)(dist.with_particles(against_the_first(theta)))
    assert_allclose(
        last.probabilities(), Calibration(1.4, 3.0)(dist).probabilities()[:, [1, 2, 3, 0]]
    )


def against_the_first(theta):
    """Log-ratios of classes 1, 2, 3 and of the last to class 0."""
    return np.concatenate([theta[..., 1:], np.zeros_like(theta[..., :1])], -1) - theta[..., :1]


def test_the_identity_changes_nothing():
    dist = categorical_mixture(weighted=True)
    assert_array_equal(Calibration()(dist).probabilities(), dist.probabilities())


def test_the_scale_multiplies_the_covariance_of_several_columns():
    theta = np.random.default_rng(5).normal(size=(4, 1, 5))
    dist = JointMixture(MultivariateNormal(n_dims=2), theta)
    assert_allclose(Calibration(scale=3.0)(dist).cov(), 9 * dist.cov())
    y = np.asarray(dist.rvs(random_state=0))
    assert Calibration.fit(dist, y).nll_after <= metrics.nll(dist, y)


def test_a_response_without_a_width_has_its_spread_fitted_alone():
    dist = poisson_mixture(200, 6)
    fitted = Calibration.fit(dist, dist.rvs(random_state=0))
    assert fitted.scale == 1
    assert fitted.spread != 1
    assert Calibration.fit(dist, dist.rvs(random_state=0), spread=False) == Calibration(
        1.0, 1.0, fitted.nll_before, fitted.nll_before
    )


def test_predictions_of_several_models_are_fitted_together_whatever_their_units():
    _, told, y = wrong(300, 5, scale=1.5, spread=0.8, seed=6)
    theta = told.theta()[100:].copy()
    # y = 5 + 2 z in units of 3 about 4.
    theta[..., 0] = (1 + 2 * theta[..., 0]) / 3
    theta[..., 1] += np.log(2 / 3)
    parts = [told[:100], Mixture(Normal(), theta, Units(4.0, 3.0))]
    together = Calibration.fit(told, y)
    separate = Calibration.fit(parts, [y[:100], y[100:]])
    assert_allclose([separate.scale, separate.spread], [together.scale, together.spread], rtol=1e-3)
    assert separate.nll_after == pytest.approx(together.nll_after, abs=1e-6)


def test_weights_count_as_rows_and_their_unit_does_not():
    _, told, y = wrong(120, 5, scale=1.5, spread=0.8, seed=7)
    weight = np.repeat([1.0, 0.0], 60)
    half = Calibration.fit(told[:60], y[:60])
    for unit in (1.0, 50.0):
        weighted = Calibration.fit(told, y, sample_weight=unit * weight)
        assert_allclose(weighted.scale, half.scale, rtol=1e-6)
        assert_allclose(weighted.nll_after, half.nll_after)


def test_bounds_and_known_errors_of_y_are_taken_into_account():
    _, told, y = wrong(2000, 5, scale=1.6, spread=1.0, seed=8)
    cut = censored(np.minimum(y, 6.0), np.where(y > 6, np.inf, y))
    assert abs(np.log(Calibration.fit(told, cut).scale / 1.6)) < 0.12
    noisy = y + 1.5 * np.random.default_rng(8).normal(size=2000)
    assert abs(np.log(Calibration.fit(told, noisy, y_std=1.5).scale / 1.6)) < 0.15
    assert Calibration.fit(told, noisy).scale > 2


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda _, __: Calibration(scale=0.0), ValueError, "scale=0.0 must be > 0"),
        (lambda _, y: Calibration()(y), TypeError, "must be a distribution from predict_dist"),
        (lambda d, y: Calibration.fit(d, y[1:]), ValueError, "y has 4 rows, the distribution 5"),
        (lambda d, y: Calibration.fit([d, d], [y]), ValueError, "2 distributions with 1, 2, 2"),
        (lambda d, y: Calibration.fit(d, y, shrinkage=0), ValueError, "shrinkage=0 must be > 0"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call(normal_mixture(), np.full(5, 50.0))


def test_a_row_that_has_no_likelihood_is_named():
    with pytest.raises(ValueError, match="is -inf at row 1"):
        Calibration.fit(normal_mixture(), [50.0, 1e300, 50.0, 50.0, 50.0])
