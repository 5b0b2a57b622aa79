"""Histogram of the probability integral transform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.metrics import pit
from wgboost.metrics.checks import row_weights
from wgboost.plotting.bands import binomial_band, effective_sample_size
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import (
    check_numeric,
    predict_with_y,
    select_column,
)
from wgboost.plotting.style import BLUE, LIGHT
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["PITDisplay"]


@dataclass(eq=False, repr=False)
class PITDisplay(Display):
    """Show a histogram of the probability integral transform.

    It is flat if the predictions are right. High ends mean that predictions are too narrow, a hump
    that they are too wide, and a slope that they are shifted. The transform of a discrete response
    is randomised.

    Parameters
    ----------
    pit : Array
        The transform (n,) of each row.
    edges : Array
        Edges of the bins.
    density : Array
        The share of rows in each bin, divided by the share expected.
    low : float
        Lower end of the band of `density`.
    high : float
        Upper end of the band of `density`.
    confidence : float, default=0.95
        Probability of the band, bin by bin.

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
    >>> from wgboost.plotting import PITDisplay
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
    >>> display = PITDisplay.from_estimator(model, X, y)
    >>> display.pit.shape
    (60,)
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
        cls, estimator: BaseEstimator, X: Any, y: Any, *, column: int | None = None,
        n_bins: int = 20, confidence: float = 0.95, sample_weight: Any = None,
        random_state: Any = 0, offset: Any = None, exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the PIT histogram of a fitted model.

        Parameters
        ----------
        estimator : estimator of wgboost
            A fitted estimator, or a pipeline or a search that ends with one.
        X : array or frame (n, p)
            Rows that the model was not trained on.
        y : array (n,) or str
            Observed values or labels, or the name of a column of X.
        column : int, default=None
            The column to show if y has several columns.
        n_bins : int, default=20
            Number of bins.
        confidence : float, default=0.95
            Probability of the band, level by level.
        sample_weight : array (n,) or str, default=None
            Weights of the rows. None weighs all rows equally.
        random_state : int or Generator, default=0
            Seed of the randomised transform of discrete responses.
        offset : array or str, default=None
            Offset of the rows, as in `predict_dist`.
        exposure : array or str, default=None
            Exposure of the rows, as in `predict_dist`.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        PITDisplay
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
        >>> from wgboost.plotting import PITDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = PITDisplay.from_estimator(model, X, y, n_bins=10, ax=ax)
        >>> display.density.shape
        (10,)
        """
        dist, values = predict_with_y(estimator, X, y, offset=offset, exposure=exposure)
        return cls.from_predictions(
            values, dist, column=column, n_bins=n_bins, confidence=confidence,
            sample_weight=sample_weight, random_state=random_state, ax=ax,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls, y: Any, dist: Mixture, *, column: int | None = None, n_bins: int = 20,
        confidence: float = 0.95, sample_weight: Any = None, random_state: Any = 0, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the PIT histogram of predictive distributions.

        Parameters
        ----------
        y : array (n,)
            Observed values; codes of classes.
        dist : Mixture
            Predictive distributions, as `predict_dist` returns them.
        column : int, default=None
            The column to show if y has several columns.
        n_bins : int, default=20
            Number of bins.
        confidence : float, default=0.95
            Probability of the band, level by level.
        sample_weight : array (n,), default=None
            Weights of the rows. None weighs all rows equally.
        random_state : int or Generator, default=0
            Seed of the randomised transform of discrete responses.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        PITDisplay
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
        >>> from wgboost.plotting import PITDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = PITDisplay.from_predictions(y, model.predict_dist(X), ax=ax)
        >>> display.edges.shape
        (21,)
        """
        dist, y = select_column(dist, y, column)
        check_numeric(dist, y, "the PIT histogram", "CalibrationDisplay")
        check_integer("n_bins", n_bins, low=1)
        weight = row_weights(sample_weight, len(dist))
        values = pit(dist, y, random_state)
        counts, edges = np.histogram(values, bins=n_bins, range=(0, 1), weights=weight)
        low, high = binomial_band(1 / n_bins, effective_sample_size(weight), confidence)
        density = counts / weight.sum() * n_bins
        return cls(
            values, edges, density, float(low) * n_bins, float(high) * n_bins, confidence
        ).plot(ax)

    def draw(self, ax: Any) -> None:
        """Draw the bars and their band into axes."""
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
