"""The author's regression program, written again in plain float64: an oracle for deviations.

Nothing of wgboost takes part. Trees look at every threshold and split on the summed outputs, which
is what scikit-learn 1.4's "friedman_mse" does with several of them; y is standardised on all
training rows before some are held out; particles start where 5,000 steps of the averaged posterior
end. Each of these is one argument, so that a deviation can be traced to one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.tree import DecisionTreeRegressor

Array = np.ndarray

__all__ = [
    "Plain",
    "averaged_class_start",
    "averaged_start",
    "movement",
    "nll",
    "rmse",
    "score_and_curvature",
]

BANDWIDTH = 0.1


def score_and_curvature(theta: Array, y: Array) -> tuple[Array, Array]:
    """Derivatives (n, m, 2) of the log posterior of (mean, log scale) given y (n, 1)."""
    mean, log_scale = theta[..., 0], theta[..., 1]
    precision, rate = np.exp(-2 * log_scale), 0.01 * np.exp(-log_scale)
    square = (y - mean) ** 2 * precision
    score = np.stack([(y - mean) * precision - mean / 100, square - 1.01 + rate], axis=-1)
    curvature = np.stack([precision + 1 / 100, 2 * square + rate], axis=-1)
    return score, curvature


def movement(theta: Array, score: Array, curvature: Array) -> Array:
    """Diagonal Newton directions (n, m, d) of rows of particles."""
    difference = theta[:, :, None] - theta[:, None]  # (n, m, m, d)
    k = np.exp(-np.square(difference).sum(axis=-1) / BANDWIDTH)
    push = (2 / BANDWIDTH) * difference * k[..., None]
    m = theta.shape[1]
    gradient = (k @ score + push.sum(axis=2)) / m
    curvatures = (np.square(k) @ curvature + np.square(push).sum(axis=2)) / m
    moved: Array = gradient / curvatures
    return moved


def averaged_start(y: Array, steps: int = 5000, rate: float = 0.1) -> Array:
    """Particles (10, 2) of (mean, log scale) where the flow of the averaged posterior ends."""
    first, second = y.mean(), np.square(y).mean()

    def derivatives(theta: Array) -> tuple[Array, Array]:
        mean, log_scale = theta.T
        precision, prior = np.exp(-2 * log_scale), 0.01 * np.exp(-log_scale)
        square = (second - 2 * mean * first + mean**2) * precision
        score = np.stack([(first - mean) * precision - mean / 100, square - 1.01 + prior], -1)
        return score, np.stack([precision + 1 / 100, 2 * square + prior], -1)

    return _settled(derivatives, 2, steps, rate)


def averaged_class_start(y: Array, steps: int = 5000, rate: float = 0.1) -> Array:
    """Particles (10, k - 1) of log-ratios to the last class; y are codes 0 to k - 1."""
    shares = np.bincount(y) / len(y)

    def derivatives(theta: Array) -> tuple[Array, Array]:
        odds = np.exp(theta)
        q = odds / (1 + odds.sum(axis=1, keepdims=True))
        return shares[:-1] - q - theta / 100, q * (1 - q) + 1 / 100

    return _settled(derivatives, len(shares) - 1, steps, rate)


def _settled(
    derivatives: Callable[[Array], tuple[Array, Array]], d: int, steps: int, rate: float
) -> Array:
    """Where the author's ten draws are after so many steps."""
    theta = np.random.default_rng(0).normal(0, 1, (10, d))
    for _ in range(steps):
        score, curvature = derivatives(theta)
        theta = theta + rate * movement(theta[None], score[None], curvature[None])[0]
    return theta


def nll(theta: Array, y: Array) -> float:
    """Mean negative log likelihood of the mixtures."""
    z = (y[:, None] - theta[..., 0]) * np.exp(-theta[..., 1])
    logs = -0.5 * z * z - theta[..., 1] - 0.5 * np.log(2 * np.pi)
    return float(np.mean(np.log(theta.shape[1]) - logsumexp(logs, axis=1)))


def rmse(theta: Array, y: Array) -> float:
    """Root mean squared error of the mean."""
    return float(np.sqrt(np.mean(np.square(theta[..., 0].mean(axis=1) - y))))


@dataclass(frozen=True)
class Plain:
    """The program, with switches."""

    bins: int | None = None  # thresholds only between so many quantile bins; None: everywhere
    particles: type = np.float64
    start: Callable[[Array], Array] = averaged_start

    def cut(self, X: Array) -> Callable[[Array], Array]:
        """How features are seen: as they are, or as the number of their bin."""
        if self.bins is None:
            return lambda raw: raw
        edges = []
        for column in X.T:
            values = np.unique(column)
            if len(values) > self.bins:
                values = np.unique(np.quantile(column, np.linspace(0, 1, self.bins + 1)[1:-1]))
                edges.append(values)
            else:
                edges.append((values[1:] + values[:-1]) / 2)
        return lambda raw: np.column_stack(
            [np.searchsorted(e, c, side="left") for e, c in zip(edges, raw.T, strict=True)]
        ).astype(float)

    def rounds(self, X: Array, y: Array, others: Array, n_rounds: int) -> Iterator[Array]:
        """Yield the particles of other rows after 1, 2, ... rounds; y is standardised."""
        cut = self.cut(X)
        X, others = cut(X), cut(others)
        start = self.start(y)
        theta: Array = np.broadcast_to(start, (len(y), *start.shape)).astype(self.particles)
        other: Array = np.broadcast_to(start, (len(others), *start.shape)).astype(self.particles)
        for _ in range(n_rounds):
            target = movement(theta, *score_and_curvature(theta, y[:, None]))
            flat = target.reshape(len(y), -1)
            tree = DecisionTreeRegressor(max_depth=3, random_state=1).fit(X, flat.sum(axis=1))
            leaf, n_nodes = tree.apply(X), tree.tree_.node_count
            sums = np.stack([np.bincount(leaf, c, n_nodes) for c in flat.T], axis=1)
            values = sums / np.maximum(np.bincount(leaf, minlength=n_nodes), 1)[:, None]
            values = (0.1 * values).reshape(n_nodes, *start.shape).astype(self.particles)
            theta = theta + values[leaf]
            other = other + values[tree.apply(others)]
            yield other

    def repeat(
        self, X: Array, y: Array, held: Array, X_test: Array, y_test: Array, n_rounds: int = 4000
    ) -> dict[str, Any]:
        """Search on the rows not held, refit, and test: as `paper.regression.one_repeat`."""
        mean, scale = y.mean(), y.std()
        z, z_test = (y - mean) / scale, (y_test - mean) / scale
        inside = np.setdiff1d(np.arange(len(y)), held)
        found = [
            (nll(theta, z[held]), rmse(theta, z[held]))
            for theta in self.rounds(X[inside], z[inside], X[held], n_rounds)
        ]
        best = np.argmin(found, axis=0) + 1
        tested = [
            (nll(theta, z_test), rmse(theta, z_test))
            for theta in self.rounds(X, z, X_test, int(best.max()))
        ]
        return {
            "nll": tested[best[0] - 1][0] + float(np.log(scale)),
            "rmse": tested[best[1] - 1][1] * float(scale),
            "nll_rounds": int(best[0]),
            "rmse_rounds": int(best[1]),
        }
