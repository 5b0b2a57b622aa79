"""Targets that are distributions of scipy.stats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from wgboost.directions import Needs
from wgboost.targets.base import UncompiledTarget, check_values, separate_equal_particles
from wgboost.typing import Array, Directions

__all__ = ["FrozenTarget", "check_univariate", "is_frozen", "take_frozen"]

_STEP = 1e-4  # of a distribution's scale
_POINTS = 64  # quantiles that represent a distribution if samples are needed


@dataclass(frozen=True)
class _New:
    """A distribution of scipy's new kind, such as `stats.Normal()`, with the old method names."""

    one: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.one, name)

    def ppf(self, q: Any) -> Array:
        """Return the quantiles at probabilities q."""
        return np.asarray(self.one.icdf(q))

    def rvs(self, random_state: np.random.Generator) -> Array:
        """Return one draw."""
        return np.asarray(self.one.sample(rng=random_state))


def _is_new(one: Any) -> bool:
    return all(callable(getattr(one, name, None)) for name in ("icdf", "sample", "logpdf"))


def is_frozen(one: Any) -> bool:
    """Whether an object is a frozen univariate distribution of scipy.stats, of either kind."""
    return _is_new(one) or all(callable(getattr(one, name, None)) for name in ("ppf", "rvs", "cdf"))


def check_univariate(one: Any, row: int) -> None:
    """Raise TypeError for other objects of scipy.stats than univariate distributions."""
    if callable(getattr(one, "resample", None)):
        raise TypeError(
            f"the target of row {row} is a kernel density estimate; pass samples of each row, "
            "resample(64).T, or its dataset.T"
        )
    if callable(getattr(one, "rvs", None)) and not callable(getattr(one, "ppf", None)):
        raise TypeError(
            f"the target of row {row} is a multivariate distribution, which has no quantiles; "
            "pass samples of each row, rvs(64)"
        )


def take_frozen(one: Any, index: Any) -> Any:
    """Return some of the rows of a distribution whose parameters are arrays."""
    n = np.shape(one.ppf(0.5))[0]

    def of_rows(value: Any) -> Array:
        taken: Array = np.broadcast_to(np.asarray(value), n)[index]
        return taken

    named = {name: of_rows(value) for name, value in one.kwds.items()}
    return one.dist(*map(of_rows, one.args), **named)


@dataclass(frozen=True, eq=False)
class FrozenTarget(UncompiledTarget):
    """Frozen distributions of scipy.stats; the score is a difference of logpdf.

    `rows` is one distribution per row, or a single one with arrays as parameters.
    """

    rows: Any

    kind: ClassVar[str] = "distributions of scipy.stats"

    @property
    def n_params(self) -> int:
        """One: the distributions are univariate."""
        return 1

    @classmethod
    def of(cls, rows: Sequence[Any] | Any) -> FrozenTarget:
        """Return targets for a sequence of distributions, or one whose parameters are arrays."""
        if isinstance(rows, Sequence):
            rows = tuple(_New(one) if _is_new(one) else one for one in rows)
        elif not hasattr(rows, "dist"):
            raise TypeError(f"{rows!r} holds several distributions; give a list, one for each row")
        made = cls(rows)
        bad = ~np.isfinite(made.points).all(axis=1)
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(f"the distribution of row {row} has parameters of nan or out of range")
        return made

    @cached_property
    def points(self) -> Array:
        """Quantiles (n, 64) that represent the samples of each row."""
        return self.quantiles(_POINTS)

    @cached_property
    def scale(self) -> Array:
        """Length (n,) over which each density changes; raise where there is none."""
        quarter = _POINTS // 4
        scale: Array = self.points[:, -quarter] - self.points[:, quarter]
        if not (scale > 0).all():
            row = int(np.argmin(scale > 0))
            raise ValueError(
                f"the distribution of row {row} has no spread, or no density; "
                'direction="energy" needs none'
            )
        return scale

    def _over(self, name: str, x: Array, rows: slice) -> Array:
        """Return a method of each row's distribution at its x, (r, k)."""
        if not isinstance(self.rows, tuple):
            part = take_frozen(self.rows, rows)
            return np.asarray(getattr(part, name)(x.T), dtype=np.float64).T
        each = zip(self.rows[rows], x, strict=True)
        return np.stack([np.asarray(getattr(one, name)(at)) for one, at in each])

    def draw(self, m: int, rng: np.random.Generator) -> Array:
        """Draw m start particles (m, 1) from the targets of random rows, no two of them equal."""
        if not isinstance(self.rows, tuple):
            n = np.shape(self.rows.ppf(0.5))[0]
            part = take_frozen(self.rows, rng.integers(n, size=m))
            return separate_equal_particles(
                np.asarray(part.rvs(random_state=rng), dtype=np.float64)[:, None], rng
            )
        chosen = rng.integers(len(self.rows), size=m)
        drawn = np.array([[float(self.rows[i].rvs(random_state=rng))] for i in chosen])
        return separate_equal_particles(drawn, rng)

    def quantiles(self, k: int) -> Array:
        """Return k quantiles (n, k) of each row, evenly spaced in probability."""
        middle = (np.arange(k) + 0.5) / k
        together = not isinstance(self.rows, tuple)
        n = np.shape(self.rows.ppf(0.5))[0] if together else len(self.rows)
        return self._over("ppf", np.tile(middle, (n, 1)), slice(0, n))

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """Return what a direction needs of the targets of some rows; see `RowTarget`."""
        del n_threads
        if needs == "samples":
            points = self.points[rows].astype(np.float32)[..., None]
            return points, np.full(points.shape[:2], 1 / _POINTS, np.float32)
        step = _STEP * self.scale[rows][:, None]
        here, before, after = self._logs(particles[..., 0].astype(np.float64), step, rows)
        shape = particles.shape
        score = check_values("score", ((after - before) / (2 * step))[..., None], rows, shape)
        if needs == "score":
            return score, None
        if needs == "log_density":
            return score, check_values("log density", here, rows, shape[:2])
        second = (2 * here - before - after) / step**2
        curvature = check_values("curvature", second[..., None], rows, shape)
        return score, curvature if needs == "curvature" else -curvature[..., None]

    def _logs(self, x: Array, step: Array, rows: slice) -> tuple[Array, Array, Array]:
        """Return the log density at x (r, m), a step before and a step after it."""
        try:
            logs = [self._over("logpdf", at, rows) for at in (x, x - step, x + step)]
        except AttributeError as error:
            raise ValueError(
                "a discrete distribution has no density whose score particles could follow; "
                'direction="energy" needs none'
            ) from error
        outside = ~np.isfinite(np.stack(logs)).all(axis=0)
        if outside.any():
            row, particle = (int(i) for i in np.argwhere(outside)[0])
            raise ValueError(
                f"a particle left the support of the distribution of row {rows.start + row}, at "
                f'{x[row, particle]:.4g}; direction="energy" needs no density'
            )
        return logs[0], logs[1], logs[2]
