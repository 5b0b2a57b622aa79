"""Partial dependence of predictions on one feature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.plotting.display import Display
from wgboost.plotting.feature_table import FeatureGrid
from wgboost.plotting.inputs import (
    class_labels,
    class_names,
    display_name,
    feature_table,
    fitted_estimator,
    predictive_distributions,
    resolve_rows,
    select_column,
    take_row_parameters,
)
from wgboost.plotting.labels import (
    axis_positions,
    clip_ticks,
    date_ticks,
    integer_ticks,
    is_integer,
    legend_label,
    set_tick_names,
    short_name,
)
from wgboost.plotting.style import ORANGE, class_colours, class_legend, legend_on_top
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_choice, check_integer

__all__ = ["PartialDependenceDisplay"]


def _mean(dist: Mixture) -> Array:
    """Return the mean of y, or the probabilities of classes, (n, lines)."""
    return dist.probabilities() if dist.response.nominal else dist.mean()[:, None]


def _spread(dist: Mixture) -> Array:
    return (dist.entropy() if dist.response.nominal else dist.std())[:, None]


def _share(dist: Mixture) -> Array:
    epistemic = dist.epistemic()
    total = dist.aleatoric() + epistemic
    share: Array = np.where(total > 0, epistemic / np.where(total > 0, total, 1), 0.0)
    return share[:, None]


_COVERAGE = 0.9
_BAND = f"{_COVERAGE:.0%} band of the mean"

_QUANTITIES: dict[str, tuple[Callable[[Mixture], Array], str, str]] = {
    "mean": (_mean, "mean of {}", "probability of the class"),
    "spread": (_spread, "standard deviation of {}", "entropy of the class"),
    "epistemic_share": (_share, "epistemic share of the variance", "epistemic share of entropy"),
}


def _average_band(dist: Mixture, shape: tuple[int, int]) -> tuple[Array, Array]:
    """Return the ends (1, grid) of bands of the mean, averaged over rows: shape (grid, rows)."""
    low, high = (end.reshape(shape).mean(axis=1)[None] for end in dist.band("mean", _COVERAGE))
    return low, high


@dataclass(eq=False, repr=False)
class PartialDependenceDisplay(Display):
    """Show how predictions change with one feature, on average over rows.

    The feature is set to each value of a grid in turn, for all rows. The mean of numbers comes with
    a credible band. Its ends are those of single rows, on average, as if the errors of all rows had
    the same sign, so that it is rather too wide.

    Parameters
    ----------
    grid : Array
        Values of the feature: numbers, datetime64, or its most frequent values as text.
    average : Array
        The mean over rows (lines, grid): one line, or one for each class.
    low : Array
        Lower quartile over rows (lines, grid).
    high : Array
        Upper quartile over rows (lines, grid).
    feature : str
        Name of the feature.
    quantity : str
        The predicted quantity.
    label : str
        Label of the vertical axis.
    lines : list of str or None, default=None
        Names of the classes, one for each line.
    observed : Array or None, default=None
        Values of the feature in the rows, marked on the axis.
    mean_low : Array or None, default=None
        Lower end (1, grid) of the 90% credible band of the mean of numbers.
    mean_high : Array or None, default=None
        Upper end (1, grid).

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
    >>> from wgboost.plotting import PartialDependenceDisplay
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
    >>> display = PartialDependenceDisplay.from_estimator(model, X, feature=0)
    >>> display.average.shape
    (1, 40)
    """

    grid: Array
    average: Array
    low: Array
    high: Array
    feature: str
    quantity: str
    label: str
    lines: list[str] | None = None
    observed: Array | None = None
    mean_low: Array | None = None
    mean_high: Array | None = None

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: Any, *, feature: Any, quantity: str = "mean",
        column: int | None = None, grid_size: int = 40, max_rows: int = 300,
        feature_names: Any = None, random_state: Any = 0, name: str | None = None,
        offset: Any = None, exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the dependence of a fitted model on one feature.

        Parameters
        ----------
        estimator : estimator of wgboost
            A fitted estimator, or a pipeline or a search that ends with one.
        X : array or frame (n, p)
            Rows to average over.
        feature : int or str
            Number or name of the feature.
        quantity : {"mean", "spread", "epistemic_share"}, default="mean"
            "mean" is the mean of y, or the probability of each class; "spread" the standard
            deviation, or the entropy; "epistemic_share" the part of the variance or entropy that
            more data could remove.
        column : int, default=None
            The column to show if y has several columns.
        grid_size : int, default=40
            Number of values between the 1% and 99% quantile of the feature.
        max_rows : int, default=300
            Largest number of rows to average over.
        feature_names : list of str, default=None
            Names of the columns of an array X.
        random_state : int or Generator, default=0
            Seed of the sample of rows, if X has more than `max_rows`.
        name : str, default=None
            Name of y on the axis. None takes the name of a series or the column of `fit`.
        offset : array or str, default=None
            Offset of the rows, as in `predict_dist`.
        exposure : array or str, default=None
            Exposure of the rows, as in `predict_dist`.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        PartialDependenceDisplay
            The display, already drawn.

        Raises
        ------
        ValueError
            If the quantity does not exist for the response, such as the mean of a Cauchy
            distribution.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import PartialDependenceDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = PartialDependenceDisplay.from_estimator(
        ...     model, X, feature=0, quantity="spread", ax=ax
        ... )
        >>> display.label
        'standard deviation of y'
        """
        model = fitted_estimator(estimator)
        check_choice("quantity", quantity, _QUANTITIES)
        check_integer("grid_size", grid_size, low=2)
        check_integer("max_rows", max_rows, low=1)
        X, _, row_params = resolve_rows(estimator, X, None, offset=offset, exposure=exposure)
        table = feature_table(estimator, X, feature_names)
        j, n = table.index(feature), table.shape[0]
        grid = table.grid(j, grid_size, ends=0.01)
        rows = np.arange(n)
        if n > max_rows:
            rows = np.sort(np.random.default_rng(random_state).choice(n, max_rows, replace=False))
        every = FeatureGrid(
            np.repeat(grid.values, len(rows)),
            None if grid.rows is None else np.repeat(grid.rows, len(rows)),
        )
        varied = table.take(np.tile(rows, len(grid)), j, every)
        row_params = take_row_parameters(row_params, np.tile(rows, len(grid)))
        dist, _ = select_column(
            predictive_distributions(estimator, varied, **row_params), None, column
        )
        function, of_numbers, of_classes = _QUANTITIES[quantity]
        values = function(dist)
        if not np.isfinite(values).all():
            raise ValueError(
                f"the {quantity} of the response {dist.response.name!r} does not exist everywhere; "
                "PredictiveDisplay draws medians and quantiles"
            )
        values = values.reshape(len(grid), len(rows), -1)  # (grid, rows, lines)
        low, high = np.quantile(values, [0.25, 0.75], axis=1)
        banded = quantity == "mean" and not dist.response.nominal
        band = _average_band(dist, (len(grid), len(rows))) if banded else (None, None)
        lines = None
        if values.shape[2] > 1:
            lines = class_names(class_labels(model), values.shape[2])
        target = short_name(display_name(None, name, model))
        label = of_classes if dist.response.nominal else of_numbers.format(target)
        return cls(
            grid.values, values.mean(axis=1).T, low.T, high.T, table.names[j], quantity, label,
            lines, table.scale(j), *band,
        ).plot(ax)  # fmt: skip

    def draw(self, ax: Any) -> None:
        """Draw the lines and their quartiles into axes."""
        dates = self.grid.dtype.kind == "M"
        numeric = dates or self.grid.dtype.kind in "fiu"
        x = axis_positions(self.grid) if numeric else np.arange(len(self.grid))
        names = [legend_label(one) for one in self.lines or ["mean over rows"]]
        colours, bars = class_colours(len(self.average)), not (numeric and len(x) > 12)
        step = 0.7 / len(colours) * float(np.diff(x).min() if len(x) > 1 else 1)
        for i, colour in enumerate(colours):
            if not bars:
                if not self.lines:  # the ranges of several classes would overlap
                    ax.fill_between(x, self.low[i], self.high[i], color=colour, alpha=0.15, lw=0)
                if self.mean_low is not None and self.mean_high is not None:
                    ends, text = (self.mean_low[i], self.mean_high[i]), _BAND
                    ax.fill_between(x, *ends, color=ORANGE, alpha=0.45, lw=0, label=text)
                ax.plot(x, self.average[i], color=colour, lw=1.8, label=names[i])
            else:
                at = x + (i - (len(colours) - 1) / 2) * step
                ax.vlines(at, self.low[i], self.high[i], color=colour, alpha=0.25, lw=5)
                if self.mean_low is not None and self.mean_high is not None:
                    ends = self.mean_low[i], self.mean_high[i]
                    ax.vlines(at, *ends, color=ORANGE, alpha=0.6, lw=3, label=_BAND)
                ax.plot(at, self.average[i], "o", color=colour, ms=4, label=names[i])
        if not self.lines:
            ax.plot([], [], color=colours[0], alpha=0.15, lw=6, label="half of the rows")
        top = float((self.high if bars or not self.lines else self.average).max())
        if self.quantity == "epistemic_share":
            ax.set_ylim(0, max(0.05, min(1.0, 1.15 * top)))
        elif self.lines:
            ax.set_ylim(0, min(1.0, 1.05 * top))
        if bars:
            ax.margins(x=0.12)
        if self.observed is not None and numeric:
            marks = axis_positions(self.observed)
            inside = np.quantile(marks[np.isfinite(marks)], np.linspace(0.05, 0.95, 19))
            ax.plot(
                inside, np.zeros(19), "|", color="0.45", ms=7, clip_on=False, zorder=4,
                transform=ax.get_xaxis_transform(),
            )  # fmt: skip
        if not numeric:
            set_tick_names(ax.xaxis, x, self.grid, turn=True)
        elif dates:
            date_ticks(ax.xaxis)
        elif is_integer(self.grid if self.observed is None else self.observed):
            integer_ticks(ax.xaxis, x)
        else:
            ax.locator_params(axis="x", nbins=6)
        feature = short_name(self.feature)
        ax.set(xlabel=feature, ylabel=self.label, title=f"Partial dependence on {feature}")
        if self.lines:
            class_legend(ax, len(names))
        elif bars:
            legend_on_top(ax)
        else:
            ax.legend(loc="best")
        if self.lines or self.quantity == "epistemic_share":
            clip_ticks(ax.yaxis, 0, 1)
