"""Sums over the rows of all workers.

The rows of a fit may be spread over workers that communicate through `xgboost.collective`. Growing
trees needs only sums over rows, which are added up here. In one process these functions return
their arguments.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from wgboost.trees.xgboost.library import import_xgboost
from wgboost.typing import Array

__all__ = ["allreduce", "broadcast", "gather", "weighted_mean"]

_T = TypeVar("_T")


def allreduce(values: Array) -> Array:
    """Return the sum of the arrays of all workers.

    Parameters
    ----------
    values : array of float64
        The array of this worker; all have the same shape.

    Returns
    -------
    total : array of float64
        The sum, the same on all workers.

    Examples
    --------
    >>> import numpy as np
    >>> allreduce(np.ones(2))
    array([1., 1.])
    """
    collective = import_xgboost().collective
    if not collective.is_distributed():
        return values
    flat = np.ascontiguousarray(values, dtype=np.float64).ravel()
    summed: Array = collective.allreduce(flat, collective.Op.SUM)
    return summed.reshape(values.shape)


def broadcast(value: _T) -> _T:
    """Return the value of the first worker.

    Parameters
    ----------
    value : object
        The value of this worker, not None.

    Returns
    -------
    value : object
        That of the first worker.

    Examples
    --------
    >>> broadcast("here")
    'here'
    """
    collective = import_xgboost().collective
    if not collective.is_distributed():
        return value
    shared: _T = collective.broadcast(value, 0)
    return shared


def gather(values: Array) -> Array:
    """Return the arrays of all workers.

    Parameters
    ----------
    values : array of float64
        The array of this worker; all have the same shape.

    Returns
    -------
    all : array of shape (workers, ...)
        One after another, the same on all workers.

    Examples
    --------
    >>> import numpy as np
    >>> gather(np.ones(2))
    array([[1., 1.]])
    """
    collective = import_xgboost().collective
    if not collective.is_distributed():
        return values[None]
    places = np.zeros((collective.get_world_size(), *values.shape))
    places[collective.get_rank()] = values
    return allreduce(places)


def weighted_mean(value: float, weight: float) -> float:
    """Return the weighted mean of the numbers of all workers.

    Parameters
    ----------
    value : float
        The number of this worker. It may be nan if the weight is zero.
    weight : float
        The weight of the rows of this worker; zero without rows.

    Returns
    -------
    mean : float
        The mean; nan if all weights are zero.

    Examples
    --------
    >>> weighted_mean(3.0, 2.0)
    3.0
    """
    own = [value * weight if weight else 0.0, weight]
    summed, mass = allreduce(np.array(own, dtype=np.float64))
    return float(summed / mass) if mass else float("nan")
