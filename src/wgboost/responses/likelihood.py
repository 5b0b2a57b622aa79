"""What a response says about y at given parameters."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np

from wgboost.responses.intervals import cdf_gradient
from wgboost.responses.log_tails import log_tail
from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["Likelihood"]

_LEAST = 2.0**-54  # in place of a random number 0, whose quantile is the end of the support


class Likelihood(ABC):
    """The distribution p(y | theta) of one observation.

    Everything is in standardised units of y. theta has shape (..., d); y, and the probability q,
    broadcast against theta[..., 0]. Results depend on theta and y alone, never on the prior.
    `Multivariate` is for observations of several numbers, on a last axis of y.
    """

    name: ClassVar[str]
    """The key in the registry."""
    discrete: ClassVar[bool] = False
    """Whether y is a whole number; logpdf is then the log of the probability mass."""
    nominal: ClassVar[bool] = False
    """Whether the numbers are mere labels, so that distances between them mean nothing."""
    location: ClassVar[int] = 0
    """Index of the coordinate that moves y up and down."""
    log_scale: ClassVar[int | None] = None
    """Index of the coordinate that is the log of y's scale, or of log y's if `offset_link` is
    "log": with theta[location] and theta[log_scale] + s also a + exp(s) y has the distribution."""
    offset_link: ClassVar[Literal["identity", "log"] | None] = None
    """How a known offset enters: added to the location in units of y, to the log of the location,
    or not at all."""
    offset_shifts_y: ClassVar[bool] = True
    """Whether y less its offset (over its exponential) has the same distribution but for the
    location; where not, the likelihood itself is taken elsewhere."""
    curvature_kind: ClassVar[Literal["hessian", "fisher", "damped"]] = "hessian"
    """What `likelihood_curvature` returns.

    "hessian" is minus the diagonal of the Hessian. "fisher" is the Fisher information, for a
    Hessian that changes sign or vanishes in the tails. "damped" is the larger of the Fisher
    information and 1 / `damping` of "hessian", for a score that grows in the tails: steps of
    outlying rows are then not much longer than `damping`."""
    damping: ClassVar[float] = 10.0

    @property
    @abstractmethod
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""

    @property
    def n_params(self) -> int:
        """Number d of coordinates of theta."""
        return len(self.param_names)

    @property
    def y_shape(self) -> tuple[int, ...]:
        """Shape of one observation: () for a number, (q,) for several columns of y."""
        return ()

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest possible y."""
        return -np.inf, np.inf

    @property
    def has_mean(self) -> bool:
        """Whether the mean of y exists; where not, `mean` is NaN and the median predicts y."""
        return True

    @property
    def may_be_infinite(self) -> bool:
        """Whether y may be infinite with some probability."""
        return False

    @property
    def dispersion(self) -> Mapping[int, float]:
        """Coordinates that say how wide y spreads about its location; none by default.

        With the power of that width of which each is the log: {1: 1.0} if theta_1 is a log scale,
        {1: -2.0} if it is a log precision.
        """
        return {}

    @property
    def has_dispersion(self) -> bool:
        """Whether `scale_dispersion` changes anything: a Poisson mean, for one, is all there is."""
        return bool(self.dispersion)

    def scale_dispersion(self, theta: Array, factor: float) -> Array:
        """Return theta, in float64, with which y spreads `factor` times as wide."""
        moved = np.array(theta, dtype=np.float64)
        for coordinate, power in self.dispersion.items():
            moved[..., coordinate] += power * math.log(factor)
        return moved

    @abstractmethod
    def natural(self, theta: Array, units: Units) -> dict[str, Array]:
        """Return the parameters a person would quote, in the user's units, each (...)."""

    @abstractmethod
    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density, or the log mass of a discrete y; -inf outside the support."""

    @abstractmethod
    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta, (..., d)."""

    @abstractmethod
    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta, (..., d, d)."""

    def hessian_diagonal(self, y: Array, theta: Array) -> Array:
        """Return the diagonal of `likelihood_hessian`; override it where the rest is costly."""
        return np.diagonal(self.likelihood_hessian(y, theta), axis1=-2, axis2=-1)

    def likelihood_curvature(self, y: Array, theta: Array) -> Array:
        """Return the curvature of minus logpdf that `curvature_kind` declares, (..., d)."""
        if self.curvature_kind == "hessian":
            return -self.hessian_diagonal(y, theta)
        fisher = self.likelihood_fisher(theta)
        if self.curvature_kind == "damped":
            return np.maximum(fisher, self.hessian_diagonal(y, theta) / -self.damping)
        shape = np.broadcast_shapes(np.shape(y), fisher.shape[:-1])
        return np.broadcast_to(fisher, (*shape, fisher.shape[-1]))

    @abstractmethod
    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation, (..., d)."""

    @abstractmethod
    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y."""

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta, (..., d); override it where it has a closed form."""
        return cdf_gradient(self, y, theta)

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y; override it where 1 - cdf loses the tail."""
        return 1.0 - self.cdf(y, theta)

    def logcdf(self, y: Array, theta: Array) -> Array:
        """Return log P(<= y), also where cdf underflows; override it with a closed form."""
        return log_tail(self, y, theta, upper=False)

    def logsf(self, y: Array, theta: Array) -> Array:
        """Return log P(> y), also where sf underflows; override it with a closed form."""
        return log_tail(self, y, theta, upper=True)

    @abstractmethod
    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the smallest y with cdf(y) >= q; NaN for q outside [0, 1]."""

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the smallest y with sf(y) <= q; override it where 1 - q loses the tail."""
        return self.ppf(1.0 - np.asarray(q), theta)

    @abstractmethod
    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""

    @abstractmethod
    def var(self, theta: Array) -> Array:
        """Return the variance of y."""

    @abstractmethod
    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        theta = np.asarray(theta)
        return self.ppf(np.maximum(rng.random(theta.shape[:-1]), _LEAST), theta)

    def noisy_likelihood(self, y: Array, theta: Array, noise: Array) -> tuple[Array, Array, Array]:
        """Return log density, score and curvature of y that was measured with a normal error.

        `noise` is the error's standard deviation, in standardised units like y.
        """
        del y, theta, noise
        raise ValueError(
            f"the response {self.name!r} cannot take measurement error into account; "
            "'normal' and 'lognormal' can"
        )

    def mirrored(self, theta: Array) -> Array | None:  # noqa: ARG002
        """Return the theta of low + high - y, the ends of the support being finite, or None.

        y near a high end has no digits for its distance to it; its mirror image does.
        """
        return None

    def probabilities(self, theta: Array) -> Array:
        """Return the probability of each class, (..., k); only for a y of finitely many values."""
        raise NotImplementedError(f"the response {self.name!r} has no classes")
