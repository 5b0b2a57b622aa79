"""Observations of y: exact values, or bounds, truncation, noise and an offset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wgboost.responses.censoring import BOUNDS, is_censored
from wgboost.responses.intervals import log_interval_probability
from wgboost.responses.units import Units
from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.responses.base import Response
    from wgboost.responses.likelihood import Likelihood

__all__ = ["ExactObservations", "Observations", "Observed", "standardise", "subtract_offset"]

_STEP = 1e-4
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8) / np.array([[2.0], [2.0]])  # -1/2 to 1/2
_NODES = _NODES + 0.5


@dataclass(frozen=True, eq=False)
class Observations:
    """Rows of which more, or less, is known than a number y.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Normal
    >>> from wgboost.responses.observations import Observations
    >>> rows = Observations(np.zeros(1), np.full(1, np.inf))
    >>> rows.logpdf(Normal(), np.zeros((1, 1, 2))).round(3)
    array([[-0.693]])
    """

    lower: Array  # (n,) lower bound of y, included
    upper: Array  # (n,) upper bound of y, included; equal to `lower` where y is known
    above: Array | None = None  # (n,) left truncation
    below: Array | None = None  # (n,) right truncation
    offset: Array | None = None  # (n,) added to the location
    noise: Array | None = None  # (n,) standard deviation of the measurement error of y

    @classmethod
    def of(cls, y: Any, offset: Array | None = None, noise: Array | None = None) -> Observations:
        """Return observations of numbers, or of what `censored` returned."""
        if not is_censored(y):
            return cls(y, y, offset=offset, noise=noise)
        truncated = bool((np.isfinite(y["above"]) | np.isfinite(y["below"])).any())
        if not truncated:
            return cls(y["lower"], y["upper"], offset=offset, noise=noise)
        above, below = y["above"], y["below"]
        lower, upper = np.maximum(y["lower"], above), np.minimum(y["upper"], below)
        return cls(lower, upper, above, below, offset, noise)

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, rows: Any) -> Observations:
        known = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        taken: dict[str, Any] = {k: v if v is None else v[rows] for k, v in known.items()}
        return Observations(**taken)

    @property
    def exact(self) -> Array:
        """Whether y is known, (n,)."""
        known: Array = self.lower == self.upper
        return known

    @property
    def truncated(self) -> bool:
        """Whether rows with y outside of some bounds are missing from the data."""
        return self.above is not None

    @property
    def cut(self) -> Array:
        """Whether rows with another y could be missing from the data, (n,)."""
        if self.above is None or self.below is None:
            return np.zeros(len(self), dtype=bool)
        finite: Array = np.isfinite(self.above) | np.isfinite(self.below)
        return finite

    @property
    def plain(self) -> bool:
        """Whether y of all rows is known exactly, and nothing else."""
        if self.noise is not None and self.noise.any():
            return False
        unset = all(one is None for one in (self.above, self.below, self.offset))
        return unset and bool(self.exact.all())

    @property
    def value(self) -> Array:
        """One number (n,) per row: y, or the middle of its bounds, or the finite bound.

        With an offset it is that of a count divided by the exposure. Rows of which nothing is known
        get the median of the others.
        """
        with np.errstate(invalid="ignore"):
            middle = self.lower / 2 + self.upper / 2
        middle = np.where(np.isfinite(self.upper), middle, self.lower)
        middle = np.where(np.isfinite(self.lower), middle, self.upper)
        nothing = ~np.isfinite(middle)
        if nothing.any():
            others = np.median(middle[~nothing]) if not nothing.all() else 0.0
            middle = np.where(nothing, others, middle)
        return middle if self.offset is None else middle * np.exp(-self.offset)

    def bounds(self, change: Callable[[Array], Array]) -> Observations:
        """Return the observations with all bounds changed by a function."""
        given = {name: getattr(self, name) for name in BOUNDS}
        changed: dict[str, Any] = {k: v if v is None else change(v) for k, v in given.items()}
        return replace(self, **changed)

    # --- the likelihood of each row, theta (n, m, d) ------------------------------------------

    def _moved(self, response: Likelihood, theta: Array) -> Array:
        if self.offset is None:
            return theta
        moved = np.array(theta)
        moved[..., response.location] += self.offset[:, None].astype(theta.dtype)
        return moved

    def logpdf(self, response: Likelihood, theta: Array) -> Array:
        """Return the log likelihood (n, m)."""
        log, log_inside = self.logs(response, theta)
        return log if log_inside is None else log - log_inside

    def logs(self, response: Likelihood, theta: Array) -> tuple[Array, Array | None]:
        """Return the log likelihood without truncation, and the log probability of no truncation.

        Both are (n, m); the second is None if no row is truncated.
        """
        log = self._log_and_score(response, theta)[0]
        if self.above is None or self.below is None:
            return log, None
        moved = self._moved(response, theta)
        inside = log_interval_probability(response, self.above, self.below, moved)[0]
        return log, inside.astype(theta.dtype, copy=False)

    def score(self, response: Likelihood, theta: Array) -> Array:
        """Return the gradient (n, m, d) of the log likelihood."""
        score = self._log_and_score(response, theta)[1]
        if self.above is None or self.below is None:
            return score
        moved = self._moved(response, theta)
        inside = log_interval_probability(response, self.above, self.below, moved)[1]
        truncated: Array = score - inside.astype(theta.dtype, copy=False)
        return truncated

    def _log_and_score(self, response: Likelihood, theta: Array) -> tuple[Array, Array]:
        """Return log likelihood and score without truncation."""
        theta = self._moved(response, theta)
        if self.noise is not None:
            return response.noisy_likelihood(self.lower[:, None], theta, self.noise[:, None])[:2]
        log, score = np.empty(theta.shape[:-1], theta.dtype), np.empty(theta.shape, theta.dtype)
        exact = self.exact
        y = self.lower[exact][:, None].astype(theta.dtype)
        log[exact] = response.logpdf(y, theta[exact])
        score[exact] = response.likelihood_score(y, theta[exact])
        if not exact.all():
            bounds = self.lower[~exact], self.upper[~exact]
            log[~exact], score[~exact] = log_interval_probability(response, *bounds, theta[~exact])
        return log, score

    def curvature(self, response: Likelihood, theta: Array) -> Array:
        """Return a positive curvature (n, m, d) of minus the log likelihood.

        For rows with bounds or truncation it is the Fisher information of a known y, an upper
        bound.
        """
        theta = self._moved(response, theta)
        exact = self.exact & ~self.cut
        if self.noise is None:
            curvature = np.array(response.likelihood_fisher(theta))
        else:
            noise = self.noise[:, None]
            curvature = response.noisy_likelihood(self.lower[:, None], theta, noise)[2]
            exact = self.noise == 0
        y = self.lower[exact][:, None].astype(theta.dtype)
        curvature[exact] = response.likelihood_curvature(y, theta[exact])
        return curvature

    def fisher(self, response: Likelihood, theta: Array) -> Array:
        """Return the Fisher information (n, d) of y with its measurement error at theta (n, d)."""
        if self.noise is None:
            return response.likelihood_fisher(theta)
        moved = self._moved(response, theta[:, None])
        information = response.noisy_likelihood(self.lower[:, None], moved, self.noise[:, None])[2]
        return information[:, 0].astype(theta.dtype, copy=False)

    def information(self, response: Likelihood, theta: Array) -> Array:
        """Return the Fisher information (n, d, d) of a truncated y at theta (n, d).

        It is the covariance of the score between `above` and `below`, by quadrature over
        probabilities.
        """
        if self.above is None or self.below is None:
            raise ValueError("no row is truncated: above and below are None")
        moved = self._moved(response, np.asarray(theta, dtype=np.float64)[:, None])
        most, least = (response.sf(bound[:, None], moved) for bound in (self.above, self.below))
        probability = least + (most - least) * _NODES
        moved = np.broadcast_to(moved, (*probability.shape, moved.shape[-1]))
        y = response.isf(probability, moved)
        score = response.likelihood_score(y, moved)
        score = score - np.einsum("k,nkj->nj", _WEIGHTS, score)[:, None]
        covariance: Array = np.einsum("k,nki,nkj->nij", _WEIGHTS, score, score)
        return covariance

    def hessian(self, response: Likelihood, theta: Array) -> Array:
        """Return the Hessian (n, m, d, d) of the log likelihood, by differences of the score."""
        precise = np.asarray(theta, dtype=np.float64)
        columns = []
        for j in range(theta.shape[-1]):
            step = np.zeros(theta.shape[-1])
            step[j] = _STEP
            ahead, behind = (self.score(response, precise + sign * step) for sign in (1, -1))
            columns.append((ahead - behind) / (2 * _STEP))
        hessian = np.stack(columns, axis=-1)
        return ((hessian + np.swapaxes(hessian, -1, -2)) / 2).astype(theta.dtype)


@dataclass(frozen=True, eq=False)
class ExactObservations:
    """Rows of which exactly y, (n,) or (n, q), is known; the likelihood at theta."""

    y: Array

    def logpdf(self, response: Likelihood, theta: Array) -> Array:
        """Return the log likelihood (n, m)."""
        return response.logpdf(self.y[:, None], theta)

    def score(self, response: Likelihood, theta: Array) -> Array:
        """Return the gradient (n, m, d) of the log likelihood."""
        return response.likelihood_score(self.y[:, None], theta)

    def curvature(self, response: Likelihood, theta: Array) -> Array:
        """Return a curvature (n, m, d) of minus the log likelihood."""
        return response.likelihood_curvature(self.y[:, None], theta)

    def hessian(self, response: Likelihood, theta: Array) -> Array:
        """Return the Hessian (n, m, d, d) of the log likelihood."""
        return response.likelihood_hessian(self.y[:, None], theta)


Observed = Array | Observations  # y, (n,) or (n, q), or observations of it


def standardise(observed: Observed, units: Units) -> Observed:
    """Return observations in standardised units; an offset stays as it is."""
    if not isinstance(observed, Observations):
        return units.standardise(observed)
    noise = None if observed.noise is None else observed.noise / units.scale
    return replace(observed.bounds(units.standardise), noise=noise)


def subtract_offset(observed: Observed, response: Response, step: Array) -> Observed:
    """Return standardised observations relative to a known offset (n,) of the location.

    A continuous y is shifted with its location. For a count the offset is kept with y and enters
    the likelihood.
    """
    if response.discrete or not response.offset_shifts_y:
        observed = observed if isinstance(observed, Observations) else Observations.of(observed)
        return replace(observed, offset=step if observed.offset is None else observed.offset + step)

    def change(y: Array) -> Array:
        return y - step if response.offset_link == "identity" else y * np.exp(-step)

    if not isinstance(observed, Observations):
        return change(observed)
    changed = observed.bounds(change)
    if observed.noise is not None and response.offset_link == "log":
        changed = replace(changed, noise=change(observed.noise))
    return changed
