"""Predictive distributions of a y of which the model was trained on a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special
from sklearn.preprocessing import FunctionTransformer

from wgboost.predictive.mixture import Mixture
from wgboost.responses import Response, Units
from wgboost.typing import Array

__all__ = ["TransformedResponse", "restored"]

_STEP = 0.5
_ODDS = np.arange(-36, 36 + _STEP, _STEP)
_SHARES = _STEP * special.expit(_ODDS) * special.expit(-_ODDS)
_SHARES = _SHARES / _SHARES.sum()
_SMALL = float(np.cbrt(np.finfo(np.float64).eps))  # step of a central difference, relative
_PROBES = np.linspace(0.0, 1.0, 9)
_LARGEST = 1e300

_Function = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class TransformedResponse(Response):
    """The response of y = backward(z), where z, in its units, has a response of its own.

    Parameters
    ----------
    response, units
        What the model was trained with.
    forward, backward
        The function from y to z, and its inverse; both rise, or both fall.
    rising : bool
        Which of the two.
    ends
        The smallest and the largest possible y.
    """

    response: Response
    inner: Units
    forward: _Function
    backward: _Function
    rising: bool
    ends: tuple[float, float]

    name: ClassVar[str] = "transformed"

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta, those of z."""
        return self.response.param_names

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest possible y."""
        return self.ends

    @property
    def has_mean(self) -> bool:
        """Whether z has a mean; that of y is then taken over all but 2e-16 of its mass."""
        return self.response.has_mean

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:  # noqa: ARG002
        """Return the parameters of z, in its units."""
        return self.response.natural(theta, self.inner)

    def _seen(self, y: Array) -> Array:
        """Return z in standardised units; NaN where y is impossible."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return self.inner.standardise(self.forward(np.asarray(y, dtype=np.float64)))

    def _log_slope(self, y: Array) -> Array:
        """Return the log of the slope of standardised z in y."""
        y = np.asarray(y, dtype=np.float64)
        step = _SMALL * np.where(y == 0, 1.0, np.abs(y))
        above, below = y + step, y - step
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            slope = (self._seen(above) - self._seen(below)) / (above - below)
            logs: Array = np.log(np.abs(slope))
        return logs

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density; -inf where y is impossible."""
        z = self._seen(y)
        logs = self.response.logpdf(np.nan_to_num(z), theta) + self._log_slope(y)
        return np.where(np.isnan(z) | np.isnan(logs), -np.inf, logs)

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta, that of z."""
        return self.response.likelihood_score(self._seen(y), theta)

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta, that of z."""
        return self.response.likelihood_hessian(self._seen(y), theta)

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information, that of z."""
        return self.response.likelihood_fisher(theta)

    def log_prior(self, theta: Array) -> Array:
        """Return the log prior of theta."""
        return self.response.log_prior(theta)

    def prior_score(self, theta: Array) -> Array:
        """Return the gradient of the log prior."""
        return self.response.prior_score(theta)

    def prior_curvature(self, theta: Array) -> Array:
        """Return the curvature of minus the log prior."""
        return self.response.prior_curvature(theta)

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y."""
        return self._below(y, theta, lower=True)

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y."""
        return self._below(y, theta, lower=False)

    def _below(self, y: Array, theta: Array, *, lower: bool) -> Array:
        z, (low, high) = self._seen(y), self.ends
        side = self.response.cdf if lower == self.rising else self.response.sf
        # What the function is not defined for lies below, or `ends` say so.
        found = side(np.where(np.isnan(z), -np.inf if self.rising else np.inf, z), theta)
        found = np.where(np.asarray(y) <= low, 0.0 if lower else 1.0, found)
        return np.where(np.asarray(y) >= high, 1.0 if lower else 0.0, found)

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the smallest y with cdf(y) >= q."""
        quantile = self.response.ppf if self.rising else self.response.isf
        return self._restored(quantile(q, theta))

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the smallest y with sf(y) <= q."""
        quantile = self.response.isf if self.rising else self.response.ppf
        return self._restored(quantile(q, theta))

    def _restored(self, z: Array) -> Array:
        with np.errstate(all="ignore"):
            y = self.backward(self.inner.restore(z))
        # z that no y belongs to, as a power transform has them, lie beyond all that do.
        return np.where(
            np.isnan(y) & ~np.isnan(z), np.where((z > 0) == self.rising, np.inf, -np.inf), y
        )

    def _outcomes(self, theta: Array) -> Array:
        """Return y (..., k) at levels of which the weighted mean is an expectation."""
        tails = special.expit(-np.abs(_ODDS))
        theta = theta[..., None, :]
        below = self.ppf(tails[_ODDS <= 0], theta)
        return np.concatenate([below, self.isf(tails[_ODDS > 0], theta)], axis=-1)

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        mean: Array = self._outcomes(theta) @ _SHARES
        return mean

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        y = self._outcomes(theta)
        spread: Array = np.square(y - (y @ _SHARES)[..., None]) @ _SHARES
        return spread

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        change: Array = self._log_slope(self._outcomes(theta)) @ _SHARES
        return self.response.entropy(theta) - change

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        return self._restored(self.response.rvs(theta, rng))


