"""The expected squared error of a model with a smooth start."""

from __future__ import annotations

import numpy as np

from wgboost.boosting.simulated_errors import SimulatedErrors, draw_y, movement_to
from wgboost.smooth.gp_model import GPModel
from wgboost.smooth.refitted_process import RefittedProcess
from wgboost.typing import Array

__all__ = ["errors_with_trees", "known_noise", "share_of_simulated", "variance_of_process"]

_SHARE = 0.9  # of the simulated error of 200 rows
_SHARE_ROWS, _SHARE_POWER = 200, 0.06  # simulated errors fall more slowly than true ones
_LENGTH_COST = 2.0  # error of a length that data choose, relative to one row's share of the error
_LEAST_SHARE = 0.1  # of the mean variance of a process
_COMPARED_ROWS = 500


def errors_with_trees(
    process: RefittedProcess, simulation: SimulatedErrors, truth: Array, variance: Array,
    rng: np.random.Generator,
) -> Array:  # fmt: skip
    """Return the squared errors (n, 1) of trees that are added to a Gaussian process.

    The process is fitted to the simulated data again, with the parameters that were found, and the
    trees to what it leaves of them. A row is left out of both.

    Parameters
    ----------
    process : RefittedProcess
        The process of the rows.
    simulation : SimulatedErrors
        Boosts as the model was.
    truth : array of shape (n, replicates, 1)
        Functions that data are simulated from.
    variance : array of shape (n, 1)
        Variance of the noise.
    rng : numpy.random.Generator
        Source of the noise.

    Returns
    -------
    array of shape (n, 1)
    """
    y = draw_y(truth, variance, rng)
    location = process.left_out(y[:, :, 0])[:, :, None]
    scale = np.exp(process.shift().log_scale)[:, None, None]
    left = ((y - location) / scale).astype(np.float32)
    movement = movement_to(left, variance / np.square(scale[:, 0]))
    fitted = simulation.fitted(movement, np.zeros_like(truth, np.float32))
    return simulation.left_out(np.square(location + scale * fitted - truth))


def share_of_simulated(gp: GPModel, n_rows: int) -> float:
    """Return the share of the simulated error that is the estimate.

    The simulation has the lengths of the process, which the data have chosen. The choice adds to
    the error.

    Parameters
    ----------
    gp : GPModel
        The process of the model.
    n_rows : int
        Number of rows that are simulated.

    Returns
    -------
    float
    """
    share = _SHARE * (max(n_rows, _SHARE_ROWS) / _SHARE_ROWS) ** -_SHARE_POWER
    return float(share * (1 + _LENGTH_COST * gp.covariance.columns.n_lengths / n_rows))


def variance_of_process(process: RefittedProcess, *, sampled: bool) -> Array:
    """Return the variance (n, 1) of the process of a model at some rows, given the others.

    It is not much smaller than its mean anywhere, so that errors relative to it are bounded.

    Parameters
    ----------
    process : RefittedProcess
        The process of the rows.
    sampled : bool
        Whether the model has more rows. Its process then varies less than the one of these rows.

    Returns
    -------
    array of shape (n, 1)
    """
    gp = process.gp
    scaled = gp.function_variance(process.shift())
    if sampled:
        some = slice(None, None, -(-len(scaled) // _COMPARED_ROWS))
        whole = gp.function_variance(gp.at(process.rows.X[some]))
        scaled *= whole.mean() / scaled[some].mean()
    least = _LEAST_SHARE * np.average(scaled, weights=process.rows.weight)
    variance: Array = np.maximum(scaled, least)[:, None]
    return variance


def known_noise(gp: GPModel, noise: Array) -> Array:
    """Return the variance (1,) of the noise: of the process or of the simulation, if smaller.

    Parameters
    ----------
    gp : GPModel
        The process of the model.
    noise : array of shape (1,)
        Variance of the noise in the simulation.

    Returns
    -------
    array of shape (1,)
    """
    return np.minimum(noise, gp.scale.noise * gp.units.scale**2)
