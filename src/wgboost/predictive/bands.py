"""Credible bands: where a quantity of the distribution of y is, as far as the model knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from wgboost.predictive.blocks import row_blocks
from wgboost.predictive.posterior_particles import dirichlet_concentration, scaled_particles
from wgboost.predictive.ranges import REAL_LINE, Range, range_of_parameter
from wgboost.predictive.summaries import Summaries
from wgboost.predictive.weights import mix
from wgboost.responses import Response, Units
from wgboost.typing import Array
from wgboost.validation import format_value, nearest_name

if TYPE_CHECKING:
    from wgboost.predictive.mixture import Mixture

__all__ = ["Banded", "Quantity", "check_band", "middle_name"]

Quantity = str | float | Callable[[Mapping[str, Array]], Array]
"""The mean, the median, the scale, a quantile by its level, a parameter by name, or a function."""

_WORDS = ("mean", "median", "scale")
_LEAST_TOTAL = 1.8
"""Least sum of the parameters of the Dirichlet distribution of a band. Smaller ones have their mass
at 0 and 1, and a quantile would be one of them."""


class Banded(Summaries):
    """Mixtures that say how well quantities of the distribution of y are known."""

    def band(self, of: Quantity = "mean", coverage: float = 0.9) -> tuple[Array, Array]:
        """Compute a credible band of a quantity, such as the mean of y.

        The quantity itself is inside with this probability, as far as the model knows. y scatters
        more: see `interval`.

        Parameters
        ----------
        of : str, float or callable, default="mean"
            "mean" or "median" of y; "scale", the standard deviation of y if its parameters were
            known; a number between 0 and 1, that quantile of y; the name of a parameter of the
            response, a key of `params`; or a function of a dict as `params` returns it, of
            `posterior_particles`, that returns an array of the shape of its values. These words
            take precedence over parameters of the same name. For classes "mean" is the
            probability of each.
        coverage : float, default=0.9
            The probability that the quantity is inside, between 0 and 1.

        Returns
        -------
        low, high : ndarray of shape (n,)
            The ends of the band; (n, k) for the probabilities of classes, and (n, q) for the mean,
            the median, the scale or a quantile of several columns of y.

        Notes
        -----
        The band is the mean of the quantity over `posterior_particles`, plus and minus a normal
        quantile times its standard deviation. Quantities with an end, such as the mean of a
        positive y, have both on a log or logit scale. So the band stays in their range. The band of
        the mean contains the predicted mean. The band of a function is not transformed; a function
        with positive values can return their logs. Class probabilities have a Dirichlet
        distribution, so that the band of each has the ends of a Beta distribution. It becomes a
        uniform Dirichlet distribution where trees lack support.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]], error=[[0.01]])
        >>> low, high = dist.band("mean", 0.9)  # 0.5 plus and minus 1.645 * 0.1
        >>> float(low[0].round(3)), float(high[0].round(3))
        (0.336, 0.664)
        >>> low, high = dist.interval(0.9)
        >>> float(low[0].round(3)), float(high[0].round(3))
        (-1.339, 2.339)
        """
        check_band(self.response, of, coverage)
        dist: Any = self
        if self.response.nominal and not callable(of):
            low, high = _probabilities(dist, coverage)
            return (low, high) if of == "mean" else _of_class(low, high, str(of))
        if self.response.y_shape and not callable(of) and _of_y(of):
            ends = [dist.marginal(j).band(of, coverage) for j in range(self.response.y_shape[0])]
            low, high = (np.stack(side, axis=1) for side in zip(*ends, strict=True))
            return low, high
        if callable(of):  # at once: it may use arrays with all rows
            return _numbers(dist, of, coverage)
        n, m, d = self.particles.shape
        low, high = np.empty(n), np.empty(n)
        for rows in row_blocks(n, m * (d + 1)):
            low[rows], high[rows] = _numbers(dist[rows], of, coverage)
        return low, high


def check_band(response: Response, of: Any, coverage: Any) -> None:
    """Raise an error unless a response has a credible band of a quantity.

    Parameters
    ----------
    response : Response
        The response.
    of, coverage
        As in `Mixture.band`.

    Raises
    ------
    TypeError
        If one has the wrong type.
    ValueError
        If the quantity does not exist or the coverage is not between 0 and 1.

    Examples
    --------
    >>> from wgboost.predictive.bands import check_band
    >>> from wgboost.responses import Normal
    >>> check_band(Normal(), "mean", 0.9)
    """
    if not _is_number(coverage):
        raise TypeError(f"coverage={format_value(coverage)} must be a number between 0 and 1")
    if not 0 < coverage < 1:
        raise ValueError(
            f"coverage={format_value(coverage)} must be between 0 and 1, such as 0.9: a "
            "probability that the quantity is inside"
        )
    if callable(of):
        return
    if _is_number(of):
        if not 0 < of < 1:
            raise ValueError(
                f"of={format_value(of)} must be between 0 and 1, such as 0.9 for that quantile"
            )
    elif not isinstance(of, str):
        raise TypeError(f"of={format_value(of)} must be a str, a number or a function")
    named = _parameters(response)
    if response.nominal:
        valid = ("mean", *named)
        if of not in valid:
            raise ValueError(
                f"of={format_value(of)} is not for classes; use {_listed(valid)}, or a function of "
                "the dict of their probabilities"
            )
        return
    if of == "mean" and not response.has_mean:
        raise ValueError(
            f"of='mean' is not there: the response {response.name!r} has no mean; use of='median'"
        )
    if of == "scale" and not response.y_shape and not response.has_mean:
        raise ValueError(
            f"of='scale' is not there: the response {response.name!r} has no standard deviation; "
            "use a quantile, such as of=0.9, or lambda params: params['scale']"
        )
    if isinstance(of, str) and of not in (*_WORDS, *named):
        raise ValueError(
            f"of={of!r} is none of {_listed((*_WORDS, *named))}, a number between 0 and 1 for "
            "that quantile, or a function of the dict of parameters"
            f"{nearest_name(of, (*_WORDS, *named))}"
        )


def middle_name(response: Response) -> str:
    """Return what is predicted: "mean", or "median" for a response without mean.

    Parameters
    ----------
    response : Response
        The response.

    Returns
    -------
    str

    Examples
    --------
    >>> from wgboost.predictive.bands import middle_name
    >>> from wgboost.responses import Cauchy
    >>> middle_name(Cauchy())
    'median'
    """
    return "mean" if response.has_mean else "median"


def _is_number(value: Any) -> bool:
    kinds = (int, float, np.integer, np.floating)
    return isinstance(value, kinds) and not isinstance(value, bool)


def _listed(names: tuple[str, ...]) -> str:
    """Return names once each, as text."""
    return ", ".join(repr(name) for name in dict.fromkeys(names))


def _parameters(response: Response) -> tuple[str, ...]:
    """Return the names of the natural parameters."""
    units: Any = Units()
    return tuple(response.natural(np.zeros((1, 1, response.n_params)), units))


def _of_y(of: Any) -> bool:
    """Return whether a quantity is one of y, and not of the parameters."""
    return of in _WORDS or not isinstance(of, str)


def _posterior(dist: Mixture) -> Mixture:
    """Return the distributions of posterior particles; one particle becomes two that differ."""
    if dist.error is None:
        return dist
    theta, weights = dist.theta(), dist.weights
    if theta.shape[1] == 1:
        theta, weights = np.repeat(theta, 2, axis=1), None
    return dist._replace(scaled_particles(dist.response, theta, weights, dist.error), weights, None)


def _numbers(dist: Mixture, of: Any, coverage: float) -> tuple[Array, Array]:
    """Return the ends (n,) of the band of one number."""
    posterior = _posterior(dist)
    values, reach = _values(posterior, of)
    whole = dist.response.discrete and not callable(of) and of not in ("mean", "scale")
    whole = whole and _of_y(of)
    if not whole:
        low, high = _from_moments(values, posterior.weights, coverage, reach)
        if isinstance(of, str) and of == "mean":  # logs are symmetric about a smaller mean
            mean = dist.mean()
            low, high = np.fmin(low, mean), np.fmax(high, mean)
        return low, high
    # A quantile of whole numbers is a whole number, also 0, which has no logarithm. Adding 0 turns
    # -0 into 0.
    ends = _from_moments(values, posterior.weights, coverage, REAL_LINE)
    low, high = (np.rint(np.clip(end, reach.low, reach.high)) + 0.0 for end in ends)
    return low, high


def _values(posterior: Mixture, of: Any) -> tuple[Array, Range]:
    """Return the quantity under each particle (n, m), in the user's units, and its range."""
    response, units = posterior.response, posterior.units
    if callable(of):
        return _of_function(of, posterior.params(), posterior.particles.shape[:2]), REAL_LINE
    if not _of_y(of):
        return posterior.params()[of], range_of_parameter(response, of)
    theta = posterior.theta()
    with np.errstate(over="ignore", invalid="ignore"):
        if of == "scale":
            return np.sqrt(response.var(theta)) * units.scale, Range(0.0, np.inf)
        low, high = (float(end) for end in units.restore(np.array(response.support)))
        if of == "mean":
            return units.restore(response.mean(theta)), Range(low, high)
    return posterior.particle_ppf(0.5 if of == "median" else float(of)), Range(low, high)


