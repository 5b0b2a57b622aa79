"""Targets that are distributions of scipy.stats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wgboost.directions import Needs
from wgboost.targets.base import check_values, separate_equal_particles
from wgboost.typing import Array, Directions

__all__ = ["FrozenTarget", "check_univariate", "is_frozen", "take_frozen"]

_STEP = 1e-4  # of a distribution's scale
_POINTS = 64  # quantiles that stand for a distribution where samples are asked for


@dataclass(frozen=True)
class _New:
    """A distribution of scipy's new kind, such as `stats.Normal()`, under the old names."""

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
    """Whether an object is a frozen univariate distribution of scipy.stats.

    Parameters
    ----------
    one : object
        What may be a distribution.

    Returns
    -------
    bool
        True for the frozen and the new kind of distributions.

    Examples
    --------
    >>> from scipy import stats
    >>> from wgboost.targets.frozen import is_frozen
    >>> is_frozen(stats.norm(0, 1)), is_frozen([0.0])
    (True, False)
    """
    return _is_new(one) or all(callable(getattr(one, name, None)) for name in ("ppf", "rvs", "cdf"))


def check_univariate(one: Any, row: int) -> None:
    """Raise TypeError for what scipy.stats has beside distributions of one number."""
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
class FrozenTarget:
    """Hold frozen distributions of scipy.stats.

    Differences of logpdf give the score.

    Parameters
    ----------
    rows : tuple or frozen distribution
        One distribution per row, or a single one with arrays as parameters.
    compiled : None
        Always None: the compiled core does not evaluate these targets.

    Examples
    --------
    >>> from scipy import stats
    >>> from wgboost.targets.frozen import FrozenTarget
    >>> FrozenTarget.of([stats.norm(0, 1), stats.norm(3, 1)]).quantiles(1).round(3)
    array([[0.],
           [3.]])
    """

    rows: Any
    compiled: None = None

    n_params = 1

    @classmethod
    def of(cls, rows: Sequence[Any] | Any) -> FrozenTarget:
        """Return targets for frozen distributions.

        Parameters
        ----------
        rows : sequence or frozen distribution
            One distribution per row, or one whose parameters are arrays.

        Returns
        -------
        FrozenTarget
            The targets.

        Raises
        ------
        ValueError
            If parameters are NaN or out of range.
        TypeError
            If one object holds several distributions of scipy's new kind.

        Examples
        --------
        >>> from scipy import stats
        >>> from wgboost.targets.frozen import FrozenTarget
        >>> FrozenTarget.of(stats.norm([0.0, 3.0], 1.0)).scale.round(2)
        array([1.35, 1.35])
        """
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
        """Quantiles (n, 64) that stand for each row's samples."""
        return self.quantiles(_POINTS)

    @cached_property
    def scale(self) -> Array:
        """The length (n,) on which each density changes; raise where there is none."""
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
        """Draw start particles from the targets of random rows.

        Parameters
        ----------
        m : int
            Number of samples.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        array of shape (m, 1)
            Samples, no two of them equal.

        Examples
        --------
        >>> import numpy as np
        >>> from scipy import stats
        >>> from wgboost.targets.frozen import FrozenTarget
        >>> FrozenTarget.of([stats.norm()]).draw(3, np.random.default_rng(0)).shape
        (3, 1)
        """
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
        """Return quantiles of each row, evenly spaced in probability.

        Parameters
        ----------
        k : int
            Number of quantiles.

        Returns
        -------
        array of shape (n, k)
            The quantiles.

        Examples
        --------
        >>> from scipy import stats
        >>> from wgboost.targets.frozen import FrozenTarget
        >>> FrozenTarget.of([stats.uniform()]).quantiles(2)
        array([[0.25, 0.75]])
        """
        middle = (np.arange(k) + 0.5) / k
        together = not isinstance(self.rows, tuple)
        n = np.shape(self.rows.ppf(0.5))[0] if together else len(self.rows)
        return self._over("ppf", np.tile(middle, (n, 1)), slice(0, n))

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """Return what a direction needs of the targets of some rows.

        Parameters
        ----------
        particles : array of shape (r, m, d)
            Particles of the rows, float32.
        rows : slice
            The rows.
        needs : {"score", "curvature", "hessian", "log_density", "samples"}
            What the direction reads.
        n_threads : int
            Number of threads.

        Returns
        -------
        first : array of shape (r, m, d) or (r, s, d)
            Scores at the particles, or samples of the targets.
        second : array or None
            Curvature (r, m, d), Hessian (r, m, d, d) or log density (r, m), whichever is needed;
            the weights (r, s) of samples.
        """
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

    def metric(self, particles: Directions, rows: slice) -> Array | None:  # noqa: ARG002
        """Return the Fisher information of some rows.

        Parameters
        ----------
        particles : array of shape (r, m, d)
            Particles of the rows, float32.
        rows : slice
            The rows.

        Returns
        -------
        array of shape (r, d) or None
            Fisher information at the mean particle of each row.

        Raises
        ------
        ValueError
            Always: these targets have none.
        """
        raise ValueError('kernel="scaled" needs a Fisher information, which these do not have')
