"""OOD scores of rows in and out of distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.metrics import ood_average_precision, ood_roc_auc
from wgboost.metrics.unwrapping import transform_features
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import fitted_estimator
from wgboost.plotting.labels import clip_ticks
from wgboost.plotting.style import BLUE, ORANGE, legend_on_top
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["OODDisplay"]


@dataclass(eq=False, repr=False)
class OODDisplay(Display):
    """Show how well the OOD score separates rows in and out of distribution.

    Parameters
    ----------
    score_in : Array
        Scores of rows from the training distribution.
    score_out : Array
        Scores of other rows.
    edges : Array
        Edges of the bins.
    share_in : Array
        Share of the rows in distribution in each bin.
    share_out : Array
        Share of the rows out of distribution in each bin.
    roc_auc : float
        The area under the ROC curve, `metrics.ood_roc_auc`.
    average_precision : float
        The average precision, `metrics.ood_average_precision`.
    log : bool
        Whether the bins have equal widths on a logarithmic scale.

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes drawn in.
    figure_ : matplotlib figure
        The figure of these axes.

    Examples
    --------
    >>> from wgboost.plotting import OODDisplay
    >>> display = OODDisplay.from_scores([0.1, 0.2, 0.3], [0.25, 0.4], n_bins=4)
    >>> round(display.roc_auc, 3)
    0.833
    """

    score_in: Array
    score_out: Array
    edges: Array
    share_in: Array
    share_out: Array
    roc_auc: float
    average_precision: float
    log: bool

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X_in: Any, X_out: Any, *, n_bins: int = 40, ax: Any = None
    ) -> Self:
        """Draw the OOD scores of rows by a fitted model.

        Parameters
        ----------
        estimator : estimator of wgboost
            A fitted estimator, or a pipeline or a search that ends with one.
        X_in : array or frame (n, p)
            Rows from the training distribution that the model was not trained on.
        X_out : array or frame (k, p)
            Rows out of distribution.
        n_bins : int, default=40
            Number of bins.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        OODDisplay
            The display, already drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import OODDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = OODDisplay.from_estimator(model, X, X + 5, ax=ax)
        >>> display.score_out.shape
        (60,)
        """
        model = fitted_estimator(estimator, "ood_score")
        scores = (
            np.asarray(model.ood_score(transform_features(estimator, X))) for X in (X_in, X_out)
        )
        return cls.from_scores(*scores, n_bins=n_bins, ax=ax)

    @classmethod
    def from_scores(
        cls, score_in: Any, score_out: Any, *, n_bins: int = 40, ax: Any = None
    ) -> Self:
        """Draw scores that are larger further from the training data.

        Parameters
        ----------
        score_in : array (n,)
            Scores of rows from the training distribution.
        score_out : array (k,)
            Scores of rows from elsewhere.
        n_bins : int, default=40
            Number of bins.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        OODDisplay
            The display, already drawn.

        Raises
        ------
        ValueError
            If no score is finite.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from wgboost.plotting import OODDisplay
        >>> display = OODDisplay.from_scores([1, 2], [8, 9], n_bins=4, ax=Figure().subplots())
        >>> display.roc_auc
        1.0
        """
        check_integer("n_bins", n_bins, low=1)
        area, precision = (
            metric(score_in, score_out) for metric in (ood_roc_auc, ood_average_precision)
        )
        inside, outside = (np.asarray(part, dtype=np.float64) for part in (score_in, score_out))
        both = np.concatenate([inside, outside])
        finite = both[np.isfinite(both)]
        if finite.size == 0:
            raise ValueError("no score is finite; there is nothing to draw")
        low, high = float(finite.min()), float(finite.max())
        log = low > 0 and high > 30 * low
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = np.geomspace(low, high, n_bins + 1) if log else np.linspace(low, high, n_bins + 1)
        edges[0], edges[-1] = low, high
        share_in, share_out = (
            np.histogram(part.clip(low, high), edges)[0] / part.size for part in (inside, outside)
        )
        return cls(inside, outside, edges, share_in, share_out, area, precision, log).plot(ax)

    def draw(self, ax: Any) -> None:
        """Draw both histograms into axes."""
        kinds = (
            (self.share_in, BLUE, f"in distribution ({self.score_in.size} rows)"),
            (self.share_out, ORANGE, f"out of distribution ({self.score_out.size} rows)"),
        )
        for share, colour, text in kinds:
            ax.stairs(share, self.edges, fill=True, color=colour, alpha=0.45, label=text)
            ax.stairs(share, self.edges, color=colour, lw=1.2)
        if self.log:
            from matplotlib.ticker import NullFormatter

            ax.set_xscale("log")
            ax.xaxis.set_minor_formatter(NullFormatter())  # its labels would overlap
        else:
            ax.locator_params(axis="x", nbins=6)
            ax.ticklabel_format(axis="x", style="sci", scilimits=(-3, 5))
        ax.set(
            xlabel="OOD score" + (" (logarithmic)" if self.log else ""), ylabel="share of rows",
            title=f"Out of distribution: ROC AUC {self.roc_auc:.3f}, "
            f"average precision {self.average_precision:.3f}",
        )  # fmt: skip
        ax.set_ylim(0, 1.02 * max(self.share_in.max(), self.share_out.max()))
        legend_on_top(ax, ncols=1)
        clip_ticks(ax.yaxis, 0, 1)
