"""Ordinal response: k classes in order, by a cumulative logit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import special

from wgboost.responses.censoring import is_censored
from wgboost.responses.codes import ClassCodes, pick
from wgboost.responses.coordinate_priors import CoordinatePrior, Parameter
from wgboost.responses.numerics import safe_exp, working_float
from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["Ordinal"]


@dataclass(frozen=True, eq=False)
class Ordinal(ClassCodes):
    """Model y as one of k ordered classes, theta = (location, log gaps of the cuts).

    y holds the codes 0 to k - 1. A logistic variable around the location falls between two of the
    cuts c_1 < ... < c_{k-1}: P(y < j) = expit(c_j - location). The first cut is 0, and log_gap_j =
    log(c_{j+1} - c_j), so that cuts are in order for every theta.

    Parameters
    ----------
    n_classes : int, optional
        Number k of classes. None takes the largest code of an estimator's y plus 1.
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the location, in logits. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior.
    prior_gap_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of every log gap.
    prior_gap_scale : float or array of shape (n,), default=2.0
        Standard deviation of that prior.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Ordinal
    >>> Ordinal(n_classes=3).probabilities(np.array([0.0, 0.0])).round(3)
    array([0.5  , 0.231, 0.269])
    """

    n_classes: int | None = None
    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0
    prior_gap_mean: Parameter = 0.0
    prior_gap_scale: Parameter = 2.0

    name: ClassVar[str] = "ordinal"
    documentation: ClassVar[tuple[str, str, str]] = (
        "0 to k - 1",
        "location, log gaps of the cuts",
        "ranks: grades, stars (cumulative logit)",
    )
    positive: ClassVar[tuple[str, ...]] = ("prior_scale", "prior_gap_scale")
    curvature_kind: ClassVar[Literal["hessian", "fisher"]] = "fisher"

    def infer_from(self, y: Array) -> Self:
        """Return the response with the number of classes of y; raise if code 0 does not occur."""
        if self.n_classes is None:
            lowest = float(np.min(y["lower"] if is_censored(y) else y))
            if lowest > 0:
                raise ValueError(
                    f"the lowest rank in y is {lowest:g}, ranks count from 0: subtract "
                    f"{lowest:g}, or use WGBClassifier(response='ordinal'), which takes labels. If "
                    "lower ranks are possible but do not occur, use Ordinal(n_classes=...)"
                )
        return super().infer_from(y)

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return "location", *(f"log_gap_{j}" for j in range(1, self._k - 1))

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:  # noqa: ARG002
        """Return the location and the cuts, in logits."""
        theta = working_float(theta)
        cuts = self._cuts(theta)
        named = {f"cut_{j}": cuts[..., j - 1] for j in range(1, self._k)}
        return {"location": theta[..., 0], **named}

    def scale_dispersion(self, theta: Array, factor: float) -> Array:
        """Return theta with location and gaps divided by the factor."""
        moved = np.array(theta, dtype=np.float64)
        moved[..., 0] /= factor
        moved[..., 1:] -= np.log(factor)
        return moved

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the normal priors of the location and of the log gaps."""
        location = self._normal_prior(self.prior_mean, self.prior_scale, dtype)
        gap = self._normal_prior(self.prior_gap_mean, self.prior_gap_scale, dtype)
        return location, *[gap] * (self._k - 2)

    # --- likelihood ---------------------------------------------------------------------------

    def _cuts(self, theta: Array) -> Array:
        """Return the cuts (..., k - 1)."""
        cuts = _table(theta, self._k - 1)
        np.cumsum(safe_exp(theta[..., 1:]), axis=-1, out=cuts[..., 1:])
        return cuts

    def _below_and_above(self, theta: Array) -> tuple[Array, Array]:
        theta = working_float(theta)
        height = self._cuts(theta) - theta[..., :1]
        small = np.exp(-np.abs(height))
        below, above = _table(theta, self._k + 1), _table(theta, self._k + 1)
        below[..., -1] = above[..., 0] = 1
        below[..., 1:-1] = np.where(height < 0, small, 1) / (1 + small)
        above[..., 1:-1] = np.where(height < 0, 1, small) / (1 + small)
        return below, above

    def probabilities(self, theta: Array) -> Array:
        """Return the probability of each class, (..., k)."""
        return self._between(*self._below_and_above(theta), safe_exp(theta[..., 1:]))

    def _between(self, below: Array, above: Array, gap: Array) -> Array:
        # expit(b) - expit(a) = expit(b) expit(-a) (1 - exp(a - b)).
        probabilities: Array = below[..., 1:] * above[..., :-1]
        probabilities[..., 1:-1] *= -np.expm1(-gap)
        return probabilities

    def log_probabilities(self, theta: Array) -> Array:
        """Return the log probability of each class, (..., k)."""
        theta = working_float(theta)
        height = self._cuts(theta) - theta[..., :1]
        logs = _table(theta, self._k)
        logs[..., :-1] = special.log_expit(height)
        logs[..., 1:] += special.log_expit(-height)
        logs[..., 1:-1] += np.log(-np.expm1(-safe_exp(theta[..., 1:])))
        return logs

    def _at(self, y: Array, theta: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Return the parts of the derivatives at classes y.

        They are the probabilities of a code < y and of one > y, the gradients (..., d) of the lower
        and the upper cut minus the location, and 1 where theta has the log gap of class y.
        """
        below, above = self._below_and_above(theta)
        y, gap = np.asarray(y), safe_exp(theta[..., 1:])
        likely = pick(below, y), pick(above, y + 1)
        lower, upper, own = (_table(likely[0][..., None], self.n_params) for _ in range(3))
        lower[..., 0] = upper[..., 0] = -1
        for j in range(1, self.n_params):
            lower[..., j], own[..., j] = gap[..., j - 1] * (j < y), j == y
            upper[..., j] = gap[..., j - 1] * (j <= y)
        return *likely, lower, upper, own

    def _widths(self, theta: Array) -> tuple[Array, Array]:
        """Return the gaps g and g / (exp(g) - 1), (..., d); of the location 1 and 0."""
        gap = _table(theta, self.n_params)
        gap[...] = safe_exp(theta)
        own = gap * np.exp(-gap) / -np.expm1(-gap)
        gap[..., 0], own[..., 0] = 1, 0
        return gap, own

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        theta = working_float(theta)
        below, above, lower, upper, own = self._at(y, theta)
        score: Array = above[..., None] * upper - below[..., None] * lower
        score += own * self._widths(theta)[1]
        return score

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta."""
        theta, y = working_float(theta), np.asarray(y)
        code = np.clip(np.floor(y), 0, self._k - 1).astype(int)
        _, above, _, upper, _ = self._at(code, theta)
        gradient: Array = (above * (1 - above) * (y >= 0))[..., None] * upper
        return gradient

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        theta = working_float(theta)
        below, above, lower, upper, own = self._at(y, theta)
        gap, width = self._widths(theta)
        hessian = np.zeros((*lower.shape, self.n_params), lower.dtype)
        diagonal = np.arange(1, self.n_params)
        curve: Array = above[..., None] * upper - below[..., None] * lower
        curve += own * width * (1 - gap - width)
        hessian[..., diagonal, diagonal] = curve[..., 1:]
        for share, slope in ((below, lower), (above, upper)):
            spread = (share * (1 - share))[..., None, None]
            hessian -= spread * slope[..., :, None] * slope[..., None, :]
        return hessian

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        theta = working_float(theta)
        below, above = self._below_and_above(theta)
        gap, width = self._widths(theta)
        probability = self._between(below, above, gap[..., 1:])
        moved = probability * np.square(below[..., :-1] - above[..., 1:])  # as the location moves
        from_here_on = np.cumsum(moved[..., ::-1], axis=-1)[..., ::-1]
        fisher = np.empty_like(theta)
        fisher[..., 0] = from_here_on[..., 0]
        gap, own = gap[..., 1:], gap[..., 1:] * above[..., 2:-1] + width[..., 1:]
        fisher[..., 1:] = probability[..., 1:-1] * own * own + gap * gap * from_here_on[..., 2:]
        return fisher

    # --- averages over rows -------------------------------------------------------------------

    def statistics_score(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_score at common particles (m, d)."""
        each = self.likelihood_score(np.arange(self._k)[:, None], theta)  # (k, m, d)
        average: Array = np.tensordot(statistics.astype(theta.dtype), each, axes=1)
        return average

    def statistics_curvature(self, theta: Array, statistics: Array) -> Array:  # noqa: ARG002
        """Return the mean over rows of likelihood_curvature at common particles (m, d)."""
        return self.likelihood_fisher(theta)


def _table(like: Array, size: int) -> Array:
    """Return zeros (..., size) for like (..., d), stored column by column: faster to fill."""
    return np.moveaxis(np.zeros((size, *like.shape[:-1]), like.dtype), 0, -1)
