"""Particles whose spread is the estimated error of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from wgboost.predictive.weights import mix
from wgboost.responses import Categorical, Response
from wgboost.typing import Array

__all__ = [
    "LARGEST_SHARE",
    "SMOOTHING",
    "dirichlet_concentration",
    "dirichlet_information",
    "scaled_particles",
]

LARGEST_SHARE = 0.95
"""Largest share of the variance of y that is epistemic, for classes, counts and a bounded y."""

SMOOTHING = 0.7
"""Share of the deviation of what trees without support have lost that widens the response.

A few narrow particles far from each other are a poor density. As in kernel smoothing of a particle
filter, locations shrink and each particle becomes wider, so that the variance stays."""

_LARGEST_SHARE = 0.9999  # the same for other responses: some dispersion has to be left

_LARGEST_LOG_ERROR = 4.0  # of a location that is a log
_LARGEST_LOG_SPREAD = 0.5  # deviation of scales and shapes, which are logs
_ITERATIONS = 40
_TOLERANCE = 1e-9
_LARGEST_GAP = 1e-4  # of the variance of y, relative
_LARGEST_TOTAL = 1e9  # of the parameters of a Dirichlet distribution
_LARGEST_STEP = 0.5
_BISECTED, _BISECTIONS = 20.0, 20  # range of the log of a variance
_DIFFERENCE = 1e-4  # for slopes of mean and variance


def scaled_particles(
    response: Response, theta: Array, weights: Array | None, error: Array
) -> Array:
    """Return particles with the same predictive mean and variance, and the spread of an error.

    Deviations from the mean particle are multiplied by a factor in each row, and the dispersion is
    changed so that the variance of y stays. Class probabilities keep their mean and stay positive.

    Parameters
    ----------
    response : Response
        The response.
    theta : array of shape (n, m, d)
        Particles, float64.
    weights : array of shape (n, m) or None
        Weights of the particles.
    error : array of shape (n, q)
        Expected squared error of the locations, or the sum of that of all class probabilities.

    Returns
    -------
    array of shape (n, m, d)

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.predictive.posterior_particles import scaled_particles
    >>> from wgboost.responses import Normal
    >>> theta = np.array([[[-1.0, 0.0], [1.0, 0.0]]])
    >>> scaled_particles(Normal(), theta, None, np.array([[0.25]])).round(3)
    array([[[-0.5 ,  0.28],
            [ 0.5 ,  0.28]]])
    """
    if response.nominal:
        return _classes(response, theta, weights, error[:, 0])
    if response.y_shape:
        return _columns(response, theta, weights, error)
    return _numbers(response, theta, weights, error[:, 0])


def _centred(theta: Array, weights: Array | None) -> tuple[Array, Array]:
    """Return the mean particles (n, 1, d) and the deviations (n, m, d) from them."""
    moved = np.swapaxes(theta, 1, 2)
    mean = mix(moved, None if weights is None else weights[:, None])[:, None]
    return mean, theta - mean


def _variance(deviation: Array, weights: Array | None) -> Array:
    """Return variances (n, d) over particles of deviations (n, m, d) from their mean."""
    squares = np.swapaxes(np.square(deviation), 1, 2)
    return mix(squares, None if weights is None else weights[:, None])


def _scaled(deviation: Array, weights: Array | None, variance: Array) -> tuple[Array, Array]:
    """Return deviations (n, m) with these variances (n,), and the factor (n,) of the others.

    Where all particles agree, normal quantiles take the place of their deviations.
    """
    now = _variance(deviation[..., None], weights)[:, 0]
    agree = now <= _TOLERANCE**2 * np.maximum(variance, np.finfo(float).tiny)
    if agree.any():
        m = deviation.shape[1]
        pattern = special.ndtri((np.arange(m) + 0.5) / m)
        deviation = np.where(agree[:, None], pattern, deviation)
        mean = mix(deviation, weights)[:, None]
        deviation = np.where(agree[:, None], deviation - mean, deviation)
        now = _variance(deviation[..., None], weights)[:, 0]
    factor = np.sqrt(variance / np.where(now > 0, now, 1.0))
    return deviation * factor[:, None], np.where(agree, 1.0, factor)


def _numbers(response: Response, theta: Array, weights: Array | None, error: Array) -> Array:
    """Return the particles of a y that is one number."""
    if not response.has_mean:
        at, moved = response.location, np.array(theta)
        mean, deviation = _centred(theta, weights)
        moved[..., at] = mean[..., at] + _scaled(deviation[..., at], weights, error)[0]
        return moved
    goal = _Moments.of(response, theta, weights)
    free = response.has_dispersion and response.offset_link is not None and not response.discrete
    largest_share = _LARGEST_SHARE if free else LARGEST_SHARE
    variance = error
    if response.offset_link is not None:
        linear = response.offset_link == "identity"
        variance = np.fmin(error, largest_share * goal.variance if linear else _LARGEST_LOG_ERROR)
    moved = _with_variance(response, theta, weights, goal, variance)
    if not response.has_dispersion:
        return moved
    rows = np.flatnonzero(~goal.kept(response, moved, weights, largest_share))
    if rows.size:
        some, weights = goal.take(rows), None if weights is None else weights[rows]
        moved[rows] = _with_share(
            response, theta[rows], weights, some, variance[rows], largest_share
        )
    return moved


def _with_variance(
    response: Response, theta: Array, weights: Array | None, goal: _Moments, variance: Array
) -> Array:
    """Return particles whose locations have this variance (n,), and y the moments of a goal."""
    at, moved = response.location, np.array(theta)
    mean, deviation = _centred(theta, weights)
    others = [j for j in range(theta.shape[2]) if j != at]
    scaled, factor = _scaled(deviation[..., at], weights, variance)
    moved[..., at] = mean[..., at] + scaled
    _scale_others(moved, mean, deviation, weights, factor, others)
    goal.keep(response, moved, weights)
    return moved


def _with_share(
    response: Response, theta: Array, weights: Array | None, goal: _Moments, variance: Array,
    largest_share: float,
) -> Array:  # fmt: skip
    """Return particles with the largest variance that keeps that of y, by bisection.

    Means have at most this share of it. `variance` (n,) is too large.
    """
    high = np.log(variance)
    low = high - _BISECTED
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        moved = _with_variance(response, theta, weights, goal, np.exp(middle))
        small = goal.kept(response, moved, weights, largest_share)
        low, high = np.where(small, middle, low), np.where(small, high, middle)
    return _with_variance(response, theta, weights, goal, np.exp(low))


@dataclass(frozen=True, eq=False)
class _Moments:
    """Mean and variance (n,) of y that particles keep; NaN where they are not finite."""

    mean: Array
    variance: Array

    @classmethod
    def of(cls, response: Response, theta: Array, weights: Array | None) -> _Moments:
        with np.errstate(over="ignore", invalid="ignore"):
            means = response.mean(theta)
            mean = mix(means, weights)
            variance = mix(response.var(theta) + np.square(means - mean[:, None]), weights)
        good = np.isfinite(mean) & np.isfinite(variance) & (variance > 0)
        return cls(np.where(good, mean, np.nan), np.where(good, variance, np.nan))

    def take(self, rows: Array) -> _Moments:
        """Return the moments of some rows."""
        return _Moments(self.mean[rows], self.variance[rows])

    def between(self, response: Response, theta: Array, weights: Array | None) -> Array:
        """Return the variance (n,) of the means of particles."""
        with np.errstate(over="ignore", invalid="ignore"):
            spread: Array = mix(np.square(response.mean(theta) - self.mean[:, None]), weights)
        return spread

    def kept(
        self, response: Response, theta: Array, weights: Array | None, largest_share: float
    ) -> Array:
        """Return whether (n,) particles keep the variance of y, with this share between them.

        Counts vary at least as much as with the least dispersion.
        """
        share = self.share_of(self.between(response, theta, weights))
        good: Array = share <= largest_share * (1 + _TOLERANCE)
        if not (response.discrete and response.offset_link == "log"):
            return good
        total = self.share_of(self.of_y(response, theta, weights))
        return good & (total <= 1 + _LARGEST_GAP)

    def of_y(self, response: Response, theta: Array, weights: Array | None) -> Array:
        """Return the variance (n,) of y that particles predict."""
        with np.errstate(over="ignore", invalid="ignore"):
            total: Array = mix(response.var(theta), weights) + self.between(
                response, theta, weights
            )
        return total

    def share_of(self, variance: Array) -> Array:
        """Return variances (n,) as shares of that of y."""
        return np.nan_to_num(variance / self.variance, nan=0.0, posinf=0.0)

    def keep(self, response: Response, moved: Array, weights: Array | None) -> None:
        """Change locations and dispersion to the mean and the variance of y, in place."""
        self.keep_mean(response, moved, weights)
        for _ in range(_ITERATIONS):
            largest = self.keep_mean(response, moved, weights)
            if response.has_dispersion:
                largest = max(largest, self.keep_variance(response, moved, weights))
            if largest < _TOLERANCE:
                break

    def keep_mean(self, response: Response, moved: Array, weights: Array | None) -> float:
        """Shift locations towards the mean of y, in place; return the longest step."""

        def values(theta: Array) -> Array:
            mean = mix(response.mean(theta), weights)
            return np.log(mean) if response.offset_link == "log" else mean

        wanted = np.log(self.mean) if response.offset_link == "log" else self.mean
        return _newton_step(values, wanted, moved, {response.location: 1.0})

    def keep_variance(self, response: Response, moved: Array, weights: Array | None) -> float:
        """Change the dispersion towards the variance of y, in place; return the longest step."""
        with np.errstate(divide="ignore", invalid="ignore"):
            wanted = np.log(self.variance - self.between(response, moved, weights))

        def values(theta: Array) -> Array:
            return np.log(mix(response.var(theta), weights))

        return _newton_step(values, wanted, moved, response.dispersion)


def _newton_step(
    values: Callable[[Array], Array], wanted: Array, moved: Array, along: Mapping[int, float]
) -> float:
    """Move particles along some coordinates by a Newton step, in place; return its length."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        now, ahead = values(moved), np.array(moved)
        for j, exponent in along.items():
            ahead[..., j] += exponent * _DIFFERENCE
        step = (wanted - now) * _DIFFERENCE / (values(ahead) - now)
    step = np.nan_to_num(step, nan=0.0, posinf=0.0, neginf=0.0)
    step = np.clip(step, -_LARGEST_STEP, _LARGEST_STEP)
    for j, exponent in along.items():
        moved[..., j] += exponent * step[:, None]
    return float(np.abs(step).max(initial=0.0))


