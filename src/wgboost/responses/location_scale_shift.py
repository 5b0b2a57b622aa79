"""Location and scale of each row that its particles are relative to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wgboost.responses.observations import Observations, Observed
from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.responses.base import Response

__all__ = ["LocationScaleShift"]

_FAR = 80.0  # largest |z|: the exponential of more is infinite in float32


@dataclass(frozen=True, eq=False)
class LocationScaleShift:
    """y = location + scale * z with a location and a scale per row.

    y is standardised. With a response of log y, such as "lognormal", the equation holds for log y.
    The distribution of z does not depend on the size of y or on how it varies.

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
        """Join the shifts of several sets of particles of the same rows, (n, m_i) each.

        Particles without a shift have location 0 and scale 1. The result has one location and scale
        per particle, (n, m).
        """

        def columns(name: str) -> Array:
            parts = [0.0 if one is None else getattr(one, name)[:, None] for one in shifts]
            full = [np.broadcast_to(x, s) for x, s in zip(parts, shapes, strict=True)]
            joined: Array = np.concatenate(full, axis=1)
            return joined

        return cls(columns("location"), columns("log_scale"))

    def subtract_from(self, observed: Observed, response: Response) -> Observed:
        """Return z of standardised y; a measurement error of y becomes one of z.

        The `offset_link` of the response tells whether logs are shifted.
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
        """Return the particles (n, m, d) of y from those of z, in float64.

        Raise ValueError if the response has no log scale.
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
