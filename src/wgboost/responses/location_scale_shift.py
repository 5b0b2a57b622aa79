"""What the particles of rows are relative to: a location and a scale at each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wgboost.responses.observations import Observations
from wgboost.responses.observed import Observed
from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.responses.base import Response

__all__ = ["LocationScaleShift"]

_FAR = 80.0  # scales from the location: the exponential of more is infinite in float32


@dataclass(frozen=True, eq=False)
class LocationScaleShift:
    """Describe y = location + scale * z with a location and a scale per row.

    y is standardised. With a response of log y, such as "lognormal", the equation holds for log y.
    What is learned of z does not depend on how large y is or how it varies.

    Parameters
    ----------
    location : array of shape (n,) or (n, m)
        Location of each row, or of each particle.
    log_scale : array of shape (n,) or (n, m)
        Log of the scale.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Normal
    >>> from wgboost.responses.location_scale_shift import LocationScaleShift
    >>> shift = LocationScaleShift(np.array([1.0]), np.log([2.0]))
    >>> shift.subtract_from(np.array([5.0]), Normal())
    array([2.])
    """

    location: Array  # (n,), or (n, m) if particles of a row differ in it
    log_scale: Array  # (n,) or (n, m)

    def __len__(self) -> int:
        return len(self.location)

    def __getitem__(self, rows: Any) -> LocationScaleShift:
        return LocationScaleShift(self.location[rows], self.log_scale[rows])

    @classmethod
    def concatenate(
        cls, shifts: Sequence[LocationScaleShift | None], shapes: Sequence[tuple[int, int]]
    ) -> LocationScaleShift:
        """Join the shifts of several sets of particles of the same rows.

        Particles without a shift have location 0 and scale 1.

        Parameters
        ----------
        shifts : sequence of LocationScaleShift or None
            Shift of each set.
        shapes : sequence of (n, m_i)
            Shape of each set of particles.

        Returns
        -------
        LocationScaleShift
            One location and scale per particle, (n, m).

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses.location_scale_shift import LocationScaleShift
        >>> shift = LocationScaleShift(np.ones(1), np.zeros(1))
        >>> LocationScaleShift.concatenate([shift, None], [(1, 2), (1, 1)]).location
        array([[1., 1., 0.]])
        """

        def columns(name: str) -> Array:
            parts = [0.0 if one is None else getattr(one, name)[:, None] for one in shifts]
            wide = [np.broadcast_to(x, s) for x, s in zip(parts, shapes, strict=True)]
            together: Array = np.concatenate(wide, axis=1)
            return together

        return cls(columns("location"), columns("log_scale"))

    def subtract_from(self, observed: Observed, response: Response) -> Observed:
        """Return z of standardised y.

        A measurement error of y becomes one of z.

        Parameters
        ----------
        observed : array or Observations
            Standardised y.
        response : Response
            Response of y; its `offset_link` tells whether logs are shifted.

        Returns
        -------
        array or Observations
            z of each row.
        """

        def change(y: Array) -> Array:
            level = y if response.offset_link == "identity" else np.log(y)
            z: Array = (level - self.location) * np.exp(-self.log_scale)
            if response.offset_link == "log":
                z = np.exp(np.clip(z, -_FAR, _FAR))
            return z

        if not isinstance(observed, Observations):
            return change(observed)
        changed = observed.bounds(change)
        if observed.noise is None:
            return changed
        noise = observed.noise * np.exp(-self.log_scale)
        if response.offset_link == "log":  # relative to y, both before and after
            noise = noise * changed.lower / observed.lower
        return replace(changed, noise=noise)

    def apply_to(self, theta: Array, response: Response) -> Array:
        """Return the particles of y from those of z.

        Parameters
        ----------
        theta : array of shape (n, m, d)
            Particles of z.
        response : Response
            Response of y, with a log scale among its coordinates.

        Returns
        -------
        array of shape (n, m, d)
            Particles of y, in float64.

        Raises
        ------
        ValueError
            If the response has no scale.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> from wgboost.responses.location_scale_shift import LocationScaleShift
        >>> shift = LocationScaleShift(np.array([1.0]), np.zeros(1))
        >>> shift.apply_to(np.zeros((1, 1, 2)), Normal())
        array([[[1., 0.]]])
        """
        if response.log_scale is None:
            raise ValueError(f"the response {response.name!r} has no scale to change")
        moved = np.array(theta, dtype=np.float64)
        shape = (len(self), -1)
        location, log_scale = self.location.reshape(shape), self.log_scale.reshape(shape)
        moved[..., response.location] *= np.exp(log_scale)
        moved[..., response.location] += location
        moved[..., response.log_scale] += log_scale
        return moved
