"""What the split search sees of the movement: a few columns, and how much they count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgboost.trees import PROJECTIONS
from wgboost.typing import Array, Directions

__all__ = ["View"]


@dataclass(frozen=True, eq=False)
class View:
    """A projection of the outputs of a tree, as `TreeSettings.split_on` says.

    Of a movement g with curvature c the search sees sums G and C of k projections of both, and
    the gain of a split is the sum of G^2 / (C + l2) as the core has it.
    """

    projection: int  # of PROJECTIONS; behind the last of them the matrix
    matrix: Array | None  # (outputs, k)

    @property
    def _name(self) -> str:
        return "random" if self.matrix is not None else PROJECTIONS[self.projection]

    def gradient(self, targets: Directions) -> Array:
        """Return projections (n, k) of the outputs (n, particles, d)."""
        return self._seen(targets, self.matrix)

    def mass(self, curvature: Directions | None, k: int, n: int, weight: Array | None) -> Array:
        """Return what G is divided by, (n, k): projected curvature or 1, times the weight."""
        if curvature is None:
            one = np.float32(1.0) if weight is None else weight[:, None]
            return np.broadcast_to(one, (n, k))
        if self.matrix is None:
            seen = self._seen(curvature, None)
        else:
            seen = curvature.reshape(n, -1).mean(axis=1, keepdims=True)
        seen = seen if weight is None else seen * weight[:, None]
        return np.broadcast_to(seen, (n, k))

    def _seen(self, values: Directions, matrix: Array | None) -> Array:
        seen: Array = values.reshape(len(values), -1)
        if matrix is not None:
            seen = seen @ matrix
        elif self._name == "sum":
            seen = seen.sum(axis=1, keepdims=True)
        elif self._name == "particle_mean":
            seen = values.mean(axis=1)
        return seen
