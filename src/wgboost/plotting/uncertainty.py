"""Whether the model is wrong where it says that it may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.plotting.bands import binomial_band
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import check_numeric, fitted, name_of, one_column, predicted
from wgboost.plotting.style import BLUE, GREY, LIGHT
from wgboost.plotting.texts import plain
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["UncertaintyDisplay"]


@dataclass(eq=False, repr=False)
class UncertaintyDisplay(Display):
    """Predicted uncertainty against the error that came about, in bins of equally many rows.

    For numbers the root of the mean predicted variance and of the mean squared error; for classes
    the predicted probability of being wrong and the share of wrong classes.

    Attributes
    ----------
    predicted, actual : Array
        Uncertainty and error of each bin.
    low, high : Array
        A confidence interval of `actual`: of the mean squared error by its standard error; for
        classes where the share of errors falls by chance, around `predicted`.
    rows : Array
        Number of rows in each bin.
    classes : bool
        Whether y consists of classes.
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
        cls, estimator: Any, X: Any, y: Any, *, column: int | None = None,
        n_bins: int | None = None, name: str | None = None, offset: Any = None,
        exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the errors of a fitted model on rows it has not seen.

        `name` is what y is called, by default the name of a series; `offset` and `exposure` are
        those of the rows, as in `predict_dist`.
        """
        dist, values = predicted(estimator, X, y, offset=offset, exposure=exposure)
        return cls.from_predictions(
            values,
            dist,
            column=column,
            n_bins=n_bins,
            name=name_of(y, name, fitted(estimator)),
            ax=ax,
        )

    @classmethod
    def from_predictions(
        cls, y: Any, dist: Mixture, *, column: int | None = None, n_bins: int | None = None,
        name: str = "y", ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the errors of predictive distributions; classes y are codes.

        `n_bins` is 10 by default, and down to 3 with fewer than 300 rows.
        """
        dist, y = one_column(dist, y, column)
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
                    "CalibrationDisplay and CoverageDisplay do without"
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
        """Put the bins with their error bars and the diagonal into axes."""
        most = 1.08 * float(self.predicted.max()) or 1.0
        top = 1.3 * max(float(self.high.max()), float(self.actual.max()), most / 2)
        ax.plot([0, most], [0, most], color=GREY, lw=1, ls="--", label="as predicted")
        if self.classes:
            ax.vlines(self.predicted, self.low, self.high, color=LIGHT, lw=7, zorder=1)
            ax.plot([], [], color=LIGHT, lw=7, label="95% by chance")
        else:
            ax.vlines(self.predicted, self.low, self.high, color=BLUE, lw=1.2, alpha=0.6)
        ax.scatter(self.predicted, self.actual, s=22, color=BLUE, zorder=3, label="bins of rows")
        below = f"predicted standard deviation of {plain(self.name)}"
        beside = "root mean squared error"
        if self.classes:
            below, beside = "predicted probability of an error", "share of errors"
        ax.set(
            xlim=(0, most), ylim=(0, top), xlabel=below, ylabel=beside,
            title="Uncertainty and error",
        )  # fmt: skip
        ax.legend(loc="upper left")
