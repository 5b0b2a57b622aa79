"""What is known of y: exact values, or observations with bounds, noise or an offset."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from wgboost.responses.observations import Observations
from wgboost.responses.units import Units
from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.responses.base import Response
    from wgboost.responses.likelihood import Likelihood

__all__ = ["ExactObservations", "Observed", "standardise", "subtract_offset"]


@dataclass(frozen=True, eq=False)
class ExactObservations:
    """Rows of which y, (n,) or (n, q), is known and nothing else; the likelihood at theta."""

    y: Array

    def logpdf(self, response: Likelihood, theta: Array) -> Array:
        """Return the log likelihood (n, m)."""
        return response.logpdf(self.y[:, None], theta)

    def score(self, response: Likelihood, theta: Array) -> Array:
        """Return its gradient (n, m, d)."""
        return response.likelihood_score(self.y[:, None], theta)

    def curvature(self, response: Likelihood, theta: Array) -> Array:
        """Return its curvature (n, m, d)."""
        return response.likelihood_curvature(self.y[:, None], theta)

    def hessian(self, response: Likelihood, theta: Array) -> Array:
        """Return its Hessian (n, m, d, d)."""
        return response.likelihood_hessian(self.y[:, None], theta)


Observed = Array | Observations  # y, (n,) or (n, q), or what is known instead


def standardise(observed: Observed, units: Units) -> Observed:
    """Return observations in standardised units.

    An offset stays as it is.

    Parameters
    ----------
    observed : array or Observations
        y in the user's units.
    units : Units
        Units to convert with.

    Returns
    -------
    array or Observations
        The same observations in standardised units.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Units
    >>> from wgboost.responses.observed import standardise
    >>> standardise(np.array([3.0]), Units(1.0, 2.0))
    array([1.])
    """
    if not isinstance(observed, Observations):
        return units.standardise(observed)
    noise = None if observed.noise is None else observed.noise / units.scale
    return replace(observed.bounds(units.standardise), noise=noise)


def subtract_offset(observed: Observed, response: Response, step: Array) -> Observed:
    """Remove a known offset of the location from observations.

    A continuous y is shifted with its location. For a count the offset is kept with y and enters
    the likelihood.

    Parameters
    ----------
    observed : array or Observations
        Standardised y.
    response : Response
        Response that says how an offset enters.
    step : array of shape (n,)
        Offset of each row.

    Returns
    -------
    array or Observations
        Observations relative to the offset.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Normal
    >>> from wgboost.responses.observed import subtract_offset
    >>> subtract_offset(np.array([3.0]), Normal(), np.array([1.0]))
    array([2.])
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
