"""Any scikit-learn regressor as a learner."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from wgboost.data import Features
from wgboost.learners.base import Learner
from wgboost.typing import Array, Directions
from wgboost.validation import (
    accepts_sample_weight,
    check_curvature,
    check_finite,
    check_state,
    check_targets,
    check_weight,
)

__all__ = ["FittedRegressor", "RegressorLearner", "as_learner", "weight_options"]


@dataclass(frozen=True, eq=False)
class FittedRegressor:
    """One fitted multi-output regressor, or one regressor per output."""

    regressors: tuple[Any, ...]
    training: Directions  # (n, m, d) values at the training rows, before the rate
    shape: tuple[int, int]
    rate: float = 1.0

    def scaled(self, rate: float) -> FittedRegressor:
        """Return the same function multiplied by a rate."""
        return replace(self, rate=self.rate * rate)

    def add_to(self, particles: Directions) -> None:
        """Add the values at the training rows to particles, in place."""
        check_state(particles, self.training.shape)
        particles += self.training * np.float32(self.rate)

    def without_rows(self) -> FittedRegressor:
        """Return the same function without its values at the training rows."""
        return replace(self, training=np.empty((0, *self.shape), dtype=np.float32))

    def predict(self, X: Any) -> Directions:
        """Return the values (n, m, d) at new rows."""
        return _values(self.regressors, X, self.shape) * np.float32(self.rate)


def _values(regressors: tuple[Any, ...], X: Any, shape: tuple[int, int]) -> Directions:
    columns = [np.asarray(r.predict(X)).reshape(len(X), -1) for r in regressors]
    return np.hstack(columns).astype(np.float32).reshape(len(X), *shape)


def _fits_several(regressor: Any, outputs: int) -> bool:
    """Whether one clone takes all outputs as a matrix; without tags it is not asked to."""
    if not hasattr(regressor, "__sklearn_tags__"):
        return False
    tags = get_tags(regressor).target_tags
    return bool(tags.multi_output and (outputs > 1 or not tags.single_output))


def _seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """A clone whose open random states are drawn from rng."""
    estimator = clone(estimator)
    open_states = [
        name for name, value in estimator.get_params(deep=True).items()
        if name.split("__")[-1] == "random_state" and value is None
    ]  # fmt: skip
    return estimator.set_params(**{name: int(rng.integers(2**31)) for name in sorted(open_states)})


def weight_options(estimator: Any, weight: Array | None) -> dict[str, Array]:
    """Return weights by the keyword that `estimator.fit` has for them, in a Pipeline its last step.

    Raises TypeError if it has none.
    """
    if weight is None:
        return {}
    path, taker = [], estimator
    while isinstance(taker, Pipeline):
        step, taker = taker.steps[-1]
        path.append(step)
    if not accepts_sample_weight(taker.fit):
        raise TypeError(
            f"{type(taker).__name__} takes no sample weights; leave them out or choose another "
            "estimator"
        )
    return {"__".join([*path, "sample_weight"]): weight}


@dataclass(frozen=True)
class RegressorLearner:
    """Fits clones of a scikit-learn regressor to the movement.

    One clone fits all outputs where the regressor says it can, else there is one per output.
    With a curvature the movement is each row's own Newton step g / c: leaf sums are a tree's.
    """

    regressor: Any
    uses_codes: bool = field(default=False, init=False)

    def fit(
        self,
        features: Features,
        targets: Directions,
        curvature: Directions | None = None,
        weight: Array | None = None,
        rng: np.random.Generator | None = None,
    ) -> FittedRegressor:
        """Fit one round; raise TypeError if weights are given to a regressor without them."""
        X, n = features.raw, features.shape[0]
        targets = check_targets("targets", targets, n)
        check_finite("targets", targets)
        if curvature is not None:
            curvature = check_curvature(curvature, targets)
            check_finite("curvature", curvature, nonnegative=True)
            with np.errstate(all="ignore"):
                targets = targets / curvature
            check_finite("targets / curvature", targets)
        weight = check_weight(weight, n)
        options = weight_options(self.regressor, weight)
        rng = np.random.default_rng(0) if rng is None else rng
        outputs = targets.reshape(n, -1)
        if _fits_several(self.regressor, outputs.shape[1]):
            fitted = (_seeded(self.regressor, rng).fit(X, outputs, **options),)
        else:
            fitted = tuple(
                _seeded(self.regressor, rng).fit(X, column, **options) for column in outputs.T
            )
        shape = targets.shape[1:]
        return FittedRegressor(fitted, _values(fitted, X, shape), shape)


def as_learner(learner: Any) -> Learner:
    """Return a learner for a learner, or for a scikit-learn regressor to be cloned each round."""
    if isinstance(learner, type):
        raise TypeError(
            f"learner={learner.__name__} is a class; give an object: {learner.__name__}()"
        )
    if isinstance(learner, Learner):
        return learner
    if all(hasattr(learner, name) for name in ("fit", "predict", "get_params")):
        if hasattr(learner, "predict_proba") or hasattr(learner, "decision_function"):
            raise TypeError(f"learner={learner!r} is a classifier; movements need a regressor")
        return RegressorLearner(learner)
    raise TypeError(
        f"learner={learner!r} is neither a wgboost learner (uses_codes, fit) nor a scikit-learn "
        "regressor (fit, predict, get_params)"
    )
