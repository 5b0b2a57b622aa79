"""Lazy predictions for Dask arrays and frames, one partition after the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost.distributed.dask.library import import_dask
from wgboost.estimators.credible_bands import band_columns
from wgboost.predictive.bands import Quantity

__all__ = ["Distributions", "map_lazily"]


def map_lazily(
    function: Callable[..., Any], model: Any, X: Any, columns: tuple[int, ...], dtype: Any
) -> Any:
    """Call a function for each partition of a collection, when the result is computed.

    The model is sent to a worker once, and not with every partition.

    Parameters
    ----------
    function : callable
        Called with the model and a partition; returns an array (rows,) or (rows, *columns).
    model : estimator
        The first argument of the function.
    X : Dask array or frame
        The collection.
    columns : tuple of int
        The shape of the result for one row, such as () or (columns,). A frame has all of them side
        by side.
    dtype : dtype
        The type of the result.

    Returns
    -------
    result : Dask array, series or frame
        An array for an array, and a series or frame with the index of X for a frame.
    """
    dask, _ = import_dask()
    shared = dask.delayed(model, traverse=False)

    def block(part: Any, model: Any) -> Any:
        if len(part) == 0:  # a filter can leave empty partitions
            return np.empty((0, *columns), dtype=dtype)
        return function(model, part)

    if hasattr(X, "chunks"):
        whole = X.rechunk({1: -1})
        return whole.map_blocks(
            block, model=shared, meta=np.empty((0,) * (1 + len(columns)), dtype=dtype),
            dtype=dtype, chunks=(whole.chunks[0], *((size,) for size in columns)),
            drop_axis=[] if columns else [1], new_axis=list(range(2, 1 + len(columns))),
        )  # fmt: skip
    import pandas

    def indexed(part: Any, model: Any) -> Any:
        values = block(part, model)
        if columns:
            side_by_side = values.reshape(len(values), math.prod(columns))
            return pandas.DataFrame(side_by_side, index=part.index)
        return pandas.Series(values, index=part.index)

    meta = indexed(X._meta.iloc[:0], None)
    return X.map_partitions(indexed, model=shared, meta=meta)


class Distributions:
    """Predictive distributions of the rows of a Dask array or frame, computed lazily.

    `predict_dist` of the estimators of `wgboost.dask` returns it. Its methods have the names of
    `Mixture`. They return Dask arrays or series, (n,) each or (n, q) if y has q columns.

    Parameters
    ----------
    predict : callable
        Called with the model and a partition; returns the mixtures of its rows.
    model : estimator
        A fitted model.
    X : Dask array or frame
        The rows to predict.

    Attributes
    ----------
    parts : list of delayed objects
        The mixtures of each partition; None for a partition without rows.

    Examples
    --------
    >>> import dask.array as da
    >>> from wgboost import WGBRegressor
    >>> from wgboost.dask import Distributions
    >>> X = da.arange(20.0, chunks=10)[:, None]
    >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
    >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
    >>> bool((dist.mean().compute() == model.predict_dist(X.compute()).mean()).all())
    True
    """

    def __init__(self, predict: Callable[..., Any], model: Any, X: Any) -> None:
        dask, _ = import_dask()
        self._predict, self._model, self._X = predict, model, X
        self._columns = model.response_.y_shape  # () or (q,)
        whole = X.rechunk({1: -1}) if hasattr(X, "chunks") else X
        shared = dask.delayed(model, traverse=False)
        self.parts: list[Any] = [
            dask.delayed(_predict_part)(predict, shared, part)
            for part in np.ravel(whole.to_delayed())
        ]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"distributions of a Dask collection have no {name!r}: map(function) has any function "
            "of the mixture of a partition, and X in memory has all of them"
        )

    def map(
        self, function: Callable[[Any], Any], columns: int | None = None, dtype: Any = float
    ) -> Any:
        """Call a function for the distributions of each partition.

        Parameters
        ----------
        function : callable
            Called with a `Mixture`; returns an array (rows,) or (rows, columns).
        columns : int, optional
            The number of columns of the result. By default it has none: (rows,).
        dtype : dtype, default float
            The type of the result.

        Returns
        -------
        result : Dask array, series or frame
            The results for all rows.

        Examples
        --------
        >>> import dask.array as da
        >>> from wgboost import WGBRegressor
        >>> from wgboost.dask import Distributions
        >>> X = da.arange(20.0, chunks=10)[:, None]
        >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
        >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
        >>> dist.map(lambda part: part.entropy()).compute().shape
        (20,)
        """
        return self._map_lazily(function, () if columns is None else (columns,), dtype)

    def _map_lazily(
        self, function: Callable[[Any], Any], columns: tuple[int, ...], dtype: Any = float
    ) -> Any:
        predict = self._predict
        return map_lazily(
            lambda model, part: function(predict(model, part)), self._model, self._X, columns,
            np.dtype(dtype),
        )  # fmt: skip

    def mean(self) -> Any:
        """Return the means.

        Returns
        -------
        mean : Dask array or series (n,) or (n, q)

        Examples
        --------
        >>> import dask.array as da
        >>> from wgboost import WGBRegressor
        >>> from wgboost.dask import Distributions
        >>> X = da.arange(20.0, chunks=10)[:, None]
        >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
        >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
        >>> dist.mean().compute().shape
        (20,)
        """
        return self._map_lazily(lambda dist: dist.mean(), self._columns)

    def median(self) -> Any:
        """Return the medians.

        Returns
        -------
        median : Dask array or series (n,)

        Examples
        --------
        >>> import dask.array as da
        >>> from wgboost import WGBRegressor
        >>> from wgboost.dask import Distributions
        >>> X = da.arange(20.0, chunks=10)[:, None]
        >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
        >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
        >>> dist.median().compute().shape
        (20,)
        """
        return self.map(lambda dist: dist.median())

    def var(self) -> Any:
        """Return the variances.

        Returns
        -------
        var : Dask array or series (n,) or (n, q)

        Examples
        --------
        >>> import dask.array as da
        >>> from wgboost import WGBRegressor
        >>> from wgboost.dask import Distributions
        >>> X = da.arange(20.0, chunks=10)[:, None]
        >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
        >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
        >>> bool((dist.var() > 0).all().compute())
        True
        """
        return self._map_lazily(lambda dist: dist.var(), self._columns)

    def std(self) -> Any:
        """Return the standard deviations.

        Returns
        -------
        std : Dask array or series (n,) or (n, q)

        Examples
        --------
        >>> import dask.array as da
        >>> from wgboost import WGBRegressor
        >>> from wgboost.dask import Distributions
        >>> X = da.arange(20.0, chunks=10)[:, None]
        >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
        >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
        >>> bool((dist.std() > 0).all().compute())
        True
        """
        return self._map_lazily(lambda dist: dist.std(), self._columns)

    def aleatoric(self) -> Any:
        """Return the variance that comes from noise in the data; see `Mixture.aleatoric`.

        Returns
        -------
        aleatoric : Dask array or series (n,) or (n, q)

        Examples
        --------
        >>> import dask.array as da
        >>> from wgboost import WGBRegressor
        >>> from wgboost.dask import Distributions
        >>> X = da.arange(20.0, chunks=10)[:, None]
        >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
        >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
        >>> bool((dist.aleatoric() <= dist.var()).all().compute())
        True
        """
        return self._map_lazily(lambda dist: dist.aleatoric(), self._columns)

    def epistemic(self) -> Any:
        """Return the variance that comes from uncertainty of the model; see `Mixture.epistemic`.

        Returns
        -------
        epistemic : Dask array or series (n,) or (n, q)

        Examples
        --------
        >>> import dask.array as da
        >>> from wgboost import WGBRegressor
        >>> from wgboost.dask import Distributions
        >>> X = da.arange(20.0, chunks=10)[:, None]
        >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
        >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
        >>> bool((dist.epistemic() <= dist.var()).all().compute())
        True
        """
        return self._map_lazily(lambda dist: dist.epistemic(), self._columns)

    def cdf(self, y: float) -> Any:
        """Return the probability of at most y.

        Parameters
        ----------
        y : float
            The value, the same for all rows.

        Returns
        -------
        probability : Dask array or series (n,)

        Examples
        --------
        >>> import dask.array as da
        >>> from wgboost import WGBRegressor
        >>> from wgboost.dask import Distributions
        >>> X = da.arange(20.0, chunks=10)[:, None]
        >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
        >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
        >>> bool((dist.cdf(1e6) == 1).all().compute())
        True
        """
        return self.map(lambda dist: dist.cdf(y))

    def ppf(self, q: Any) -> Any:
        """Return quantiles.

        Parameters
        ----------
        q : float or sequence of float
            One level or several.

        Returns
        -------
        quantiles : Dask array, series or frame (n,) or (n, levels)

        Examples
        --------
        >>> import dask.array as da
        >>> from wgboost import WGBRegressor
        >>> from wgboost.dask import Distributions
        >>> X = da.arange(20.0, chunks=10)[:, None]
        >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
        >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
        >>> dist.ppf([0.1, 0.9]).compute().shape
        (20, 2)
        """
        levels = np.asarray(q, dtype=np.float64)
        if levels.ndim == 0:
            return self.map(lambda dist: dist.ppf(levels))
        return self.map(lambda dist: dist.ppf(levels[None]), levels.size)

    def interval(self, confidence: float) -> Any:
        """Return central intervals.

        Parameters
        ----------
        confidence : float
            The probability of the interval.

        Returns
        -------
        interval : Dask array or frame (n, 2)
            The lower and the upper end.

        Examples
        --------
        >>> import dask.array as da
        >>> from wgboost import WGBRegressor
        >>> from wgboost.dask import Distributions
        >>> X = da.arange(20.0, chunks=10)[:, None]
        >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
        >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
        >>> dist.interval(0.9).compute().shape
        (20, 2)
        """
        return self.map(lambda dist: np.stack(dist.interval(confidence), axis=1), 2)

    def band(self, of: Quantity = "mean", coverage: float = 0.9) -> Any:
        """Return credible bands of a quantity, such as the mean of y; see `Mixture.band`.

        Parameters
        ----------
        of : str, float or callable, default="mean"
            The quantity, as in `Mixture.band`.
        coverage : float, default=0.9
            The probability that the quantity is inside.

        Returns
        -------
        band : Dask array or frame (n, 2)
            The lower and the upper end. For the probabilities of k classes an array is (n, k, 2),
            for q columns of y (n, q, 2); a frame has both ends of the first one, of the second,
            and so on.

        Examples
        --------
        >>> import dask.array as da
        >>> from wgboost import WGBRegressor
        >>> from wgboost.dask import Distributions
        >>> X = da.arange(20.0, chunks=10)[:, None]
        >>> model = WGBRegressor(n_estimators=2, evidence=1.0).fit(X.compute(), X[:, 0].compute())
        >>> dist = Distributions(WGBRegressor.predict_dist, model, X)
        >>> dist.band("mean", 0.9).compute().shape
        (20, 2)
        """
        columns = band_columns(self._model, of, coverage)
        return self._map_lazily(
            lambda dist: np.stack(dist.band(of, coverage), axis=-1)[:, : columns[0]], columns
        )


def _predict_part(predict: Callable[..., Any], model: Any, part: Any) -> Any:
    """Return the mixtures of a partition; None if it has no rows."""
    return predict(model, part) if len(part) else None
