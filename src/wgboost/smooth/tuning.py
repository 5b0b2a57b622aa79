"""Tuning of lengths, amplitude and noise by the marginal likelihood of a sample of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from wgboost.smooth.columns import Columns
from wgboost.smooth.marginal_likelihood import MarginalLikelihood
from wgboost.typing import Array

__all__ = ["Sample", "Steps", "parameter_bounds", "start_logs"]

_BOUNDS = (
    (-4.0, 5.0),
    (-7.0, 4.0),
    (-8.1, 1.0),
)  # logs of amplitude, linear, noise; y is standardised
_LENGTH_BOUNDS = -3.0, 8.0
_MEANS = 0.0, np.log(0.3), np.log(0.1)
_SPREADS = 1.5, 1.5, 3.0
_LENGTH, _LENGTH_SPREAD = 2.5, 0.7  # prior of lengths / sqrt(number of lengths); of their logs
_START_NOISE = -1.0  # log


class Steps(NamedTuple):
    """Limits of a search."""

    max_iter: int
    tolerance: float  # nats per row: a step that gains less is the last


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows whose marginal likelihood chooses the parameters of a covariance."""

    columns: Columns
    X: Array  # (n, p)
    y: Array  # (n,), or (n, outputs) that share the covariance
    known: Array  # (n,) variance of the known error of y
    weight: Array  # (n,) how often each row counts

    def take(self, rows: Array) -> Sample:
        """Return some of the rows."""
        return replace(
            self, X=self.X[rows], y=self.y[rows], weight=self.weight[rows], known=self.known[rows]
        )

    def tuned(self, kernel: str, logs: Array, steps: Steps) -> Array:
        """Return the logs of the parameters (3 + lengths,) after a search from these logs."""
        bounds = parameter_bounds(self.columns.n_lengths)

        def mean_loss(logs: Array) -> tuple[float, Array]:
            # A mean over rows, since the first step is as long as the gradient.
            loss, gradient = self.loss(kernel, logs)
            return loss / len(self.y), gradient / len(self.y)

        found = minimize(
            mean_loss, logs, jac=True, method="L-BFGS-B", bounds=bounds,
            options={"maxiter": steps.max_iter, "ftol": steps.tolerance},
        )  # fmt: skip
        logs_found: Array = found.x
        return logs_found

    @cached_property
    def _likelihood(self) -> MarginalLikelihood:
        return MarginalLikelihood(self.columns, self.X, self.y, self.known, self.weight)

    def loss(self, kernel: str, logs: Array) -> tuple[float, Array]:
        """Return minus the log marginal likelihood and log prior of logs, and the gradient.

        They are sums over outputs. Constants are left out.
        """
        loss, gradient = self._likelihood(kernel, logs)
        means, spreads = _prior(self.columns.n_lengths)
        z, outputs = (logs - means) / spreads, self.y[:1].size
        return float(loss + 0.5 * outputs * z @ z), gradient + outputs * z / spreads


def parameter_bounds(n_lengths: int) -> list[tuple[float, float]]:
    """Return the bounds of the logs of all parameters."""
    return [*_BOUNDS, *[_LENGTH_BOUNDS] * n_lengths]


def _prior(n_lengths: int) -> tuple[Array, Array]:
    """Return means and standard deviations of the logs of all parameters."""
    length = np.log(_LENGTH * np.sqrt(max(1, n_lengths)))
    means = np.array([*_MEANS, *[length] * n_lengths])
    return means, np.array([*_SPREADS, *[_LENGTH_SPREAD] * n_lengths])


def start_logs(n_lengths: int, shorter: float = 0.0) -> Array:
    """Return the start of a search: the mode of the prior, but with more noise.

    From too little noise the search runs to the bounds. `shorter` is subtracted from log lengths.
    """
    logs = _prior(n_lengths)[0]
    logs[2] = _START_NOISE
    logs[3:] -= shorter
    return logs