@dataclass(frozen=True)
class _Applied:
    """A transformer of one column, or its inverse, as a function of arrays of any shape."""

    transformer: Any
    inverse: bool

    def __call__(self, values: Array) -> Array:
        column = np.reshape(np.asarray(values, dtype=np.float64), (-1, 1))
        found = self._plain(column) if self._is_function else self._checked(column)
        return np.asarray(found, dtype=np.float64).reshape(np.shape(values))

    @property
    def _is_function(self) -> bool:
        return isinstance(self.transformer, FunctionTransformer)

    def _plain(self, column: Array) -> Any:
        """Call the function itself: the transformer would refuse what is infinite."""
        one = self.transformer
        function = one.inverse_func if self.inverse else one.func
        settings = (one.inv_kw_args if self.inverse else one.kw_args) or {}
        return column if function is None else function(column, **settings)

    def _checked(self, column: Array) -> Any:
        one = self.transformer
        method = one.inverse_transform if self.inverse else one.transform
        return method(np.clip(column, -_LARGEST, _LARGEST))  # infinity is refused


def restored(dist: Mixture, transformer: Any) -> Mixture:
    """Return the distributions of y of which `dist` are those of ``transformer.transform(y)``.

    Parameters
    ----------
    dist : Mixture
        Distributions of one column.
    transformer
        A fitted transformer with `transform` and `inverse_transform`, monotone, as the
        `transformer_` of scikit-learn's TransformedTargetRegressor.

    Returns
    -------
    Mixture
        With the units of y if the transformer shifts and scales; otherwise with a response that
        takes densities, probabilities and quantiles through it.
    """
    if dist.response.y_shape or dist.response.nominal:
        raise TypeError(
            f"the response {dist.response.name!r} cannot be transformed back: one column of "
            "numbers is needed"
        )

    forward, backward = _Applied(transformer, False), _Applied(transformer, True)
    low, high = dist.interval(0.98)
    probes = low.min() + (high.max() - low.min()) * _PROBES
    with np.errstate(all="ignore"):
        y = backward(probes)
    slope = (y[-1] - y[0]) / (probes[-1] - probes[0])
    line = y[0] + slope * (probes - probes[0])
    straight = bool(np.abs(y - line).max() <= 1e-10 * np.abs(y).max())
    shift = float(y[0] - slope * probes[0])
    everywhere = bool(np.isinf(dist.response.support).all())
    if straight and slope > 0 and (everywhere or abs(shift) <= 1e-12 * abs(y).max()):
        shift = shift if everywhere else 0.0
        units = Units(shift + slope * dist.units.shift, float(slope) * dist.units.scale)
        return Mixture(dist.response, dist.particles, units, dist.weights)
    if dist.response.discrete:
        raise TypeError(
            f"the response {dist.response.name!r} is of whole numbers, which {transformer!r} does "
            "not keep; fit without transforming y"
        )
    steps = np.diff(y) * np.sign(slope)
    if not (np.isfinite(y).all() and (steps >= 0).all() and slope != 0):
        raise ValueError(
            f"{transformer!r} does not rise or fall throughout {probes[0]:g} to {probes[-1]:g}, "
            "where the model predicts values: quantiles cannot be transformed back"
        )
    ends = (-np.inf, np.inf)
    if isinstance(transformer, FunctionTransformer):  # others refuse to be asked at infinity
        with np.errstate(all="ignore"):
            far = np.sort(backward(dist.units.restore(np.array(dist.response.support))))
        if far[0] < far[1]:
            ends = (float(far[0]), float(far[1]))
    response = TransformedResponse(dist.response, dist.units, forward, backward, slope > 0, ends)
    return Mixture(response, dist.particles, Units(), dist.weights)
