"""Measure the gap to the true NLL by evidence, and compare the spread of particles with errors.

The data are synthetic: 5,000 rows, 5 features uniform on [-1, 1], mean sin(2 x0), log scale x1 / 2.
1,000 rows are held out for early stopping, and 4,000 others are test rows. The kernels are that of
the paper, and one in the units of the posterior of each row, which contracts with more evidence.
The table has the standard deviation of the gap over seeds.

With --spread nine of ten rows have a first feature below zero. The epistemic variance of the mean
is compared with the squared error of the mean at 4,000 uniform x: by their ratio below zero (dense)
and above (sparse), and by the correlation of their logs over 64 cells of (x0, x1), after averaging
over seeds. The table also has the test NLL. Other data are "bends", with more noise where rows are
few, "squares" with skewed noise, and "product" with an interaction that trees hardly find. The
models have trees of depth 3, trees of 16 leaves, or the defaults.
"""

import argparse
from itertools import product
from typing import Any

import numpy as np

from wgboost import DiagonalNewton, Kernel, TreeLearner, WGBRegressor, metrics

EVIDENCE = (1, 3, 10, 30, 100)
DATA = ("sine", "bends", "squares", "product")
KERNELS = {"gaussian": Kernel("gaussian", 0.1), "scaled": Kernel("scaled", 1.5)}
TREES: dict[str, dict[str, Any]] = {
    "depth 3": {
        "max_depth": 3, "max_leaves": None, "tree": "shared",
        "learner": TreeLearner(growth="depth_wise"),
    },
    "16 leaves": {"max_depth": None, "max_leaves": 16, "tree": "shared"},
}  # fmt: skip
DEFAULT = "default"
Made = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def truth(data: str, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the log scale."""
    x0, x1, x2 = X.T[:3]
    if data == "bends":
        return np.cos(4 * x0) + 0.7 * np.maximum(x1, 0), x0 / 2 - 0.3
    if data == "squares":
        return 1.5 * x0**2 + x1 + x2 / 2, -x1 / 2
    if data == "product":
        return 1.5 * x0**2 + x1 * x2, -x1 / 2
    return np.sin(2 * x0), x1 / 2


def made(n: int, seed: int, uneven: bool = False, data: str = "sine") -> Made:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 5))
    if uneven:
        X[:, 0] = np.abs(X[:, 0]) * np.where(rng.random(n) < 0.9, -1, 1)
    mean, log_scale = truth(data, X)
    skewed = data in ("squares", "product")
    noise = rng.exponential(size=n) - 1 if skewed else rng.standard_normal(n)
    return X, mean + np.exp(log_scale) * noise, mean, log_scale


def fitted(
    evidence: Any, seed: int, uneven: bool = False, data: str = "sine", **settings: Any
) -> WGBRegressor:
    X, y, _, _ = made(5000, 2 * seed, uneven, data)
    return WGBRegressor(
        n_estimators=4000, learning_rate=0.05, subsample=0.6, colsample=0.7, l2=1,
        evidence=evidence, early_stopping=True, n_iter_no_change=150, refit=False,
        random_state=seed, **settings,
    ).fit(X, y)  # fmt: skip


def gap(kernel: str, evidence: Any, seed: int) -> tuple[float, int, float]:
    chosen = {"direction": DiagonalNewton(KERNELS[kernel])} if kernel in KERNELS else {}
    model = fitted(evidence, seed, **TREES["depth 3"], **chosen)
    X_test, y_test, mean, log_scale = made(4000, 2 * seed + 1)
    dist = model.predict_dist(X_test)
    residual = (y_test - mean) / np.exp(log_scale)
    true = np.mean(0.5 * residual**2 + log_scale + 0.5 * np.log(2 * np.pi))
    error = np.sqrt(np.mean((dist.mean() - mean) ** 2))
    return metrics.nll(dist, y_test) - true, model.n_estimators_, float(error)


def spread(data: str, trees: str, evidence: Any, seeds: range) -> list[str]:
    """Return a row of the table: evidence and its mean, both ratios, correlation and NLL."""
    levels, scores, cells = [], [], np.zeros((2, 8, 8))
    for seed in seeds:
        kernel = {} if evidence == "auto" else {"direction": DiagonalNewton(Kernel("scaled"))}
        if trees == DEFAULT:
            X, y, _, _ = made(5000, 2 * seed, uneven=True, data=data)
            model = WGBRegressor(random_state=seed).fit(X, y)
        else:
            model = fitted(evidence, seed, uneven=True, data=data, **TREES[trees], **kernel)
        X, y, mean, _ = made(4000, 2 * seed + 1, data=data)
        dist = model.predict_dist(X)
        at = np.floor(4 * (X[:, :2] + 1)).astype(int).T
        for i, values in enumerate(((dist.mean() - mean) ** 2, dist.epistemic())):
            np.add.at(cells[i], tuple(at), values)
        levels.append(model.evidence_)
        scores.append(metrics.nll(dist, y))
    error, variance = cells
    dense, sparse = (variance[half].sum() / error[half].sum() for half in np.split(np.arange(8), 2))
    together = np.corrcoef(np.log(error.ravel()), np.log(variance.ravel()))[0, 1]
    figures = [f"{figure:.2f}" for figure in (dense, sparse, together)]
    return [
        data,
        trees,
        str(evidence),
        f"{np.mean(levels):.0f}",
        *figures,
        f"{np.mean(scores):.3f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument(
        "--spread", action="store_true", help="compare the spread of particles with errors"
    )
    parser.add_argument("--data", nargs="*", default=DATA, choices=DATA, help="with --spread")
    kinds = (*TREES, DEFAULT)
    parser.add_argument("--trees", nargs="*", default=kinds, choices=kinds, help="with --spread")
    options = parser.parse_args()
    if options.spread:
        print("| data | trees | evidence | on average | dense | sparse | correlation | NLL |")
        print("|---|---|---|--:|--:|--:|--:|--:|", flush=True)
        seeds = range(options.first, options.first + options.seeds)
        for data, trees in product(options.data, (*TREES, DEFAULT)):
            if trees not in options.trees:
                continue
            for evidence in ("auto",) if trees == DEFAULT else (30, 100, "auto"):
                print(f"| {' | '.join(spread(data, trees, evidence, seeds))} |", flush=True)
        return
    print(
        "| kernel | evidence | gap to the true NLL | sd over seeds | rounds | error of the mean |"
    )
    print("|---|--:|--:|--:|--:|--:|")
    for kernel, evidence in [*product(KERNELS, EVIDENCE), ("by evidence", "auto")]:
        runs = (gap(kernel, evidence, seed) for seed in range(options.seeds))
        gaps, rounds, errors = zip(*runs, strict=True)
        print(
            f"| {kernel} | {evidence} | {np.mean(gaps):+.3f} | {np.std(gaps):.3f} "
            f"| {np.median(rounds):.0f} | {np.mean(errors):.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
