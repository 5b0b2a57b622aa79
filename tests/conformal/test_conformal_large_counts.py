"""CV+ intervals of counts beyond tables, against the rows that agree at whole numbers."""

import numpy as np
import pytest

from wgboost import Mixture
from wgboost.conformal import cross_conformal_interval, interval_scores
from wgboost.conformal.level import conformal_rank
from wgboost.responses import as_response

# The last number is the spread of particles: components may be wide, or as narrow as steps.
CASES = [
    ("poisson", [np.log(400)], 0.05), ("poisson", [np.log(4000)], 0.2),
    ("poisson", [np.log(1e6)], 0.001), ("poisson", [np.log(1e13)], 1e-6),
    ("negative_binomial", [np.log(4000), -0.5], 0.2), ("negative_binomial", [np.log(1e6), -7], 0.2),
    ("negative_binomial", [np.log(4000), 2], 0.2), ("negative_binomial", [np.log(400), -4], 0.2),
    ("negative_binomial", [np.log(4000), -0.5], 0.8), ("negative_binomial", [np.log(1e6), 0], 0.5),
    ("zero_inflated_poisson", [np.log(4000), -4], 0.05),
    ("zero_inflated_negative_binomial", [np.log(4000), -1, -1], 0.2),
]  # fmt: skip


def folds_of(name, centre, spread, n=300, folds=3):
    rng = np.random.default_rng(0)
    theta = np.array(centre) + spread * rng.normal(size=(n, 5, len(centre)))
    y = Mixture(as_response(name), theta).rvs(random_state=0)
    moved = [theta + spread / 4 * rng.normal(size=theta.shape) for _ in range(folds)]
    dists = [Mixture(as_response(name), one) for one in moved]
    return dists, [interval_scores(dist[k::folds], y[k::folds]) for k, dist in enumerate(dists)]


def agreeing(dists, scores, y, upper, rounding):
    """How many rows have a score at least as large as y, for each new row."""
    rows = np.zeros(len(y), dtype=int)
    for dist, of_fold in zip(dists, scores, strict=True):
        tail = dist.sf(y - 1) if upper else dist.cdf(y)
        new = -np.minimum(tail, 0.5) * (1 + rounding)
        rows += (of_fold[None] >= new[:, None]).sum(axis=1)
    return rows


def check_ends(dists, scores, confidence):
    n = sum(len(of_fold) for of_fold in scores)
    least = n + 1 - conformal_rank(n, confidence)
    low, high = cross_conformal_interval(dists, scores, confidence)
    for end, upper in ((low, False), (high, True)):
        np.testing.assert_array_equal(end, np.round(end))
        assert (agreeing(dists, scores, end, upper, 2e-9) >= least).all()
        beyond = end + 1 if upper else end - 1
        outside = agreeing(dists, scores, beyond, upper, 0) < least
        assert outside[beyond >= 0].all()


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize(("name", "centre", "spread"), CASES)
def test_the_ends_are_the_outermost_counts_that_enough_rows_hold(name, centre, spread, confidence):
    check_ends(*folds_of(name, centre, spread), confidence)


def test_scores_far_from_the_level_do_not_change_which_row_decides():
    # Newton's method does not converge to the largest scores that are tried.
    check_ends(*folds_of("negative_binomial", [np.log(400), -0.5], 0.02), 0.98)


def test_tails_below_the_digits_of_a_table_are_not_compared():
    # Folds differ so much that some have tails of 1e-15 where another one decides.
    check_ends(*folds_of("poisson", [np.log(400)], 1.0), 0.9)


@pytest.mark.parametrize(("name", "centre", "spread"), CASES)
def test_one_model_has_the_quantiles_of_its_level(name, centre, spread):
    (dist,), _ = folds_of(name, centre, spread, folds=1)
    scores = interval_scores(dist, dist.rvs(random_state=1))
    check_ends([dist], [scores], 0.9)
