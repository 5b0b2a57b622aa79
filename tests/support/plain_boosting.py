"""The paper's algorithm from its formulas: NumPy in float64 and scikit-learn's trees."""

from dataclasses import dataclass

import numpy as np
from sklearn.tree import DecisionTreeRegressor


def posterior(y, particles):
    """Score and curvature, each (d, n, m), of log mu at particles (mean a, log scale s); y is (n,).

    log mu = -(y - a)^2 exp(-2 s) / 2 - a^2 / 200 - 1.01 s - 0.01 exp(-s).
    """
    a, s = particles
    residual, precision, rate = y[:, None] - a, np.exp(-2 * s), 0.01 * np.exp(-s)
    square = residual**2 * precision
    score = np.stack([residual * precision - a / 100, square - 1.01 + rate])
    curvature = np.stack([precision + 0.01, 2 * square + rate])
    return score, curvature


def newton_step(particles, score, curvature, h):
    """g / c (d, n, m), with kernel k_jl and repulsion r_jl = (2 / h)(x_j - x_l) k_jl."""
    differences = particles[..., :, None] - particles[..., None, :]
    k = np.exp(-np.sum(differences**2, axis=0) / h)
    push = 2 / h * differences * k
    g = (k @ score[..., None])[..., 0] + push.sum(axis=-1)
    c = (k**2 @ curvature[..., None])[..., 0] + (push**2).sum(axis=-1)
    return g / c


def averaged_flow(y, draws, h=0.1, steps=5000, rate=0.1):
    """Where draws (m, d) settle that follow the mean over y of the scores and curvatures.

    The steps may end in a swing between two states; the middle of these comes back.
    """
    before = theta = draws.T[:, None]
    for _ in range(steps):
        score, curvature = posterior(y, np.repeat(theta, len(y), axis=1))
        means = (part.mean(axis=1, keepdims=True) for part in (score, curvature))
        before, theta = theta, theta + rate * newton_step(theta, *means, h)
    return (before + theta)[:, 0].T / 2


def first_feature_that_splits(codes, left):
    """The first feature, its largest code below the split, and whether `left` is below it."""
    for feature, code in enumerate(codes.T):
        for below in (left, ~left):
            if code[below].max() < code[~below].min():
                return feature, code[below].max(), below is left
    raise AssertionError("no feature makes this split")


def grow(codes, target, depth):
    """scikit-learn's tree with ties settled.

    Often several features part the training rows alike, and a row that is not among them could go
    either way. The first such feature asks, and only what it holds at or below goes left.
    """
    fitted = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(codes, target)
    tree, path = fitted.tree_, fitted.decision_path(codes).toarray() > 0
    for node in np.flatnonzero(tree.feature >= 0):
        rows, children = path[:, node], (tree.children_left[node], tree.children_right[node])
        feature, last, same = first_feature_that_splits(codes[rows], path[rows, children[0]])
        tree.feature[node], tree.threshold[node] = feature, last + 0.5
        tree.children_left[node], tree.children_right[node] = children if same else children[::-1]
    return fitted


@dataclass
class PlainBoosting:
    """Particles of the normal posterior, moved by trees whose splits see the sum of all outputs."""

    start: np.ndarray  # (m, d)
    rounds: int = 500
    rate: float = 0.1
    depth: int = 3
    h: float = 0.1

    def fit(self, codes, y, lead=None):
        """Add the rounds; a lead gives the particles (n, m, d) that the next one starts from."""
        self.centre, self.unit, self.trees = y.mean(), y.std(), []
        z = (y - self.centre) / self.unit
        particles = np.repeat(self.start.T[:, None], len(y), axis=1).astype(float)
        for r in range(self.rounds):
            step = newton_step(particles, *posterior(z, particles), self.h)
            tree = grow(codes, step.sum(axis=(0, 2)), self.depth)
            leaf = tree.apply(codes)
            values = np.zeros((len(step), tree.tree_.node_count, len(self.start)))
            for node in np.unique(leaf):
                values[:, node] = self.rate * step[:, leaf == node].mean(axis=1)
            self.trees.append((tree, values))
            particles += values[:, leaf]
            if lead is not None:
                particles = np.moveaxis(lead[r].astype(float), 2, 0)
        return self

    def movements(self, codes):
        """What each round adds to the particles (n, m, d)."""
        for tree, values in self.trees:
            yield np.moveaxis(values[:, tree.apply(codes)], 0, 2)

    def nll(self, codes, y):
        """Mean over rows of minus the log of the mean over particles of the density."""
        mean, log_scale = np.moveaxis(self.start + sum(self.movements(codes)), 2, 0)
        mean, scale = self.centre + self.unit * mean, self.unit * np.exp(log_scale)
        density = np.exp(-0.5 * ((y[:, None] - mean) / scale) ** 2) / scale / np.sqrt(2 * np.pi)
        return -np.log(density.mean(axis=1)).mean()
