"""What a response is: a likelihood, a prior, and the posterior of one row that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.responses.censoring import is_censored
from wgboost.responses.coordinate_priors import Parameter
from wgboost.responses.likelihood import Likelihood
from wgboost.responses.native import CompiledAverage, CompiledPosterior
from wgboost.responses.numerics import working_float
from wgboost.responses.observations import ExactObservations, Observations, Observed
from wgboost.responses.prior import Prior
from wgboost.responses.units import Units
from wgboost.responses.y_checks import check_y
from wgboost.typing import Array

__all__ = ["Response"]


@dataclass(frozen=True, eq=False)
class Response(Likelihood, Prior):
    """A response p(y | theta) with a prior of theta.

    The target of row i is its posterior: prior times likelihood of y_i to the power `evidence`,
    the number of observations that the row speaks for (1 in the paper). theta lives in
    unconstrained coordinates, and the prior carries the Jacobian of getting there. Everything is
    in standardised units of y; `Units` converts.

    To add a response, write one file with a ``@dataclass(frozen=True, eq=False)`` subclass and
    one line in ``RESPONSES``; the contract tests then ask for an example and cover the rest.

    1. Fields: the parameters of the prior, as ``prior_mean: Parameter = 0.0``. A field whose name
       begins with ``prior_`` may be a number or hold one value per row; this class checks it.
       Those that have to be positive are listed in `positive`.
    2. Facts: `name`, `param_names`, and where the defaults are wrong `discrete`, `nominal`,
       `location`, `support`.
    3. y: `in_support` with `support_text`, and `units`.
    4. The prior, independent over coordinates: `coordinate_priors`, or `log_prior`, `prior_score`
       and `prior_curvature` themselves.
    5. The likelihood: the abstract methods of `Likelihood`. Override its other methods where a
       closed form is exact in the tails, or faster.
    6. How wide y spreads: `dispersion`, the coordinates that say it, for calibration.
    7. If averages over rows reduce to a few numbers: `sufficient = True`, and `statistics` with
       `statistics_score` and `statistics_curvature`.
    """

    sufficient: ClassVar[bool] = False
    """Whether the likelihood's averages over rows reduce to `statistics`."""
    statistics_are_values: ClassVar[bool] = False
    """Whether `statistics` are values of y with their shares, so that an average costs a pass."""
    longest_step: ClassVar[float] = np.inf
    """How far a tree's leaf may move a coordinate in one round, before the learning rate.

    For responses whose Newton steps have no bound, as with an outlier among counts."""

    # --- rows ---------------------------------------------------------------------------------

    @property
    def support_text(self) -> str:
        """What y has to be, for the error message of `check`."""
        return "finite numbers"

    def in_support(self, y: Array) -> Array:
        """Return whether each y, in the user's units, can occur."""
        low, high = self.support
        return (y >= low) & (y <= high)

    def clip_to_support(self, y: Array) -> Array:
        """Return draws of y with those that rounding put outside the support moved into it.

        A beta draw closer to 1 than 1e-16 is rounded to 1, and a gamma draw of a small shape to 0;
        `check` would refuse both. They become the nearest number inside with all its digits.
        """
        y = np.asarray(y)
        outside = (~np.asarray(self.in_support(y)) | np.isinf(y)) & ~np.isnan(y)
        if not outside.any():
            return y
        (low, high), limits = self.support, np.finfo(np.float64)
        first = limits.tiny if low == 0 else np.nextafter(low, np.inf)
        last = np.nextafter(high, -np.inf)  # the largest number where the support has no end
        return np.where(outside, np.clip(y, first, last), y)

    def for_columns(self, n_columns: int) -> Self:  # noqa: ARG002
        """Return the response for a y of so many columns; only `Multivariate` asks."""
        return self

    def check(self, y: Any) -> Array:
        """Return y (n,) of the user's units in float64; raise if a value cannot occur.

        y that is `censored` comes back with its bounds in the support.
        """
        if is_censored(y):
            self._check_bounds(y)
            return self._within_support(np.asarray(y))
        values = check_y(y)
        possible = self.in_support(values)
        if not possible.all():
            row = int(np.argmin(possible))
            raise ValueError(
                f"y is {values[row]:.17g} at row {row}; "
                f"the response {self.name!r} needs {self.support_text}"
            )
        return values

    def _check_bounds(self, y: Array) -> None:
        if self.nominal:
            raise ValueError(f"the response {self.name!r} has no order; y cannot be censored")
        low, high = self.support
        if self.discrete:
            impossible = np.ceil(np.maximum(y["lower"], low)) > np.floor(
                np.minimum(y["upper"], high)
            )
        else:  # to touch the support is not enough
            impossible = (y["upper"] <= low) | (y["lower"] >= high)
        known = y["lower"] == y["upper"]
        impossible[known] = ~self.in_support(y["lower"][known])
        if impossible.any():
            row = int(np.argmax(impossible))
            raise ValueError(
                f"y is between {y['lower'][row]:.17g} and {y['upper'][row]:.17g} at row {row}; "
                f"the response {self.name!r} needs {self.support_text}"
            )

    def _within_support(self, y: Array) -> Array:
        low, high = self.support
        inside = y.copy()
        inside["lower"], inside["upper"] = np.maximum(y["lower"], low), np.minimum(y["upper"], high)
        return inside

    def infer_from(self, y: Array) -> Self:  # noqa: ARG002
        """Return the response with what only y can tell, such as a number of classes."""
        return self

    def units(self, y: Array, weight: Array | None = None) -> Units:  # noqa: ARG002
        """Return the units to see y in; those of the user unless a response says otherwise."""
        return Units()

    def initial_theta(self, y: Array, weight: Array | None = None) -> Array:  # noqa: ARG002
        """Return parameters (d,) around which to look for start particles; y is standardised.

        The origin, unless units cannot bring y near to it.
        """
        return np.zeros(self.n_params)

    def check_offset(self, offset: Any, n: int) -> Array:
        """Return known offsets of the location, shaped like y; raise if they make no sense."""
        if self.offset_link is None:
            raise ValueError(f"the response {self.name!r} takes no offset")
        values, shape = np.asarray(offset, dtype=np.float64), (n, *self.y_shape)
        if values.shape not in ((), shape):
            raise ValueError(f"offset has shape {values.shape}; a number or {shape} is needed")
        if not np.isfinite(values).all():
            raise ValueError(
                f"offset is not finite at row {np.argwhere(~np.isfinite(values))[0, 0]}"
            )
        return np.broadcast_to(values, shape)

    def with_offset(self, theta: Array, offset: Array, units: Units) -> Array:
        """Return particles (n, m, d) with their rows' offset (n,) added, in float64."""
        moved = np.array(theta, dtype=np.float64)
        step = offset / units.scale if self.offset_link == "identity" else offset
        moved[..., self.location] += step[:, None]
        return moved

    # --- posterior of each row ----------------------------------------------------------------

    def _inputs(
        self, y: Observed, theta: Array, evidence: Parameter
    ) -> tuple[ExactObservations | Observations, Array, Array]:
        """Return what is known, theta (n, m, d) and evidence, () or (n, 1), in its precision."""
        theta = working_float(theta)
        if theta.ndim != 3 or theta.shape[-1] != self.n_params:
            raise ValueError(f"theta has shape {theta.shape}; (n, m, {self.n_params}) is needed")
        n = theta.shape[0]
        if not isinstance(y, Observations):
            y = np.asarray(y, dtype=theta.dtype)
            if y.shape != (n, *self.y_shape):
                raise ValueError(f"y has shape {y.shape}, theta has {n} rows")
        power = np.asarray(evidence, dtype=theta.dtype)
        if power.shape not in ((), (n,)):
            raise ValueError(f"evidence has shape {power.shape}; a number or ({n},) is needed")
        self.check_rows(n)
        observed = y if isinstance(y, Observations) else ExactObservations(y)
        return observed, theta, power[:, None] if power.ndim else power

    def log_posterior(self, y: Observed, theta: Array, evidence: Parameter = 1.0) -> Array:
        """Return the log density of each row's posterior up to a constant, (n, m).

        y (n,) or `Observations`, theta (n, m, d); evidence is a number or (n,). So for the methods
        below.
        """
        observed, theta, power = self._inputs(y, theta, evidence)
        with np.errstate(over="ignore"):
            return power * observed.logpdf(self, theta) + self.log_prior(theta)

    def score(self, y: Observed, theta: Array, evidence: Parameter = 1.0) -> Array:
        """Return the gradient of `log_posterior` in theta, (n, m, d)."""
        observed, theta, power = self._inputs(y, theta, evidence)
        with np.errstate(over="ignore"):
            return power[..., None] * observed.score(self, theta) + self.prior_score(theta)

    def curvature(self, y: Observed, theta: Array, evidence: Parameter = 1.0) -> Array:
        """Return minus the diagonal of `hessian`, (n, m, d).

        With `curvature_kind` = "fisher" the likelihood's part of it is the Fisher information, with
        "damped" at least that.
        """
        observed, theta, power = self._inputs(y, theta, evidence)
        with np.errstate(over="ignore"):
            likelihood = observed.curvature(self, theta)
            return power[..., None] * likelihood + self.prior_curvature(theta)

    def score_and_curvature(
        self, y: Observed, theta: Array, evidence: Parameter = 1.0, n_threads: int = 1
    ) -> tuple[Array, Array]:
        """Return `score` and `curvature` together; of float32 particles by the compiled core."""
        self._inputs(y, theta, evidence)
        compiled = None
        if theta.dtype == np.float32 and not isinstance(y, Observations):
            compiled = self.compiled(y, evidence)
        if compiled is None:
            return self.score(y, theta, evidence), self.curvature(y, theta, evidence)
        theta = np.ascontiguousarray(theta)
        score, curvature = np.empty_like(theta), np.empty_like(theta)
        compiled.derivatives(theta, score, curvature, n_threads)
        return score, curvature

    def compiled(self, y: Array, evidence: Parameter = 1.0) -> CompiledPosterior | None:  # noqa: ARG002
        """Return the posteriors of these rows in the compiled core, if it has them."""
        return None

    def hessian(self, y: Observed, theta: Array, evidence: Parameter = 1.0) -> Array:
        """Return the Hessian of `log_posterior` in theta, (n, m, d, d)."""
        observed, theta, power = self._inputs(y, theta, evidence)
        with np.errstate(over="ignore"):
            hessian = power[..., None, None] * observed.hessian(self, theta)
            diagonal = np.arange(self.n_params)
            hessian[..., diagonal, diagonal] -= self.prior_curvature(theta)
        return hessian

    def fisher(self, theta: Array, evidence: Parameter = 1.0, y: Observed | None = None) -> Array:
        """Return evidence times the diagonal of the likelihood's Fisher information.

        theta (n, d) gives (n, d). Of y that were measured with an error it is less.
        """
        theta = working_float(theta)
        power = np.asarray(evidence, dtype=theta.dtype)
        with np.errstate(over="ignore"):
            likelihood = self.likelihood_fisher(theta)
            if isinstance(y, Observations) and y.noise is not None:
                likelihood = y.fisher(self, theta)
            return (power[:, None] if power.ndim else power) * likelihood

    # --- average of the rows' posteriors ------------------------------------------------------

    @property
    def has_statistics(self) -> bool:
        """Whether averages over rows reduce to `statistics`; no prior is then given per row."""
        return self.sufficient and not self.per_row()

    def statistics(self, y: Array, weight: Array | None = None) -> Array:
        """Return what averages over rows of the likelihood depend on.

        With evidence per row, pass weight * evidence here and the weighted mean of evidence to
        `average_score` and `average_curvature`: that is exact.
        """
        raise NotImplementedError(f"{self.name!r} has no statistics; average over rows instead")

    def statistics_score(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_score at common particles theta (m, d)."""
        raise NotImplementedError(f"{self.name!r} has no statistics; average over rows instead")

    def statistics_curvature(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_curvature at common particles theta (m, d).

        With `curvature_kind` = "damped" the mean of the Hessian is what the bound is taken of.
        """
        raise NotImplementedError(f"{self.name!r} has no statistics; average over rows instead")

    def compiled_average(
        self, statistics: Array, evidence: float = 1.0  # noqa: ARG002
    ) -> CompiledAverage | None:  # fmt: skip
        """Return the average over rows of the posteriors in the compiled core, if it has it."""
        return None

    def _common(self, theta: Array) -> Array:
        if self.per_row():
            raise ValueError(f"{', '.join(self.per_row())} given per row: average over rows")
        theta = working_float(theta)
        if theta.ndim != 2 or theta.shape[-1] != self.n_params:
            raise ValueError(f"theta has shape {theta.shape}; (m, {self.n_params}) is needed")
        return theta

    def average_score(self, theta: Array, statistics: Array, evidence: float = 1.0) -> Array:
        """Return the mean over rows of `score` at common particles theta (m, d), (m, d)."""
        theta = self._common(theta)
        with np.errstate(over="ignore"):
            return evidence * self.statistics_score(theta, statistics) + self.prior_score(theta)

    def average_curvature(self, theta: Array, statistics: Array, evidence: float = 1.0) -> Array:
        """Return the mean over rows of `curvature` at common particles theta (m, d), (m, d)."""
        theta = self._common(theta)
        with np.errstate(over="ignore"):
            likelihood = self.statistics_curvature(theta, statistics)
            return evidence * likelihood + self.prior_curvature(theta)
