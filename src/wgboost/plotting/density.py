"""Predictive distributions of selected rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.plotting.display import Display
from wgboost.plotting.inputs import (
    class_labels,
    class_names,
    display_name,
    fitted_estimator,
    observations,
    predict_with_y,
    predictive_distributions,
    select_column,
    select_rows,
)
from wgboost.plotting.labels import clip_ticks, integer_ticks, set_tick_names, short_name
from wgboost.plotting.style import class_colours, legend_on_top
from wgboost.predictive import Mixture
from wgboost.responses.observations import Observations
from wgboost.typing import Array

__all__ = ["DensityDisplay"]

_MOST = 8
_POINTS = 400


@dataclass(eq=False, repr=False)
class DensityDisplay(Display):
    """Show the predictive densities of a few rows, or probabilities of counts and classes.

    With a single row the thin lines (dots for classes) are its particles, whose mean is the
    density. A mark below the curves is the observed y of the row.

    Parameters
    ----------
    rows : Array
        Numbers of the rows.
    grid : Array
        Values of y.
    density : Array
        The density (rows, grid), or the probability.
    particles : Array or None
        The density (m, grid) of each particle, with a single row.
    y : Observations or None
        Observed values.
    discrete : bool
        Whether y is a count or a class.
    classes : list of str or None, default=None
        Names of the classes.
    name : str, default="y"
        Name of y on the axis.

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
    >>> from wgboost.plotting import DensityDisplay
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
    >>> display = DensityDisplay.from_estimator(model, X, y, rows=[0, 30])
    >>> display.density.shape
    (2, 400)
    """

    rows: Array
    grid: Array
    density: Array
    particles: Array | None
    y: Observations | None
    discrete: bool
    classes: list[str] | None = None
    name: str = "y"

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: Any, y: Any = None, *, rows: Any = None,
        column: int | None = None, name: str | None = None, offset: Any = None,
        exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the predictive distributions of rows by a fitted model.

        Parameters
        ----------
        estimator : estimator of wgboost
            A fitted estimator, or a pipeline or a search that ends with one.
        X : array or frame (n, p)
            Rows to predict.
        y : array (n,), str or None, default=None
            Observed values or labels, or the name of a column of X. None draws predictions only.
        rows : list of int or mask, default=None
            Up to 8 rows to show. None takes four evenly spaced ones.
        column : int, default=None
            The column to show if y has several columns.
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
        DensityDisplay
            The display, already drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import DensityDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = DensityDisplay.from_estimator(model, X, rows=[5], ax=ax)
        >>> display.particles is not None
        True
        """
        model, row_params = fitted_estimator(estimator), {"offset": offset, "exposure": exposure}
        name = display_name(y, name, model)
        if y is None:
            dist = predictive_distributions(estimator, X, **row_params)
        else:
            dist, y = predict_with_y(estimator, X, y, **row_params)
        return cls.from_predictions(
            y, dist, rows=rows, column=column, classes=class_labels(model), name=name, ax=ax,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls, y: Any, dist: Mixture, *, rows: Any = None, column: int | None = None,
        classes: Any = None, name: str = "y", ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw predictive distributions.

        Parameters
        ----------
        y : array (n,) or None
            Observed values; codes of classes. None draws predictions only.
        dist : Mixture
            Predictive distributions, as `predict_dist` returns them.
        rows : list of int or mask, default=None
            Up to 8 rows to show. None takes four evenly spaced ones.
        column : int, default=None
            The column to show if y has several columns.
        classes : list, default=None
            Labels of the classes, in the order of their codes. None shows codes.
        name : str, default="y"
            Name of y on the axis.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        DensityDisplay
            The display, already drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import DensityDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = DensityDisplay.from_predictions(None, model.predict_dist(X), ax=ax)
        >>> display.rows.tolist()
        [0, 19, 39, 59]
        """
        dist, values = select_column(dist, y, column)
        chosen = select_rows(rows, len(dist), _MOST)
        part = dist[chosen]
        observed = None if values is None else observations(values[chosen])
        names = None
        if dist.response.nominal:
            grid = np.arange(part.probabilities().shape[1], dtype=float)
            names = class_names(classes, len(grid))
        else:
            grid = _grid(part, observed)
        measure = part.pmf if dist.response.discrete else part.pdf
        alone = None
        if len(chosen) == 1:
            each = Mixture(dist.response, part.particles[0][:, None], dist.units)
            alone = (each.pmf if dist.response.discrete else each.pdf)(grid[None])
        density = measure(grid[None])
        return cls(
            chosen, grid, density, alone, observed, dist.response.discrete, names, name
        ).plot(ax)

    def draw(self, ax: Any) -> None:
        """Draw the curves or bars into axes."""
        colours, r = class_colours(len(self.rows)), len(self.rows)
        for i, (row, colour) in enumerate(zip(self.rows, colours, strict=True)):
            label = f"row {row}"
            if self.classes is not None:
                place = self.grid + (i - (r - 1) / 2) * 0.8 / r
                ax.bar(place, self.density[i], 0.8 / r, color=colour, alpha=0.7, label=label)
                if self.particles is not None:
                    for each in self.particles:
                        ax.scatter(place, each, s=8, color="black", alpha=0.5, zorder=3)
                if self.y is not None:
                    at = place[int(self.y.lower[i])]
                    ax.plot([at], [1.03], marker="v", color=colour, ms=6)
                continue
            step = {"drawstyle": "steps-mid"} if self.discrete else {}
            if self.particles is not None:
                ax.plot(self.grid, self.particles.T, color=colour, lw=0.6, alpha=0.45, **step)
            ax.plot(self.grid, self.density[i], color=colour, lw=1.8, label=label, **step)
            ax.fill_between(
                self.grid, self.density[i], step="mid" if self.discrete else None, color=colour,
                alpha=0.12, lw=0,
            )  # fmt: skip
        self._mark(ax, colours)
        measure = "probability" if self.discrete else "density"
        ax.set(
            xlabel=short_name(self.name), ylabel=f"predicted {measure}",
            title="Predictive distributions" if r > 1 else f"Predictive distribution of row {row}",
        )  # fmt: skip
        if self.classes is not None:
            set_tick_names(ax.xaxis, self.grid, self.classes, turn=len(self.grid) > 6)
            ax.set_ylim(0, 1.08)
        elif self.discrete:
            integer_ticks(ax.xaxis)
        else:
            ax.locator_params(axis="x", nbins=6)
        if r > 1 and self.classes is not None:
            legend_on_top(ax, ncols=min(r, 4))
        elif r > 1:
            ax.legend(loc="best")
        clip_ticks(ax.yaxis, 0, 1 if self.discrete else np.inf)

    def _mark(self, ax: Any, colours: list[Any]) -> None:
        """Mark the y of each row below the curves; bounds are a bar between them."""
        if self.classes is not None:
            return
        # Leave out the outermost points: a density may be infinite at the end of its support.
        inner = self.density[:, 2:-2] if self.density.shape[1] > 40 else self.density
        top = float(inner[np.isfinite(inner)].max())
        if self.particles is not None:
            each = self.particles[np.isfinite(self.particles)]
            top = max(top, min(float(each.max()), 2.5 * top))
        step = 0.045 * top
        ax.set_ylim(-(len(self.rows) + 0.8) * step if self.y is not None else 0, 1.08 * top)
        if self.y is None:
            return
        ax.axhline(0, color="0.8", lw=0.6)
        low, high = self.grid[0], self.grid[-1]
        for i, colour in enumerate(colours):
            ends = np.clip([self.y.lower[i], self.y.upper[i]], low, high)
            place, beyond = [-(i + 1) * step] * 2, self.y.upper[i] > high
            ax.plot(ends, place, color=colour, lw=2)
            ax.plot(ends[:1], place[:1], marker="|", color=colour, ms=8, mew=2)
            ax.plot(ends[1:], place[1:], marker=">" if beyond else "|", color=colour, ms=6, mew=2)


def _grid(dist: Mixture, observed: Observations | None) -> Array:
    """Return values of y that cover the densities and the observations."""
    ends = dist.interval(0.995)
    low, high = float(ends[0].min()), float(ends[1].max())
    if observed is not None:
        bounds = np.concatenate([observed.lower, observed.upper])
        bounds, width = bounds[np.isfinite(bounds)], high - low
        low = min(low, max(float(bounds.min(initial=low)), low - width))
        high = max(high, min(float(bounds.max(initial=high)), high + width))
    if dist.response.discrete:
        integers: Array = np.arange(np.floor(low), np.ceil(high) + 1)
        return integers[:: max(1, len(integers) // _POINTS)]
    room = 0.05 * (high - low)
    least, most = (float(np.min(end)) for end in dist.support())
    edge = 0.02 * room  # distance from the ends of the support, where a density may be infinite
    return np.linspace(max(low - room, least + edge), min(high + room, most - edge), _POINTS)
