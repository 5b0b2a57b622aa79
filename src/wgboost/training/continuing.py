"""What a fit that goes on from an earlier one cannot change."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.boosting import AveragedFlow
from wgboost.model import FittedModel
from wgboost.smooth import SmoothStart
from wgboost.training.settings import Settings

__all__ = ["check_continuation", "description"]


def check_continuation(
    model: FittedModel, settings: Settings, more: dict[str, tuple[Any, Any]]
) -> None:
    """Raise ValueError unless rounds with these settings can follow those of a model.

    `more` has further things that must not change: as they were, and as they are now.
    """
    most = settings.max_rounds()
    if most < model.n_rounds:
        raise ValueError(
            f"warm_start with n_estimators={most} below the "
            f"{model.n_rounds} rounds there are; raise n_estimators"
        )
    fixed = {
        "n_particles": (model.start.shape[0], settings.n_particles),
        **more,
        "init": (model.init, description(settings.init)),
    }
    for name, (before, now) in fixed.items():
        if before != now:
            raise ValueError(
                f"{name}={now} cannot go on from rounds with {name}={before}; keep it, or fit "
                "anew with warm_start=False"
            )


def description(init: Any) -> str:
    """Return a text that tells one start from another."""
    if init is None or isinstance(init, (str, AveragedFlow, SmoothStart)) or hasattr(init, "fit"):
        return repr(init)
    return str(np.asarray(init, dtype=np.float32).tolist())
