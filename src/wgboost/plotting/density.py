"""The predictive distributions of chosen rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wgboost.plotting.display import Display
from wgboost.plotting.inputs import (
    class_names,
    distributions,
    fitted,
    name_of,
    one_column,
    predicted,
    rows_of,
)
from wgboost.plotting.style import class_colours, legend_on_top
from wgboost.plotting.texts import count_ticks, keep_ticks, name_ticks, plain
from wgboost.predictive import Mixture
from wgboost.responses import Observations, is_censored
from wgboost.typing import Array

__all__ = ["DensityDisplay"]

_MOST = 8
_POINTS = 400


@dataclass(eq=False, repr=False)
class DensityDisplay(Display):
    """Densities, or probabilities of counts and classes, of a few rows.

    Of a single row thin lines (of classes dots) are its particles: their mean is the density. A
    mark below is the y of the row, where it is known.

    Attributes
    ----------
    rows : Array
        Numbers of the rows.
    grid : Array
        Values of y.
    density : Array
        The density (rows, grid), or the probability.
    particles : Array or None
        The density (m, grid) of each particle, of a single row.
    y : Observations or None
        What was seen.
    discrete : bool
        Whether y is a count or a class.
    classes : list of str or None
        Names of classes.
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
        cls, estimator: Any, X: Any, y: Any = None, *, rows: Any = None,
        column: int | None = None, name: str | None = None, offset: Any = None,
        exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw distributions of a fitted model; `rows` are numbers of up to 8 rows.

        `name` is what y is called, by default the name of a series; `offset` and `exposure` are
        those of the rows of X, as in `predict_dist`.
        """
        model, beside = fitted(estimator), {"offset": offset, "exposure": exposure}
        name = name_of(y, name, model)
        if y is None:
            dist = distributions(estimator, X, **beside)
        else:
            dist, y = predicted(estimator, X, y, **beside)
        return cls.from_predictions(
            y, dist, rows=rows, column=column, classes=getattr(model, "classes_", None),
            name=name, ax=ax,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls, y: Any, dist: Mixture, *, rows: Any = None, column: int | None = None,
        classes: Any = None, name: str = "y", ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw predictive distributions; y may be None, `classes` names codes."""
        dist, values = one_column(dist, y, column)
        chosen = rows_of(rows, len(dist), _MOST)
        part = dist[chosen]
        seen = None
        if values is not None:
            taken = values[chosen]
            seen = Observations.of(taken if is_censored(values) else np.asarray(taken, float))
        names = None
        if dist.response.nominal:
            grid = np.arange(part.probabilities().shape[1], dtype=float)
            names = class_names(None, len(grid)) if classes is None else [str(c) for c in classes]
        else:
            grid = _grid(part, seen)
        measure = part.pmf if dist.response.discrete else part.pdf
        alone = None
        if len(chosen) == 1:
            each = Mixture(dist.response, part.particles[0][:, None], dist.units)
            alone = (each.pmf if dist.response.discrete else each.pdf)(grid[None])
        density = measure(grid[None])
        return cls(chosen, grid, density, alone, seen, dist.response.discrete, names, name).plot(ax)

    def draw(self, ax: Any) -> None:
        """Put the curves, or bars, into axes."""
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
            xlabel=plain(self.name), ylabel=f"predicted {measure}",
            title="Predictive distributions" if r > 1 else f"Predictive distribution of row {row}",
        )  # fmt: skip
        if self.classes is not None:
            name_ticks(ax.xaxis, self.grid, self.classes, turn=len(self.grid) > 6)
            ax.set_ylim(0, 1.08)
        elif self.discrete:
            count_ticks(ax.xaxis)
        else:
            ax.locator_params(axis="x", nbins=6)
        if r > 1 and self.classes is not None:
            legend_on_top(ax, ncols=min(r, 4))
        elif r > 1:
            ax.legend(loc="best")
        keep_ticks(ax.yaxis, 0, 1 if self.discrete else np.inf)

    def _mark(self, ax: Any, colours: list[Any]) -> None:
        """The y of each row under the curves; bounds as a bar between them."""
        if self.classes is not None:
            return
        # Not the outermost points: a density may be infinite at the end of the support.
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


def _grid(dist: Mixture, seen: Observations | None) -> Array:
    """Values of y where something can be seen."""
    ends = dist.interval(0.995)
    low, high = float(ends[0].min()), float(ends[1].max())
    if seen is not None:
        bounds = np.concatenate([seen.lower, seen.upper])
        bounds, wide = bounds[np.isfinite(bounds)], high - low
        low = min(low, max(float(bounds.min(initial=low)), low - wide))
        high = max(high, min(float(bounds.max(initial=high)), high + wide))
    if dist.response.discrete:
        whole: Array = np.arange(np.floor(low), np.ceil(high) + 1)
        return whole[:: max(1, len(whole) // _POINTS)]
    room = 0.05 * (high - low)
    least, most = (float(np.min(end)) for end in dist.support())
    edge = 0.02 * room  # beside an end of the support, where a density may be infinite
    return np.linspace(max(low - room, least + edge), min(high + room, most - edge), _POINTS)
