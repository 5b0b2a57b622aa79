"""Data and trees for the tests."""

import numpy as np

from wgboost.data import Features
from wgboost.learners.hist_tree import FittedTrees, HistTree
from wgboost.trees import Tree, TreeSettings

TREE_ARRAYS = (
    "feature", "threshold", "bin", "missing_left", "category_set", "left", "leaf", "gain", "cover",
    "values", "sets",
)  # fmt: skip


def grow(
    X,
    targets,
    curvature=None,
    weight=None,
    *,
    seed=0,
    n_threads=1,
    max_bins=255,
    cat_signal=None,
    **settings,
) -> tuple[Features, FittedTrees]:
    """Bin X and grow one round on targets (n,), (n, K) or (n, m, d)."""
    features = X if isinstance(X, Features) else Features.from_raw(X, bins=max_bins, weight=weight)
    if cat_signal is not None:
        cat_signal = np.asarray(cat_signal, dtype=np.float32)
    learner = HistTree(TreeSettings(**settings), n_threads=n_threads, cat_signal=cat_signal)
    rng = np.random.default_rng(seed)
    fitted = learner.fit(features, directions(targets), directions(curvature), weight, rng)
    return features, fitted


def directions(values):
    """Values (n,), (n, K) or (n, m, d) as (n, m, d); None stays None."""
    if values is None:
        return None
    values = np.asarray(values)
    if values.ndim == 3:
        return values
    return values.reshape(values.shape[0], 1, -1)


def fitted_values(fitted: FittedTrees) -> np.ndarray:
    """What the trees add to the training rows (n, m, d)."""
    particles = np.zeros((fitted.leaf.shape[1], *fitted.flat.shape), dtype=np.float32)
    fitted.add_to(particles)
    return particles


def made(seed, n, p, m=1, d=1, *, missing=0.0, distinct=None):
    """Features (n, p) and smooth targets with noise (n, m, d) that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    if distinct is not None:
        X = np.floor(rng.random((n, p)) * distinct)
    slopes = rng.normal(size=(p, m * d))
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    targets = np.tanh(z @ slopes) + 0.5 * z @ slopes + 0.3 * rng.normal(size=(n, m * d))
    if missing:
        X[rng.random((n, p)) < missing] = np.nan
    return X, targets.reshape(n, m, d).astype(np.float32)


def same_partition(a, b) -> bool:
    """Whether two labellings of the rows describe the same groups."""
    pairs = len(set(zip(a.tolist(), b.tolist(), strict=True)))
    return pairs == len(set(a.tolist())) == len(set(b.tolist()))


def assert_same_tree(a: Tree, b: Tree) -> None:
    """All arrays of two trees are equal, bit for bit."""
    for name in TREE_ARRAYS:
        left, right = getattr(a, name), getattr(b, name)
        assert left.dtype == right.dtype, name
        assert left.shape == right.shape, name
        assert left.tobytes() == right.tobytes(), name