def _of_function(function: Any, params: dict[str, Array], shape: tuple[int, ...]) -> Array:
    """Return what a function of the parameters returns; raise ValueError for another shape."""
    values = np.asarray(function(params))
    if values.shape != shape or values.dtype.kind not in "fiub":
        raise ValueError(
            f"of={format_value(function)} returned {values.dtype} of shape {values.shape}; a "
            f"number for each particle is needed, {shape}, such as params['{next(iter(params))}']"
        )
    return values.astype(np.float64)


def _from_moments(
    values: Array, weights: Array | None, coverage: float, reach: Range
) -> tuple[Array, Array]:
    """Return mean -+ normal quantile * deviation over particles, on the line of a range.

    Where they are not finite, the band goes from the smallest to the largest value.
    """
    line = reach.on_line(values)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        mean = mix(line, weights)
        gaps = line - mean[:, None]
        size = np.abs(gaps).max(axis=1, initial=0.0)  # squares might overflow or underflow
        shares = gaps / np.where(size > 0, size, 1.0)[:, None]
        half = special.ndtri((1 + coverage) / 2) * size * np.sqrt(mix(np.square(shares), weights))
        low, high = reach.restored(mean - half), reach.restored(mean + half)
        bad = ~np.isfinite(half)
        low = np.where(bad, values.min(axis=1), low)
        high = np.where(bad, values.max(axis=1), high)
    return low, high


