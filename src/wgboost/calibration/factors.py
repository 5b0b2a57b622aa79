"""Two factors that scale predictive distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from wgboost.metrics.checks import add_noise, check_y_for, row_weights
from wgboost.predictive import Mixture
from wgboost.predictive.posterior_particles import SMOOTHING
from wgboost.predictive.weights import mix
from wgboost.responses import Response
from wgboost.responses.observations import Observations
from wgboost.smooth.blas import one_thread
from wgboost.typing import Array
from wgboost.validation import check_number

__all__ = ["Calibration"]

_LARGEST_LOG = math.log(100.0)  # of either factor


@dataclass(frozen=True)
class Calibration:
    """Scale predictive distributions: ``calibration(dist)``.

    Parameters
    ----------
    scale : float, default=1.0
        Factor on the dispersion of the response of every particle. It multiplies the scale of
        location-scale responses and of log y for "lognormal" and "weibull", the relative standard
        deviation of "gamma" and "inverse_gaussian" and of the Poisson mean of "negative_binomial",
        and for large precisions the standard deviation of "beta". For classes it is the temperature
        that divides the logits. It has no effect on "poisson", "exponential" and custom responses
        without `dispersion`.
    spread : float, default=1.0
        Factor on the distance of the particles of a row from their mean, for their locations or
        all log-ratios of classes. It scales the epistemic uncertainty. Scales and shapes do not
        change, because the exponential would make a few particles very wide.
    nll_before : float or None, default=None
        Mean NLL of the rows it was fitted to, without the factors.
    nll_after : float or None, default=None
        Mean NLL of the same rows with the factors.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import Calibration, WGBRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.uniform(-1, 1, (100, 2)), rng.standard_normal(100)
    >>> settings = {"n_estimators": 5, "n_particles": 3, "early_stopping": True, "random_state": 0}
    >>> model = WGBRegressor(**settings).fit(X[:50], y[:50])
    >>> dist = model.predict_dist(X[50:])
    >>> calibration = Calibration.fit(dist, y[50:])
    >>> calibration.nll_after <= calibration.nll_before
    True
    >>> wide = Calibration(scale=2.0)(dist)
    >>> bool((wide.std() > dist.std()).all())
    True
    """

    scale: float = 1.0
    spread: float = 1.0
    nll_before: float | None = None
    nll_after: float | None = None

    def __post_init__(self) -> None:
        for name in ("scale", "spread"):
            object.__setattr__(self, name, check_number(name, getattr(self, name), above=0))

    def __call__(self, dist: Mixture) -> Mixture:
        """Return the distributions with both factors applied."""
        if not isinstance(dist, Mixture):
            raise TypeError(f"dist={dist!r} must be a distribution from predict_dist")
        theta = dist.theta()
        if self.spread != 1:
            theta = _spread_particles(dist, self.spread)
        if self.scale != 1 and dist.response.has_dispersion:
            theta = dist.response.scale_dispersion(theta, self.scale)
        calibrated = dist.with_particles(theta)
        if dist.error is not None and dist.row_support is not None:
            factor = 1 + (self._factor_of_error(dist.response) - 1) * (1 - dist.row_support)
            calibrated.error = dist.error * factor[:, None]
        return calibrated

    def _factor_of_error(self, response: Response) -> float:
        """Return the factor of the error of rows without support, which is that of its variance."""
        share = SMOOTHING**2 if response.log_scale is not None else 0.0
        return (1 - share) * self.spread**2 + share * self.scale**2

    @classmethod
    @one_thread()  # sums over rows are the same to the last bit on any number of threads
    def fit(
        cls, dist: Any, y: Any, *, y_std: Any = None, sample_weight: Any = None, scale: bool = True,
        spread: bool = True, shrinkage: float = 0.25, allow_widening: bool = True,
    ) -> Calibration:  # fmt: skip
        """Fit the factors with the smallest NLL on rows that the model was not trained on.

        Parameters
        ----------
        dist : Mixture or list of Mixture
            Predictions of those rows. A list has the predictions of several models, such as those
            of folds, whose units may differ. The following parameters are then lists too, or None.
        y : array-like of shape (n,) or (n, q), or list
            Outcomes, which may be `censored`.
        y_std : float, array-like of shape (n,), list or None, default=None
            Standard deviation of a known error of y.
        sample_weight : array-like of shape (n,), list or None, default=None
            Weights of the rows.
        scale : bool, default=True
            Whether to fit `scale`; otherwise it is 1.
        spread : bool, default=True
            Whether to fit `spread`; otherwise it is 1.
        shrinkage : float, default=0.25
            Standard deviation of the normal prior of the logs of both factors. A prior of 0.25 is
            worth about eight rows of a normal response, so a few rows change little. Rows of
            unequal weight count as their effective number, (sum w)^2 / sum w^2.
        allow_widening : bool, default=True
            Whether factors may be above 1, which makes distributions wider.

        Returns
        -------
        Calibration
            The factors, with the NLL before and after.

        Raises
        ------
        ValueError
            If the likelihood of a row is not finite.

        Notes
        -----
        The NLL of the given rows is never larger with the factors than without, because the prior
        is largest at (1, 1).

        Examples
        --------
        >>> from wgboost import Calibration, Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0]]] * 4)
        >>> round(Calibration.fit(dist, [-3.0, 3.0, -3.0, 3.0]).scale, 2)
        1.7
        """
        check_number("shrinkage", shrinkage, above=0)
        parts = [_Part.of(*given) for given in _split_parts(dist, y, y_std, sample_weight)]
        free = np.array([
            scale and parts[0].dist.response.has_dispersion,
            spread and any(part.dist.particles.shape[1] > 1 for part in parts),
        ])  # fmt: skip
        total = sum(float(part.weight.sum()) for part in parts)
        n_effective = total**2 / sum(float(np.square(part.weight).sum()) for part in parts)

        def factors(logs: Array) -> Calibration:
            both = np.zeros(2)
            both[free] = logs
            return cls(*np.exp(both).tolist())

        def nll(calibration: Calibration) -> float:
            return sum(part.nll(calibration) for part in parts) / total

        def loss(logs: Array) -> float:
            prior = 0.5 * float(np.square(logs / shrinkage).sum()) / n_effective
            # The line search cannot return from infinity or NaN.
            return float(np.nan_to_num(nll(factors(logs)) + prior, nan=1e300, posinf=1e300))

        before = nll(cls())
        if not math.isfinite(before):
            _raise_for_likelihood(parts)
        start = np.zeros(int(free.sum()))
        if start.size == 0:
            return cls(1.0, 1.0, before, before)
        bounds = [(-_LARGEST_LOG, _LARGEST_LOG if allow_widening else 0.0)] * start.size
        found = optimize.minimize(loss, start, method="L-BFGS-B", bounds=bounds)
        best = factors(found.x if loss(found.x) <= before else start)
        return cls(best.scale, best.spread, before, nll(best))


def _spread_particles(dist: Mixture, factor: float) -> Array:
    """Return particles with the distances of their locations from the mean times a factor."""
    theta, response = np.array(dist.particles, dtype=np.float64), dist.response
    where: Any = slice(None) if response.nominal else response.location
    if isinstance(where, int):
        where = slice(where, where + 1)
    moved = np.swapaxes(theta[..., where], 1, 2)  # (n, d', m)
    centre = mix(moved, None if dist.weights is None else dist.weights[:, None])[..., None]
    theta[..., where] = np.swapaxes(centre + factor * (moved - centre), 1, 2)
    return theta


@dataclass(frozen=True, eq=False)
class _Part:
    """Predictions of one model with observations and positive weights."""

    dist: Mixture
    observed: Any  # y (n,) or `Observations`
    weight: Array

    @classmethod
    def of(cls, dist: Mixture, y: Any, y_std: Any, sample_weight: Any) -> _Part:
        observed = y if isinstance(y, Observations) else check_y_for(dist, y)
        if y_std is not None:
            observed = add_noise(observed, y_std)
        weight = row_weights(sample_weight, len(dist))
        used = weight > 0
        return cls(dist[used], observed[used], weight[used])

    def nll(self, calibration: Calibration) -> float:
        """Return the weighted sum over rows."""
        return -float(self.weight @ calibration(self.dist).log_likelihood(self.observed))


def _split_parts(dist: Any, y: Any, y_std: Any, sample_weight: Any) -> list[tuple[Any, ...]]:
    """Return dist, y, y_std and sample_weight of each model."""
    if not isinstance(dist, Sequence):
        return [(dist, y, y_std, sample_weight)]
    columns = [[None] * len(dist) if c is None else list(c) for c in (y, y_std, sample_weight)]
    if not dist or any(len(column) != len(dist) for column in columns):
        raise ValueError(
            f"{len(dist)} distributions with {', '.join(str(len(c)) for c in columns)} of y, y_std "
            "and sample_weight; give one of each for every distribution"
        )
    return list(zip(dist, *columns, strict=True))


def _raise_for_likelihood(parts: list[_Part]) -> None:
    """Raise ValueError for the first row whose likelihood is not finite."""
    for part in parts:
        logs = part.dist.log_likelihood(part.observed)
        if not np.isfinite(logs).all():
            row = int(np.argmin(np.isfinite(logs)))
            raise ValueError(
                f"the log likelihood is {logs[row]} at row {row} (of those with positive weight); "
                "calibrate without it"
            )
