"""Categorical response: k classes, or two of them (Bernoulli)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wgboost import _core
from wgboost.responses.codes import ClassCodes
from wgboost.responses.coordinate_priors import NormalPrior, Parameter
from wgboost.responses.native import CompiledAverage, CompiledPosterior, as_numbers
from wgboost.responses.numerics import working_float
from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["Categorical"]


@dataclass(frozen=True, eq=False)
class Categorical(ClassCodes):
    """Model y as one of k classes, theta = log-ratios of all classes to the last.

    y holds the codes 0 to k - 1.

    Parameters
    ----------
    n_classes : int or None, default=2
        Number k of classes. One class is stored as two, of which the second never occurs: the
        posterior then tells how likely a class without examples is. None takes the largest code of
        an estimator's y plus 1.
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of every log-ratio. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Categorical
    >>> Categorical(n_classes=3).probabilities(np.log([2.0, 1.0])).round(3)
    array([0.5 , 0.25, 0.25])
    """

    n_classes: int | None = 2
    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0

    name: ClassVar[str] = "categorical"
    documentation: ClassVar[tuple[str, str, str]] = (
        "0 to k - 1",
        "log-ratios to the last class",
        "labels without order: `WGBClassifier`",
    )
    nominal: ClassVar[bool] = True
    positive: ClassVar[tuple[str, ...]] = ("prior_scale",)

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return tuple(f"log_ratio_{j}" for j in range(self.n_params))

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:  # noqa: ARG002
        """Return the probability of each class."""
        probabilities = self.probabilities(theta)
        return {f"probability_{j}": probabilities[..., j] for j in range(self._k)}

    def scale_dispersion(self, theta: Array, factor: float) -> Array:
        """Return theta at a temperature: log-ratios divided by the factor."""
        ratios: Array = np.asarray(theta, dtype=np.float64) / factor
        return ratios

    # --- prior: the same for every coordinate, so all of them at once -------------------------

    def _prior(self, theta: Array) -> NormalPrior:
        values = (self.column(value, theta.dtype) for value in (self.prior_mean, self.prior_scale))
        return NormalPrior(*(v[:, None] if isinstance(v, np.ndarray) else v for v in values))

    def log_prior(self, theta: Array) -> Array:
        """Return the log density of the prior up to a constant, (n, m)."""
        total: Array = self._prior(theta).log_density(theta).sum(axis=-1)
        return total

    def prior_score(self, theta: Array) -> Array:
        """Return the gradient of the log density of the prior, (n, m, d)."""
        return self._prior(theta).score(theta)

    def prior_curvature(self, theta: Array) -> Array:
        """Return minus the diagonal of the prior's Hessian, (n, m, d)."""
        return self._prior(theta).curvature(theta)

    # --- likelihood ---------------------------------------------------------------------------

    def log_probabilities(self, theta: Array) -> Array:
        """Return the log probability of each class, (..., k)."""
        theta = working_float(theta)
        ratios = np.concatenate([theta, np.zeros_like(theta[..., :1])], axis=-1)
        ratios -= ratios.max(axis=-1, keepdims=True)
        ratios -= np.log(np.exp(ratios).sum(axis=-1, keepdims=True))
        return ratios

    def _below_and_above(self, theta: Array) -> tuple[Array, Array]:
        probabilities = self.probabilities(theta)
        none = np.zeros_like(probabilities[..., :1])
        upward = np.cumsum(probabilities[..., :-1], axis=-1).clip(max=1)
        downward = np.cumsum(probabilities[..., :0:-1], axis=-1)[..., ::-1].clip(max=1)
        everything = none + 1
        below = np.concatenate([none, upward, everything], axis=-1)
        return below, np.concatenate([everything, downward, none], axis=-1)

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        probabilities = self.probabilities(theta)[..., :-1]
        hit: Array = np.asarray(y)[..., None] == np.arange(self.n_params)
        return hit - probabilities

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta; it does not depend on y."""
        probabilities = self.probabilities(theta)[..., :-1]
        hessian = probabilities[..., :, None] * probabilities[..., None, :]
        diagonal = np.arange(self.n_params)
        hessian[..., diagonal, diagonal] = -probabilities * (1 - probabilities)
        shape = np.broadcast_shapes(np.shape(y), theta.shape[:-1])
        return np.broadcast_to(hessian, (*shape, *hessian.shape[-2:]))

    def likelihood_curvature(self, y: Array, theta: Array) -> Array:
        """Return minus the diagonal of the Hessian of logpdf."""
        return self._fisher_of_rows(y, theta)

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        probabilities = self.probabilities(theta)[..., :-1]
        information: Array = probabilities * (1 - probabilities)
        return information

    # --- posterior in the compiled core -------------------------------------------------------

    def compiled(self, y: Array, evidence: Parameter = 1.0) -> CompiledPosterior:
        """Return the posteriors of these rows in the compiled core."""
        numbers = as_numbers(
            y=y, prior_mean=self.prior_mean, prior_scale=self.prior_scale, evidence=evidence
        )
        return _core.CategoricalPosterior(**numbers)

    # --- averages over rows -------------------------------------------------------------------

    def compiled_average(self, statistics: Array, evidence: float = 1.0) -> CompiledAverage:
        """Return the average over rows of the posteriors in the compiled core."""
        return _core.averaged_categorical(
            frequency=np.ascontiguousarray(statistics[:-1], dtype=np.float64),
            prior_mean=float(self.prior_mean), prior_scale=float(self.prior_scale),
            evidence=float(evidence),
        )  # fmt: skip

    def statistics_score(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_score at common particles (m, d)."""
        frequencies: Array = statistics[:-1].astype(theta.dtype)
        return frequencies - self.probabilities(theta)[..., :-1]

    def statistics_curvature(self, theta: Array, statistics: Array) -> Array:  # noqa: ARG002
        """Return the mean over rows of likelihood_curvature at common particles (m, d)."""
        return self.likelihood_fisher(theta)
