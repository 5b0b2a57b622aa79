"""From the parameters of an estimator to the objects that do the work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from wgboost.boosting import LEAVES, AveragedFlow
from wgboost.data import Batches, PreparedMatrix, Schema, as_dense, as_frame, without_columns
from wgboost.data.binning import MAX_BINS
from wgboost.data.frames import frame_names
from wgboost.directions import Direction, Kernel, as_direction
from wgboost.engines import as_grower
from wgboost.estimators.constraints import check_constrained, held_parameter
from wgboost.estimators.course import Course
from wgboost.estimators.engine import check_engine
from wgboost.estimators.saving import Saving
from wgboost.learners import HistTree, Learner, as_learner
from wgboost.metrics.row_parameters import column_names
from wgboost.smooth import SmoothStart
from wgboost.trees import TreeSettings
from wgboost.typing import Array
from wgboost.validation import (
    check_choice,
    check_integer,
    check_number,
    check_weight,
)

__all__ = ["PAPER_TREES", "Parameters", "checked_matrix", "prior_settings", "usual_leaves"]

PAPER_TREES: dict[str, Any] = {
    "max_depth": 3, "max_leaves": None, "min_samples_leaf": 1, "l2": 0.0, "min_gain": 0.0,
    "growth": "depth_wise", "subsample": 1.0, "colsample": 1.0, "tree": "shared",
    "split_on": "sum", "leaf": "mean", "max_bins": 255,
}  # fmt: skip
"""The trees that the paper's tables were made with."""

_MOST = 4000  # rounds, where none are said and rows are watched
_UNWATCHED = 100  # rounds, where none are said and none are watched
_ENOUGH = 50  # rows to hold out some of; fewer have as many rounds as there are rows
_LEAVES = 4, 16, 128  # of trees where none are said: the fewest, those of so many rows, the most
_ROWS = 512


def checked_matrix(estimator: Any, X: Any, *, reset: bool, weight: Any = None) -> Array:
    """Return X (n, p) as floats; NaN and infinities pass, and categories are codes.

    `reset` learns the columns, which later calls check; rows of weight zero bring no categories.
    """
    if isinstance(X, PreparedMatrix):
        prepared: Any = X
        return prepared  # type: ignore[no-any-return]
    X = as_dense(X)
    frame = as_frame(X)
    if frame is None:
        X = _checked_array(estimator, X, reset=reset)
    if not reset:
        if frame is not None:
            X = frame = without_columns(frame, column_names(estimator))
            estimator.schema_.warn_names(frame_names(frame), type(estimator).__name__)
        known: Array = estimator.schema_.apply(X)
        return known
    categorical = estimator.categorical_features
    weight = check_weight(weight, len(X) if frame is None else len(frame))
    estimator.schema_, matrix = Schema.fit(X, categorical_features=categorical, weight=weight)
    if frame is not None:
        estimator.n_features_in_ = matrix.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        if estimator.schema_.names is not None:
            estimator.feature_names_in_ = np.asarray(estimator.schema_.names, dtype=object)
    return matrix


def _checked_array(estimator: Any, X: Any, *, reset: bool) -> Array:
    """What is no frame, after scikit-learn's checks."""
    if isinstance(X, Batches):
        raise TypeError(
            "X is Batches, which fit takes alone; predict batch by batch: for X, y in source: "
            "model.predict_dist(X)"
        )
    if isinstance(X, Iterator):
        raise TypeError(
            f"X is a {type(X).__name__}; a table is needed, or, to fit from batches (X, y), "
            "wgboost.Batches of the function that makes them"
        )
    if getattr(getattr(X, "dtype", None), "kind", None) in ("m", "M"):
        raise TypeError(
            f"X has dates or times ({X.dtype}); give numbers, such as days since a date, the "
            "month or the weekday"
        )
    if isinstance(X, Mapping) or (
        isinstance(X, (list, tuple)) and any(isinstance(row, Mapping) for row in X)
    ):
        what = "a dict" if isinstance(X, Mapping) else "a list of dicts"
        raise TypeError(f"X is {what}; a frame has names of columns: pandas.DataFrame(X)")
    try:
        matrix: Array = validate_data(
            estimator, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite=False
        )
    except ValueError as error:
        if "convert string to float" not in str(error):
            raise
        raise ValueError(
            f"X has text in it, {error}; give a frame, or encode it as numbers"
        ) from error
    return matrix


def usual_leaves(n: int) -> int:
    """Return how many leaves suit n rows: one for 32 of them, and with their root beyond 512.

    `benchmarks/recipes.py` is the experiment behind it.
    """
    fewest, middle, most = _LEAVES
    growth = n / _ROWS if n < _ROWS else float(np.sqrt(n / _ROWS))
    return int(min(max(fewest, middle * growth), most))


