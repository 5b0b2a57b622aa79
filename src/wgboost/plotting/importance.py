"""Feature importances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.plotting.display import Display
from wgboost.plotting.inputs import fitted_estimator
from wgboost.plotting.labels import short_name
from wgboost.plotting.style import BLUE, GREY, check_axes
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["ImportanceDisplay"]


@dataclass(eq=False, repr=False)
class ImportanceDisplay(Display):
    """Show the share of each feature in the gain of all splits, largest first.

    Parameters
    ----------
    names : list of str
        Names of the features, the most important first.
    importance : Array
        Their shares.
    rest : float
        The total share of the features that are not shown.
    n_features : int
        Number of features of the model.

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
    >>> from wgboost.plotting import ImportanceDisplay
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
    >>> display = ImportanceDisplay.from_estimator(model)
    >>> display.names
    ['feature 0']
    """

    names: list[str]
    importance: Array
    rest: float
    n_features: int

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        *,
        feature_names: Any = None,
        max_features: int = 20,
        ax: Any = None,
    ) -> Self:
        """Draw the feature importances of a fitted model of native trees.

        Parameters
        ----------
        estimator : estimator of wgboost
            A fitted estimator, or a pipeline or a search that ends with one.
        feature_names : list of str, default=None
            Names of the features, for models that were fitted without names.
        max_features : int, default=20
            Largest number of features to show.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        ImportanceDisplay
            The display, already drawn.

        Raises
        ------
        TypeError
            If the learner of the model is not native trees.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import ImportanceDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = ImportanceDisplay.from_estimator(model, feature_names=["age"], ax=ax)
        >>> display.importance.tolist()
        [1.0]
        """
        check_integer("max_features", max_features, low=1)
        model = fitted_estimator(estimator, "fit", "feature_importances_")
        shares = model.model_.feature_importances()
        if shares is None:
            raise TypeError(
                f"this {type(model).__name__} has a learner other than trees, which has no gains; "
                "use sklearn.inspection.permutation_importance"
            )
        names = feature_names
        if names is None:
            names = getattr(model, "feature_names_in_", None)
        if names is None:
            names = [f"feature {j}" for j in range(len(shares))]
        if len(names) != len(shares):
            raise ValueError(f"{len(names)} feature names for {len(shares)} features")
        order = np.argsort(-shares, kind="stable")
        largest = order[:max_features]
        rest = float(shares[order[max_features:]].sum())
        return cls([str(names[j]) for j in largest], shares[largest], rest, len(shares)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or into a new figure with room for all bars.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        ImportanceDisplay
            This display.
        """
        return super().plot(check_axes(ax, (6.0, 1.1 + 0.21 * len(self.names))))

    def draw(self, ax: Any) -> None:
        """Draw the bars into axes."""
        place = np.arange(len(self.names))[::-1]
        ax.barh(place, self.importance, height=0.7, color=BLUE)
        ax.set_yticks(place, [short_name(name) for name in self.names], parse_math=False)
        ax.set_ylim(-0.6, len(self.names) - 0.4)
        hidden = self.n_features - len(self.names)
        if hidden:
            text = f"{hidden} more have {self.rest:.0%} together"
            ax.text(0.98, 0.04, text, transform=ax.transAxes, ha="right", fontsize=8, color=GREY)
        ax.set(xlabel="share of the gain of all splits", title="Feature importance")
