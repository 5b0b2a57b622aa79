"""Which features the trees of a model split on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wgboost.metrics.estimates import final_step
from wgboost.model import FittedBag, FittedModel
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import fitted
from wgboost.plotting.style import BLUE, GREY, axes_of
from wgboost.plotting.texts import plain
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["ImportanceDisplay"]


@dataclass(eq=False, repr=False)
class ImportanceDisplay(Display):
    """The share of each feature in the gain of all splits, the largest on top.

    Attributes
    ----------
    names : list of str
        Features, the most important first.
    importance : Array
        Their shares.
    rest : float
        The share of the features that are not shown, together.
    n_features : int
        How many features the model has.
    """

    names: list[str]
    importance: Array
    rest: float
    n_features: int

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, feature_names: Any = None, max_features: int = 20, ax: Any = None
    ) -> Self:
        """Draw the importances of a fitted model of native trees, at most `max_features`.

        `feature_names` are for models that were fitted without names.
        """
        check_integer("max_features", max_features, low=1)
        model = fitted(estimator, "fit")
        if isinstance(getattr(model, "model_", None), (FittedModel, FittedBag)) and (
            model.model_.importances() is None
        ):
            raise TypeError(
                f"this {type(model).__name__} has another learner than trees, and no gains of "
                "splits; sklearn.inspection.permutation_importance takes any model"
            )
        final_step(model, "feature_importances_")
        shares, names = model.feature_importances_, feature_names
        if names is None:
            names = getattr(model, "feature_names_in_", None)
        if names is None:
            names = [f"feature {j}" for j in range(len(shares))]
        if len(names) != len(shares):
            raise ValueError(f"{len(names)} feature names for {len(shares)} features")
        order = np.argsort(-shares, kind="stable")
        shown = order[:max_features]
        rest = float(shares[order[max_features:]].sum())
        return cls([str(names[j]) for j in shown], shares[shown], rest, len(shares)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes of matplotlib, or into a new figure that has room for all bars."""
        return super().plot(axes_of(ax, (6.0, 1.1 + 0.21 * len(self.names))))

    def draw(self, ax: Any) -> None:
        """Put the bars into axes."""
        place = np.arange(len(self.names))[::-1]
        ax.barh(place, self.importance, height=0.7, color=BLUE)
        ax.set_yticks(place, [plain(name) for name in self.names], parse_math=False)
        ax.set_ylim(-0.6, len(self.names) - 0.4)
        hidden = self.n_features - len(self.names)
        if hidden:
            text = f"{hidden} more have {self.rest:.0%} together"
            ax.text(0.98, 0.04, text, transform=ax.transAxes, ha="right", fontsize=8, color=GREY)
        ax.set(xlabel="share of the gain of all splits", title="Feature importance")
