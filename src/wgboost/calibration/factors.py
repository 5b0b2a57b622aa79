"""Two factors that make predictive distributions agree with rows the model has not seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from wgboost.metrics.checks import add_noise, check_y, row_weights
from wgboost.predictive import Mixture
from wgboost.predictive.weights import mix
from wgboost.responses import Observations
from wgboost.typing import Array
from wgboost.validation import check_number

__all__ = ["Calibration"]

_FARTHEST = math.log(100.0)  # of either factor from 1


@dataclass(frozen=True)
class Calibration:
    """A map of predictive distributions to better ones: ``calibration(dist)``.

    Attributes
    ----------
    scale : float
        The response of every particle is so many times as wide about its location: a factor on the
        scale of location-scale responses, of all columns together, and of log y of "lognormal" and
        "weibull"; on the relative deviation of "gamma" and "inverse_gaussian" and of the Poisson
        mean behind "negative_binomial"; on the deviation (of a large precision) of "beta"; the
        temperature that divides the logits of classes. Poisson and exponential responses, and
        one's own without `dispersion`, have no width of their own: it stays 1.
    spread : float
        The particles of a row are so many times as far from their mean: their locations, in the
        coordinate of the response; of classes all log-ratios. Epistemic uncertainty grows and
        shrinks with it. Scales and shapes stay where they are, since there the exponential would
        make a few particles of a wide row very wide.
    nll_before, nll_after : float or None
        Mean NLL of the rows it was fitted to, without and with it.
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
            raise TypeError(f"dist={dist!r} must be a predictive distribution, as of predict_dist")
        theta = dist.theta()
        if self.spread != 1:
            theta = _spread(dist, self.spread)
        if self.scale != 1 and dist.response.has_dispersion:
            theta = dist.response.scale_dispersion(theta, self.scale)
        return dist.with_particles(theta)

    @classmethod
    def fit(
        cls, dist: Any, y: Any, *, y_std: Any = None, sample_weight: Any = None, scale: bool = True,
        spread: bool = True, shrinkage: float = 0.25, allow_widening: bool = True,
    ) -> Calibration:  # fmt: skip
        """Return the factors of the smallest NLL of rows that the model has not seen.

        Parameters
        ----------
        dist : Mixture, or a list of them
            Predictions of those rows. Of several models, as from folds, a list: their units may
            differ. What follows is then a list too, or None.
        y : array (n,), or (n, q)
            What was seen; it may be `censored`.
        y_std : number or array (n,), optional
            The standard deviation of a known error of y.
        sample_weight : array (n,), optional
        scale, spread : bool
            Whether to fit this factor; otherwise it is 1.
        shrinkage : float
            The logs of both factors have a normal prior of this standard deviation. With 0.25 it
            says about as much as eight rows of a normal response, so that few rows change little.
            Rows of unequal weight count as what they are worth, (sum w)^2 / sum w^2.
        allow_widening : bool, default=True
            Whether factors may be above 1, which makes distributions wider.

        Notes
        -----
        The NLL of the rows given is never larger with the factors than without: the prior is
        largest at (1, 1).
        """
        check_number("shrinkage", shrinkage, above=0)
        rows = [_Rows.of(*part) for part in _parts(dist, y, y_std, sample_weight)]
        free = np.array([
            scale and rows[0].dist.response.has_dispersion,
            spread and any(part.dist.particles.shape[1] > 1 for part in rows),
        ])  # fmt: skip
        total = sum(float(part.weight.sum()) for part in rows)
        worth = total**2 / sum(float(np.square(part.weight).sum()) for part in rows)

        def factors(logs: Array) -> Calibration:
            both = np.zeros(2)
            both[free] = logs
            return cls(*np.exp(both).tolist())

        def nll(calibration: Calibration) -> float:
            return sum(part.nll(calibration) for part in rows) / total

        def loss(logs: Array) -> float:
            prior = 0.5 * float(np.square(logs / shrinkage).sum()) / worth
            # A line search that went too far has to come back, and from infinity it would not.
            return float(np.nan_to_num(nll(factors(logs)) + prior, nan=1e300, posinf=1e300))

        before = nll(cls())
        if not math.isfinite(before):
            _raise_for(rows)
        start = np.zeros(int(free.sum()))
        if start.size == 0:
            return cls(1.0, 1.0, before, before)
        bounds = [(-_FARTHEST, _FARTHEST if allow_widening else 0.0)] * start.size
        found = optimize.minimize(loss, start, method="L-BFGS-B", bounds=bounds)
        best = factors(found.x if loss(found.x) <= before else start)
        return cls(best.scale, best.spread, before, nll(best))


def _spread(dist: Mixture, factor: float) -> Array:
    """Return particles whose locations are so many times as far from their mean."""
    theta, response = np.array(dist.particles, dtype=np.float64), dist.response
    where: Any = slice(None) if response.nominal else response.location
    if isinstance(where, int):
        where = slice(where, where + 1)
    moved = np.swapaxes(theta[..., where], 1, 2)  # (n, d', m)
    centre = mix(moved, None if dist.weights is None else dist.weights[:, None])[..., None]
    theta[..., where] = np.swapaxes(centre + factor * (moved - centre), 1, 2)
    return theta


@dataclass(frozen=True, eq=False)
class _Rows:
    """Predictions of one model, what was seen, and the weights of the rows that count."""

    dist: Mixture
    seen: Any  # y (n,) or `Observations`
    weight: Array

    @classmethod
    def of(cls, dist: Mixture, y: Any, y_std: Any, sample_weight: Any) -> _Rows:
        seen = y if isinstance(y, Observations) else check_y(dist, y)
        if y_std is not None:
            seen = add_noise(seen, y_std)
        weight = row_weights(sample_weight, len(dist))
        counts = weight > 0
        return cls(dist[counts], seen[counts], weight[counts])

    def nll(self, calibration: Calibration) -> float:
        """The weighted sum over rows."""
        return -float(self.weight @ calibration(self.dist).log_likelihood(self.seen))


def _parts(dist: Any, y: Any, y_std: Any, sample_weight: Any) -> list[tuple[Any, ...]]:
    """Return what belongs together, one tuple for each model."""
    if not isinstance(dist, Sequence):
        return [(dist, y, y_std, sample_weight)]
    columns = [[None] * len(dist) if c is None else list(c) for c in (y, y_std, sample_weight)]
    if not dist or any(len(column) != len(dist) for column in columns):
        raise ValueError(
            f"{len(dist)} distributions with {', '.join(str(len(c)) for c in columns)} of y, y_std "
            "and sample_weight; one for each is needed"
        )
    return list(zip(dist, *columns, strict=True))


def _raise_for(rows: list[_Rows]) -> None:
    """Raise ValueError for the first row whose likelihood is no number to go by."""
    for part in rows:
        logs = part.dist.log_likelihood(part.seen)
        if not np.isfinite(logs).all():
            row = int(np.argmin(np.isfinite(logs)))
            raise ValueError(
                f"the log likelihood is {logs[row]} at row {row} (of those with weight); "
                "calibrate without it"
            )
