"""Predictive distributions of y from a model that was trained on a transformed y."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special
from sklearn.preprocessing import FunctionTransformer

from wgboost.predictive.mixture import Mixture
from wgboost.responses import Response, Units
from wgboost.typing import Array

__all__ = ["TransformedResponse", "inverse_transformed"]

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
    """The response of y = backward(z), where z has the response that the model was trained with."""

    response: Response
    inner: Units  # of z
    forward: _Function  # from y to z
    backward: _Function
    rising: bool  # whether both functions increase; otherwise both decrease
    ends: tuple[float, float]  # the smallest and the largest possible y

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
        """Whether z has a mean. The mean of y is then over all but 2e-16 of its mass."""
        return self.response.has_mean

    @property
    def may_be_infinite(self) -> bool:
        """Whether y may be infinite with some probability, as for some power transforms."""
        return True

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:  # noqa: ARG002
        """Return the parameters of z, in its units."""
        return self.response.natural(theta, self.inner)

    def _transform(self, y: Array) -> Array:
        """Return z in standardised units; NaN where y is impossible."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return self.inner.standardise(self.forward(np.asarray(y, dtype=np.float64)))

    def _log_slope(self, y: Array) -> Array:
        """Return the log of the slope of standardised z in y.

        It is a central difference between the y of two neighbouring z, or a one-sided one if the
        other y is NaN.
        """
        y = np.asarray(y, dtype=np.float64)
        z = self._transform(y)
        step = _SMALL * np.maximum(np.abs(z), 1.0)
        with np.errstate(all="ignore"):
            pair = np.stack([self._plain(z + step), self._plain(z - step)])
            near = np.stack([np.nextafter(y, np.inf), np.nextafter(y, -np.inf)])
            pair = np.where(pair[0] == pair[1], near, pair)
            images = self._transform(pair)
            known = np.isfinite(pair) & np.isfinite(images)
            pair, images = np.where(known, pair, y), np.where(known, images, z)
            logs: Array = np.log(np.abs((images[0] - images[1]) / (pair[0] - pair[1])))
        return logs

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density; -inf where y is impossible."""
        z = self._transform(y)
        logs = self.response.logpdf(np.nan_to_num(z), theta) + self._log_slope(y)
        return np.where(np.isnan(z) | np.isnan(logs), -np.inf, logs)

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta, that of z."""
        return self.response.likelihood_score(self._transform(y), theta)

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta, that of z."""
        return self.response.likelihood_hessian(self._transform(y), theta)

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
        z, (low, high) = self._transform(y), self.ends
        side = self.response.cdf if lower == self.rising else self.response.sf
        # Values for which the function is not defined are below those for which it is.
        found = side(np.where(np.isnan(z), -np.inf if self.rising else np.inf, z), theta)
        found = np.where(np.asarray(y) <= low, 0.0 if lower else 1.0, found)
        return np.where(np.asarray(y) >= high, 1.0 if lower else 0.0, found)

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the smallest y with cdf(y) >= q."""
        return self._restored(self._quantile(q, theta, lower=True))

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the smallest y with sf(y) <= q."""
        return self._restored(self._quantile(q, theta, lower=False))

    def _quantile(self, q: Array, theta: Array, *, lower: bool) -> Array:
        """Return the z of the y with this probability below or above it."""
        side = self.response.ppf if lower == self.rising else self.response.isf
        return side(q, theta)

    def _plain(self, z: Array) -> Array:
        """Return y; NaN for z without a y, as beyond the range of a power transform."""
        with np.errstate(all="ignore"):
            return self.backward(self.inner.restore(z))

    def _restored(self, z: Array) -> Array:
        """Return y; an end of the range for z without a y."""
        y, (low, high) = self._plain(z), self.ends
        return np.where(np.isnan(y) & ~np.isnan(z), np.where((z > 0) == self.rising, high, low), y)

    def _levels(self, theta: Array) -> Array:
        """Return z (..., k) at the levels of a quadrature."""
        tails = special.expit(-np.abs(_ODDS))
        theta = theta[..., None, :]
        below = self._quantile(tails[_ODDS <= 0], theta, lower=True)
        above = self._quantile(tails[_ODDS > 0], theta, lower=False)
        return np.concatenate([below, above], axis=-1)

    def _outcomes(self, theta: Array) -> Array:
        """Return y (..., k) at the levels of a quadrature."""
        return self._restored(self._levels(theta))

    def mean(self, theta: Array) -> Array:
        """Return the mean of y, which is infinite if y is so with a probability of 2e-16."""
        mean: Array = self._outcomes(theta) @ _SHARES
        return mean

    def var(self, theta: Array) -> Array:
        """Return the variance of y, which is infinite if the mean is."""
        y = self._outcomes(theta)
        mean = (y @ _SHARES)[..., None]
        finite = np.isfinite(mean)
        gaps = np.where(finite, y, np.inf) - np.where(finite, mean, 0.0)
        spread: Array = np.square(gaps) @ _SHARES
        return spread

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats.

        It is inf if y is infinite with a probability of 2e-16 or more, and -inf if y is at an end
        of its range with such a probability.
        """
        z, (low, high) = self._levels(theta), self.ends
        y, beyond = self._restored(z), np.isnan(self._plain(z))
        inside = np.clip(y, np.nextafter(low, np.inf), np.nextafter(high, -np.inf))
        slope = np.where(beyond, np.where(np.isinf(y), -np.inf, np.inf), self._log_slope(inside))
        change: Array = slope @ _SHARES
        return self.response.entropy(theta) - change

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        return self._restored(self.response.rvs(theta, rng))


