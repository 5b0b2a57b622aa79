"""Where a fit starts: particles of new rows and of the training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, StratifiedKFold

from wgboost.boosting import AveragedFlow, ConstantStart, EstimatorStart, Start, averaged_flow
from wgboost.boosting.start import predicted_location
from wgboost.directions import Kernel
from wgboost.estimators.parameters import Parameters
from wgboost.learners import weight_options
from wgboost.responses import Observations, Units, lowered, standardised
from wgboost.typing import Array, Directions

if TYPE_CHECKING:
    from wgboost.estimators.posterior_rows import PosteriorRows

__all__ = ["make_start"]


def make_start(
    estimator: Parameters, rows: PosteriorRows, units: Units, seed: int
) -> tuple[Start, Directions]:
    """Return the start of new rows, and the start particles (n, m, d) of the training rows.

    With an estimator as `init` the training rows start at out-of-fold predictions, new rows at
    those of an estimator fitted on all rows.
    """
    init, response = estimator.init, rows.response
    rng = np.random.default_rng([seed, 2**31 + 1])
    kernel = getattr(estimator._direction(), "kernel", None)  # a direction keeps its own
    kernel = kernel if isinstance(kernel, Kernel) else estimator._kernel()
    seen, counting = standardised(rows.seen, units), rows.take(rows.counted)

    def settle(flow: AveragedFlow, location: Array | None = None) -> Array:
        left = seen if location is None else lowered(seen, response, location)
        return averaged_flow(
            flow, counting.response, left[rows.counted], counting.weight, counting.evidence,
            kernel, estimator.n_particles, rng,
        )  # fmt: skip

    flow = estimator._flow()
    if flow is not None:
        constant = ConstantStart(settle(flow).astype(np.float32))
        return constant, constant.at(rows.X)
    if hasattr(init, "fit") and hasattr(init, "predict"):
        location, fitted = _cross_fitted(init, rows, units)
        # What the estimator leaves over: residuals, or for classes the spread alone.
        particles = settle(AveragedFlow(), None if response.nominal else location)
        if response.nominal:
            particles = particles - particles.mean(axis=0)
        moving = EstimatorStart(particles.astype(np.float32), fitted, response, units)
        return moving, moving.moved(location)
    constant = ConstantStart(_given(init, (estimator.n_particles, response.n_params)))
    return constant, constant.at(rows.X)


def _given(init: Any, shape: tuple[int, int]) -> Array:
    try:
        particles = np.asarray(init, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f'init={init!r} must be "flow", start particles {shape} or an estimator with fit and '
            "predict"
        ) from error
    if particles.shape != shape or not np.isfinite(particles).all():
        raise ValueError(
            f"init has shape {particles.shape}; finite start particles {shape} (n_particles, "
            'parameters) are needed, or "flow", or an estimator'
        )
    return particles


def _cross_fitted(init: Any, rows: PosteriorRows, units: Units) -> tuple[Array, Any]:
    """Out-of-fold locations of the training rows, and the estimator fitted on all that count."""
    X, response, counted = rows.X, rows.response, rows.counted
    seen = rows.seen
    known = seen.value if isinstance(seen, Observations) else seen
    known = known.astype(int) if response.nominal else known
    if response.nominal and not hasattr(init, "predict_proba"):
        raise TypeError(f"init={init!r} has no predict_proba; classes need a classifier that does")
    if counted.size < 2:
        raise ValueError("init as an estimator needs at least two rows, to predict out of fold")

    def fit(some: Array) -> Any:
        if response.nominal and np.unique(known[some]).size == 1:
            return DummyClassifier(strategy="prior").fit(X[some], known[some])
        weight = None if rows.weight is None else rows.weight[some]
        return clone(init).fit(X[some], known[some], **weight_options(init, weight))

    folds: Any = KFold(min(5, counted.size), shuffle=True, random_state=0)
    if response.nominal:
        rarest = int(np.unique(known[counted], return_counts=True)[1].min())
        if rarest > 1:
            folds = StratifiedKFold(min(5, rarest), shuffle=True, random_state=0)
    fitted = fit(counted)
    # Rows of weight zero are not trained on: for them every prediction is out of fold.
    location = predicted_location(fitted, X, response, units)
    for inside, outside in folds.split(X[counted], known[counted]):
        held = counted[outside]
        location[held] = predicted_location(fit(counted[inside]), X[held], response, units)
    return location, fitted
