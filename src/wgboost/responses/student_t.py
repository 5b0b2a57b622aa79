"""Student's t response with unknown location, scale and degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import special

from wgboost.responses.coordinate_priors import CoordinatePrior, NormalPrior, Parameter
from wgboost.responses.intervals import cdf_slope
from wgboost.responses.location_scale import LocationScalePrior
from wgboost.responses.numerics import clip_exponent, coordinates, safe_exp
from wgboost.responses.units import Units, median_and_quartiles
from wgboost.typing import Array
from wgboost.validation import check_number, format_value

__all__ = ["StudentT"]

_FAR, _NORMAL = 1e-6, 1e5  # q and df below which quantiles come from the beta distribution


@dataclass(frozen=True, eq=False)
class StudentT(LocationScalePrior):
    """Model y as Student's t, theta = (location, log scale, log(df - 1)).

    Choose it for real numbers with outliers. Learned degrees of freedom exceed 1, so that y has a
    mean; "cauchy" has none. The variance is infinite for df <= 2. A fixed `df` may be 1 or less:
    mean and variance are then NaN.

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the location, for y minus its median, divided by its
        interquartile range / 1.35. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default is vague.
    prior_shape : float or array of shape (n,), default=0.01
        Shape of the inverse-gamma prior of the scale.
    prior_rate : float or array of shape (n,), default=0.01
        Rate of the inverse-gamma prior of the scale.
    df : float, optional
        Degrees of freedom. None learns them; a number fixes them and drops the third coordinate.
    prior_df : float or array of shape (n,), default=10.0
        Median of the prior of df, above 1: df - 1 has a log-normal prior.
    prior_df_spread : float or array of shape (n,), default=1.0
        Standard deviation of log(df - 1) in the prior. The defaults put 95 percent of the prior
        between 2.3 and 65.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import StudentT
    >>> response, theta = StudentT(), np.array([1.0, 0.0, 0.0])
    >>> response.param_names
    ('location', 'log_scale', 'log_df_above_1')
    >>> float(response.mean(theta)), float(response.logpdf(1.0, theta).round(3))
    (1.0, -1.04)
    """

    df: float | None = None
    prior_df: Parameter = 10.0
    prior_df_spread: Parameter = 1.0

    name: ClassVar[str] = "student_t"
    documentation: ClassVar[tuple[str, str, str]] = (
        "numbers",
        "location, log scale, log(df - 1)",
        "outliers; the tails are learnt, with df > 1 (`StudentT(df=4)` fixes them)",
    )
    curvature_kind: ClassVar[Literal["hessian", "fisher"]] = "fisher"
    positive: ClassVar[tuple[str, ...]] = (
        *LocationScalePrior.positive,
        "prior_df",
        "prior_df_spread",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.df is not None:
            object.__setattr__(self, "df", check_number("df", self.df, above=0))
        if not np.all(np.asarray(self.prior_df) > 1):
            raise ValueError(
                f"prior_df={format_value(self.prior_df)} must be > 1: learned degrees of freedom "
                "exceed 1, so that y has a mean; df fixes them at any number > 0"
            )

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        names = super().param_names
        return (*names, "log_df_above_1") if self.df is None else names

    @property
    def has_mean(self) -> bool:
        """Whether y has a mean."""
        return self.df is None or self.df > 1

    def units(self, y: Array, weight: Array | None = None) -> Units:
        """Return the weighted median of y and its interquartile range / 1.35."""
        return median_and_quartiles(y, weight)

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:
        """Return location and scale in the user's units, and the degrees of freedom."""
        located = super().natural(theta, units)
        return located | {"df": np.broadcast_to(self._df(theta), located["scale"].shape)}

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the priors of location, log scale and log(df - 1)."""
        priors = super().coordinate_priors(dtype)
        if self.df is not None:
            return priors
        log_median = np.log(np.asarray(self.column(self.prior_df, dtype), dtype) - 1)
        return *priors, NormalPrior(log_median, self.column(self.prior_df_spread, dtype))

    def _df(self, theta: Array) -> Array:
        theta = np.asarray(theta)
        if self.df is None:
            return 1 + safe_exp(theta[..., 2])
        return np.full_like(theta[..., 0], self.df)

    def _parts(self, y: Array, theta: Array) -> tuple[Array, Array, Array, Array]:
        """Return z, 1 / scale, df, and (df + 1) / (df + z^2)."""
        z, inverse = self._residual(y, theta)
        df = self._df(theta)
        return z, inverse, df, (df + 1) / (df + z * z)

    # --- likelihood ---------------------------------------------------------------------------

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density."""
        (z, _), df = self._residual(y, theta), self._df(theta)
        constant = -_log_beta(df) - 0.5 * np.log(df) - clip_exponent(theta[..., 1])
        with np.errstate(divide="ignore"):
            log_square = 2 * np.log(np.abs(z)) - np.log(df)  # of a z whose square may be infinite
        logs: Array = constant - 0.5 * (df + 1) * np.logaddexp(0, log_square)
        return logs

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        z, inverse, df, pull = self._parts(y, theta)
        square = pull * z * z
        located = pull * z * inverse, square - 1
        if self.df is not None:
            return coordinates(*located)
        normaliser = 2 * df * _alternating(df) - 1
        tail = df * np.log1p(np.minimum(z * z / df, 1e38))  # finite in float32, too
        share = (df - 1) / df  # a step of log df per step of log(df - 1)
        return coordinates(*located, 0.5 * share * (normaliser + square - tail))

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        z, inverse, df, pull = self._parts(y, theta)
        total = df + z * z
        tail, core = z * z / total, df / total
        hessian = np.empty((*z.shape, self.n_params, self.n_params), z.dtype)
        hessian[..., 0, 0] = pull * (tail - core) * inverse * inverse
        hessian[..., 0, 1] = hessian[..., 1, 0] = -2 * pull * core * z * inverse
        hessian[..., 1, 1] = -2 * pull * core * z * z
        if self.df is None:
            share = (df - 1) / df  # a step of log df per step of log(df - 1)
            change = core * (z * z - 1) / total  # of the pull, per log df
            hessian[..., 0, 2] = hessian[..., 2, 0] = share * change * z * inverse
            hessian[..., 1, 2] = hessian[..., 2, 1] = share * change * z * z
            normaliser = 2 * df * (_alternating(df) - df * _alternating_squares(df))
            varying = df * (tail - np.log1p(z * z / df)) + change * z * z
            slope = self.likelihood_score(y, theta)[..., 2]
            hessian[..., 2, 2] = 0.5 * share * share * (normaliser + varying) + slope / df
        return hessian

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        inverse, df = safe_exp(-theta[..., 1]), self._df(theta)
        located = (df + 1) / (df + 3) * inverse * inverse, 2 * df / (df + 3)
        if self.df is not None:
            return coordinates(*located)
        return coordinates(*located, np.square((df - 1) / df) * _df_information(df))

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y."""
        probability: Array = special.stdtr(self._df(theta), self._residual(y, theta)[0])
        return probability

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta."""
        z, inverse = self._residual(y, theta)
        density = np.exp(self.logpdf(y, theta)) / inverse
        located = -density * inverse, -density * z
        if self.df is not None:
            return coordinates(*located)
        return coordinates(*located, cdf_slope(self, y, theta, 2))

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y."""
        probability: Array = special.stdtr(self._df(theta), -self._residual(y, theta)[0])
        return probability

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the quantile at q."""
        location, scale = self._location_and_scale(theta)
        value: Array = location + scale * _quantile(q, self._df(theta))
        return value

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the value that is exceeded with probability q."""
        location, scale = self._location_and_scale(theta)
        value: Array = location - scale * _quantile(q, self._df(theta))
        return value

    def mean(self, theta: Array) -> Array:
        """Return the mean of y, NaN for a given df <= 1."""
        location, _ = self._location_and_scale(theta)
        return location if self.has_mean else np.full_like(location, np.nan)

    def var(self, theta: Array) -> Array:
        """Return the variance of y, inf for df <= 2 and NaN for a given df <= 1."""
        df, scale = self._df(theta), safe_exp(theta[..., 1])
        heavy = np.inf if self.has_mean else np.nan
        ratio = np.where(df > 2, df / np.maximum(df - 2, 1e-30), heavy).astype(df.dtype)
        variance: Array = ratio * scale * scale
        return variance

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        df = self._df(theta)
        standard: Array = _log_beta(df) + 0.5 * np.log(df) + (df + 1) * _alternating(df)
        return standard + clip_exponent(theta[..., 1])

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        location, scale = self._location_and_scale(theta)
        return location + scale * rng.standard_t(self._df(theta))


def _log_beta(df: Array) -> Array:
    """Return the log of the beta function of df / 2 and 1 / 2."""
    log: Array = special.betaln(0.5 * df, 0.5).astype(df.dtype)
    return log


def _quantile(q: Array, df: Array) -> Array:
    q = np.asarray(q)
    ends = np.where(q == 0, -np.inf, np.where(q == 1, np.inf, np.nan))
    inside = (q > 0) & (q < 1)
    z = np.asarray(np.where(inside, special.stdtrit(df, np.where(inside, q, 0.5)), ends))
    far = (q > 0) & (q < _FAR) & (df < _NORMAL)
    if far.any():
        z[far] = _far_quantile(*(np.broadcast_to(part, z.shape)[far] for part in (q, df)))
    return z


def _far_quantile(q: Array, df: Array) -> Array:
    """Return quantiles far below 0: x = df / (df + z^2) has a beta distribution."""
    q, a = q.astype(np.float64), 0.5 * df.astype(np.float64)
    log_power = (np.log(2 * a * q) + special.betaln(a, 0.5)) / a  # of x where it is small
    x = special.betaincinv(a, 0.5, 2 * q)
    with np.errstate(divide="ignore"):
        log_x = np.where(log_power < np.log(1e-20), log_power, np.log(x) - np.log1p(-x))
    with np.errstate(over="ignore"):
        z: Array = -np.sqrt(2 * a) * np.exp(-0.5 * log_x)
    return z


def _alternating(x: Array) -> Array:
    """Return 1 / x - 1 / (x + 1) + 1 / (x + 2) - ..., to rounding for any x > 0.

    Twice that is digamma((x + 1) / 2) - digamma(x / 2).
    """
    total = sum(1 / ((x + k) * (x + k + 1)) for k in range(0, 12, 2))
    x = 1 / (x + 12)  # the remaining terms by Boole's summation formula
    v = x * x
    rest = 0.25 - v * (0.125 - v * (0.25 - v * (1.0625 - v * (7.75 - v * 86.375))))
    value: Array = total + 0.5 * x + v * rest
    return value


def _alternating_squares(x: Array) -> Array:
    """Return minus the derivative of `_alternating`: 1 / x^2 - 1 / (x + 1)^2 + ..."""
    total = sum((2 * (x + k) + 1) / ((x + k) * (x + k + 1)) ** 2 for k in range(0, 12, 2))
    x = 1 / (x + 12)
    v = x * x
    rest = 0.5 - v * (0.5 - v * (1.5 - v * (8.5 - v * (77.5 - v * 1036.5))))
    value: Array = total + v * (0.5 + x * rest)
    return value


def _df_information(df: Array) -> Array:
    """Return the Fisher information of log df."""
    x = np.minimum(df.astype(np.float64), 1e3)  # beyond, all digits of the difference cancel
    exact = x * (x * _alternating_squares(x) - 0.5 * (x + 5) / ((x + 1) * (x + 3)))
    return np.where(df < 1e3, exact, 3.5 / (df + 13 / 7) ** 2).astype(df.dtype)