@dataclass(frozen=True)
class _Applied:
    """A transformer of one column, or its inverse, as a function of arrays of any shape.

    The result is NaN outside of `domain`, where the transformer raises an error.
    """

    transformer: Any
    inverse: bool
    domain: tuple[float, float] = (-_LARGEST, _LARGEST)

    def __call__(self, values: Array) -> Array:
        column = np.reshape(np.asarray(values, dtype=np.float64), (-1, 1))
        plain = isinstance(self.transformer, FunctionTransformer)
        found = self._plain(column) if plain else self._checked(column)
        return np.asarray(found, dtype=np.float64).reshape(np.shape(values))

    def _plain(self, column: Array) -> Any:
        """Call the function itself, because the transformer does not take infinite values."""
        one = self.transformer
        function = one.inverse_func if self.inverse else one.func
        settings = (one.inv_kw_args if self.inverse else one.kw_args) or {}
        return column if function is None else function(column, **settings)

    def _checked(self, column: Array) -> Any:
        one, (low, high) = self.transformer, self.domain
        method = one.inverse_transform if self.inverse else one.transform
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of NaN
            found = method(np.clip(column, low, high))  # infinity raises an error
        refused = ((column < low) & (low > -_LARGEST)) | ((column > high) & (high < _LARGEST))
        return np.where(refused, np.nan, found)


def _accepted(transformer: Any, value: float) -> bool:
    """Return whether a value is in the domain of a transformer."""
    try:
        with np.errstate(all="ignore"):
            found = transformer.transform(np.array([[value]]))
    except ValueError:  # scikit-learn's transformers raise it outside of their domain
        return False
    return not np.isnan(found).any()


def _last_accepted(transformer: Any, inside: float, sign: float) -> float:
    """Return the end of the domain of a transformer, from a point inside towards infinity."""
    if _accepted(transformer, sign * _LARGEST):
        return sign * _LARGEST
    # Bisection of the bits: first of the exponent, then to the last digit.
    good, bad = inside, sign * _LARGEST
    if good * bad < 0:
        if not _accepted(transformer, 0.0):
            bad = 0.0
        else:
            good = 0.0
    good_bits, bad_bits = (int(np.float64(abs(v)).view(np.int64)) for v in (good, bad))
    side = np.sign(good) or np.sign(bad)
    while abs(good_bits - bad_bits) > 1:
        middle = (good_bits + bad_bits) // 2
        if _accepted(transformer, float(side * np.int64(middle).view(np.float64))):
            good_bits = middle
        else:
            bad_bits = middle
    return float(side * np.int64(good_bits).view(np.float64))


def _bounded(
    transformer: Any, dist: Mixture, y: Array, rising: bool
) -> tuple[_Applied, _Applied, tuple[float, float]]:
    """Return the function from y, its inverse, and the smallest and the largest possible y."""
    order = slice(None, None, 1 if rising else -1)
    support = dist.units.restore(np.array(dist.response.support))[order]
    backward = _Applied(transformer, True)
    with np.errstate(all="ignore"):
        far = backward(support)
        if isinstance(transformer, FunctionTransformer):  # no checks of the domain
            ends = far if far[0] < far[1] else np.array([-np.inf, np.inf])
            return _Applied(transformer, False), backward, (float(ends[0]), float(ends[1]))
        low = _last_accepted(transformer, float(y.min()), -1.0)
        high = _last_accepted(transformer, float(y.max()), 1.0)
        forward = _Applied(transformer, False, (low, high))
        # The inverse may be wrong for z beyond the image of the outermost y.
        image = forward(np.array([low, high]))
        less = np.where(np.isinf(support), np.sign(support) * np.sqrt(_LARGEST), support)
        ends = np.array([low, high])
        ends = np.where(np.abs(ends) == _LARGEST, np.sign(ends) * np.inf, ends)
        ends[np.abs(ends) <= np.nextafter(0.0, 1.0)] = 0.0
        # Ends at which the inverse is constant, as for a QuantileTransformer, or z has an end.
        held = (far == backward(less)) & ((forward(far) == image) | np.isfinite(support))
        ends = np.where(held, far, ends)
        image = np.clip(np.where(held, np.sign(image) * np.inf, image), -_LARGEST, _LARGEST)[order]
    backward = _Applied(transformer, True, (float(image[0]), float(image[1])))
    return forward, backward, (float(ends[0]), float(ends[1]))


def inverse_transformed(dist: Mixture, transformer: Any) -> Mixture:
    """Return the distributions of y if `dist` are those of ``transformer.transform(y)``.

    The transformer is fitted and monotone, as `transformer_` of scikit-learn's
    TransformedTargetRegressor. A shift and scale changes the units only.
    """
    if dist.response.y_shape or dist.response.nominal:
        raise TypeError(
            f"the response {dist.response.name!r} cannot be transformed back; only one column of "
            "numbers can"
        )

    backward = _Applied(transformer, True)
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
        return Mixture(dist.response, dist.particles, units, dist.weights, dist.error)
    if dist.response.discrete:
        raise TypeError(
            f"the response {dist.response.name!r} is for whole numbers, which {transformer!r} "
            "does not keep; fit without transforming y"
        )
    steps = np.diff(y) * np.sign(slope)
    if not (np.isfinite(y).all() and (steps >= 0).all() and slope != 0):
        raise ValueError(
            f"{transformer!r} is not monotone from {probes[0]:g} to {probes[-1]:g}, the range of "
            "the predictions: quantiles cannot be transformed back"
        )
    forward, backward, ends = _bounded(transformer, dist, y, slope > 0)
    response = TransformedResponse(dist.response, dist.units, forward, backward, slope > 0, ends)
    return Mixture(response, dist.particles, Units(), dist.weights, dist.error)
