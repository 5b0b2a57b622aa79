"""How predictions change with one feature, on average over the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wgboost.plotting.display import Display
from wgboost.plotting.inputs import (
    beside_rows,
    class_names,
    distributions,
    fitted,
    given_rows,
    name_of,
    one_column,
)
from wgboost.plotting.style import class_colours, legend_on_top
from wgboost.plotting.table import Grid, Table
from wgboost.plotting.texts import (
    count_ticks,
    date_ticks,
    in_legend,
    keep_ticks,
    name_ticks,
    on_axis,
    plain,
    whole,
)
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_choice, check_integer

__all__ = ["PartialDependenceDisplay"]


def _mean(dist: Mixture) -> Array:
    """(n, lines): the mean of y, or the probabilities of classes."""
    return dist.probabilities() if dist.response.nominal else dist.mean()[:, None]


def _spread(dist: Mixture) -> Array:
    return (dist.entropy() if dist.response.nominal else dist.std())[:, None]


def _share(dist: Mixture) -> Array:
    epistemic = dist.epistemic()
    total = dist.aleatoric() + epistemic
    share: Array = np.where(total > 0, epistemic / np.where(total > 0, total, 1), 0.0)
    return share[:, None]


_QUANTITIES: dict[str, tuple[Callable[[Mixture], Array], str, str]] = {
    "mean": (_mean, "mean of {}", "probability of the class"),
    "spread": (_spread, "standard deviation of {}", "entropy of the class"),
    "epistemic_share": (_share, "epistemic share of the variance", "epistemic share of entropy"),
}


@dataclass(eq=False, repr=False)
class PartialDependenceDisplay(Display):
    """The mean over rows of a prediction, with one feature set to each value in turn.

    Attributes
    ----------
    grid : Array
        Values of the feature, numbers or datetime64, or its most frequent values as text.
    average : Array
        The mean over rows (lines, grid): one line, or one for each class.
    low, high : Array
        Quartiles over rows, (lines, grid).
    feature, quantity : str
        What was varied, and what was predicted.
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

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, feature: Any, quantity: str = "mean",
        column: int | None = None, grid_size: int = 40, max_rows: int = 300,
        feature_names: Any = None, random_state: Any = 0, name: str | None = None,
        offset: Any = None,        exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the dependence of a fitted model on one feature.

        Parameters
        ----------
        estimator, X
            The model, and rows to average over.
        feature
            Number or name of the feature.
        quantity
            "mean" of y (of classes the probabilities), "spread" (standard deviation, or entropy)
            or "epistemic_share", the part of variance or entropy that more data could remove.
        column
            The column to show, if y has several.
        grid_size, max_rows
            Values of the feature, between its 1% and 99% quantile; at most so many rows, drawn at
            random with `random_state`.
        feature_names
            Names of the columns of an array X.
        name
            What y is called; by default the column that `fit` took as y.
        offset, exposure
            Those of the rows of X, as in `predict_dist`.
        ax
            Axes to draw in.
        """
        model = fitted(estimator)
        check_choice("quantity", quantity, _QUANTITIES)
        check_integer("grid_size", grid_size, low=2)
        check_integer("max_rows", max_rows, low=1)
        X, _, beside = given_rows(estimator, X, None, offset=offset, exposure=exposure)
        names = getattr(estimator, "feature_names_in_", None)
        table = Table(X, names if feature_names is None else feature_names)
        j, n = table.index(feature), table.shape[0]
        grid = table.grid(j, grid_size, ends=0.01)
        rows = np.arange(n)
        if n > max_rows:
            rows = np.sort(np.random.default_rng(random_state).choice(n, max_rows, replace=False))
        every = Grid(
            np.repeat(grid.values, len(rows)),
            None if grid.rows is None else np.repeat(grid.rows, len(rows)),
        )
        varied = table.take(np.tile(rows, len(grid)), j, every)
        beside = beside_rows(beside, np.tile(rows, len(grid)))
        dist, _ = one_column(distributions(estimator, varied, **beside), None, column)
        function, of_numbers, of_classes = _QUANTITIES[quantity]
        values = function(dist)
        if not np.isfinite(values).all():
            raise ValueError(
                f"the {quantity} of the response {dist.response.name!r} does not exist everywhere; "
                "PredictiveDisplay draws medians and quantiles"
            )
        values = values.reshape(len(grid), len(rows), -1)  # (grid, rows, lines)
        low, high = np.quantile(values, [0.25, 0.75], axis=1)
        lines = None
        if values.shape[2] > 1:
            lines = class_names(model, values.shape[2])
        text = (
            of_classes
            if dist.response.nominal
            else of_numbers.format(plain(name_of(None, name, model)))
        )
        observed = table.scale(j)
        return cls(
            grid.values, values.mean(axis=1).T, low.T, high.T, table.names[j], quantity, text,
            lines, observed,
        ).plot(ax)  # fmt: skip

    def draw(self, ax: Any) -> None:
        """Put the lines and their quartiles into axes."""
        dates = self.grid.dtype.kind == "M"
        numeric = dates or self.grid.dtype.kind in "fiu"
        x = on_axis(self.grid) if numeric else np.arange(len(self.grid))
        names = [in_legend(one) for one in self.lines or ["mean over rows"]]
        colours, bars = class_colours(len(self.average)), not (numeric and len(x) > 12)
        apart = 0.7 / len(colours) * float(np.diff(x).min() if len(x) > 1 else 1)
        for i, colour in enumerate(colours):
            if not bars:
                if not self.lines:  # of several classes the ranges would cover each other
                    ax.fill_between(x, self.low[i], self.high[i], color=colour, alpha=0.15, lw=0)
                ax.plot(x, self.average[i], color=colour, lw=1.8, label=names[i])
            else:
                at = x + (i - (len(colours) - 1) / 2) * apart
                ax.vlines(at, self.low[i], self.high[i], color=colour, alpha=0.25, lw=5)
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
            marks = on_axis(self.observed)
            inside = np.quantile(marks[np.isfinite(marks)], np.linspace(0.05, 0.95, 19))
            ax.plot(
                inside, np.zeros(19), "|", color="0.45", ms=7, clip_on=False, zorder=4,
                transform=ax.get_xaxis_transform(),
            )  # fmt: skip
        if not numeric:
            name_ticks(ax.xaxis, x, self.grid, turn=True)
        elif dates:
            date_ticks(ax.xaxis)
        elif whole(self.grid if self.observed is None else self.observed):
            count_ticks(ax.xaxis, x)
        else:
            ax.locator_params(axis="x", nbins=6)
        feature = plain(self.feature)
        ax.set(xlabel=feature, ylabel=self.label, title=f"Partial dependence on {feature}")
        if self.lines and len(self.lines) > 8:
            ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), ncols=1 + len(names) // 16)
        elif self.lines or bars:
            legend_on_top(ax, ncols=min(len(names), 4) if self.lines else 2)
        else:
            ax.legend(loc="best")
        if self.lines or self.quantity == "epistemic_share":
            keep_ticks(ax.yaxis, 0, 1)
