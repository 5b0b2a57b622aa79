"""Projections of the outputs of a tree, by which XGBoost searches for splits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgboost.trees import PROJECTIONS
from wgboost.typing import Array, Directions

__all__ = ["OutputProjection"]


@dataclass(frozen=True, eq=False)
class OutputProjection:
    """A projection of the outputs of a tree to k columns, as `TreeSettings.split_on` says.

    The gain of a split is the sum of G^2 / (C + l2) over k projections of directions and
    curvatures, as in the core.

    Attributes
    ----------
    kind : int
        The position in PROJECTIONS; not used if there is a matrix.
    matrix : array (outputs, k) or None
        A random projection.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.trees import PROJECTIONS
    >>> projection = OutputProjection(PROJECTIONS.index("sum"), None)
    >>> projection.gradient(np.ones((2, 3, 1)))
    array([[3.],
           [3.]])
    """

    kind: int
    matrix: Array | None

    @property
    def _name(self) -> str:
        return "random" if self.matrix is not None else PROJECTIONS[self.kind]

    def gradient(self, targets: Directions) -> Array:
        """Project directions.

        Parameters
        ----------
        targets : array (n, particles, d)
            The directions of all rows.

        Returns
        -------
        gradient : array (n, k)
        """
        return self._project(targets, self.matrix)

    def mass(self, curvature: Directions | None, k: int, n: int, weight: Array | None) -> Array:
        """Project curvatures and multiply them by the weights.

        Parameters
        ----------
        curvature : array (n, particles, d) or None
            The curvatures of all rows; None is 1.
        k : int
            The number of columns of the gradient.
        n : int
            The number of rows.
        weight : array (n,) or None
            The weights of all rows; None is 1.

        Returns
        -------
        mass : array (n, k)
            What the gradient is divided by.
        """
        if curvature is None:
            one = np.float32(1.0) if weight is None else weight[:, None]
            return np.broadcast_to(one, (n, k))
        if self.matrix is None:
            projected = self._project(curvature, None)
        else:
            projected = curvature.reshape(n, -1).mean(axis=1, keepdims=True)
        projected = projected if weight is None else projected * weight[:, None]
        return np.broadcast_to(projected, (n, k))

    def _project(self, values: Directions, matrix: Array | None) -> Array:
        projected: Array = values.reshape(len(values), -1)
        if matrix is not None:
            projected = projected @ matrix
        elif self._name == "sum":
            projected = projected.sum(axis=1, keepdims=True)
        elif self._name == "particle_mean":
            projected = values.mean(axis=1)
        return projected
