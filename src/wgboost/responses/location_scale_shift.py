"""What the particles of rows are relative to: a location and a scale at each of them."""

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

_FAR = 80.0  # scales from the location: the exponential of more is infinite in float32


@dataclass(frozen=True, eq=False)
class LocationScaleShift:
    """A location and a scale at each of n rows: y = location + scale * z.

    y is standardised; with a response of log y, such as "lognormal", so is log y and the above
    holds of logs. A location-scale family of y is one of z, with the scale of z one where this
    scale is right: what is learned of z does not depend on how large y is or how it varies.
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
        """Return the shift of several sets of particles (n, m_i) of the same rows as of one set.

        Particles that are relative to nothing are relative to location 0 and scale 1.
        """

        def columns(name: str) -> Array:
            parts = [0.0 if one is None else getattr(one, name)[:, None] for one in shifts]
            wide = [np.broadcast_to(x, s) for x, s in zip(parts, shapes, strict=True)]
            together: Array = np.concatenate(wide, axis=1)
            return together

        return cls(columns("location"), columns("log_scale"))

    def subtract_from(self, observed: Observed, response: Response) -> Observed:
        """Return z of standardised y; an error that y was measured with becomes one of z."""

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
        """Return particles (n, m, d) of y, of those of z, in float64."""
        if response.log_scale is None:
            raise ValueError(f"the response {response.name!r} has no scale to change")
        moved = np.array(theta, dtype=np.float64)
        shape = (len(self), -1)
        location, log_scale = self.location.reshape(shape), self.log_scale.reshape(shape)
        moved[..., response.location] *= np.exp(log_scale)
        moved[..., response.location] += location
        moved[..., response.log_scale] += log_scale
        return moved
