"""What a fit that goes on from an earlier one cannot change."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.boosting import AveragedFlow
from wgboost.smooth import SmoothStart

__all__ = ["check_continuation", "description"]


def check_continuation(estimator: Any, rests_on: dict[str, tuple[Any, Any]]) -> None:
    """Raise ValueError unless rounds with these settings can follow those of a fitted estimator.

    `rests_on` has what belongs to this kind of estimator: as it was, and as it is now.
    """
    most = estimator._most_rounds()
    if most < estimator.n_estimators_:
        raise ValueError(
            f"warm_start with n_estimators={most} below the "
            f"{estimator.n_estimators_} rounds there are; raise n_estimators"
        )
    settings = {
        "n_particles": (estimator.start_.shape[0], estimator.n_particles),
        **rests_on,
        "init": (estimator._init, description(estimator.init)),
    }
    for name, (before, now) in settings.items():
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
