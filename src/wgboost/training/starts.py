"""Where a fit starts: particles of new rows and of the training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, StratifiedKFold

from wgboost.boosting import AveragedFlow
from wgboost.boosting.averaged_flow import averaged_flow
from wgboost.boosting.start import ConstantStart, EstimatorStart, GPStart, Start, predicted_location
from wgboost.directions import Kernel
from wgboost.learners.regressor import weight_options
from wgboost.responses import Units
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.responses.observations import Observations, Observed, standardise, subtract_offset
from wgboost.training.data import TrainingData
from wgboost.training.settings import Settings
from wgboost.training.smooth_starts import check_smooth, data_identity, smooth_shift
from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.training.posterior_data import PosteriorData

__all__ = ["check_start", "make_start", "starts_to_compare"]

_SMOOTH_ROWS = 50_000  # largest number of rows for which init="auto" tries a smooth start


def starts_to_compare(settings: Settings, data: TrainingData) -> tuple[str, ...]:
    """Return the starts that ``init="auto"`` compares; none where only the flow is possible."""
    if not isinstance(settings.init, str) or settings.init != "auto":
        return ()
    if settings.monotone_constraints is not None or settings.interaction_constraints is not None:
        return ()  # constraints hold for the trees, not for the start
    if not isinstance(data.X, np.ndarray) or len(data) > _SMOOTH_ROWS:
        return ()
    return ("smooth", "flow") if data.can_start_smooth else ()


def check_start(settings: Settings, data: PosteriorData) -> None:
    """Raise for a start that these rows cannot have, before any work."""
    init, response = settings.init, data.response
    if settings.smooth is not None:
        check_smooth(data)
    elif settings.flow is not None:
        return
    elif not _predicts(init):
        _given(init, (settings.n_particles, response.n_params))
    elif response.nominal and not hasattr(init, "predict_proba"):
        raise TypeError(f"init={init!r} has no predict_proba; classes need a classifier that does")


def make_start(
    settings: Settings, data: PosteriorData, n_levels: Array, units: Units, like: Start | None
) -> tuple[Start, LocationScaleShift | None, Array | None]:
    """Return the start of new rows; of training rows what their particles are relative to, and
    the location (n, ...) that they are moved by; None: they start as new rows do.

    With an estimator as `init` the training rows start at out-of-fold predictions, new rows at
    those of an estimator fitted on all rows. With a smooth start a training row is seen from what
    the others say of it.
    """  # noqa: D205
    check_start(settings, data)
    init, response = settings.init, data.response
    rng = np.random.default_rng([settings.seed, 2**31 + 1])
    kernel = getattr(settings.make_direction(), "kernel", None)  # a direction keeps its own
    kernel = kernel if isinstance(kernel, Kernel) else settings.make_kernel()
    observed, counting = standardise(data.observed, units), data.take(data.counted)

    def settle(flow: AveragedFlow, left: Observed) -> Array:
        return averaged_flow(
            flow, counting.response, left[data.counted], counting.tree_weight(settings.leaf),
            counting.evidence, kernel, settings.n_particles, rng,
        )  # fmt: skip

    flow, smooth, shift = settings.flow, settings.smooth, None
    if smooth is not None:
        flow, draws = AveragedFlow(), np.random.default_rng([settings.seed, 2**31 + 2])
        found = smooth_shift(smooth, data, units, n_levels, draws, like)
        if found is not None:
            gp, shift = found
            particles = settle(flow, shift.subtract_from(observed, response)).astype(np.float32)
            there = GPStart(particles, gp, data_identity(data))
            return there, shift, None
    if flow is not None:
        return ConstantStart(settle(flow, observed).astype(np.float32)), None, None
    if _predicts(init):
        location, fitted = _cross_fitted(init, data, units)
        # The residuals of the estimator; for classes the particles keep their spread only.
        left = observed if response.nominal else subtract_offset(observed, response, location)
        particles = settle(AveragedFlow(), left)
        if response.nominal:
            particles = particles - particles.mean(axis=0)
        moving = EstimatorStart(particles.astype(np.float32), fitted, response, units)
        return moving, None, location
    return ConstantStart(_given(init, (settings.n_particles, response.n_params))), None, None


def _predicts(init: Any) -> bool:
    return hasattr(init, "fit") and hasattr(init, "predict")


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


def _cross_fitted(init: Any, data: PosteriorData, units: Units) -> tuple[Array, Any]:
    """Out-of-fold locations of the training rows, and the estimator fitted on all that count."""
    X, response, counted = data.X, data.response, data.counted
    observed = data.observed
    known = observed.value if isinstance(observed, Observations) else observed
    known = known.astype(int) if response.nominal else known
    if counted.size < 2:
        raise ValueError("init as an estimator needs at least two rows, to predict out of fold")

    def fit(some: Array) -> Any:
        if response.nominal and np.unique(known[some]).size == 1:
            return DummyClassifier(strategy="prior").fit(X[some], known[some])
        weight = None if data.weight is None else data.weight[some]
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
