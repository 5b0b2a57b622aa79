"""Distances between the samples of two distributions, row by row."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from wgboost.predictive.blocks import row_blocks
from wgboost.typing import Array
from wgboost.validation import check_integer, check_number

__all__ = ["EnergyDistanceTo", "energy_distance", "mmd", "sliced_wasserstein"]

_NUMBERS = 2**22  # size of a temporary array


def _check_samples(a: Any, b: Any) -> tuple[Array, Array]:
    """Return samples (n, s, d) and (n, t, d) in float64; samples (s, d) are those of one row."""
    pair = []
    for name, given in (("a", a), ("b", b)):
        values = np.asarray(given, dtype=np.float64)
        values = values[None] if values.ndim == 2 else values
        if values.ndim != 3 or values.size == 0:
            raise ValueError(
                f"{name} has shape {np.shape(given)}; give samples (n, s, d), or (s, d) "
                "of one distribution"
            )
        if not np.isfinite(values).all():
            raise ValueError(f"{name} has values that are not finite")
        pair.append(values)
    first, second = pair
    if first.shape[0] != second.shape[0] or first.shape[2] != second.shape[2]:
        raise ValueError(f"a {first.shape} and b {second.shape} differ in rows or parameters")
    return first, second


def _mean_over_pairs(
    a: Array, b: Array, kernel: Any, a_weights: Array | None = None, b_weights: Array | None = None
) -> Array:
    """Return the mean of a kernel of squared distances over all pairs, (n,).

    Weights of the samples, (n, s) and (n, t), sum to 1 in each row; None means equal weights.
    """
    out = np.empty(len(a))
    for rows in row_blocks(len(a), a.shape[1] * b.shape[1] * a.shape[2], _NUMBERS):
        square = np.square(a[rows, :, None] - b[rows, None]).sum(axis=3)
        values = kernel(square, rows)
        over_b = (
            values.mean(axis=2)
            if b_weights is None
            else np.einsum("nst,nt->ns", values, b_weights[rows])
        )
        out[rows] = (
            over_b.mean(axis=1) if a_weights is None else (over_b * a_weights[rows]).sum(axis=1)
        )
    return out


def energy_distance(a: Any, b: Any) -> Array:
    """Compute the energy distance 2 E|A - B| - E|A - A'| - E|B - B'| of each row.

    Parameters
    ----------
    a : array-like of shape (n, s, d) or (s, d)
        Samples of the first distribution of each row.
    b : array-like of shape (n, t, d) or (t, d)
        Samples of the second distribution of each row.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> from wgboost import metrics
    >>> metrics.energy_distance([[0.0], [1.0]], [[0.0], [3.0]])
    array([1.])
    """
    return EnergyDistanceTo(b)(a)


class EnergyDistanceTo:
    """Energy distances to samples (n, t, d) with weights (n, t) that sum to 1 in each row.

    The part of the distance that depends on these samples alone is computed once.
    """

    def __init__(self, samples: Any, weights: Array | None = None) -> None:
        self.samples: Array = _check_samples(samples, samples)[0]
        self.weights: Array | None = weights

    @cached_property
    def within(self) -> Array:
        """The mean distance (n,) between two of the samples."""
        weights = self.weights
        return self._mean_length(self.samples, self.samples, weights, weights)

    def __call__(self, a: Any) -> Array:
        """Return the energy distances (n,) of other samples (n, s, d) of equal weight."""
        a, b = _check_samples(a, self.samples)
        between = self._mean_length(a, b, None, self.weights)
        return 2 * between - self._mean_length(a, a) - self.within

    @staticmethod
    def _mean_length(a: Array, b: Array, *weights: Array | None) -> Array:
        return _mean_over_pairs(a, b, lambda square, _: np.sqrt(square), *weights)


def mmd(a: Any, b: Any, bandwidth: Any = "median") -> Array:
    """Compute the squared maximum mean discrepancy of each row, with a Gaussian kernel.

    Parameters
    ----------
    a : array-like of shape (n, s, d) or (s, d)
        Samples of the first distribution of each row.
    b : array-like of shape (n, t, d) or (t, d)
        Samples of the second distribution of each row.
    bandwidth : float or "median", default="median"
        h in the kernel ``exp(-|x - y|^2 / h)``. "median" is the median of the squared distances
        between a and b, for each row.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> from wgboost import metrics
    >>> metrics.mmd([[0.0], [1.0]], [[0.0], [3.0]], bandwidth=1.0).round(4)
    array([0.4908])
    """
    a, b = _check_samples(a, b)
    if isinstance(bandwidth, str):
        if bandwidth != "median":
            raise ValueError(f"bandwidth={bandwidth!r} must be a number > 0 or 'median'")
        h = np.array([
            np.median(np.square(p[:, None] - q[None]).sum(axis=2))
            for p, q in zip(a, b, strict=True)
        ])  # fmt: skip
        h = np.where(h > 0, h, 1.0)
    else:
        h = np.full(len(a), check_number("bandwidth", bandwidth, above=0))

    def kernel(square: Array, rows: slice) -> Array:
        values: Array = np.exp(-square / h[rows, None, None])
        return values

    within = _mean_over_pairs(a, a, kernel) + _mean_over_pairs(b, b, kernel)
    squared: Array = within - 2 * _mean_over_pairs(a, b, kernel)
    return squared


def sliced_wasserstein(
    a: Any, b: Any, *, order: float = 2.0, n_directions: int = 64, random_state: Any = 0
) -> Array:
    """Compute the sliced Wasserstein distance of each row.

    It is exact in one dimension. In more dimensions it is the mean over random lines of the
    distance along the line to the power `order`, and the root of that mean.

    Parameters
    ----------
    a : array-like of shape (n, s, d) or (s, d)
        Samples of the first distribution of each row.
    b : array-like of shape (n, t, d) or (t, d)
        Samples of the second distribution of each row.
    order : float, default=2.0
        The order of the distance, at least 1.
    n_directions : int, default=64
        Number of random lines if d > 1.
    random_state : int, Generator or None, default=0
        Seed of the random lines.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> from wgboost import metrics
    >>> metrics.sliced_wasserstein([[0.0], [1.0]], [[0.0], [3.0]], order=1)
    array([1.])
    """
    a, b = _check_samples(a, b)
    check_number("order", order, low=1)
    check_integer("n_directions", n_directions, low=1)
    d = a.shape[2]
    lines = np.ones((1, 1))
    if d > 1:
        lines = np.random.default_rng(random_state).standard_normal((n_directions, d))
        lines /= np.linalg.norm(lines, axis=1, keepdims=True)
    # Both quantile functions are steps: their difference is constant between the joint levels.
    s, t = a.shape[1], b.shape[1]
    levels = np.union1d(np.arange(s + 1) / s, np.arange(t + 1) / t)
    middle, width = (levels[1:] + levels[:-1]) / 2, np.diff(levels)
    at_a = np.minimum((middle * s).astype(int), s - 1)
    at_b = np.minimum((middle * t).astype(int), t - 1)
    total = np.zeros(len(a))
    for line in lines:
        quantiles_a, quantiles_b = np.sort(a @ line, axis=1), np.sort(b @ line, axis=1)
        total += np.abs(quantiles_a[:, at_a] - quantiles_b[:, at_b]) ** order @ width
    distance: Array = (total / len(lines)) ** (1 / order)
    return distance