def _scale_others(
    moved: Array, mean: Array, deviation: Array, weights: Array | None, factor: Array,
    others: list[int],
) -> None:  # fmt: skip
    """Scale the deviations of scales and shapes alike, within bounds, in place."""
    if not others:
        return
    spread = np.sqrt(_variance(deviation[..., others], weights))  # (n, k)
    with np.errstate(divide="ignore", over="ignore"):
        bound = np.maximum(_LARGEST_LOG_SPREAD / spread, 1.0)
    each = np.minimum(factor[:, None], bound)
    moved[..., others] = mean[..., others] + each[:, None] * deviation[..., others]


def _columns(response: Response, theta: Array, weights: Array | None, error: Array) -> Array:
    """Return the particles of a y of several columns; only locations change."""
    where: Any = response.location
    mean, deviation = _centred(theta, weights)
    moved = np.array(theta)
    noise = np.swapaxes(response.var(theta), 1, 2)
    total = mix(noise, None if weights is None else weights[:, None])
    total = total + _variance(deviation[..., where], weights)
    variance = np.minimum(error, _LARGEST_SHARE * total)
    for j in range(variance.shape[1]):
        at = range(theta.shape[2])[where][j]
        moved[..., at] = mean[..., at] + _scaled(deviation[..., at], weights, variance[:, j])[0]
    return moved


