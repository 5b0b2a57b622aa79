"""What particles cost: memory and pairs of them, before either is spent."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from wgboost.boosting import AveragedFlow
from wgboost.machine import memory_limit

__all__ = ["check_cost", "check_shape"]

_GIVEN = (np.ndarray, list, tuple)  # start particles

# One core of 2023, `n_particles` of 200 and 400, normal, gamma and Student's t responses.
_START_PAIRS = 5e7  # of particles a second, in the flow to the start
_ROUND_PAIRS = 5e8  # in a round
_STATE = 24  # bytes for each parameter of each particle of each row: six arrays in float32
_SLOW = 60.0  # seconds, of the start or of a round, from which on a fit says what it costs
_HOPELESS = 30 * 86400.0  # seconds


def check_cost(estimator: Any, rows: Any) -> None:
    """Raise ValueError for a fit to these rows that cannot end, and warn of a very slow one."""
    response = getattr(rows, "response", None)
    n_params = rows.n_params(estimator) if response is None else response.n_params
    flow = estimator._flow()
    follows = flow is None and response is not None and not isinstance(estimator.init, _GIVEN)
    steps = AveragedFlow().steps if follows else 0 if flow is None else flow.steps
    check_shape(int(estimator.n_particles), len(rows.X), n_params, steps)


def check_shape(n_particles: int, n_rows: int, n_params: int, start_steps: int) -> None:
    """Raise ValueError for a fit that cannot end, and warn of a very slow one.

    Particles of a row interact in pairs: time grows with the square of their number, memory with
    the number itself.

    Parameters
    ----------
    n_particles, n_rows, n_params : int
        Shape of the state of a fit.
    start_steps : int
        Steps of the flow to the start at most; 0 if the start is given.
    """
    shape = f"{n_rows} rows of {n_params} parameters"
    needed, there = float(_STATE) * n_particles * n_rows * n_params, memory_limit()
    if needed > there:
        raise ValueError(
            f"n_particles={n_particles} with {shape} needs about {_size(needed)} of memory, of "
            f"{_size(there)} that there are; n_particles={_fitting(there, n_rows, n_params)} would "
            "fit, and 10 to 100 are usual"
        )
    pairs = float(n_particles) ** 2
    start, one_round = start_steps * pairs / _START_PAIRS, n_rows * pairs / _ROUND_PAIRS
    cost = (
        f"n_particles={n_particles} with {shape}: {pairs * n_rows:.1e} pairs of particles in every "
        f"round, about {_duration(one_round)} on one core, and up to {pairs * start_steps:.1e} in "
        f"the flow to the start, about {_duration(start)}; 10 to 100 particles are usual"
    )
    if max(start, one_round) > _HOPELESS:
        raise ValueError(cost)
    if max(start, one_round) > _SLOW:
        warnings.warn(cost, UserWarning, stacklevel=2)


def _fitting(memory: float, n_rows: int, n_params: int) -> int:
    """Return the largest power of ten of particles of which a tenth of the memory is enough."""
    most = max(1.0, memory / 10 / (_STATE * n_rows * n_params))
    return int(10 ** (len(str(int(most))) - 1))


def _size(n_bytes: float) -> str:
    unit = next(power for power in (4, 3, 2, 0) if n_bytes >= 1e3**power or power == 0)
    return f"{n_bytes / 1e3**unit:.3g} {({4: 'TB', 3: 'GB', 2: 'MB', 0: 'bytes'})[unit]}"


def _duration(seconds: float) -> str:
    for length, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {name}"
    return f"{seconds:.2g} seconds"
