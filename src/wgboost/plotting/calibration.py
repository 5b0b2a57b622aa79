"""Whether probabilities are frequencies: the reliability curve and the PIT histogram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.metrics import calibration_curve, calibration_error, pit, reliability_curve
from wgboost.metrics.calibration import pit_bounds
from wgboost.metrics.checks import row_weights
from wgboost.plotting.bands import binomial_band, rows_at_risk
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import (
    check_numeric,
    code_of,
    effective_rows,
    one_column,
    predicted,
)
from wgboost.plotting.style import BLUE, GREY, LIGHT
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["CalibrationDisplay", "PITDisplay"]

_LEVELS = 39


@dataclass(eq=False, repr=False)
class CalibrationDisplay(Display):
    """The reliability curve: on the diagonal if predicted probabilities come true.

    For numbers, counts and ordered classes the share of rows below each predicted quantile. y may
    be `censored`. For classes the share of rows that are of a class, by bins of its probability.
    The band is where the curve falls by chance with this many rows if the predictions are right,
    level by level. With y censored on the right it widens as rows are lost; it is left out where
    y has upper bounds, since what those are worth depends on their width.

    Attributes
    ----------
    level, share : Array
        Predicted probability, and frequency.
    low, high : Array or None
        The band of the frequency.
    error : float
        `metrics.calibration_error`.
    classes : bool
        Whether y consists of classes.
    """

    level: Array
    share: Array
    low: Array | None
    high: Array | None
    error: float
    classes: bool = False
    confidence: float = 0.95

    size: ClassVar[tuple[float, float]] = (4.4, 4.0)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, label: Any = None, column: int | None = None,
        n_bins: int = 10, confidence: float = 0.95, sample_weight: Any = None, offset: Any = None,
        exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the curve of a fitted model on rows it has not seen.

        `label` is the class to look at: by default the second of two, of more the most probable.
        `offset` and `exposure` are those of the rows, as in `predict_dist`.
        """
        dist, values = predicted(estimator, X, y, offset=offset, exposure=exposure)
        return cls.from_predictions(
            values, dist, label=code_of(estimator, label), column=column, n_bins=n_bins,
            confidence=confidence, sample_weight=sample_weight, ax=ax,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls, y: Any, dist: Mixture, *, label: int | None = None, column: int | None = None,
        n_bins: int = 10, confidence: float = 0.95, sample_weight: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the curve of predictive distributions; classes, and `label`, are codes."""
        dist, y = one_column(dist, y, column)
        weight = row_weights(sample_weight, len(dist))
        low: Array | None
        high: Array | None
        if dist.response.nominal:
            level, share, rows = reliability_curve(
                dist, y, code=label, n_bins=n_bins, sample_weight=sample_weight
            )
            worth = rows / weight.sum() * effective_rows(weight)
            low, high = binomial_band(level, worth, confidence)
            error = float(np.average(np.abs(level - share), weights=rows))
            return cls(level, share, low, high, error, True, confidence).plot(ax)
        if label is not None:
            raise ValueError(f"label={label!r} is for classes; this response has an order")
        level = np.linspace(0, 1, _LEVELS + 2)
        _, share = calibration_curve(dist, y, level, sample_weight=sample_weight)
        first, last, exact = pit_bounds(dist, y)
        low = high = None
        if exact.all() or (last[~exact] >= 1).all():
            worth = rows_at_risk(level, np.where(exact, last, first), exact, weight)
            low, high = binomial_band(level, worth, confidence)
        error = calibration_error(dist, y, sample_weight=sample_weight)
        return cls(level, share, low, high, error, False, confidence).plot(ax)

    def draw(self, ax: Any) -> None:
        """Put the curve, its band and the diagonal into axes."""
        ax.plot([0, 1], [0, 1], color=GREY, lw=1, ls="--")
        style = {"color": BLUE, "lw": 1.8, "label": f"frequency (error {self.error:.3f})"}
        if self.low is not None and self.high is not None:
            text = f"{self.confidence:.0%} by chance"
            if self.classes:
                height = self.high - self.low
                ax.bar(self.level, height, 0.028, self.low, color=LIGHT, label=text)
            else:
                ax.fill_between(self.level, self.low, self.high, color=LIGHT, lw=0, label=text)
        marker = "o" if self.classes else None
        ax.plot(self.level, self.share, marker=marker, ms=4, clip_on=False, **style)
        below = "predicted probability of the class" if self.classes else "predicted probability"
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel=below, ylabel="share of rows", title="Calibration")
        ax.set_aspect("equal")
        ax.legend(loc="best")


@dataclass(eq=False, repr=False)
class PITDisplay(Display):
    """A histogram of the probability integral transform: flat if the predictions are right.

    High ends mean predictions that are too narrow, a hill ones that are too wide, a slope a
    shift. Of a discrete response the transform is randomised.

    Attributes
    ----------
    pit : Array
        The transform (n,) of each row.
    edges, density : Array
        Bins, and the share of rows in each over the share expected.
    low, high : float
        Between which `density` falls by chance, bin by bin.
    """

    pit: Array
    edges: Array
    density: Array
    low: float
    high: float
    confidence: float = 0.95

    size: ClassVar[tuple[float, float]] = (5.0, 3.4)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, column: int | None = None, n_bins: int = 20,
        confidence: float = 0.95, sample_weight: Any = None, random_state: Any = 0,
        offset: Any = None, exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the histogram of a fitted model on rows it has not seen.

        `offset` and `exposure` are those of the rows, as in `predict_dist`.
        """
        dist, values = predicted(estimator, X, y, offset=offset, exposure=exposure)
        return cls.from_predictions(
            values, dist, column=column, n_bins=n_bins, confidence=confidence,
            sample_weight=sample_weight, random_state=random_state, ax=ax,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls, y: Any, dist: Mixture, *, column: int | None = None, n_bins: int = 20,
        confidence: float = 0.95, sample_weight: Any = None, random_state: Any = 0, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the histogram of predictive distributions."""
        dist, y = one_column(dist, y, column)
        check_numeric(dist, y, "the PIT histogram", "CalibrationDisplay")
        check_integer("n_bins", n_bins, low=1)
        weight = row_weights(sample_weight, len(dist))
        values = pit(dist, y, random_state)
        counts, edges = np.histogram(values, bins=n_bins, range=(0, 1), weights=weight)
        low, high = binomial_band(1 / n_bins, effective_rows(weight), confidence)
        density = counts / weight.sum() * n_bins
        return cls(
            values, edges, density, float(low) * n_bins, float(high) * n_bins, confidence
        ).plot(ax)

    def draw(self, ax: Any) -> None:
        """Put the bars and their band into axes."""
        text = f"{self.confidence:.0%} by chance"
        ax.bar(
            self.edges[:-1], self.density, np.diff(self.edges), align="edge", color=BLUE,
            edgecolor="white", lw=0.8,
        )  # fmt: skip
        ax.axhspan(self.low, self.high, facecolor="white", alpha=0.35, lw=0, zorder=2)
        ax.axhspan(self.low, self.high, color=LIGHT, lw=0, zorder=0, label=text)
        ax.axhline(1, color="black", lw=1, ls="--")
        ax.set(
            xlim=(0, 1), xlabel="probability integral transform", ylabel="rows / rows expected",
            title="PIT histogram",
        )  # fmt: skip
        ax.set_ylim(0, 1.28 * max(self.density.max(), self.high))
        ax.legend(loc="upper right")
