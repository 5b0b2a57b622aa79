"""Calibration: the reliability curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.metrics import calibration_curve, calibration_error, reliability_curve
from wgboost.metrics.calibration import pit_bounds
from wgboost.metrics.checks import row_weights
from wgboost.plotting.bands import binomial_band, effective_sample_size, number_at_risk
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import (
    class_code,
    predict_with_y,
    select_column,
)
from wgboost.plotting.style import BLUE, GREY, LIGHT
from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = ["CalibrationDisplay"]

_LEVELS = 39


@dataclass(eq=False, repr=False)
class CalibrationDisplay(Display):
    """Show whether predicted probabilities come true: the reliability curve.

    The curve lies on the diagonal if they do. For numbers, counts and ordered classes it is the
    share of rows below each predicted quantile; y may be `censored`. For classes it is the share of
    rows of a class, by bins of its predicted probability.

    The band is where the curve falls by chance with this many rows if the predictions are right,
    level by level. Rows that are censored on the right make it wider. There is no band if y has
    other bounds, because their information depends on their width.

    Parameters
    ----------
    level : Array
        Predicted probabilities.
    share : Array
        Observed frequencies.
    low : Array or None
        Lower end of the band.
    high : Array or None
        Upper end of the band.
    error : float
        The calibration error, `metrics.calibration_error`.
    classes : bool, default=False
        Whether y consists of classes.
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
    >>> from wgboost.plotting import CalibrationDisplay
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
    >>> display = CalibrationDisplay.from_estimator(model, X, y)
    >>> bool(0 <= display.error <= 1)
    True
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
        cls, estimator: BaseEstimator, X: Any, y: Any, *, label: Any = None,
        column: int | None = None, n_bins: int = 10, confidence: float = 0.95,
        sample_weight: Any = None, offset: Any = None, exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the reliability curve of a fitted model.

        Parameters
        ----------
        estimator : estimator of wgboost
            A fitted estimator, or a pipeline or a search that ends with one.
        X : array or frame (n, p)
            Rows that the model was not trained on.
        y : array (n,) or str
            Observed values or labels, or the name of a column of X.
        label : label, default=None
            The class to show. None takes the second of two classes, or the most probable of more.
        column : int, default=None
            The column to show if y has several columns.
        n_bins : int, default=10
            Number of bins of the probability of a class.
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
        CalibrationDisplay
            The display, already drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBClassifier
        >>> from wgboost.plotting import CalibrationDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = (X[:, 0] > 0.5).astype(int)
        >>> model = WGBClassifier(n_estimators=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = CalibrationDisplay.from_estimator(model, X, y, label=1, ax=ax)
        >>> display.classes
        True
        """
        dist, values = predict_with_y(estimator, X, y, offset=offset, exposure=exposure)
        return cls.from_predictions(
            values, dist, label=class_code(estimator, label), column=column, n_bins=n_bins,
            confidence=confidence, sample_weight=sample_weight, ax=ax,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls, y: Any, dist: Mixture, *, label: int | None = None, column: int | None = None,
        n_bins: int = 10, confidence: float = 0.95, sample_weight: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the reliability curve of predictive distributions.

        Parameters
        ----------
        y : array (n,)
            Observed values; codes of classes.
        dist : Mixture
            Predictive distributions, as `predict_dist` returns them.
        label : int, default=None
            The code of the class to show. None takes the second of two classes, or the most
            probable of more.
        column : int, default=None
            The column to show if y has several columns.
        n_bins : int, default=10
            Number of bins of the probability of a class.
        confidence : float, default=0.95
            Probability of the band, level by level.
        sample_weight : array (n,), default=None
            Weights of the rows. None weighs all rows equally.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        CalibrationDisplay
            The display, already drawn.

        Raises
        ------
        ValueError
            If `label` is given for a response that has an order.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import CalibrationDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = CalibrationDisplay.from_predictions(y, model.predict_dist(X), ax=ax)
        >>> display.level.shape
        (41,)
        """
        dist, y = select_column(dist, y, column)
        weight = row_weights(sample_weight, len(dist))
        low: Array | None
        high: Array | None
        if dist.response.nominal:
            level, share, rows = reliability_curve(
                dist, y, code=label, n_bins=n_bins, sample_weight=sample_weight
            )
            n_effective = rows / weight.sum() * effective_sample_size(weight)
            low, high = binomial_band(level, n_effective, confidence)
            error = float(np.average(np.abs(level - share), weights=rows))
            return cls(level, share, low, high, error, True, confidence).plot(ax)
        if label is not None:
            raise ValueError(f"label={label!r} is for classes; this response has an order")
        level = np.linspace(0, 1, _LEVELS + 2)
        _, share = calibration_curve(dist, y, level, sample_weight=sample_weight)
        first, last, exact = pit_bounds(dist, y)
        low = high = None
        if exact.all() or (last[~exact] >= 1).all():
            n_effective = number_at_risk(level, np.where(exact, last, first), exact, weight)
            low, high = binomial_band(level, n_effective, confidence)
        error = calibration_error(dist, y, sample_weight=sample_weight)
        return cls(level, share, low, high, error, False, confidence).plot(ax)

    def draw(self, ax: Any) -> None:
        """Draw the curve, its band and the diagonal into axes."""
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
        xlabel = "predicted probability of the class" if self.classes else "predicted probability"
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel=xlabel, ylabel="share of rows", title="Calibration")
        ax.set_aspect("equal")
        ax.legend(loc="best")