def _probabilities(dist: Mixture, coverage: float) -> tuple[Array, Array]:
    """Return the ends (n, k) of the bands of class probabilities.

    The probabilities of a row have a Dirichlet distribution whose total variance is the error, or
    the variance of the particles. As far as trees lack support, all probabilities are alike.
    """
    mean = np.clip(dist.probabilities(), 0.0, 1.0)
    if dist.error is None:

        def spread(theta: Array, weights: Array | None) -> Array:
            each = np.moveaxis(dist.response.probabilities(theta), 1, 2)  # (r, k, m)
            some = None if weights is None else weights[:, None]
            total: Array = mix(np.square(each - mix(each, some)[..., None]), some).sum(axis=1)
            return total

        error = dist.over_rows(spread)
    else:
        error = dist.error[:, 0]
    total = np.maximum(dirichlet_concentration(mean, error), _LEAST_TOTAL)[:, None]
    lack = np.zeros(len(mean)) if dist.row_support is None else 1 - dist.row_support
    share, total = _mixed_with_uniform(mean, total, lack[:, None])
    outside = (1 - coverage) / 2
    inside = (share > 0) & (share < 1)
    share = np.where(inside, share, 0.5)
    low = special.betaincinv(total * share, total * (1 - share), outside)
    high = special.betainccinv(total * share, total * (1 - share), outside)
    low, high = np.minimum(low, mean), np.maximum(high, mean)  # also if it is nearly 0 or 1
    return np.where(inside, low, mean), np.where(inside, high, mean)


def _mixed_with_uniform(mean: Array, total: Array, lack: Array) -> tuple[Array, Array]:
    """Return mean and total of Beta distributions with the moments of a mixture, (n, k) each.

    Its components are the Beta distribution of each probability, by `mean` (n, k) and `total`
    (n, 1), and with the weight `lack` (n, 1) that of a uniform Dirichlet distribution.
    """
    k = mean.shape[1]
    variance, uniform = mean * (1 - mean) / (total + 1), (k - 1) / (k**2 * (k + 1))
    mixed = (1 - lack) * mean + lack / k
    between = lack * (1 - lack) * np.square(mean - 1 / k)
    variance = (1 - lack) * variance + lack * uniform + between
    with np.errstate(divide="ignore", invalid="ignore"):
        joint = mixed * (1 - mixed) / variance - 1
    known = (lack <= 0) | ~np.isfinite(joint)
    return np.where(known, mean, mixed), np.where(known, total, np.where(known, 1.0, joint))


def _of_class(low: Array, high: Array, name: str) -> tuple[Array, Array]:
    """Return the ends (n,) of the band of the class of a parameter "probability_j"."""
    j = int(name.rpartition("_")[2])
    return low[:, j], high[:, j]
