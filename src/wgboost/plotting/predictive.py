"""Predictive distributions along one feature, or of sorted rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.metrics.unwrapping import encode_y
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import (
    check_lengths,
    class_labels,
    class_names,
    display_name,
    feature_table,
    fitted_estimator,
    observations,
    predictive_distributions,
    resolve_rows,
    select_column,
)
from wgboost.plotting.labels import is_integer
from wgboost.plotting.predictive_drawing import draw_predictive
from wgboost.predictive import Mixture
from wgboost.predictive.bands import middle_name
from wgboost.responses.observations import Observations
from wgboost.typing import Array
from wgboost.validation import check_choice, check_integer

__all__ = ["PredictiveDisplay"]

_BANDS = (0.5, 0.9)


@dataclass(eq=False, repr=False)
class PredictiveDisplay(Display):
    """Show predictive distributions along one feature, or of sorted rows.

    It draws central intervals, the density, or the probabilities of classes, and a credible band
    of the mean, or of the median of a response without a mean. y is inside of an interval, and the
    mean itself inside of the band: with many rows the band becomes narrow. Along one feature the
    other features have their medians, or their most frequent values if they are not numbers.
    Without a feature the rows are drawn side by side, sorted by their predicted median, or by class
    and its probability.

    Parameters
    ----------
    x : Array
        Values of the feature, numbers or datetime64, or ranks of rows.
    dist : Mixture
        The distributions at x.
    bands : tuple of float
        Probabilities of the central intervals.
    low : Array
        Lower ends of the intervals (bands, x); for classes those of credible bands of
        their probabilities (classes, x).
    high : Array
        Upper ends (bands, x); for classes (classes, x).
    middle : Array
        The median at x, or the probabilities (classes, x).
    x_observed : Array or None, default=None
        Positions of `y_observed`.
    y_observed : Observations or None, default=None
        Observed values of y; codes of classes.
    kind : {"bands", "density"}, default="bands"
        "bands" draws central intervals, "density" the density itself in shades.
    feature : str or None, default=None
        Name of the feature; None for sorted rows.
    name : str, default="y"
        Name of y on the axis.
    classes : list of str or None, default=None
        Names of the classes.
    ticks : list of str or None, default=None
        Names of the values of a feature of categories.
    is_integer : bool, default=False
        Whether the feature consists of whole numbers.
    mean_low : Array or None, default=None
        Lower end (x,) of the credible band of the mean; its coverage is the largest of `bands`.
        None draws no band.
    mean_high : Array or None, default=None
        Upper end (x,).

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes drawn in.
    figure_ : matplotlib figure
        The figure of these axes.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.plotting import PredictiveDisplay
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
    >>> display = PredictiveDisplay.from_estimator(model, X, y)
    >>> display.low.shape
    (2, 200)
    """

    x: Array
    dist: Mixture
    bands: tuple[float, ...]
    low: Array
    high: Array
    middle: Array
    x_observed: Array | None = None
    y_observed: Observations | None = None
    kind: str = "bands"
    feature: str | None = None
    name: str = "y"
    classes: list[str] | None = None
    ticks: list[str] | None = None
    is_integer: bool = False
    mean_low: Array | None = None
    mean_high: Array | None = None

    size: ClassVar[tuple[float, float]] = (6.4, 3.6)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: Any, y: Any = None, *, feature: Any = None,
        kind: str = "bands", bands: Any = _BANDS, column: int | None = None,
        grid_size: int = 200, max_rows: int = 300, feature_names: Any = None,
        name: str | None = None, offset: Any = None, exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the predictive distributions of a fitted model.

        Parameters
        ----------
        estimator : estimator of wgboost
            A fitted estimator, or a pipeline or a search that ends with one.
        X : array or frame (n, p)
            Rows that give the range of the features.
        y : array (n,), str or None, default=None
            Observed values or labels, or the name of a column of X. None draws predictions only.
        feature : int or str, default=None
            Number or name of a feature. None takes the only feature, or sorted rows if there are
            several.
        kind : {"bands", "density"}, default="bands"
            "bands" draws central intervals, "density" the density itself in shades.
        bands : list of float, default=(0.5, 0.9)
            Probabilities of the central intervals.
        column : int, default=None
            The column to show if y has several columns.
        grid_size : int, default=200
            Number of points along a feature.
        max_rows : int, default=300
            Largest number of sorted rows. Along a feature up to five times as many observations
            are drawn.
        feature_names : list of str, default=None
            Names of the columns of an array X.
        name : str, default=None
            Name of y on the axis. None takes the name of a series or the column of `fit`.
        offset : array or str, default=None
            Offset of the rows, as in `predict_dist`. Its median is used along a feature.
        exposure : array or str, default=None
            Exposure of the rows, as in `predict_dist`. Its median is used along a feature.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        PredictiveDisplay
            The display, already drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import PredictiveDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = PredictiveDisplay.from_estimator(model, X, y, kind="density", ax=ax)
        >>> display.feature
        'feature 0'
        """
        model = fitted_estimator(estimator)
        name = display_name(y, name, model)
        X, y, row_params = resolve_rows(estimator, X, y, offset=offset, exposure=exposure)
        table = feature_table(estimator, X, feature_names)
        if y is not None:
            check_lengths(table.shape[0], len(y))
        values = None if y is None else encode_y(estimator, y)
        classes = class_labels(model)
        if feature is None and table.shape[1] > 1:
            return cls.from_predictions(
                values, predictive_distributions(estimator, X, **row_params), kind=kind,
                bands=bands, column=column, max_rows=max_rows, classes=classes, name=name, ax=ax,
            )  # fmt: skip
        check_integer("grid_size", grid_size, low=2)
        j = table.index(0 if feature is None else feature)
        grid = table.grid(j, grid_size)
        usual = {key: _median(value, len(grid)) for key, value in row_params.items()}
        joint = predictive_distributions(estimator, table.vary(j, grid), **usual)
        dist, _ = select_column(joint, None, column)
        ticks = None if grid.numeric else [str(value) for value in grid.values]
        x = grid.values if grid.numeric else np.arange(len(grid), dtype=float)
        x_observed = y_observed = None
        if values is not None:
            kept = _evenly_spaced(table.shape[0], 5 * max_rows)
            checked = joint.response.check(values)
            y_observed = observations((checked if column is None else checked[:, column])[kept])
            scale = table.scale(j)
            if scale is None:
                place = {text: i for i, text in enumerate(ticks or ())}
                at = [place.get(str(value), np.nan) for value in table.column(j)[kept]]
                x_observed = np.array(at, dtype=np.float64)
            else:
                x_observed = scale[kept]
        return cls._with_intervals(
            x, dist, kind, bands, classes, x_observed=x_observed, y_observed=y_observed,
            feature=table.names[j], name=name, ticks=ticks,
            is_integer=grid.numeric and is_integer(table.scale(j)),
        ).plot(ax)  # fmt: skip

    @classmethod
    def from_predictions(
        cls, y: Any, dist: Mixture, *, kind: str = "bands", bands: Any = _BANDS,
        column: int | None = None, max_rows: int = 300, classes: Any = None, name: str = "y",
        ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw predictive distributions side by side, sorted.

        Parameters
        ----------
        y : array (n,) or None
            Observed values; codes of classes. None draws predictions only.
        dist : Mixture
            Predictive distributions, as `predict_dist` returns them.
        kind : {"bands", "density"}, default="bands"
            "bands" draws central intervals, "density" the density itself in shades.
        bands : list of float, default=(0.5, 0.9)
            Probabilities of the central intervals.
        column : int, default=None
            The column to show if y has several columns.
        max_rows : int, default=300
            Largest number of rows. If there are more, an evenly spaced subset of the sorted rows
            is drawn.
        classes : list, default=None
            Labels of the classes, in the order of their codes. None shows codes.
        name : str, default="y"
            Name of y on the axis.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        PredictiveDisplay
            The display, already drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import PredictiveDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> dist = model.predict_dist(X)
        >>> display = PredictiveDisplay.from_predictions(y, dist, bands=[0.8], ax=ax)
        >>> display.middle.shape
        (60,)
        """
        check_integer("max_rows", max_rows, low=1)
        dist, values = select_column(dist, y, column)
        if dist.response.nominal:
            shares = dist.probabilities()
            order = np.lexsort([shares.max(axis=1), shares.argmax(axis=1)])
        else:
            order = np.argsort(dist.median(), kind="stable")
        order = order[_evenly_spaced(len(order), max_rows)]
        x = np.arange(1, len(order) + 1, dtype=float)
        observed = None if values is None else observations(values[order])
        return cls._with_intervals(
            x, dist[order], kind, bands, classes, x_observed=None if observed is None else x,
            y_observed=observed, name=name,
        ).plot(ax)  # fmt: skip

    @classmethod
    def _with_intervals(
        cls, x: Array, dist: Mixture, kind: str, bands: Any, classes: Any, **fields: Any
    ) -> Self:
        """Return a display with the intervals or class probabilities of the distributions."""
        check_choice("kind", kind, ["bands", "density"])
        chosen = tuple(float(band) for band in np.sort(np.atleast_1d(bands)))
        if not chosen or not all(0 < band < 1 for band in chosen):
            raise ValueError(f"bands={bands!r} must be probabilities between 0 and 1")
        labels = None
        if dist.response.nominal:
            if kind == "density":
                raise ValueError("kind='density' is not for classes; use kind='bands'")
            low, high = (end.T for end in dist.band("mean", chosen[-1]))  # (classes, x)
            middle = dist.probabilities().T
            labels = class_names(classes, len(middle))
        else:
            low, high = (end.T for end in dist.interval(chosen))  # (bands, x)
            middle = dist.median()
            ends = dist.band(middle_name(dist.response), chosen[-1])
            fields["mean_low"], fields["mean_high"] = ends
        return cls(x, dist, chosen, low, high, middle, kind=kind, classes=labels, **fields)

    def draw(self, ax: Any) -> None:
        """Draw the intervals, the density or the classes into axes."""
        draw_predictive(self, ax)


def _median(value: Any, n: int) -> Any:
    """Return the median of a parameter of rows, n times; a single number is kept."""
    if value is None or np.ndim(value) == 0:
        return value
    middle = np.median(np.asarray(value, dtype=np.float64), axis=0)
    return np.repeat(middle[None], n, axis=0)


def _evenly_spaced(n: int, most: int) -> Array:
    """Return at most `most` of n indices, evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))
