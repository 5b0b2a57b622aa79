"""Covariance function of a Gaussian process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from wgboost.smooth.columns import Columns
from wgboost.smooth.kernels import KERNELS, correlate
from wgboost.typing import Array
from wgboost.validation import check_choice

__all__ = ["Covariance", "KernelInputs"]


class KernelInputs(NamedTuple):
    """Inputs of a covariance for some rows."""

    points: Array  # (n, q + 1) in units of lengths; the last coordinate is for unknown columns
    terms: Array  # (n, 1 + q), whose products are the linear part
    extra_variance: Array  # (n,) of the linear part, far out or for unknown columns


@dataclass(frozen=True, eq=False)
class Covariance:
    """cov(f(x), f(x')) = amplitude^2 g(r(x, x')) + linear^2 (1 + t(x) . t(x') / q).

    g is a Matérn kernel of smoothness 5/2 or a Gaussian, r the distance of the columns over their
    lengths, and t the columns, clipped to a little beyond the training rows. Further out the linear
    part is a constant, and the unknown slopes add a variance that grows with the distance.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.smooth.columns import Columns
    >>> from wgboost.smooth.covariance import Covariance
    >>> columns = Columns.fit(np.arange(5.0)[:, None], np.zeros(1, dtype=int))
    >>> Covariance(columns, "rbf", np.zeros(4)).amplitude
    1.0
    """

    columns: Columns
    kernel: str
    logs: Array  # (3 + lengths,): log of amplitude, linear, noise, and of each length

    @property
    def amplitude(self) -> float:
        """Variance of the part that fades with distance."""
        return float(np.exp(2 * self.logs[0]))

    @property
    def noise(self) -> float:
        """Variance of y around f."""
        return float(np.exp(2 * self.logs[2]))

    def with_noise(self, noise: float) -> Covariance:
        """Return the covariance with another variance of y around f."""
        logs = self.logs.copy()
        logs[2] = 0.5 * np.log(noise)
        return replace(self, logs=logs)

    @cached_property
    def lengths(self) -> Array:
        """Length (q,) of each column."""
        lengths: Array = np.exp(self.logs[3:])[self.columns.group]
        return lengths

    def kernel_inputs(self, X: Array) -> KernelInputs:
        """Return the inputs of the kernel for rows X (n, p).

        A number that is missing, but never was in training, may have any value of its column. Its
        distance from others is the average distance of two values. A new level is treated alike.
        """
        values = self.columns.apply(X)
        unknown = self.columns.unknown(X, values)
        within = self.columns.within(values)
        points = np.empty((len(values), 1 + values.shape[1]))
        points[:, :-1] = values / self.lengths
        points[:, -1] = np.sqrt(unknown @ (1 / np.square(self.lengths)))
        away = (np.square(values - within) + unknown).sum(axis=1)
        slopes = np.exp(2 * self.logs[1]) / max(1, values.shape[1])
        return KernelInputs(points, self.linear(within), slopes * away)

    def linear(self, within: Array) -> Array:
        """Return the terms (n, 1 + q) of clipped columns whose products are the linear part."""
        terms = np.empty((len(within), 1 + within.shape[1]))
        terms[:, 0] = 1.0
        terms[:, 1:] = within / np.sqrt(max(1, within.shape[1]))
        terms *= np.exp(self.logs[1])
        return terms

    def between(self, a: Array, b: Array) -> Array:
        """Return the part of the covariance (n, m) of points that decays with distance."""
        covariance = np.empty((len(a), len(b)))
        correlate(self.kernel, a, b, covariance)
        covariance *= self.amplitude
        return covariance

    def check(self, n_features: int) -> None:
        """Raise ValueError unless a covariance from a file can be used with so many features."""
        check_choice("kernel", self.kernel, KERNELS)
        if not isinstance(self.columns, Columns):
            raise ValueError("the smooth start has no columns")
        self.columns.check(n_features)
        logs: Any = self.logs
        good = isinstance(logs, np.ndarray) and logs.dtype == np.float64
        if (
            not good
            or logs.shape != (3 + self.columns.n_lengths,)
            or not (np.abs(logs) < 100).all()
        ):
            raise ValueError("covariance of the smooth start: lengths do not match the columns")
