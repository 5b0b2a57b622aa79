"""What was measured while rounds were added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wgboost.estimators import WGBoost
from wgboost.estimators.base import BaseModel
from wgboost.metrics import nll
from wgboost.metrics.estimates import encoded, final_step, transformed
from wgboost.model import FittedModel
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import distributions, fitted, given_rows
from wgboost.plotting.style import BLUE, GREY, ORANGE, class_colours
from wgboost.plotting.texts import count_ticks, in_legend, plain
from wgboost.typing import Array
from wgboost.validation import nearest_name

__all__ = ["LearningCurveDisplay"]

_GIVEN = "given rows"


@dataclass(eq=False, repr=False)
class LearningCurveDisplay(Display):
    """A metric after 0, 1, 2, ... rounds, on the sets that `fit` watched or on rows given here.

    Of a bag there is a curve for each member, on the fold that it was fitted without. Dots mark
    the number of rounds that a model has kept.

    Attributes
    ----------
    curves : dict of Array
        Values by name of the set, the first before any round; of a bag by "fold 1", "fold 2", ...
    metric : str
        What was measured.
    best : int or None
        The number of rounds that the model has kept; None for a bag.
    kept : dict of int
        The same by name of the curve.
    """

    curves: dict[str, Array]
    metric: str
    best: int | None = None
    kept: dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, metric: str | None = None,
        offset: Any = None, exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the history of a fit; with X and y the NLL of those rows too, round by round.

        `offset` and `exposure` are those of the rows of X, as in `predict_dist`.
        """
        model = fitted(estimator, "fit")
        if not isinstance(model, (BaseModel, WGBoost)):
            final_step(model, "n_estimators_")
            raise TypeError(f"{type(model).__name__} has no history; give an estimator of wgboost")
        check_is_fitted(model)
        models = model.model_.models
        sets, kept = _sets(models)
        known = list(dict.fromkeys(name for metrics in sets.values() for name in metrics))
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
            for name, metrics in sets.items()
            if chosen in metrics
        }
        if given:
            if chosen != "nll":
                raise ValueError(f"X and y give the NLL, the history {chosen!r}; draw one of them")
            X, y, beside = given_rows(estimator, X, y, offset=offset, exposure=exposure)
            codes = encoded(estimator, y)
            staged = [nll(distributions(estimator, X, n_rounds=0, **beside), codes)]
            stages = model.staged_predict_dist(transformed(estimator, X), **beside)
            staged += [nll(dist.by_code(), codes) for dist in stages]
            curves[_GIVEN], kept[_GIVEN] = np.array(staged), len(staged) - 1
        if not curves:
            raise ValueError(
                "nothing was watched during fit; give X and y here, or fit with "
                "early_stopping=True or X_val and y_val"
            )
        best = models[0].n_rounds if len(models) == 1 else None
        return cls(curves, chosen, best, {name: kept[name] for name in curves}).plot(ax)

    def draw(self, ax: Any) -> None:
        """Put the curves into axes."""
        one_model = self.best is not None
        colours = class_colours(len(self.curves))
        for (name, values), colour in zip(self.curves.items(), colours, strict=True):
            label, style = in_legend(name), {"color": colour, "lw": 1.6}
            if not one_model and name != _GIVEN:
                label, style = "each member's own fold", {"color": BLUE, "lw": 1.0}
            elif not one_model:
                style["color"] = ORANGE
            ax.plot(np.arange(len(values)), values, label=label, **style)
            if name != _GIVEN and name in self.kept:
                at = min(self.kept[name], len(values) - 1)
                label = f"kept: {self.best} rounds" if one_model else "kept rounds"
                ax.plot([at], values[at : at + 1], "o", ms=5, color=style["color"], label=label)
        if self.best is not None and any(name != _GIVEN for name in self.curves):
            ax.axvline(self.best, color=GREY, lw=0.8, ls="--", zorder=1)
        finite = [values[np.isfinite(values)] for values in self.curves.values()]
        seen = np.concatenate(finite)
        if seen.size:
            # What goes wild early or late must not flatten the rest.
            low, high = seen.min(), max(np.quantile(seen, 0.98), *(f[:1].max() for f in finite))
            room = 0.06 * (high - low) or 0.5
            ax.set_ylim(low - room, high + room)
        known = {"nll": "NLL", "crps": "CRPS", "rmse": "RMSE"}
        ax.set(
            xlabel="rounds", ylabel=known.get(self.metric, plain(self.metric.replace("_", " "))),
            title="Learning curve", xlim=(0, None),
        )  # fmt: skip
        count_ticks(ax.xaxis)
        handles, labels = ax.get_legend_handles_labels()
        once = dict(zip(reversed(labels), reversed(handles), strict=True))  # the first of each
        names = list(dict.fromkeys(labels))
        ax.legend([once[name] for name in names], names, loc="best")


def _sets(models: Sequence[FittedModel]) -> tuple[dict[str, dict[str, Any]], dict[str, int]]:
    """Return the metrics of each set that was watched, and the rounds kept, by name of the set."""
    if len(models) == 1:
        history = models[0].history
        return dict(history), dict.fromkeys(history, models[0].n_rounds)
    sets, kept = {}, {}
    for fold, model in enumerate(models):
        for metrics in model.history.values():
            sets[f"fold {fold + 1}"], kept[f"fold {fold + 1}"] = metrics, model.n_rounds
    return sets, kept
