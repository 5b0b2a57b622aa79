"""Predictions of Dask arrays and frames, partition by partition and when asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost.distributed.dask.library import libraries

__all__ = ["Distributions", "lazily"]


def lazily(
    function: Callable[..., Any], model: Any, X: Any, columns: tuple[int, ...], kind: Any
) -> Any:
    """Return function(model, part) of every partition: (rows,) or (rows, columns) of some dtype.

    Of an array it is a Dask array, of a frame a series or frame with its index. The model is sent
    to a worker once, not with every partition.
    """
    dask, _ = libraries()
    shared = dask.delayed(model, traverse=False)

    def block(part: Any, model: Any) -> Any:
        if len(part) == 0:  # a filter leaves such partitions
            return np.empty((0, *columns), dtype=kind)
        return function(model, part)

    if hasattr(X, "chunks"):
        whole = X.rechunk({1: -1})
        return whole.map_blocks(
            block, model=shared, meta=np.empty((0,) * (1 + len(columns)), dtype=kind), dtype=kind,
            chunks=(whole.chunks[0], *((size,) for size in columns)),
            drop_axis=[] if columns else [1],
        )  # fmt: skip
    import pandas

    def indexed(part: Any, model: Any) -> Any:
        values = block(part, model)
        if columns:
            return pandas.DataFrame(values, index=part.index)
        return pandas.Series(values, index=part.index)

    meta = indexed(X._meta.iloc[:0], None)
    return X.map_partitions(indexed, model=shared, meta=meta)


class Distributions:
    """Predictive distributions of the rows of a Dask array or frame, not computed yet.

    Methods have the names of `Mixture` and return Dask arrays or series, (n,) each or (n, q) if y
    has q columns, which are computed partition by partition. `parts` are the mixtures themselves,
    as delayed objects (None of a partition without rows), and `map` is any function of them.
    """

    def __init__(self, predict: Callable[..., Any], model: Any, X: Any) -> None:
        dask, _ = libraries()
        self._predict, self._model, self._X = predict, model, X
        self._columns = model.response_.y_shape  # () or (q,)
        whole = X.rechunk({1: -1}) if hasattr(X, "chunks") else X
        shared = dask.delayed(model, traverse=False)
        self.parts: list[Any] = [
            dask.delayed(_of_some)(predict, shared, part) for part in np.ravel(whole.to_delayed())
        ]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"distributions of a Dask collection have no {name!r}: map(function) has any function "
            "of the mixture of a partition, and X in memory has all of them"
        )

    def map(
        self, function: Callable[[Any], Any], columns: int | None = None, dtype: Any = float
    ) -> Any:
        """Return a function of the distributions of every partition, (rows,) or (rows, columns)."""
        return self._lazily(function, () if columns is None else (columns,), dtype)

    def _lazily(
        self, function: Callable[[Any], Any], columns: tuple[int, ...], dtype: Any = float
    ) -> Any:
        predict = self._predict
        return lazily(
            lambda model, part: function(predict(model, part)), self._model, self._X, columns,
            np.dtype(dtype),
        )  # fmt: skip

    def mean(self) -> Any:
        """Return the means."""
        return self._lazily(lambda dist: dist.mean(), self._columns)

    def median(self) -> Any:
        """Return the medians."""
        return self.map(lambda dist: dist.median())

    def var(self) -> Any:
        """Return the variances."""
        return self._lazily(lambda dist: dist.var(), self._columns)

    def std(self) -> Any:
        """Return the standard deviations."""
        return self._lazily(lambda dist: dist.std(), self._columns)

    def aleatoric(self) -> Any:
        """Return what the data cannot say; see `Mixture.aleatoric`."""
        return self._lazily(lambda dist: dist.aleatoric(), self._columns)

    def epistemic(self) -> Any:
        """Return what the model does not know; see `Mixture.epistemic`."""
        return self._lazily(lambda dist: dist.epistemic(), self._columns)

    def cdf(self, y: float) -> Any:
        """Return the probability of at most y, a number."""
        return self.map(lambda dist: dist.cdf(y))

    def ppf(self, q: Any) -> Any:
        """Return the quantiles of a level (n,), or of several (n, levels)."""
        levels = np.asarray(q, dtype=np.float64)
        if levels.ndim == 0:
            return self.map(lambda dist: dist.ppf(levels))
        return self.map(lambda dist: dist.ppf(levels[None]), levels.size)

    def interval(self, confidence: float) -> Any:
        """Return the ends (n, 2) of central intervals."""
        return self.map(lambda dist: np.stack(dist.interval(confidence), axis=1), 2)


def _of_some(predict: Callable[..., Any], model: Any, part: Any) -> Any:
    return predict(model, part) if len(part) else None
