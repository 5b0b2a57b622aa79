"""Predicted uncertainty against observed error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.plotting.bands import binomial_band
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import (
    check_numeric,
    display_name,
    fitted_estimator,
    predict_with_y,
    select_column,
)
from wgboost.plotting.labels import short_name
from wgboost.plotting.style import BLUE, GREY, LIGHT
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["UncertaintyDisplay"]


@dataclass(eq=False, repr=False)
class UncertaintyDisplay(Display):
    """Show predicted uncertainty against observed error, in bins of equal size.

    For numbers these are the root mean predicted variance and the root mean squared error. For
    classes they are the predicted probability of an error and the share of errors.

    Parameters
    ----------
    predicted : Array
        Predicted uncertainty of each bin.
    actual : Array
        Observed error of each bin.
    low : Array
        Lower end of an interval: of the mean squared error by its standard error, or of the share
        of errors that falls by chance around `predicted`.
    high : Array
        Upper end of the interval.
    rows : Array
        Number of rows in each bin.
    classes : bool, default=False
        Whether y consists of classes.
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
    >>> from wgboost.plotting import UncertaintyDisplay
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
    >>> display = UncertaintyDisplay.from_estimator(model, X, y)
    >>> display.rows.tolist()
    [20, 20, 20]
    """

    predicted: Array
    actual: Array
    low: Array
    high: Array
    rows: Array
    classes: bool = False
    name: str = "y"

    size: ClassVar[tuple[float, float]] = (5.0, 3.6)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: Any, y: Any, *, column: int | None = None,
        n_bins: int | None = None, name: str | None = None, offset: Any = None,
        exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw uncertainty and error of a fitted model.

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
        n_bins : int, default=None
            Number of bins. None takes 10, and down to 3 with fewer than 300 rows.
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
        UncertaintyDisplay
            The display, already drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import UncertaintyDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = UncertaintyDisplay.from_estimator(model, X, y, n_bins=2, ax=ax)
        >>> display.rows.tolist()
        [30, 30]
        """
        dist, values = predict_with_y(estimator, X, y, offset=offset, exposure=exposure)
        return cls.from_predictions(
            values, dist, column=column, n_bins=n_bins,
            name=display_name(y, name, fitted_estimator(estimator)), ax=ax,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls, y: Any, dist: Mixture, *, column: int | None = None, n_bins: int | None = None,
        name: str = "y", ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw uncertainty and error of predictive distributions.

        Parameters
        ----------
        y : array (n,)
            Observed values; codes of classes.
        dist : Mixture
            Predictive distributions, as `predict_dist` returns them.
        column : int, default=None
            The column to show if y has several columns.
        n_bins : int, default=None
            Number of bins. None takes 10, and down to 3 with fewer than 300 rows.
        name : str, default="y"
            Name of y on the axis.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        UncertaintyDisplay
            The display, already drawn.

        Raises
        ------
        ValueError
            If a row has no variance.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import UncertaintyDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = UncertaintyDisplay.from_predictions(y, model.predict_dist(X), ax=ax)
        >>> display.actual.shape
        (3,)
        """
        dist, y = select_column(dist, y, column)
        if n_bins is None:
            n_bins = int(np.clip(len(dist) // 30, 3, 10))
        check_integer("n_bins", n_bins, low=1)
        classes = dist.response.nominal
        if classes:
            shares = dist.probabilities()
            expected, error = 1 - shares.max(axis=1), (shares.argmax(axis=1) != y).astype(float)
        else:
            check_numeric(dist, y, "the error of the mean", "it is the share of wrong classes")
            expected, error = dist.var(), np.square(y - dist.mean())
            if not np.isfinite(expected).all():
                raise ValueError(
                    f"the response {dist.response.name!r} has rows without a variance; "
                    "use CalibrationDisplay or CoverageDisplay"
                )
        bins = np.array_split(np.argsort(expected, kind="stable"), min(n_bins, len(dist)))
        rows = np.array([len(part) for part in bins])
        mean_expected, mean_error = (
            np.array([of[part].mean() for part in bins]) for of in (expected, error)
        )
        if classes:
            band = binomial_band(mean_expected, rows)
            return cls(mean_expected, mean_error, *band, rows, True, name).plot(ax)
        around = np.array([error[part].std() / np.sqrt(len(part)) for part in bins])
        low, high = (np.sqrt(np.maximum(mean_error + s * around, 0)) for s in (-1.96, 1.96))
        return cls(
            np.sqrt(mean_expected), np.sqrt(mean_error), low, high, rows, False, name
        ).plot(ax)  # fmt: skip

    def draw(self, ax: Any) -> None:
        """Draw the bins with their error bars and the diagonal into axes."""
        most = 1.08 * float(self.predicted.max()) or 1.0
        top = 1.3 * max(float(self.high.max()), float(self.actual.max()), most / 2)
        ax.plot([0, most], [0, most], color=GREY, lw=1, ls="--", label="as predicted")
        if self.classes:
            ax.vlines(self.predicted, self.low, self.high, color=LIGHT, lw=7, zorder=1)
            ax.plot([], [], color=LIGHT, lw=7, label="95% by chance")
        else:
            ax.vlines(self.predicted, self.low, self.high, color=BLUE, lw=1.2, alpha=0.6)
        ax.scatter(self.predicted, self.actual, s=22, color=BLUE, zorder=3, label="bins of rows")
        xlabel = f"predicted standard deviation of {short_name(self.name)}"
        ylabel = "root mean squared error"
        if self.classes:
            xlabel, ylabel = "predicted probability of an error", "share of errors"
        ax.set(
            xlim=(0, most), ylim=(0, top), xlabel=xlabel, ylabel=ylabel,
            title="Uncertainty and error",
        )  # fmt: skip
        ax.legend(loc="upper left")
