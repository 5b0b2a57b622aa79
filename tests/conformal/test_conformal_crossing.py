"""CV+ intervals by few evaluations of the tails, against a bisection that counts rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from wgboost import Mixture
from wgboost.conformal import cross_conformal_interval, interval_scores
from wgboost.conformal.level import conformal_rank
from wgboost.responses import as_response

CASES = [("gamma", [0, 1]), ("gamma", [0, -1.5]), ("weibull", [0, 0.5]), ("beta", [0, 2]),
         ("student_t", [0, 0, 1]), ("normal", [0, 0]), ("laplace", [0, 0]),
         ("normal", [0, -3])]  # fmt: skip


def folds_of(name, centre, n, folds, distance):
    rng = np.random.default_rng(0)
    theta = np.array(centre) + 0.2 * rng.normal(size=(n, 4, len(centre)))
    y = Mixture(as_response(name), theta).rvs(random_state=0)
    moved = [theta + distance * rng.normal(size=theta.shape) for _ in range(folds)]
    dists = [Mixture(as_response(name), one) for one in moved]
    scores = [interval_scores(dist[k::folds], y[k::folds]) for k, dist in enumerate(dists)]
    return dists, scores


def bisected(dists, scores, confidence, *, upper):
    """The outermost y inside for enough rows, by 200 halvings between the median and far out."""
    n = sum(len(of_fold) for of_fold in scores)
    least = n + 1 - conformal_rank(n, confidence)
    furthest = [(dist.isf if upper else dist.ppf)(1e-12) for dist in dists]
    inner, outer = dists[0].median(), (np.max if upper else np.min)(furthest, axis=0)
    for _ in range(200):
        middle = inner / 2 + outer / 2
        inside = np.zeros(len(middle))
        for dist, of_fold in zip(dists, scores, strict=True):
            tail = (dist.sf if upper else dist.cdf)(middle)
            inside += (of_fold[None] >= -np.minimum(tail, 0.5)[:, None]).sum(axis=1)
        held = inside >= least
        inner, outer = np.where(held, middle, inner), np.where(held, outer, middle)
    return outer


@pytest.mark.parametrize("distance", [0.05, 0.4])
@pytest.mark.parametrize(("name", "centre"), CASES)
def test_the_ends_are_those_of_a_bisection(name, centre, distance):
    dists, scores = folds_of(name, centre, 60, 3, distance)
    low, high = cross_conformal_interval(dists, scores, 0.8)
    slow_low, slow_high = (bisected(dists, scores, 0.8, upper=side) for side in (False, True))
    assert_allclose(low, slow_low, rtol=1e-7, atol=1e-9)
    assert_allclose(high, slow_high, rtol=1e-7, atol=1e-9)
    # Rounding is outwards: a value as odd as the level is inside.
    assert (low <= slow_low + 1e-12).all()
    assert (high >= slow_high - 1e-12).all()


@pytest.mark.parametrize("folds", [2, 12, 60])
@pytest.mark.parametrize(("name", "centre"), [("gamma", [0, 1]), ("student_t", [0, 0, 1])])
def test_the_ends_of_any_number_of_folds_are_those_of_a_bisection(name, centre, folds):
    dists, scores = folds_of(name, centre, 60, folds, 0.3)
    low, high = cross_conformal_interval(dists, scores, 0.9)
    slow_low, slow_high = (bisected(dists, scores, 0.9, upper=side) for side in (False, True))
    assert_allclose(low, slow_low, rtol=1e-7, atol=1e-9)
    assert_allclose(high, slow_high, rtol=1e-7, atol=1e-9)
