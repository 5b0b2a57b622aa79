"""How far rows of the training distribution and others lie apart by their OOD score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wgboost.metrics import ood_average_precision, ood_roc_auc
from wgboost.metrics.estimates import transformed
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import fitted
from wgboost.plotting.style import BLUE, ORANGE, legend_on_top
from wgboost.plotting.texts import keep_ticks
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["OODDisplay"]


@dataclass(eq=False, repr=False)
class OODDisplay(Display):
    """Histograms of the OOD score of rows from the training distribution and from elsewhere.

    Attributes
    ----------
    score_in, score_out : Array
        The scores.
    edges, share_in, share_out : Array
        Bins, and the share of rows of each kind in them.
    roc_auc, average_precision : float
        `metrics.ood_roc_auc` and `metrics.ood_average_precision`.
    log : bool
        Whether bins are equally wide on the scale of logarithms, as for scores over decades.
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
        cls, estimator: Any, X_in: Any, X_out: Any, *, n_bins: int = 40, ax: Any = None
    ) -> Self:
        """Draw the scores of rows like the training rows and of other rows."""
        model = fitted(estimator, "ood_score")
        scores = (np.asarray(model.ood_score(transformed(estimator, X))) for X in (X_in, X_out))
        return cls.from_scores(*scores, n_bins=n_bins, ax=ax)

    @classmethod
    def from_scores(
        cls, score_in: Any, score_out: Any, *, n_bins: int = 40, ax: Any = None
    ) -> Self:
        """Draw scores, of which larger means further from the training data."""
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
        """Put both histograms into axes."""
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
            ax.xaxis.set_minor_formatter(NullFormatter())  # whose labels would run together
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
        keep_ticks(ax.yaxis, 0, 1)
