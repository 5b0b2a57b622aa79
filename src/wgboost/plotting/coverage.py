"""Coverage of predictive intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.metrics.checks import row_weights
from wgboost.plotting.bands import binomial_band, effective_sample_size
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import (
    check_numeric,
    predict_with_y,
    select_column,
)
from wgboost.plotting.style import BLUE, GREY, LIGHT
from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = ["CoverageDisplay"]


@dataclass(eq=False, repr=False)
class CoverageDisplay(Display):
    """Show the coverage of central intervals against their nominal probability.

    Intervals are too wide above the line and too narrow below it. Intervals of a discrete response
    cover more than their nominal probability. The line is the coverage expected from the
    predictions.

    Parameters
    ----------
    nominal : Array
        Nominal probabilities of the intervals.
    coverage : Array
        The share of rows with y in the interval.
    expected : Array
        The mean predicted probability of the intervals.
    low : Array
        Lower end of the band of the coverage.
    high : Array
        Upper end of the band of the coverage.
    confidence : float, default=0.95
        Probability of the band.

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
    >>> from wgboost.plotting import CoverageDisplay
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
    >>> display = CoverageDisplay.from_estimator(model, X, y)
    >>> display.coverage.shape
    (19,)
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
        cls, estimator: BaseEstimator, X: Any, y: Any, *, nominal: Any = None,
        column: int | None = None, confidence: float = 0.95, sample_weight: Any = None,
        offset: Any = None, exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the coverage of a fitted model.

        Parameters
        ----------
        estimator : estimator of wgboost
            A fitted estimator, or a pipeline or a search that ends with one.
        X : array or frame (n, p)
            Rows that the model was not trained on.
        y : array (n,) or str
            Observed values or labels, or the name of a column of X.
        nominal : list of float, default=None
            Probabilities of the intervals. None takes 0.05 to 0.95.
        column : int, default=None
            The column to show if y has several columns.
        confidence : float, default=0.95
            Probability of the band, level by level.
        sample_weight : array (n,) or str, default=None
            Weights of the rows. None weighs all rows equally.
        offset : array or str, default=None
            Offset of the rows, as in `predict_dist`.
        exposure : array or str, default=None
            Exposure of the rows, as in `predict_dist`.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        CoverageDisplay
            The display, already drawn.

        Raises
        ------
        ValueError
            If y consists of classes, or is known only between bounds.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import CoverageDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = CoverageDisplay.from_estimator(model, X, y, nominal=[0.5, 0.9], ax=ax)
        >>> display.nominal.tolist()
        [0.5, 0.9]
        """
        dist, values = predict_with_y(estimator, X, y, offset=offset, exposure=exposure)
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

        Parameters
        ----------
        y : array (n,)
            Observed values; codes of classes.
        dist : Mixture
            Predictive distributions, as `predict_dist` returns them.
        nominal : list of float, default=None
            Probabilities of the intervals. None takes 0.05 to 0.95.
        column : int, default=None
            The column to show if y has several columns.
        confidence : float, default=0.95
            Probability of the band, level by level.
        sample_weight : array (n,), default=None
            Weights of the rows. None weighs all rows equally.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        CoverageDisplay
            The display, already drawn.

        Raises
        ------
        ValueError
            If y consists of classes, or is known only between bounds.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import CoverageDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = CoverageDisplay.from_predictions(y, model.predict_dist(X), ax=ax)
        >>> display.expected.shape
        (19,)
        """
        dist, y = select_column(dist, y, column)
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
        # y is inside if both tails beyond it have enough probability; this needs no quantiles.
        discrete, outside = dist.response.discrete, (1 - levels[:, None]) / 2
        below, above = dist.cdf(y), dist.sf(y - 1 if discrete else y)
        held = (below >= outside) & ((above > outside) if discrete else (above >= outside))
        share = np.average(held, axis=1, weights=weight)
        band = binomial_band(expected, effective_sample_size(weight), confidence)
        return cls(levels, share, expected, *band, confidence).plot(ax)

    def draw(self, ax: Any) -> None:
        """Draw the curve, its band and the line into axes."""
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
