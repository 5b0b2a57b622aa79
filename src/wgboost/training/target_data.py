"""Rows whose target is a distribution that the user describes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from wgboost.boosting.start import ConstantStart, Start
from wgboost.metrics import Metric, as_particle_metric
from wgboost.metrics.checks import weighted_average
from wgboost.responses import Units
from wgboost.targets import LogDensity, Target
from wgboost.targets.autodiff import LogDensityTarget
from wgboost.targets.base import RowTarget, UncompiledTarget
from wgboost.targets.conversion import as_row_target, as_target_rows, take_targets
from wgboost.targets.functions import DensityTarget
from wgboost.training.data import TrainingData
from wgboost.training.settings import Settings
from wgboost.typing import Array, Directions
from wgboost.validation import check_weight

__all__ = ["TargetData"]


@dataclass(frozen=True, eq=False)
class TargetData(TrainingData):
    """Rows of the general algorithm."""

    function: Target | LogDensity | None  # None: y describes the targets themselves
    y: Any  # an array or a list, row by row; None where a function does without

    @classmethod
    def of(cls, target: Any, X: Array, y: Any, sample_weight: Any) -> TargetData:
        """Return rows, checked. `target` is a function of y, or the rows' targets, or None."""
        function = target if isinstance(target, (Target, LogDensity)) else None
        if function is None and target is not None:
            if y is not None:
                raise ValueError("the target already says it all; leave y out")
            y = target
        y = as_target_rows(y) if function is None or y is None else np.asarray(y)
        rows = cls(X, check_weight(sample_weight, len(X)), function, y)
        _ = rows.described  # raises unless every row has a target
        return rows

    @cached_property
    def described(self) -> UncompiledTarget:
        """The rows' targets."""
        return as_row_target(self.function, self.y, len(self))

    @property
    def target_columns(self) -> list[Array] | None:
        """See TrainingData."""
        if not isinstance(self.y, np.ndarray) or self.y.dtype.kind not in "fiub":
            return None
        return list(self.y.reshape(len(self), -1).T)

    @property
    def has_y(self) -> bool:
        """See TrainingData."""
        return self.y is not None

    def take(self, index: Array) -> TargetData:
        """See TrainingData."""
        y = None if self.y is None else take_targets(self.y, index)
        weight = None if self.weight is None else self.weight[index]
        return replace(self, X=self.X[index], weight=weight, y=y)

    def validation(
        self,
        encoder: Any,  # noqa: ARG002
        X: Array,
        fit_params: dict[str, Any],
    ) -> TargetData:
        """See TrainingData."""
        return TargetData.of(self.function, X, fit_params["y"], fit_params["sample_weight"])

    def start(
        self,
        settings: Settings,
        n_levels: Array,  # noqa: ARG002
        units: Units,  # noqa: ARG002
        like: Start | None = None,  # noqa: ARG002
    ) -> tuple[Start, TargetData]:
        """See TrainingData."""
        particles, m = _particles(settings.init), settings.n_particles
        d = self.n_params(settings)
        if particles is None:
            rng = np.random.default_rng([settings.seed, 2**31 + 1])
            counting = self if self.weight is None else self.take(self.counted)
            drawn = counting.described.draw(m, rng)
            particles = (rng.standard_normal((m, d)) if drawn is None else drawn).astype(np.float32)
        elif len(particles) != m:
            raise ValueError(
                f"init has {len(particles)} start particles, n_particles={m}; "
                f"set n_particles={len(particles)}"
            )
        constant = ConstantStart(particles)
        if isinstance(self.described, LogDensityTarget):
            self.described.check_finite(constant.at(self.X))
        return constant, self

    def n_params(self, settings: Settings) -> int:
        """Return d, as targets, `n_params` and `init` say it; raise unless they agree."""
        of_target, given = self.described.n_params, settings.n_params
        if of_target is not None and given not in (None, of_target):
            raise ValueError(
                f"n_params={given}, but the target has {of_target} parameters; leave n_params out"
            )
        said = given if of_target is None else of_target
        particles = _particles(settings.init)
        if particles is None:
            return 1 if said is None else int(said)
        if said not in (None, particles.shape[1]):
            raise ValueError(
                f"init: the start particles have {particles.shape[1]} parameters, not {said} as "
                + ("n_params says" if of_target is None else "the target has")
            )
        return int(particles.shape[1])

    def target(self, units: Units) -> RowTarget:  # noqa: ARG002
        """See TrainingData."""
        return self.described

    def metric(self, chosen: Any) -> Metric:
        """See TrainingData."""
        target = self.described
        if chosen in (None, "nll") and isinstance(target, DensityTarget) and target.predicts:

            def nll(particles: Directions, y: Any, *, sample_weight: Any = None) -> float:
                del y
                logs = target.log_predictive(particles)
                return weighted_average(-logs, sample_weight)

            return Metric("nll", nll)
        return as_particle_metric(chosen, target)

    def scorer(self, metric: Metric, units: Units) -> Callable[[Directions], float]:  # noqa: ARG002
        """See TrainingData."""
        return lambda particles: metric(particles, self.y, self.weight)


def _particles(init: Any) -> Array | None:
    """Return start particles (m, d) that were given, checked."""
    if init is None:
        return None
    try:
        particles = np.asarray(init, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"init={init!r} must be start particles (n_particles, n_params) or None"
        ) from error
    if particles.ndim == 1:
        particles = particles[:, None]
    if particles.ndim != 2 or particles.size == 0 or not np.isfinite(particles).all():
        raise ValueError(
            f"init has shape {np.shape(init)}; finite start particles (n_particles, n_params) "
            "are needed"
        )
    return particles
