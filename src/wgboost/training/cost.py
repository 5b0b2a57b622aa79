"""What particles cost: memory and pairs of them, before either is spent."""

from __future__ import annotations

import warnings

import numpy as np

from wgboost.boosting import AveragedFlow
from wgboost.machine import memory_limit
from wgboost.training.data import TrainingData
from wgboost.training.posterior_data import PosteriorData
from wgboost.training.settings import Settings

__all__ = ["check_cost", "check_shape"]

_GIVEN = (np.ndarray, list, tuple)  # start particles

# One core of 2023, `n_particles` of 200 and 400, normal, gamma and Student's t responses.
_START_PAIRS = 5e7  # of particles a second, in the flow to the start
_ROUND_PAIRS = 5e8  # in a round
_STATE = 24  # bytes for each parameter of each particle of each row: six arrays in float32
_SLOW = 60.0  # seconds, of the start or of a round, from which on a fit says what it costs
_HOPELESS = 30 * 86400.0  # seconds


def check_cost(settings: Settings, data: TrainingData) -> None:
    """Raise ValueError for a fit to these rows that cannot end, and warn of a very slow one."""
    n_params, flow = data.n_params(settings), settings.flow
    follows = flow is None and isinstance(data, PosteriorData)
    follows = follows and not isinstance(settings.init, _GIVEN)
    steps = AveragedFlow().steps if follows else 0 if flow is None else flow.steps
    early_stopping = settings.stops_early(len(data.to_split))
    rounds = settings.max_rounds(early_stopping=early_stopping)
    check_shape(settings.n_particles, len(data.X), n_params, steps, rounds)


def check_shape(
    n_particles: int, n_rows: int, n_params: int, start_steps: int, n_rounds: int
) -> None:
    """Raise ValueError for a fit that cannot end, and warn of a very slow one.

    Particles of a row interact in pairs: time grows with the square of their number, memory with
    the number itself.

    Parameters
    ----------
    n_particles, n_rows, n_params : int
        Shape of the state of a fit.
    start_steps : int
        Steps of the flow to the start at most; 0 if the start is given.
    n_rounds : int
        Rounds asked for, or the most of them.
    """
    shape = f"{n_rows} rows of {n_params} parameters"
    quick = _quick(memory_limit(), n_rows, n_params, start_steps, n_rounds)
    needed, there = float(_STATE) * n_particles * n_rows * n_params, memory_limit()
    if needed > there:
        raise ValueError(
            f"n_particles={n_particles} with {shape} needs about {_size(needed)} of memory, of "
            f"{_size(there)} that there are; n_particles={quick} would fit and take about a "
            "minute, and 10 to 100 are usual"
        )
    pairs = float(n_particles) ** 2
    start, one_round = start_steps * pairs / _START_PAIRS, n_rows * pairs / _ROUND_PAIRS
    total = start + n_rounds * one_round
    cost = (
        f"n_particles={n_particles} with {shape}: {pairs * n_rows:.1e} pairs of particles in every "
        f"round, about {_duration(one_round)} on one core, and up to {pairs * start_steps:.1e} in "
        f"the flow to the start, about {_duration(start)}; up to {_duration(total)} with all of "
        f"{n_rounds} rounds. n_particles={quick} would take about a minute, and 10 to 100 are usual"
    )
    if max(start, one_round) > _HOPELESS:
        raise ValueError(cost)
    if max(start, one_round) > _SLOW:
        warnings.warn(cost, UserWarning, stacklevel=2)


def _quick(memory: float, n_rows: int, n_params: int, start_steps: int, n_rounds: int) -> int:
    """Return the largest round number of particles that takes under a minute.

    One digit followed by zeros; a tenth of the memory is enough for it. At least 1.
    """
    a_pair = start_steps / _START_PAIRS + n_rounds * n_rows / _ROUND_PAIRS  # seconds
    by_time = np.sqrt(_SLOW / a_pair) if a_pair > 0 else np.inf
    most = int(max(1.0, min(memory / 10 / (_STATE * n_rows * n_params), by_time)))
    size = 10 ** (len(str(most)) - 1)
    return int(most // size * size)


def _size(n_bytes: float) -> str:
    unit = next(power for power in (4, 3, 2, 0) if n_bytes >= 1e3**power or power == 0)
    return f"{n_bytes / 1e3**unit:.3g} {({4: 'TB', 3: 'GB', 2: 'MB', 0: 'bytes'})[unit]}"


def _duration(seconds: float) -> str:
    for length, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {name}"
    return f"{seconds:.2g} seconds"
