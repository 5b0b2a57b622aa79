"""Targets that are distributions of scipy.stats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.directions import Needs
from wgboost.targets.base import checked
from wgboost.typing import Array, Directions

__all__ = ["FrozenTarget", "is_frozen"]

_STEP = 1e-4  # of a distribution's scale


def is_frozen(one: Any) -> bool:
    """Return whether this is a frozen continuous distribution of one number."""
    return all(callable(getattr(one, name, None)) for name in ("logpdf", "ppf", "rvs"))


@dataclass(frozen=True, eq=False)
class FrozenTarget:
    """A frozen distribution of scipy.stats for each row; differences of logpdf give the score."""

    rows: Sequence[Any]
    scale: Array  # (n,) the length on which each density changes
    compiled: None = None

    @classmethod
    def of(cls, rows: Sequence[Any]) -> FrozenTarget:
        """Return the targets of a list of frozen distributions."""
        quartiles = np.array([np.asarray(one.ppf([0.25, 0.75])).reshape(2) for one in rows])
        scale = quartiles[:, 1] - quartiles[:, 0]
        bad = ~(np.isfinite(scale) & (scale > 0))
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(f"the distribution of row {row} has no spread, or parameters of nan")
        return cls(tuple(rows), scale)

    n_params = 1

    def draw(self, m: int, rng: np.random.Generator) -> Array:
        """Return samples of m rows, where particles may start."""
        chosen = rng.integers(len(self.rows), size=m)
        return np.array([[float(self.rows[i].rvs(random_state=rng))] for i in chosen])

    def quantiles(self, k: int) -> Array:
        """Return k quantiles (n, k) of each row, evenly spaced in probability."""
        middle = (np.arange(k) + 0.5) / k
        return np.array([np.asarray(one.ppf(middle)).reshape(k) for one in self.rows])

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """See RowTarget."""
        del n_threads
        if needs == "samples":
            raise ValueError("frozen distributions have no samples here; pass rvs() of each")
        x = particles[..., 0].astype(np.float64)
        step = _STEP * self.scale[rows][:, None]
        logs = np.empty((3, *x.shape))
        for i, one in enumerate(self.rows[rows]):
            logs[:, i] = one.logpdf(np.stack([x[i] - step[i], x[i], x[i] + step[i]]))
        before, here, after = logs
        shape = particles.shape
        score = checked("score", ((after - before) / (2 * step))[..., None], rows, shape)
        if needs == "score":
            return score, None
        if needs == "log_density":
            return score, checked("log density", here, rows, shape[:2])
        bend = (2 * here - before - after) / step**2
        curvature = checked("curvature", bend[..., None], rows, shape)
        return score, curvature if needs == "curvature" else -curvature[..., None]

    def metric(self, particles: Directions, rows: slice) -> Array | None:  # noqa: ARG002
        """See RowTarget."""
        raise ValueError('kernel="scaled" needs a Fisher information, which these do not have')
