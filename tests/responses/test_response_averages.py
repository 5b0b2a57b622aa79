"""The contract of a response: averages over rows from a few statistics."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from response_examples import EXAMPLES, example

every = pytest.mark.parametrize("name", EXAMPLES)
averaged = pytest.mark.parametrize(
    "name", [name for name in EXAMPLES if example(name).response.has_statistics]
)


@averaged
@pytest.mark.parametrize("weight", [None, np.array([1.0, 0, 2, 0.5, 3, 1e-3])])
def test_averages_from_statistics_are_averages_over_rows(name, weight):
    case = example(name)
    response, common = case.response, case.theta[0]
    spread = np.broadcast_to(common, case.theta.shape)
    statistics = response.statistics(case.y, weight)
    for evidence in (1.0, 4.0):
        score = np.average(response.score(case.y, spread, evidence), axis=0, weights=weight)
        assert_allclose(response.average_score(common, statistics, evidence), score, rtol=1e-11)
        curvature = np.average(response.curvature(case.y, spread, evidence), axis=0, weights=weight)
        if response.curvature_kind == "damped":
            hessian = response.likelihood_hessian(case.y[:, None], spread)
            own = -np.diagonal(np.average(hessian, axis=0, weights=weight), axis1=-2, axis2=-1)
            bounded = np.maximum(response.likelihood_fisher(common), own / response.damping)
            curvature = evidence * bounded + response.prior_curvature(common)
        average = response.average_curvature(common, statistics, evidence)
        assert_allclose(average, curvature, rtol=1e-11)


@averaged
def test_evidence_per_row_enters_the_statistics_as_a_weight(name):
    case = example(name)
    evidence, weight = np.linspace(0.5, 4, 6), np.arange(1.0, 7)
    statistics = case.response.statistics(case.y, weight * evidence)
    mean_evidence = np.average(evidence, weights=weight)
    spread = np.broadcast_to(case.theta[0], case.theta.shape)
    expected = np.average(case.response.score(case.y, spread, evidence), axis=0, weights=weight)
    result = case.response.average_score(case.theta[0], statistics, mean_evidence)
    assert_allclose(result, expected, rtol=1e-11)


@every
def test_a_prior_per_row_has_no_statistics(name):
    case = example(name)
    response = replace(case.response, **case.per_row)
    assert not response.has_statistics
    with pytest.raises((ValueError, NotImplementedError), match=r"average over rows"):
        response.average_score(case.theta[0], np.zeros(2))
