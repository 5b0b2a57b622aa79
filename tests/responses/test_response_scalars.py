"""Every method of every response takes numbers of one observation as well as arrays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from response_examples import EXAMPLES, example

OF_Y = ("logpdf", "cdf", "sf", "logcdf", "logsf", "cdf_gradient", "likelihood_score",
        "likelihood_hessian", "hessian_diagonal", "likelihood_curvature")  # fmt: skip
OF_Q = ("ppf", "isf")
OF_THETA = ("mean", "var", "entropy", "likelihood_fisher")
ONE_COLUMN = [name for name in EXAMPLES if not example(name).response.y_shape]


def forms(value):
    yield float(value)
    yield np.float64(value)
    yield np.array(value)
    if float(value).is_integer() and value < 2**53:
        yield int(value)


def values_of(response, method, y):
    if method in OF_Q:
        return [1e-300, 1e-9, 0.3, 1 - 1e-9, 0, 1]
    if response.nominal or "likelihood" in method or "diagonal" in method:
        return [y]
    far = [1e5, 1e300] if np.isinf(response.support[1]) else []
    return [y, 0.0, 1e-300, *far]


@pytest.mark.parametrize("name", ONE_COLUMN)
@pytest.mark.parametrize("method", OF_Y + OF_Q)
def test_a_number_gives_what_an_array_gives(name, method):
    case = example(name)
    function, theta = getattr(case.response, method), case.theta[0, 0]
    for value in values_of(case.response, method, case.y[0]):
        with np.errstate(all="ignore"):
            expected = function(np.array([value], dtype=float), theta[None])[0]
            for form in forms(value):
                assert_allclose(function(form, theta), expected, rtol=1e-12, err_msg=str(value))


@pytest.mark.parametrize("name", ONE_COLUMN)
def test_one_particle_gives_what_many_give(name):
    case = example(name)
    theta = case.theta[0, 0]
    for method in OF_THETA:
        function = getattr(case.response, method)
        assert_allclose(function(theta), function(theta[None])[0], rtol=1e-12)
    one = case.response.rvs(theta, np.random.default_rng(0))
    assert np.shape(one) == ()
    assert_allclose(one, case.response.rvs(theta[None], np.random.default_rng(0))[0])
