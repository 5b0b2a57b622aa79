"""Rows of weighted particles: storage, indexing and averages in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.predictive.blocks import blocks, row_blocks
from wgboost.predictive.labels import encode_labels
from wgboost.predictive.weights import check_weights, mix
from wgboost.responses import Response, Units
from wgboost.typing import Array

__all__ = ["WeightedParticles"]

_Kernel = Callable[[Array, Array], Array]
_Reduction = Callable[[Array, Array | None], Array]


class WeightedParticles:
    """n rows of m particles, the parameters of a response.

    Attributes
    ----------
    response : Response
        The distribution of y given a particle.
    particles : ndarray of shape (n, m, d)
        The particles, in the coordinates of the response and standardised units.
    units : Units
        The shift and scale from standardised y to the user's units.
    weights : ndarray of shape (n, m) or None
        Weights that sum to 1 in each row; None if they are equal.
    error : ndarray of shape (n, q) or None
        Expected squared error of the locations in standardised units, or the sum of that of all
        class probabilities; None takes the spread of the particles for it.
    classes : ndarray of shape (k,) or None
        Labels of the classes in the order of their codes; None if they are not known.
    row_support : ndarray of shape (n,) or None
        How far the model knows the surroundings of rows, from 0 to 1; None if it is not known.
    """

    classes: Array | None = None
    row_support: Array | None = None

    y_axes: ClassVar[int] = 0
    """Number of axes of one observation: 1 if y has columns."""

    def __init__(
        self, response: Response, particles: Any, units: Units | None = None, weights: Any = None,
        error: Any = None,
    ) -> None:  # fmt: skip
        if not isinstance(response, Response):
            raise TypeError(f"response={response!r} must be a Response; as_response makes one")
        if units is not None and not isinstance(units, Units):
            raise TypeError(f"units={units!r} must be Units(shift, scale)")
        particles = np.asarray(particles)
        if particles.dtype.kind not in "fiu":
            raise TypeError(f"particles have dtype {particles.dtype}; numbers are needed")
        d = response.n_params
        if particles.ndim != 3 or particles.shape[1] == 0 or particles.shape[2] != d:
            raise ValueError(
                f"particles have shape {particles.shape}; (rows, particles, {d}) is needed for "
                f"the response {response.name!r}"
            )
        if len(response.y_shape) != self.y_axes:
            needed = "JointMixture" if response.y_shape else "Mixture"
            raise TypeError(f"use {needed} for the response {response.name!r}, or make_mixture")
        self.response: Response = response
        self.particles: Array = particles
        self.units: Units = Units() if units is None else units
        self.weights: Array | None = check_weights(weights, particles.shape[:2])
        self.error: Array | None = (
            None if error is None else _check_error(error, response, particles)
        )

    def __len__(self) -> int:
        return len(self.particles)

    def __getitem__(self, rows: Any) -> Self:
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if rows.ndim > 1 or rows.dtype.kind not in "iub":
                raise IndexError("index rows by a number, a slice, a mask or a list of numbers")
            rows = np.atleast_1d(np.arange(len(self))[rows])
        error = None if self.error is None else self.error[rows]
        some = self._replace(self.particles[rows], self.weights_of(rows), error)
        some.row_support = None if self.row_support is None else self.row_support[rows]
        return some

    def _replace(self, particles: Array, weights: Array | None, error: Array | None) -> Self:
        other = object.__new__(type(self))
        other.response, other.units = self.response, self.units
        other.particles, other.weights, other.error = particles, weights, error
        if self.row_support is not None:
            other.row_support = self.row_support
        if self.classes is not None:
            other.classes = self.classes
        return other

    def encode_labels(self, y: Any) -> Any:
        """Return labels of classes as codes.

        Parameters
        ----------
        y : array-like of shape (n,)
            The labels.

        Returns
        -------
        ndarray of shape (n,)
            The codes, or y itself if the distribution has no labels.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import Categorical, Mixture
        >>> dist = Mixture(Categorical(), [[[0.0]]])
        >>> dist.classes = np.array(["no", "yes"])
        >>> dist.encode_labels(["yes"])
        array([1])
        """
        return y if self.classes is None else encode_labels(self.classes, y)

    def without_labels(self) -> Self:
        """Return the same distributions for a y of codes, without the labels of the classes.

        Returns
        -------
        Mixture

        Examples
        --------
        >>> from wgboost import Categorical, Mixture
        >>> Mixture(Categorical(), [[[0.0]]]).without_labels().classes is None
        True
        """
        other = self._replace(self.particles, self.weights, self.error)
        other.classes = None
        return other

    def select_particles(self, some: slice) -> Self:
        """Return the distributions of some of the particles, with renormalised weights.

        Parameters
        ----------
        some : slice
            The particles. If all of them have weight zero, they get equal weights.

        Returns
        -------
        Mixture

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.select_particles(slice(1, 2)).mean()
        array([1.])
        """
        weights = None
        if self.weights is not None:
            total = self.weights[:, some].sum(axis=1, keepdims=True)
            shares = np.where(total > 0, self.weights[:, some], 1.0)
            weights = shares / shares.sum(axis=1, keepdims=True)
        return self._replace(self.particles[:, some], weights, self.error)

    def with_particles(self, particles: Array) -> Self:
        """Return distributions with other particles and the same weights.

        Parameters
        ----------
        particles : ndarray of shape (n, m, d)
            The other particles.

        Returns
        -------
        Mixture

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.with_particles(dist.particles + 1).mean()
        array([1.5])
        """
        if particles.shape != self.particles.shape:
            raise ValueError(
                f"particles have shape {particles.shape}; {self.particles.shape} is needed"
            )
        return self._replace(particles, self.weights, self.error)

    def __repr__(self) -> str:
        n, m, _ = self.particles.shape
        weighted = "" if self.weights is None else ", weighted"
        return f"<{type(self).__name__} of {self.response.name}: {n} rows, {m} particles{weighted}>"

    def theta(self, rows: Any = slice(None)) -> Array:
        """Return the particles of some rows in float64.

        Parameters
        ----------
        rows : slice or ndarray, default=all rows
            The rows.

        Returns
        -------
        ndarray of shape (r, m, d)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.theta().shape
        (1, 2, 2)
        """
        return np.asarray(self.particles[rows], dtype=np.float64)

    def weights_of(self, rows: Any) -> Array | None:
        """Return the weights of some rows.

        Parameters
        ----------
        rows : slice or ndarray
            The rows.

        Returns
        -------
        ndarray of shape (r, m) or None
            None if the weights are equal.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.weights_of(slice(None)) is None
        True
        """
        return None if self.weights is None else self.weights[rows]

    def over_rows(self, function: _Reduction, *last: int) -> Array:
        """Apply a function of particles and weights to all rows, in blocks that bound the memory.

        Parameters
        ----------
        function : callable
            Maps theta (r, m, d) and weights (r, m), or None, to an array of shape ``(r, *last)``.
        *last : int
            The shape of the result for one row.

        Returns
        -------
        ndarray of shape ``(n, *last)``

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.over_rows(lambda theta, weights: theta[..., 0].max(axis=1))
        array([1.])
        """
        n, m, d = self.particles.shape
        out = np.empty((n, *last))
        for rows, _ in blocks(n, 1, m * (d + 1)):
            out[rows] = function(self.theta(rows), self.weights_of(rows))
        return out

    def over_grid(self, kernel: _Kernel, grid: Array, reduction: _Reduction = mix) -> Array:
        """Average a function of y and theta over particles, in blocks that bound the memory.

        Parameters
        ----------
        kernel : callable
            Maps values y and theta to numbers.
        grid : ndarray of shape (n, g) or (n, g, q)
            Values of y in standardised units; several columns are on the last axis.
        reduction : callable, default=mix
            Maps values (..., m) and weights to their mean over particles.

        Returns
        -------
        ndarray of shape (n, g)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> import numpy as np
        >>> dist.over_grid(dist.response.cdf, np.array([[0.5]]))
        array([[0.5]])
        """
        n, m, d = self.particles.shape
        out = np.empty(grid.shape[:2])
        for rows, columns in blocks(n, grid.shape[1], m * d):
            weights = self.weights_of(rows)
            with np.errstate(over="ignore"):  # y far in the tails
                values = kernel(grid[rows, columns, None], self.theta(rows)[:, None])
            out[rows, columns] = reduction(values, None if weights is None else weights[:, None])
        return out

    def pairs(self, wanted: Array) -> Iterator[tuple[Array, Array]]:
        """Iterate over the row and column indices of a mask, in blocks that bound the memory.

        Parameters
        ----------
        wanted : ndarray of bool, shape (n, g)
            The mask.

        Yields
        ------
        rows, columns : ndarray of int
            The indices of one block.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> import numpy as np
        >>> [(row.size, column.size) for row, column in dist.pairs(np.array([[True, False]]))]
        [(1, 1)]
        """
        _, m, d = self.particles.shape
        row, column = np.nonzero(wanted)
        for block in row_blocks(len(row), m * d):
            yield row[block], column[block]


def _check_error(error: Any, response: Response, particles: Array) -> Array:
    """Return errors (n, q); raise ValueError if they have another shape or are negative."""
    values = np.asarray(error, dtype=np.float64)
    columns = 1 if response.nominal or not response.y_shape else response.y_shape[0]
    if values.shape != (len(particles), columns):
        raise ValueError(f"error has shape {values.shape}; ({len(particles)}, {columns}) is needed")
    if not (values >= 0).all():
        row = int(np.argwhere(~(values >= 0))[0, 0])
        raise ValueError(f"error is {values[row]} at row {row}; it must be >= 0")
    return values
