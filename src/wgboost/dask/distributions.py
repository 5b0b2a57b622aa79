"""Predictions of Dask arrays and frames, partition by partition and when asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost.dask.library import libraries

__all__ = ["Distributions", "lazily"]


def lazily(function: Callable[[Any], Any], X: Any, columns: tuple[int, ...], kind: Any) -> Any:
    """Return a function of every partition of X: (rows,) or (rows, columns) of some dtype.

    Of an array it is a Dask array, of a frame a series or frame with its index.
    """
    if hasattr(X, "chunks"):
        whole = X.rechunk({1: -1})
        chunks = (whole.chunks[0], *((size,) for size in columns))
        drop = [] if columns else [1]
        return whole.map_blocks(function, dtype=kind, chunks=chunks, drop_axis=drop)
    import pandas

    def indexed(part: Any) -> Any:
        values = function(part) if len(part) else np.empty((0, *columns), dtype=kind)
        if columns:
            return pandas.DataFrame(values, index=part.index)
        return pandas.Series(values, index=part.index)

    meta = indexed(X._meta.iloc[:0])
    return X.map_partitions(indexed, meta=meta)


class Distributions:
    """Predictive distributions of the rows of a Dask array or frame, not computed yet.

    Methods have the names of `Mixture` and return Dask arrays or series, (n,) each, which are
    computed partition by partition. `parts` are the mixtures themselves, as delayed objects, and
    `map` is any function of them.
    """

    def __init__(self, predict: Callable[[Any], Any], X: Any) -> None:
        dask, _ = libraries()
        self._predict, self._X = predict, X
        whole = X.rechunk({1: -1}) if hasattr(X, "chunks") else X
        self.parts: list[Any] = [
            dask.delayed(predict)(part) for part in np.ravel(whole.to_delayed())
        ]

    def map(
        self, function: Callable[[Any], Any], columns: int | None = None, dtype: Any = float
    ) -> Any:
        """Return a function of the distributions of every partition, (rows,) or (rows, columns)."""
        predict = self._predict
        size = () if columns is None else (columns,)
        return lazily(lambda part: function(predict(part)), self._X, size, np.dtype(dtype))

    def mean(self) -> Any:
        """Return the means."""
        return self.map(lambda dist: dist.mean())

    def median(self) -> Any:
        """Return the medians."""
        return self.map(lambda dist: dist.median())

    def var(self) -> Any:
        """Return the variances."""
        return self.map(lambda dist: dist.var())

    def std(self) -> Any:
        """Return the standard deviations."""
        return self.map(lambda dist: dist.std())

    def aleatoric(self) -> Any:
        """Return what the data cannot say; see `Mixture.aleatoric`."""
        return self.map(lambda dist: dist.aleatoric())

    def epistemic(self) -> Any:
        """Return what the model does not know; see `Mixture.epistemic`."""
        return self.map(lambda dist: dist.epistemic())

    def cdf(self, y: float) -> Any:
        """Return the probability of at most y, a number."""
        return self.map(lambda dist: dist.cdf(y))

    def ppf(self, q: Any) -> Any:
        """Return the quantiles of a level (n,), or of several (n, levels)."""
        levels = np.asarray(q, dtype=np.float64)
        if levels.ndim == 0:
            return self.map(lambda dist: dist.ppf(levels))
        return self.map(lambda dist: dist.ppf(levels[:, None]).T, levels.size)

    def interval(self, confidence: float) -> Any:
        """Return the ends (n, 2) of central intervals."""
        return self.map(lambda dist: np.stack(dist.interval(confidence), axis=1), 2)