def _classes(response: Response, theta: Array, weights: Array | None, error: Array) -> Array:
    """Return the particles of classes, with the same mean probabilities.

    Deviations of probabilities are multiplied by a factor, as far as all stay positive.
    """
    if not isinstance(response, Categorical):
        return theta
    probabilities = response.probabilities(theta)
    moved = np.swapaxes(probabilities, 1, 2)
    mean = mix(moved, None if weights is None else weights[:, None])[:, None]  # (n, 1, k)
    deviation = probabilities - mean
    now = mix(np.square(deviation).sum(axis=2), weights)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        factor = np.nan_to_num(np.sqrt(error / now), nan=1.0, posinf=1.0)
        room = np.where(deviation < 0, -mean / deviation, np.inf).min(axis=(1, 2))
    factor = np.minimum(factor, LARGEST_SHARE * room)
    with np.errstate(divide="ignore"):
        logs = np.log(mean + factor[:, None, None] * deviation)
    scaled: Array = np.nan_to_num(logs[..., :-1] - logs[..., -1:])
    return scaled


def dirichlet_information(probabilities: Array, error: Array) -> Array:
    """Return the mutual information of the class and its probabilities, in nats.

    The probabilities are Dirichlet distributed.

    Parameters
    ----------
    probabilities : array of shape (n, k)
        Mean probabilities.
    error : array of shape (n,)
        Sum over classes of the variances of the probabilities.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.predictive.posterior_particles import dirichlet_information
    >>> dirichlet_information(np.array([[0.5, 0.5]]), np.array([0.25])).round(4)
    array([0.3069])
    """
    total = dirichlet_concentration(probabilities, error)[:, None]
    expected = special.digamma(total + 1) - special.digamma(total * probabilities + 1)
    information = special.entr(probabilities).sum(axis=1) - (probabilities * expected).sum(axis=1)
    clipped: Array = np.maximum(information, 0)
    return clipped


def dirichlet_concentration(probabilities: Array, error: Array) -> Array:
    """Return the sum (n,) of the parameters of Dirichlet distributions.

    Parameters
    ----------
    probabilities : array of shape (n, k)
        Mean probabilities.
    error : array of shape (n,)
        Sum over classes of the variances of the probabilities.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.predictive.posterior_particles import dirichlet_concentration
    >>> dirichlet_concentration(np.array([[0.5, 0.5]]), np.array([0.25]))
    array([1.])
    """
    largest = (probabilities * (1 - probabilities)).sum(axis=1)
    variance = np.minimum(error, LARGEST_SHARE * largest)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = largest / variance - 1
    bounded: Array = np.clip(np.nan_to_num(total, nan=_LARGEST_TOTAL), None, _LARGEST_TOTAL)
    return bounded
