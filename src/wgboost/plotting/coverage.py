"""How often intervals hold y, against how often they should."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.metrics.checks import row_weights
from wgboost.plotting.bands import binomial_band
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import check_numeric, effective_rows, one_column, predicted
from wgboost.plotting.style import BLUE, GREY, LIGHT
from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = ["CoverageDisplay"]


@dataclass(eq=False, repr=False)
class CoverageDisplay(Display):
    """The coverage of central intervals against their nominal probability.

    Above the line intervals are too wide, below it too narrow. Intervals of a discrete response
    hold more than their nominal probability; the line is what they hold according to the
    predictions themselves.

    Attributes
    ----------
    nominal : Array
        Probabilities of intervals.
    coverage : Array
        The share of rows with y in the interval.
    expected : Array
        The mean predicted probability of the intervals.
    low, high : Array
        Between which the coverage falls by chance.
    """

    nominal: Array
    coverage: Array
    expected: Array
    low: Array
    high: Array
    confidence: float = 0.95

    size: ClassVar[tuple[float, float]] = (4.4, 4.0)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, nominal: Any = None, column: int | None = None,
        confidence: float = 0.95, sample_weight: Any = None, offset: Any = None,
        exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the coverage of a fitted model on rows it has not seen.

        `offset` and `exposure` are those of the rows, as in `predict_dist`.
        """
        dist, values = predicted(estimator, X, y, offset=offset, exposure=exposure)
        return cls.from_predictions(
            values, dist, nominal=nominal, column=column, confidence=confidence,
            sample_weight=sample_weight, ax=ax,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls, y: Any, dist: Mixture, *, nominal: Any = None, column: int | None = None,
        confidence: float = 0.95, sample_weight: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the coverage of predictive distributions.

        `nominal` are probabilities of intervals, 0.05 to 0.95 by default; `confidence` is that of
        the band.
        """
        dist, y = one_column(dist, y, column)
        check_numeric(dist, y, "coverage", "CalibrationDisplay")
        levels = np.linspace(0.05, 0.95, 19) if nominal is None else np.asarray(nominal, float)
        if levels.ndim != 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"nominal={nominal!r} must be a list of probabilities from 0 to 1")
        weight = row_weights(sample_weight, len(dist))
        expected = levels
        if dist.response.discrete:
            inside = []
            for level in levels:
                low, high = dist.interval(level)
                inside.append(dist.cdf(high) - dist.cdf(low - 1))
            expected = np.average(inside, axis=1, weights=weight)
        # Inside is where neither y or less nor y or more has too little probability: no quantiles.
        discrete, outside = dist.response.discrete, (1 - levels[:, None]) / 2
        below, above = dist.cdf(y), dist.sf(y - 1 if discrete else y)
        held = (below >= outside) & ((above > outside) if discrete else (above >= outside))
        share = np.average(held, axis=1, weights=weight)
        band = binomial_band(expected, effective_rows(weight), confidence)
        return cls(levels, share, expected, *band, confidence).plot(ax)

    def draw(self, ax: Any) -> None:
        """Put the curve, its band and the line into axes."""
        text = f"{self.confidence:.0%} by chance"
        ax.fill_between(self.nominal, self.low, self.high, color=LIGHT, lw=0, label=text)
        ax.plot(self.nominal, self.expected, color=GREY, lw=1, ls="--")
        ax.plot(self.nominal, self.coverage, color=BLUE, lw=1.8, marker="o", ms=3, label="coverage")
        ax.set(
            xlim=(0, 1), ylim=(0, 1), xlabel="nominal probability of the interval",
            ylabel="share of rows inside", title="Coverage",
        )  # fmt: skip
        ax.set_aspect("equal")
        ax.legend(loc="upper left")
