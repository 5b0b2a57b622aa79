"""What a fit that goes on from an earlier one cannot change."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.boosting import AveragedFlow
from wgboost.responses import Response

__all__ = ["check_continuation", "description", "without_rows"]


def check_continuation(estimator: Any, response: Response) -> None:
    """Raise ValueError unless rounds with these settings can follow those of a fitted estimator."""
    if estimator.n_estimators < estimator.n_estimators_:
        raise ValueError(
            f"warm_start with n_estimators={estimator.n_estimators} below the "
            f"{estimator.n_estimators_} rounds there are; raise n_estimators"
        )
    settings = {
        "n_particles": (estimator.start_.shape[0], estimator.n_particles),
        "response": (estimator.response_, without_rows(response)),
        "init": (estimator._init, description(estimator.init)),
    }
    for name, (before, now) in settings.items():
        if before != now:
            raise ValueError(
                f"{name}={now} cannot go on from rounds with {name}={before}; keep it, or fit "
                "anew with warm_start=False"
            )


def without_rows(response: Response) -> Response:
    """Return the response without the values that its prior has for each training row."""
    return response.take(slice(0, 0)) if response.per_row() else response


def description(init: Any) -> str:
    """Return a text that tells one start from another."""
    if isinstance(init, (str, AveragedFlow)) or hasattr(init, "fit"):
        return repr(init)
    return str(np.asarray(init, dtype=np.float32).tolist())
