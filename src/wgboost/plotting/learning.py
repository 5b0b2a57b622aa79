"""Metrics by number of rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.metrics import nll
from wgboost.metrics.unwrapping import encode_y, transform_features
from wgboost.model import FittedModel
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import fitted_estimator, predictive_distributions, resolve_rows
from wgboost.plotting.labels import integer_ticks, legend_label, short_name
from wgboost.plotting.style import BLUE, GREY, ORANGE, class_colours
from wgboost.typing import Array
from wgboost.validation import nearest_name

__all__ = ["LearningCurveDisplay"]

_GIVEN = "given rows"


@dataclass(eq=False, repr=False)
class LearningCurveDisplay(Display):
    """Show a metric after 0, 1, 2, ... rounds.

    The curves are those of the validation sets of `fit`, or of rows given here. A bag has a curve
    for each member, on the fold that the member was not trained on. Dots mark the number of rounds
    that a model kept.

    Parameters
    ----------
    curves : dict of Array
        Values by name of the set, the first before any round; for a bag by "fold 1", "fold 2", ...
    metric : str
        Name of the metric.
    best : int or None, default=None
        The number of rounds that the model kept; None for a bag.
    kept : dict of int, default={}
        The number of rounds kept, by name of the curve.

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
    >>> from wgboost.plotting import LearningCurveDisplay
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
    >>> display = LearningCurveDisplay.from_estimator(model, X, y)
    >>> display.curves["given rows"].shape
    (11,)
    """

    curves: dict[str, Array]
    metric: str
    best: int | None = None
    kept: dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: Any = None, y: Any = None, *, metric: str | None = None,
        offset: Any = None, exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the history of a fit, or the NLL of given rows round by round.

        Parameters
        ----------
        estimator : estimator of wgboost
            A fitted estimator, or a pipeline or a search that ends with one.
        X : array or frame (n, p), default=None
            Further rows to evaluate after each round; needs y.
        y : array (n,) or str, default=None
            Observed values or labels of these rows.
        metric : str, default=None
            The metric of the history to show. None takes the first.
        offset : array or str, default=None
            Offset of the rows, as in `predict_dist`.
        exposure : array or str, default=None
            Exposure of the rows, as in `predict_dist`.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        LearningCurveDisplay
            The display, already drawn.

        Raises
        ------
        ValueError
            If the fit has no history of the metric and no rows are given.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import LearningCurveDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = LearningCurveDisplay.from_estimator(model, X, y, ax=ax)
        >>> display.metric, display.best
        ('nll', 10)
        """
        model = fitted_estimator(estimator, "fit", "n_estimators_")
        models = model.model_.models
        sets, kept = _sets(models)
        known = list(dict.fromkeys(name for metrics in sets.values() for name in metrics))
        chosen = metric or (known[0] if known else "nll")
        given = X is not None
        if given != (y is not None):
            raise ValueError("give both X and y, or neither")
        if metric is not None and metric not in known and not (given and metric == "nll"):
            has = ", ".join(map(repr, known)) or "none"
            raise ValueError(
                f"metric={metric!r} was not computed during fit, which has {has}"
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
            X, y, row_params = resolve_rows(estimator, X, y, offset=offset, exposure=exposure)
            codes = encode_y(estimator, y)
            staged = [nll(predictive_distributions(estimator, X, n_rounds=0, **row_params), codes)]
            stages = model.staged_predict_dist(transform_features(estimator, X), **row_params)
            staged += [nll(dist.without_labels(), codes) for dist in stages]
            curves[_GIVEN], kept[_GIVEN] = np.array(staged), len(staged) - 1
        if not curves:
            raise ValueError(
                "fit had no validation set; give X and y here, or fit with "
                "early_stopping=True or X_val and y_val"
            )
        best = models[0].n_rounds if len(models) == 1 else None
        return cls(curves, chosen, best, {name: kept[name] for name in curves}).plot(ax)

    def draw(self, ax: Any) -> None:
        """Draw the curves into axes."""
        one_model = self.best is not None
        colours = class_colours(len(self.curves))
        for (name, values), colour in zip(self.curves.items(), colours, strict=True):
            label, style = legend_label(name), {"color": colour, "lw": 1.6}
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
        values = np.concatenate(finite)
        if values.size:
            # A few extreme values early or late must not flatten the rest.
            low = values.min()
            high = max(np.quantile(values, 0.98), *(curve[:1].max() for curve in finite))
            room = 0.06 * (high - low) or 0.5
            ax.set_ylim(low - room, high + room)
        known = {"nll": "NLL", "crps": "CRPS", "rmse": "RMSE"}
        ax.set(
            xlabel="rounds",
            ylabel=known.get(self.metric, short_name(self.metric.replace("_", " "))),
            title="Learning curve",
            xlim=(0, None),
        )
        integer_ticks(ax.xaxis)
        handles, labels = ax.get_legend_handles_labels()
        first: dict[str, Any] = {}  # handle of each label
        for label, handle in zip(labels, handles, strict=True):
            first.setdefault(label, handle)
        ax.legend([*first.values()], [*first], loc="best")


def _sets(models: Sequence[FittedModel]) -> tuple[dict[str, dict[str, Any]], dict[str, int]]:
    """Return the metrics and the number of rounds kept, by name of the validation set."""
    if len(models) == 1:
        history = models[0].history
        return dict(history), dict.fromkeys(history, models[0].n_rounds)
    sets, kept = {}, {}
    for fold, model in enumerate(models):
        for metrics in model.history.values():
            sets[f"fold {fold + 1}"], kept[f"fold {fold + 1}"] = metrics, model.n_rounds
    return sets, kept
