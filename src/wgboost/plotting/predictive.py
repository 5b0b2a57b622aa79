"""The predictive distribution along one feature, or over sorted rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.metrics.estimates import encoded
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import (
    class_names,
    distributions,
    fitted,
    given_rows,
    name_of,
    one_column,
)
from wgboost.plotting.style import BLUE, ORANGE, class_colours, legend_on_top, mark_seen
from wgboost.plotting.table import Table
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
from wgboost.responses import Observations, is_censored
from wgboost.typing import Array
from wgboost.validation import check_choice, check_integer

__all__ = ["PredictiveDisplay"]

_BANDS = (0.5, 0.9)
_LEVELS = 240  # of y in a picture of the density


@dataclass(eq=False, repr=False)
class PredictiveDisplay(Display):
    """Bands of the predictive distribution, its density, or the probabilities of classes.

    Along one feature the others have their medians (most frequent values where they are not
    numbers). Without a feature the rows stand side by side, sorted by their predicted median, or
    by class and its probability.

    Attributes
    ----------
    x : Array
        Values of the feature, numbers or datetime64, or ranks of rows.
    dist : Mixture
        The distributions at x.
    bands : tuple of float
        Probabilities of the central intervals that are drawn.
    low, high : Array
        Their ends (bands, x); for classes the 5% and 95% quantile over particles of each class's
        probability (classes, x).
    middle : Array
        The median at x, or the probabilities (classes, x).
    x_seen : Array or None
        Where `y_seen` lie.
    y_seen : Observations or None
        What was seen of y; codes of classes.
    whole : bool
        Whether the feature consists of whole numbers.
    """

    x: Array
    dist: Mixture
    bands: tuple[float, ...]
    low: Array
    high: Array
    middle: Array
    x_seen: Array | None = None
    y_seen: Observations | None = None
    kind: str = "bands"
    feature: str | None = None
    name: str = "y"
    classes: list[str] | None = None
    ticks: list[str] | None = None
    whole: bool = False

    size: ClassVar[tuple[float, float]] = (6.4, 3.6)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, feature: Any = None, kind: str = "bands",
        bands: Any = _BANDS, column: int | None = None, grid_size: int = 200,
        max_rows: int = 300, feature_names: Any = None, name: str | None = None,
        offset: Any = None, exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw a fitted model.

        Parameters
        ----------
        estimator, X, y
            The model, rows that say where to look, and what was seen of them, if it is to be
            shown.
        feature
            Number or name of a feature. None is the only one there is, or sorted rows if there
            are several.
        kind
            "bands" of central intervals, or the "density" itself in shades.
        bands
            Probabilities of the intervals.
        column
            The column to show, if y has several.
        grid_size, max_rows
            Points along a feature; how many of the sorted rows, or of the rows seen, are drawn.
        feature_names
            Names of the columns of an array X.
        name
            What y is called; by default the name of a series.
        offset, exposure
            Those of the rows, as in `predict_dist`. Along a feature they have their medians, as the
            other features do.
        ax
            Axes to draw in.
        """
        model, name = fitted(estimator), name_of(y, name, fitted(estimator))
        X, y, beside = given_rows(estimator, X, y, offset=offset, exposure=exposure)
        names = getattr(estimator, "feature_names_in_", None)
        table = Table(X, names if feature_names is None else feature_names)
        if y is not None and len(y) != table.shape[0]:
            raise ValueError(f"X has {table.shape[0]} rows, y has {len(y)}")
        values = None if y is None else encoded(estimator, y)
        classes = getattr(model, "classes_", None)
        if feature is None and table.shape[1] > 1:
            return cls.from_predictions(
                values, distributions(estimator, X, **beside), kind=kind, bands=bands,
                column=column, max_rows=max_rows, classes=classes, name=name, ax=ax,
            )  # fmt: skip
        check_integer("grid_size", grid_size, low=2)
        j = table.index(0 if feature is None else feature)
        grid = table.grid(j, grid_size)
        usual = {key: _median(value, len(grid)) for key, value in beside.items()}
        joint = distributions(estimator, table.vary(j, grid), **usual)
        dist, _ = one_column(joint, None, column)
        ticks = None if grid.numeric else [str(value) for value in grid.values]
        x = grid.values if grid.numeric else np.arange(len(grid), dtype=float)
        x_seen = y_seen = None
        if values is not None:
            kept = _some(table.shape[0], 5 * max_rows)
            checked = joint.response.check(values)
            y_seen = _seen((checked if column is None else checked[:, column])[kept])
            scale = table.scale(j)
            if scale is None:
                place = {text: i for i, text in enumerate(ticks or ())}
                at = [place.get(str(value), np.nan) for value in table.column(j)[kept]]
                x_seen = np.array(at, dtype=np.float64)
            else:
                x_seen = scale[kept]
        made = cls._of(x, dist, kind, bands, x_seen, y_seen, table.names[j], name, classes, ticks)
        made.whole = grid.numeric and whole(table.scale(j))
        return made.plot(ax)

    @classmethod
    def from_predictions(
        cls, y: Any, dist: Mixture, *, kind: str = "bands", bands: Any = _BANDS,
        column: int | None = None, max_rows: int = 300, classes: Any = None, name: str = "y",
        ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw predictive distributions side by side, sorted; y may be None.

        Of more than `max_rows` rows some are drawn, evenly chosen from the sorted ones.
        """
        check_integer("max_rows", max_rows, low=1)
        dist, values = one_column(dist, y, column)
        if dist.response.nominal:
            shares = dist.probabilities()
            order = np.lexsort([shares.max(axis=1), shares.argmax(axis=1)])
        else:
            order = np.argsort(dist.median(), kind="stable")
        order = order[_some(len(order), max_rows)]
        x = np.arange(1, len(order) + 1, dtype=float)
        seen = None if values is None else _seen(values[order])
        return cls._of(
            x, dist[order], kind, bands, None if seen is None else x, seen, None, name, classes,
            None,
        ).plot(ax)  # fmt: skip

    @classmethod
    def _of(
        cls, x: Array, dist: Mixture, kind: str, bands: Any, x_seen: Array | None,
        y_seen: Observations | None, feature: str | None, name: str, classes: Any,
        ticks: list[str] | None,
    ) -> Self:  # fmt: skip
        check_choice("kind", kind, ["bands", "density"])
        chosen = tuple(float(band) for band in np.sort(np.atleast_1d(bands)))
        if not chosen or not all(0 < band < 1 for band in chosen):
            raise ValueError(f"bands={bands!r} must be probabilities between 0 and 1")
        labels = None
        if dist.response.nominal:
            if kind == "density":
                raise ValueError("classes have probabilities, no density; use kind='bands'")
            each = dist.response.probabilities(dist.theta())  # (g, m, k)
            low, high = np.moveaxis(np.quantile(each, [0.05, 0.95], axis=1), 1, 2)
            middle = dist.probabilities().T
            labels = class_names(None, len(middle))
            if classes is not None and len(classes) == len(middle):
                labels = [str(label) for label in classes]
        else:
            low, high = (end.T for end in dist.interval(chosen))  # (bands, x)
            middle = dist.median()
        return cls(
            x, dist, chosen, low, high, middle, x_seen, y_seen, kind, feature, name, labels, ticks
        )

    # --- drawing ------------------------------------------------------------------------------

    @property
    def _at(self) -> Any:
        """Where x lies on matplotlib's axis."""
        return on_axis(self.x)

    def draw(self, ax: Any) -> None:
        """Put the bands, the density or the classes into axes."""
        if self.classes is not None:
            self._draw_classes(ax)
        elif self.feature is not None and len(self.x) <= 12 and self.kind == "bands":
            self._draw_bars(ax)
        else:
            self._draw_numbers(ax)
        along = None if self.feature is None else plain(self.feature)
        ax.set_xlabel("rows, sorted by prediction" if along is None else along)
        if self.ticks is not None:
            name_ticks(ax.xaxis, self._at, self.ticks, turn=True)
        elif self.feature is None:
            ax.set_xlim(0.5, len(self.x) + 0.5)
            count_ticks(ax.xaxis)
        elif self.x.dtype.kind == "M":
            date_ticks(ax.xaxis)
        elif self.whole:
            count_ticks(ax.xaxis, self.x)
        ax.set_title("Predictive distribution" + ("" if along is None else f" along {along}"))

    def _draw_numbers(self, ax: Any) -> None:
        step = "mid" if self.feature is None else None
        if self.kind == "density":
            self._draw_density(ax)
        else:
            for i in range(len(self.bands) - 1, -1, -1):
                shade = {"color": BLUE, "lw": 0, "alpha": 0.2, "step": step}
                ax.fill_between(self._at, self.low[i], self.high[i], **shade)
            self._name_bands(ax)
        style = {"drawstyle": "steps-mid"} if step else {}
        colour = ORANGE if self.kind == "density" else BLUE
        ax.plot(self._at, self.middle, color=colour, lw=1.6, label="median", **style)
        self._finish(ax)

    def _draw_bars(self, ax: Any) -> None:
        for low, high in zip(self.low, self.high, strict=True):
            ax.vlines(self._at, low, high, color=BLUE, alpha=0.2, lw=22)
        self._name_bands(ax)
        ax.scatter(self._at, self.middle, color=BLUE, marker="_", s=420, lw=2)
        ax.plot([], [], color=BLUE, lw=2, label="median")
        ax.margins(x=0.12)
        self._finish(ax)

    def _name_bands(self, ax: Any) -> None:
        """Narrow bands lie on top of wide ones: their colours add up."""
        for i in range(len(self.bands) - 1, -1, -1):
            alpha = 1 - 0.8 ** (len(self.bands) - i)
            text = f"{self.bands[i]:.0%} of the distribution"
            ax.fill_between([], [], [], color=BLUE, lw=0, alpha=alpha, label=text)

    def _finish(self, ax: Any) -> None:
        if self.x_seen is not None and self.y_seen is not None:
            x_seen = on_axis(self.x_seen)
            here = np.isfinite(x_seen)
            jitter = np.zeros(int(here.sum()))
            if self.feature is not None and 1 < len(self.x) <= 12:
                near = 0.05 * float(np.diff(self._at).min())
                jitter = np.random.default_rng(0).uniform(-near, near, jitter.size)
            mark_seen(ax, x_seen[here] + jitter, self.y_seen[here])
        ax.set_ylabel(plain(self.name))
        if self.dist.response.discrete:
            count_ticks(ax.yaxis)
        legend_on_top(ax)

    def _draw_density(self, ax: Any) -> None:
        low, high = float(self.low.min()), float(self.high.max())
        room = 0.1 * (high - low)
        grid = np.linspace(low - room, high + room, _LEVELS)
        if self.dist.response.discrete:
            grid = np.arange(np.floor(low), np.ceil(high) + 1)
        discrete = self.dist.response.discrete
        density = (self.dist.pmf if discrete else self.dist.pdf)(grid[None]).T
        top = float(np.quantile(density[np.isfinite(density)], 0.995))
        ax.pcolormesh(
            self._at, grid, np.minimum(density, top) ** 0.6, cmap="Blues", shading="nearest",
            rasterized=True,
        )  # fmt: skip

    def _draw_classes(self, ax: Any) -> None:
        names = [in_legend(one) for one in self.classes or ()]
        colours = class_colours(len(names))
        if self.feature is None:
            ax.stackplot(
                self._at, self.middle, colors=colours, alpha=0.75, labels=names, lw=0, step="mid"
            )
            if self.x_seen is not None and self.y_seen is not None:
                shade = [colours[int(code)] for code in self.y_seen.lower]
                ax.scatter(
                    self.x_seen, np.full(len(shade), 1.04), c=shade, s=40, marker="|", lw=1.6
                )
                ax.text(1.0, 1.07, "observed class", fontsize=7, va="bottom")
            ax.set_ylim(0, 1.14)
        else:
            for i, (name, colour) in enumerate(zip(names, colours, strict=True)):
                if self.ticks is None:
                    ax.fill_between(
                        self._at, self.low[i], self.high[i], color=colour, alpha=0.18, lw=0
                    )
                    ax.plot(self._at, self.middle[i], color=colour, lw=1.6, label=name)
                else:
                    ax.vlines(self._at, self.low[i], self.high[i], color=colour, alpha=0.3, lw=6)
                    ax.scatter(self._at, self.middle[i], color=colour, s=22, label=name, zorder=3)
            ax.set_ylim(0, 1.02)
            ax.margins(x=0.12 if self.ticks is not None else 0.05)
        ax.set_ylabel("probability of the class")
        if len(names) > 8:
            ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), ncols=1 + len(names) // 16)
        else:
            legend_on_top(ax, ncols=min(len(names), 4))
        keep_ticks(ax.yaxis, 0, 1)


def _median(value: Any, n: int) -> Any:
    """Return n times the median of what belongs to rows; numbers stay."""
    if value is None or np.ndim(value) == 0:
        return value
    middle = np.median(np.asarray(value, dtype=np.float64), axis=0)
    return np.repeat(middle[None], n, axis=0)


def _some(n: int, most: int) -> Array:
    """Return at most so many of n indices, evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))


def _seen(values: Any) -> Observations:
    return Observations.of(values if is_censored(values) else np.asarray(values, dtype=np.float64))
