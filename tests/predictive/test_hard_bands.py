"""Credible bands of nearly certain classes, of rates with exposure, and of counts with zeros."""

import numpy as np
import pytest

from wgboost import Mixture
from wgboost.predictive import make_mixture
from wgboost.responses import RESPONSES, Categorical, Poisson, ZeroInflatedPoisson, as_response


@pytest.mark.parametrize("error", [1e-4, 0.01, 0.05, 0.5, 2.0])
def test_bands_of_probabilities_have_the_mean_inside(error):
    theta = np.log(np.array([[[0.0005], [0.001]], [[0.03], [0.02]], [[0.6], [1.4]]]))
    dist = Mixture(Categorical(n_classes=2), theta, error=np.full((3, 1), error))
    low, high = dist.band()
    assert ((low <= dist.probabilities()) & (dist.probabilities() <= high)).all()


def test_the_band_of_a_rate_is_proportional_to_the_exposure():
    theta = np.array([[[-0.1], [0.1]]])
    bands = [
        np.array(Mixture(Poisson(), theta + np.log(rate), error=[[0.09]]).band()) / rate
        for rate in (1.0, 100.0, 1e4)
    ]
    np.testing.assert_allclose(bands[1:], np.stack([bands[0]] * 2), rtol=1e-6)
    large = Mixture(Poisson(), theta + np.log(1e4), error=[[0.09]])
    np.testing.assert_allclose(large.aleatoric() + large.epistemic(), large.var())


def test_bands_of_quantiles_with_extra_zeros_are_in_order():
    theta = np.array([[[2.2, 0.3], [2.0, -0.3], [2.4, 0.1]]])
    dist = Mixture(ZeroInflatedPoisson(), theta, error=[[0.02]])
    (low, high), (lower, higher) = dist.band(0.5), dist.band(0.9)
    assert 0 <= low <= lower
    assert high <= higher


@pytest.mark.parametrize("coverage", [0.01, 0.5, 0.9])
@pytest.mark.parametrize("name", [n for n in RESPONSES if as_response(n).has_mean])
def test_the_mean_is_inside_of_its_band_also_where_the_band_is_made_of_logs(name, coverage):
    settings = {"ordinal": {"n_classes": 4}, "multivariate_normal": {"n_dims": 2}}
    response = as_response(name, **settings.get(name, {}))
    theta = np.random.default_rng(0).normal(size=(5, 8, response.n_params))
    for error in (None, np.full((5, response.y_shape[0] if response.y_shape else 1), 2.0)):
        dist = make_mixture(response, theta, error=error)
        (low, high), mean = dist.band("mean", coverage), dist.mean()
        if response.nominal:
            mean = dist.probabilities()
        assert (low <= mean * (1 + 1e-9 * np.sign(mean))).all()
        assert (mean * (1 - 1e-9 * np.sign(mean)) <= high).all()
