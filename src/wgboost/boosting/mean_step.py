"""The common Newton step of truncated rows.

Truncation ties the parameters of a response together: a Weibull sample that lacks its early deaths
is nearly as likely with a small scale and a small shape as with a large scale and a large shape.
Steps that treat coordinates separately are slow along such a ridge, and early stopping ends them
too early. The step of the mean over rows uses the whole matrix, which is cheap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.responses import Response
from wgboost.responses.observations import Observations
from wgboost.typing import Array

__all__ = ["MeanStep", "likeliest_centre"]

_RIDGE = 1e-3  # of the diagonal, so that the matrix has an inverse
_LONGEST = 1.0  # of a coordinate, before the learning rate
_STEPS, _STILL = 100, 1e-6


def _unchanged(sums: Array) -> Array:
    """Return its argument: on one machine, sums are over all rows."""
    return sums


@dataclass(frozen=True, eq=False)
class MeanStep:
    """Compute the Newton step of a common shift of all rows' parameters.

    Parameters
    ----------
    response : Response
        The response, with its prior.
    y : Observations
        Standardised outcomes and bounds.
    evidence : float or array (n,), default=1.0
        Power of each row's likelihood.
    weight : array (n,) or None, default=None
        Sample weights.
    total : callable, optional
        Function that sums an array over the workers of a cluster. By default it returns its
        argument.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.boosting.mean_step import MeanStep
    >>> from wgboost.responses import Normal
    >>> MeanStep(Normal(), None, weight=np.array([1.0, 3.0])).mean(np.array([[0.0], [4.0]]))
    array([3.])
    """

    response: Response
    y: Observations
    evidence: Any = 1.0
    weight: Array | None = None
    total: Callable[[Array], Array] = _unchanged

    def __call__(self, centre: Array) -> Array:
        """Return the step (d,) from the parameters (n, d) of the rows.

        It is the mean score of the rows' posteriors over the second moment of the likelihood's
        scores, which estimates the information of truncated rows, plus the prior's curvature.
        """
        theta = np.asarray(centre, dtype=np.float64)[:, None]
        n, _, d = theta.shape
        share = np.ones(n) if self.weight is None else np.asarray(self.weight, dtype=np.float64)
        power = share * self.evidence
        with np.errstate(over="ignore", invalid="ignore"):
            score = self.y.score(self.response, theta)[:, 0]
        score = np.where(np.isfinite(score), score, 0.0)
        prior, prior_curvature = (
            np.broadcast_to(part[:, 0], (n, d))
            for part in (self.response.prior_score(theta), self.response.prior_curvature(theta))
        )
        gradient = power @ score + share @ prior
        matrix = (power[:, None] * score).T @ score + np.diag(share @ prior_curvature)
        sums = self.total(np.concatenate([gradient, matrix.ravel()]))
        gradient, matrix = sums[:d], sums[d:].reshape(d, d)
        diagonal = np.maximum(np.diag(matrix), np.finfo(float).tiny)
        step: Array = np.linalg.solve(matrix + np.diag(_RIDGE * diagonal), gradient)
        # Cutting coordinates one by one would turn the step away from a narrow ridge.
        return step * min(1.0, _LONGEST / max(float(np.abs(step).max()), _LONGEST))

    def mean(self, values: Array) -> Array:
        """Return the weighted mean (d,) of values (n, d) over rows."""
        share = np.ones(len(values)) if self.weight is None else self.weight
        sums = self.total(np.append(share @ np.asarray(values, dtype=np.float64), share.sum()))
        averaged: Array = sums[:-1] / sums[-1]
        return averaged


def likeliest_centre(step: MeanStep, centre: Array) -> Array:
    """Return common parameters (d,) that maximise the posterior of the rows.

    The search starts at `centre`, and returns it if it finds nothing better.
    """
    n = len(step.y)
    share = np.ones(n) if step.weight is None else np.asarray(step.weight, dtype=np.float64)
    power = share * step.evidence

    def log_posterior(theta: Array) -> float:
        rows = np.broadcast_to(theta, (n, 1, theta.size))
        with np.errstate(over="ignore", invalid="ignore"):
            likelihood = step.y.logpdf(step.response, rows)[:, 0]
            prior = np.broadcast_to(step.response.log_prior(rows)[:, 0], n)
        return float(power @ likelihood + share @ prior)

    best, value = centre, log_posterior(centre)
    for _ in range(_STEPS):
        move = step(np.broadcast_to(best, (n, best.size)))
        following = log_posterior(best + move)
        while not following > value and np.abs(move).max() > _STILL:
            move = move / 2
            following = log_posterior(best + move)
        if not following > value:
            break
        best, value = best + move, following
        if np.abs(move).max() < _STILL:
            break
    return best
