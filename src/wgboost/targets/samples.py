"""Targets given by samples, histograms or quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wgboost.directions import Needs
from wgboost.targets.base import UncompiledTarget, separate_equal_particles
from wgboost.typing import Array, Directions

__all__ = ["SampleTarget", "from_histograms", "from_quantiles"]

_POINTS = 64  # samples that represent a histogram or quantiles


@dataclass(frozen=True, eq=False)
class SampleTarget(UncompiledTarget):
    """Samples of the target of each row.

    If a direction needs a density, it gets the Gaussian kernel density estimate of the samples with
    the bandwidth of Scott's rule.
    """

    samples: Array  # (n, s, d) float32; shorter lists are padded
    weights: Array  # (n, s) float32, sum 1 in each row; 0 for padding

    kind: ClassVar[str] = "samples"

    @classmethod
    def of(cls, given: Any) -> SampleTarget:
        """Return targets for samples (n, s) or (n, s, d), or a list of (s_i,) or (s_i, d)."""
        rows = [np.asarray(one, dtype=np.float32) for one in given]
        rows = [one[:, None] if one.ndim == 1 else one for one in rows]
        for i, one in enumerate(rows):
            if one.ndim != 2 or one.shape[1] != rows[0].shape[1]:
                raise ValueError(
                    f"the samples of row {i} have shape {one.shape}; (samples, parameters) with "
                    f"{rows[0].shape[-1]} parameters is needed"
                )
            if len(one) == 0:
                raise ValueError(f"row {i} has no samples; drop the row")
            if not np.isfinite(one).all():
                raise ValueError(f"the samples of row {i} are not all finite")
        longest = max(len(one) for one in rows)
        samples = np.zeros((len(rows), longest, rows[0].shape[1]), np.float32)
        weights = np.zeros((len(rows), longest), np.float32)
        for i, one in enumerate(rows):
            samples[i, : len(one)], samples[i, len(one) :] = one, one[0]
            weights[i, : len(one)] = 1 / len(one)
        return cls(samples, weights)

    @property
    def n_params(self) -> int:
        """Number d of coordinates."""
        return int(self.samples.shape[2])

    def draw(self, m: int, rng: np.random.Generator) -> Array:
        """Draw m start particles (m, d) from all samples, no two of them equal."""
        row, column = np.nonzero(self.weights)
        chosen = rng.choice(len(row), size=m, replace=len(row) < m)
        return separate_equal_particles(self.samples[row[chosen], column[chosen]], rng)

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """Return what a direction needs of the targets of some rows; see `RowTarget`."""
        del n_threads
        samples, weights = self.samples[rows], self.weights[rows]
        if needs == "samples":
            return samples, weights
        # Kernel density estimate: mixture of normals at the samples, one width a coordinate.
        mean = np.einsum("ns,nsd->nd", weights, samples)[:, None]
        spread = np.sqrt(np.einsum("ns,nsd->nd", weights, (samples - mean) ** 2))
        count, d = 1 / np.square(weights).sum(axis=1, keepdims=True), samples.shape[2]
        spread *= np.sqrt(count / np.maximum(count - 1, 1))
        width = spread * count ** (-1 / (d + 4))
        width = np.maximum(width, 1e-3 * np.maximum(spread.max(axis=1, keepdims=True), 1e-6))
        difference = (samples[:, None] - particles[:, :, None]) / width[
            :, None, None
        ]  # (n, m, s, d)
        log = -0.5 * np.square(difference).sum(axis=3) + np.log(np.maximum(weights, 1e-30))[:, None]
        top = log.max(axis=2, keepdims=True)
        share = np.exp(log - top)
        total = share.sum(axis=2, keepdims=True)
        share /= total
        score = np.einsum("nms,nmsd->nmd", share, difference) / width[:, None]
        if needs == "score":
            return score.astype(np.float32), None
        if needs == "log_density":
            log_density = top[..., 0] + np.log(total[..., 0])
            return score.astype(np.float32), log_density.astype(np.float32)
        outer = np.einsum("nms,nmsp,nmsq->nmpq", share, difference, difference)
        scale = width[:, None, :, None] * width[:, None, None, :]
        hessian = outer / scale - score[..., :, None] * score[..., None, :]
        diagonal = np.arange(d)
        hessian[..., diagonal, diagonal] -= 1 / np.square(width)[:, None]
        if needs == "hessian":
            return score.astype(np.float32), hessian.astype(np.float32)
        curvature = np.ascontiguousarray(-hessian[..., diagonal, diagonal], dtype=np.float32)
        return score.astype(np.float32), curvature


def from_quantiles(levels: Any, values: Any, points: int = _POINTS) -> Array:
    """Return samples of distributions that are given by quantiles.

    The quantile function is interpolated linearly between levels. It is constant beyond the first
    and the last.

    Parameters
    ----------
    levels : array_like of shape (q,)
        Increasing probabilities.
    values : array_like of shape (n, q)
        Quantiles of each row.
    points : int, default=64
        Number of samples per row.

    Returns
    -------
    array of shape (n, points)
        Samples for `WGBoost`.

    Raises
    ------
    ValueError
        If shapes do not fit, levels do not increase, or quantiles decrease.

    Examples
    --------
    >>> from_quantiles([0.0, 0.5, 1.0], [[0.0, 1.0, 4.0]], points=4)
    array([[0.25, 0.75, 1.75, 3.25]])
    """
    levels, values = np.asarray(levels, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if levels.ndim != 1 or values.ndim != 2 or values.shape[1] != levels.size:
        raise ValueError(
            f"levels {levels.shape} and values {values.shape} do not fit; (q,) and (n, q) do"
        )
    if not ((levels >= 0) & (levels <= 1)).all() or (np.diff(levels) <= 0).any():
        raise ValueError("levels must be increasing probabilities")
    wrong = ~(np.diff(values, axis=1) >= 0).all(axis=1)
    if wrong.any():
        raise ValueError(f"the quantiles of row {int(np.argmax(wrong))} decrease or are nan")
    middle = (np.arange(points) + 0.5) / points
    return np.stack([np.interp(middle, levels, row) for row in values])


def from_histograms(edges: Any, counts: Any, points: int = _POINTS) -> Array:
    """Return samples of distributions that are given by histograms.

    Parameters
    ----------
    edges : array_like of shape (b + 1,) or (n, b + 1)
        Edges of the bins, for all rows or for each.
    counts : array_like of shape (n, b)
        Counts, or any weights >= 0.
    points : int, default=64
        Number of samples per row.

    Returns
    -------
    array of shape (n, points)
        Samples for `WGBoost`.

    Raises
    ------
    ValueError
        If shapes do not fit, edges do not increase, or counts are negative or all zero.

    Examples
    --------
    >>> from_histograms([0.0, 1.0, 2.0], [[1, 3]], points=4).round(3)
    array([[0.5  , 1.167, 1.5  , 1.833]])
    """
    edges, counts = np.asarray(edges, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    fitting = counts.ndim == 2 and edges.shape in (
        (counts.shape[1] + 1,),
        (len(counts), counts.shape[1] + 1),
    )
    if not fitting:
        raise ValueError(
            f"edges {edges.shape} and counts {counts.shape} do not fit; (b + 1,) or (n, b + 1) "
            "and (n, b) do"
        )
    edges = np.broadcast_to(edges, (len(counts), counts.shape[1] + 1))
    wrong = ~np.isfinite(edges).all(axis=1) | (np.diff(edges, axis=1) <= 0).any(axis=1)
    if wrong.any():
        raise ValueError(f"edges must be finite and increasing, row {int(np.argmax(wrong))}")
    bad = ~(np.isfinite(counts) & (counts >= 0)).all(axis=1) | ~(counts.sum(axis=1) > 0)
    if bad.any():
        raise ValueError(
            f"the counts of row {int(np.argmax(bad))} must be finite, >= 0 and not all zero"
        )
    reached = np.cumsum(counts, axis=1) / counts.sum(axis=1, keepdims=True)
    middle = (np.arange(points) + 0.5) / points
    out = np.empty((len(counts), points))
    for row, (cdf, count) in enumerate(zip(reached, counts, strict=True)):
        # Where in its bin each probability lies: empty bins are never reached.
        bin_ = np.minimum(np.searchsorted(cdf, middle), len(count) - 1)
        before = np.where(bin_ > 0, cdf[bin_ - 1], 0.0)
        share = (middle - before) / np.maximum(cdf[bin_] - before, 1e-300)
        own = edges[row]
        out[row] = own[bin_] + share * (own[bin_ + 1] - own[bin_])
    return out