class Parameters(Saving):
    """What the three estimators have in common before they see data."""

    _n_rows: int = 0  # to train on, by weight: what settings follow that are left open
    _course: Course  # of the fit that is going on

    def _check_parameters(self, callbacks: Any = ()) -> None:
        """Raise for the first parameter that makes no sense, before any work."""
        check_integer("n_particles", self.n_particles, low=1)
        if self.n_estimators is not None:
            check_integer("n_estimators", self.n_estimators, low=0)
        check_number("learning_rate", self.learning_rate, above=0)
        check_choice("leaf", self.leaf, LEAVES)
        check_number("validation_fraction", self.validation_fraction, above=0, high=0.99)
        if self.n_iter_no_change is not None:
            hint = "None takes the best of all rounds"
            check_integer("n_iter_no_change", self.n_iter_no_change, low=1, hint=hint)
        for name in ("early_stopping", "refit", "warm_start"):
            value = getattr(self, name)
            undecided = value is None and name == "early_stopping"
            if not (undecided or isinstance(value, (bool, np.bool_))):
                raise TypeError(f"{name}={value!r} must be True or False")
        if not isinstance(self.verbose, bool):
            check_integer("verbose", self.verbose, low=0)
        if not isinstance(callbacks, Sequence) or not all(map(callable, callbacks)):
            raise TypeError(f"callbacks={callbacks!r} must be a list of functions")
        if isinstance(self.init, type):
            kind = self.init.__name__
            raise TypeError(f"init={kind} is a class; give an object: {kind}()")
        check_engine(self)
        learner = self._learner()
        if learner.uses_codes:
            check_integer("max_bins", self.max_bins, low=2, high=MAX_BINS)
        check_constrained(self, learner)
        self._direction()
        self._flow()

    def _most_rounds(self, *, watched: bool = True) -> int:
        """How many rounds at most, where the last ones are watched for something better or not."""
        if self.n_estimators is not None:
            return int(self.n_estimators)
        if watched:
            return _MOST
        return _UNWATCHED if self._n_rows >= _ENOUGH else max(1, self._n_rows)

    def _stops_early(self, n_rows: int) -> bool:
        """Whether to find the number of rounds on rows that are not trained on."""
        if self.early_stopping is None:
            return self.n_estimators is None and n_rows >= _ENOUGH
        return bool(self.early_stopping)

    def _level(self) -> float:
        """How many observations a row speaks for, on average."""
        return 1.0

    def _l2(self) -> Any:
        """What is added to the curvature of a leaf, which grows with the evidence of its rows."""
        check_number("l2", self.l2, low=0)
        return self.l2 * self._level()

    def _kernel(self) -> Kernel:
        return Kernel("gaussian" if self.kernel is None else self.kernel, self.bandwidth)

    def _direction(self) -> Direction:
        return as_direction(self.direction, self._kernel())

    def _leaves(self) -> int | None:
        """The most leaves of a tree; "auto" follows the rows, unless a depth is given."""
        if not isinstance(self.max_leaves, str):
            return self.max_leaves  # type: ignore[no-any-return]
        check_choice("max_leaves", self.max_leaves, ["auto"])
        return usual_leaves(self._n_rows) if self.max_depth is None else None

    def _learner(self) -> Learner:
        settings = TreeSettings(
            tree=self.tree,
            split_on=self.split_on,
            growth=self.growth,
            max_depth=self.max_depth,
            max_leaves=self._leaves(),
            min_samples_leaf=self.min_samples_leaf,
            l2=self._l2(),
            min_gain=self.min_gain,
            cat_smooth=self.cat_smooth,
            cat_penalty=self.cat_penalty,
            subsample=self.subsample,
            colsample=self.colsample,
        )
        if self.learner is not None:
            return as_learner(self.learner)
        grower = as_grower(self.engine, self.device)
        return HistTree(settings, self._n_threads(), grower=grower)

    def _held_parameter(self, names: Sequence[str], n_params: int) -> tuple[int, int]:
        """The coordinate that `monotone_constraints` hold, and what they are multiplied by."""
        return held_parameter(self.monotone_parameter, names, n_params), 1

    def _flow(self) -> AveragedFlow | None:
        """The averaged flow, if the start is one."""
        if isinstance(self.init, str):
            check_choice("init", self.init, ["flow", "smooth"])
            return AveragedFlow() if self.init == "flow" else None
        return self.init if isinstance(self.init, AveragedFlow) else None

    def _smooth(self) -> SmoothStart | None:
        """The smooth start, if it is one."""
        if isinstance(self.init, str) and self.init == "smooth":
            return SmoothStart()
        return self.init if isinstance(self.init, SmoothStart) else None

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))


def prior_settings(prior: Any) -> dict[str, Any]:
    """Return prior parameters by their names in the response: "scale" is short for prior_scale."""
    if not isinstance(prior, dict):
        raise TypeError(f"prior={prior!r} must be a dict of prior parameters by name")
    return {name if name.startswith("prior_") else f"prior_{name}": v for name, v in prior.items()}
