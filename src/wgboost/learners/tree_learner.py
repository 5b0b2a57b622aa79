"""The rarer rules of the trees, as the `learner` of an estimator."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["TreeLearner"]


@dataclass(frozen=True, repr=False)
class TreeLearner:
    """Set the rarer rules of the trees of an estimator.

    The usual rules are parameters of the estimators: depth, leaves, regularisation, sampling.
    ``learner=None`` of an estimator is ``TreeLearner()``.

    Parameters
    ----------
    split_on : {"all", "sum", "particle_mean"}, int or None, default=None
        Outputs of a tree that the split search uses: all of them, their sum, their mean over
        particles, or a number of random projections. Leaves hold all outputs in any case. None is
        "particle_mean" for `WGBRegressor` and "all" for `WGBClassifier` and `WGBoost`.
    leaf : {"newton", "mean"} or None, default=None
        Leaf values: "newton" is sum(g) / (sum(c) + l2) over the rows of a leaf, with gradients g
        and curvatures c; "mean" is the mean of g / c. None is "newton", and "mean" for `WGBoost`.
    growth : {"best_first", "depth_wise"} or None, default=None
        Order in which nodes are split. It matters when `max_leaves` ends the growth. None is
        "best_first", and "depth_wise" for `WGBoost`.
    min_gain : float, default=0.0
        Smallest gain of a split.
    max_bins : int, default=255
        Largest number of bins of a numeric feature, at most 255.
    cat_smooth : float, default=10.0
        Categories are ordered by their mean gradient as if so many more rows had the mean of the
        node.
    cat_penalty : float, default=1.0
        Penalty on splits by categories, as a multiple of the gain that many categories have by
        chance. 0 switches it off.
    engine : {"native", "xgboost"} or None, default=None
        Library that finds the splits. "xgboost" needs ``wgboost[xgboost]`` for fitting, and has
        neither categories nor monotone constraints. None is "native" on one machine, and
        "xgboost" on a cluster, where it is the only engine.
    device : str, default="cpu"
        Device of XGBoost, such as "cuda".
    support : bool or float, default=True
        Whether the model remembers where its training rows are, for `predict_support`. A number is
        the reach: the distance from training rows, in standard deviations of a feature, over which
        support fades. True is 0.3.

    Examples
    --------
    >>> from wgboost import TreeLearner, WGBRegressor
    >>> WGBRegressor(max_leaves=8, learner=TreeLearner(split_on="sum", max_bins=63))
    WGBRegressor(learner=TreeLearner(split_on='sum', max_bins=63), max_leaves=8)
    """

    split_on: str | int | None = None
    leaf: str | None = None
    growth: str | None = None
    min_gain: float = 0.0
    max_bins: int = 255
    cat_smooth: float = 10.0
    cat_penalty: float = 1.0
    engine: str | None = None
    device: str = "cpu"
    support: bool | float = True

    def __repr__(self) -> str:
        """Return the fields that are not at their defaults, as scikit-learn shows estimators."""
        changed = [
            f"{field.name}={value!r}"
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"
