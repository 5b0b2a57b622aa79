"""What was measured while rounds were added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wgboost.metrics import nll
from wgboost.metrics.estimates import transformed
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import fitted
from wgboost.plotting.style import GREY, class_colours
from wgboost.typing import Array
from wgboost.validation import nearest_name

__all__ = ["LearningCurveDisplay"]


@dataclass(eq=False)
class LearningCurveDisplay(Display):
    """A metric after 0, 1, 2, ... rounds, on the sets that `fit` watched or on rows given here.

    Attributes
    ----------
    curves : dict of Array
        Values by name of the set, the first before any round.
    metric : str
        What was measured.
    best : int or None
        The number of rounds that the model has kept, if it chose one.
    """

    curves: dict[str, Array]
    metric: str
    best: int | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, metric: str | None = None,
        ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the history of a fit; with X and y the NLL of those rows too, round by round."""
        model = fitted(estimator, "n_estimators_")
        history: dict[str, dict[str, Any]] = getattr(model, "history_", None) or {}
        known = list(dict.fromkeys(name for metrics in history.values() for name in metrics))
        chosen = metric or (known[0] if known else "nll")
        given = X is not None
        if given != (y is not None):
            raise ValueError("X and y belong together; give both")
        if metric is not None and metric not in known and not (given and metric == "nll"):
            has = ", ".join(map(repr, known)) or "none"
            raise ValueError(
                f"metric={metric!r} was not watched during fit, which has {has}"
                f"{nearest_name(metric, known)}"
            )
        curves = {
            name: np.asarray(metrics[chosen], dtype=float)
            for name, metrics in history.items()
            if chosen in metrics
        }
        if given:
            if chosen != "nll":
                raise ValueError(f"X and y give the NLL, the history {chosen!r}; draw one of them")
            fitted(estimator)
            table = transformed(estimator, X)
            staged = [nll(model.predict_dist(table, n_rounds=0), y)]
            staged += [nll(dist, y) for dist in model.staged_predict_dist(table)]
            curves["given rows"] = np.array(staged)
        if not curves:
            raise ValueError(
                "nothing was watched during fit; give X and y here, or fit with "
                "early_stopping=True or X_val and y_val"
            )
        stopped = bool(history) and bool(getattr(model, "early_stopping", False))
        return cls(curves, chosen, int(model.n_estimators_) if stopped else None).plot(ax)

    def draw(self, ax: Any) -> None:
        """Put the curves into axes."""
        finite = []
        for (name, values), colour in zip(
            self.curves.items(), class_colours(len(self.curves)), strict=True
        ):
            ax.plot(np.arange(len(values)), values, color=colour, lw=1.6, label=name)
            finite.append(values[np.isfinite(values)])
        if self.best is not None:
            ax.axvline(self.best, color=GREY, lw=1, ls="--", label=f"kept: {self.best} rounds")
        seen = np.concatenate(finite)
        if seen.size:
            # What goes wild early or late must not flatten the rest.
            low, high = seen.min(), max(np.quantile(seen, 0.98), *(f[:1].max() for f in finite))
            room = 0.06 * (high - low) or 0.5
            ax.set_ylim(low - room, high + room)
        names = {"nll": "NLL", "crps": "CRPS", "rmse": "RMSE"}
        ax.set(
            xlabel="rounds", ylabel=names.get(self.metric, self.metric.replace("_", " ")),
            title="Learning curve", xlim=(0, None),
        )  # fmt: skip
        ax.legend(loc="upper right")
