"""A categorical column of 200 levels: negative log-likelihood and time of a fit.

Made data: y is normal, its mean depends on the level, on x0 and on the level times x1, its scale on
the level and on x2. Compared on 20,000 new rows: wgboost with the column as a category and with its
codes as numbers, and LightGBM with its own handling of categories: a model of the mean, averaged
over five folds, and one of the variance (gamma objective) on the squared out-of-fold residuals.

    python benchmarks/categories.py [rows]
"""

from __future__ import annotations

import sys
import time
from typing import Any

import lightgbm
import numpy as np

from wgboost import WGBRegressor

LEVELS = 200
SAMPLED = {"learning_rate": 0.05, "subsample": 0.6, "colsample": 0.7, "max_leaves": 8}
SETTINGS = {
    "split_on": "particle_mean", "leaf": "newton", "l2": 0.1, "kernel": "scaled", "evidence": 10.0,
    "max_depth": None, "growth": "best_first", "n_jobs": 1, "random_state": 0, **SAMPLED,
}  # fmt: skip


def made(seed: int, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Features (n, 5) with the level first, y (n,), and the NLL of the truth."""
    world, rng = np.random.default_rng(0), np.random.default_rng(seed)
    effect, slope, width = world.normal(size=(3, LEVELS))
    level = rng.choice(LEVELS, n, p=world.dirichlet(np.full(LEVELS, 2.0)))
    x = rng.uniform(-1, 1, size=(n, 4))
    mean = effect[level] + np.sin(3 * x[:, 0]) + 0.5 * slope[level] * x[:, 1]
    scale = np.exp(-1 + 0.3 * width[level] + 0.5 * x[:, 2])
    y = mean + scale * rng.normal(size=n)
    return np.column_stack([level, x]), y, normal_nll(y, mean, scale**2)


def normal_nll(y: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> float:
    nll = 0.5 * np.log(2 * np.pi * variance) + 0.5 * (y - mean) ** 2 / variance
    return float(nll.mean())


def boosted(X: Any, y: Any, objective: str, watched: np.ndarray, options: dict) -> Any:
    """LightGBM with early stopping on some of the rows."""
    inside = lightgbm.Dataset(X[~watched], y[~watched], categorical_feature=[0])
    outside = lightgbm.Dataset(X[watched], y[watched], reference=inside)
    settings = {"verbosity": -1, "num_threads": 1, "seed": 0, "objective": objective, **options}
    stop = lightgbm.early_stopping(50, verbose=False)
    return lightgbm.train(settings, inside, 2000, [outside], callbacks=[stop])


def lightgbm_nll(X: Any, y: Any, X_new: Any, y_new: Any, options: dict) -> float:
    fold = np.random.default_rng(0).integers(0, 5, len(y))
    mean, residual = np.zeros(len(y_new)), np.zeros(len(y))
    for k in range(5):
        inside, watched = fold != k, fold == (k + 1) % 5
        model = boosted(X[inside], y[inside], "regression", watched[inside], options)
        mean += model.predict(X_new) / 5
        residual[~inside] = y[~inside] - model.predict(X[~inside])
    model = boosted(X, residual**2, "gamma", fold == 0, options)
    return normal_nll(y_new, mean, model.predict(X_new))


def seconds(X: Any, y: Any, categorical: Any, **changes: Any) -> float:
    settings = {**SETTINGS, "n_estimators": 100, **changes}
    start = time.process_time()
    WGBRegressor(categorical_features=categorical, **settings).fit(X, y)
    return time.process_time() - start


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    X, y, _ = made(1, n)
    X_new, y_new, truth = made(2, 20_000)
    print(f"{n} rows, {LEVELS} levels; NLL of the truth {truth:.3f}")
    for name, asked in (("categories", [0]), ("codes as numbers", None)):
        model = WGBRegressor(
            categorical_features=asked, n_estimators=2000, early_stopping=True,
            n_iter_no_change=50, **SETTINGS,
        ).fit(X, y)  # fmt: skip
        nll = -float(model.predict_dist(X_new).logpdf(y_new).mean())
        print(f"wgboost, {name}: NLL {nll:.3f} after {model.n_estimators_} rounds", flush=True)
    sampled = {
        "learning_rate": 0.05, "bagging_fraction": 0.6, "bagging_freq": 1, "feature_fraction": 0.7,
    }  # fmt: skip
    trials = {
        "its defaults": {},
        "rate 0.05": {"learning_rate": 0.05},
        "sampled, 16 leaves": {**sampled, "num_leaves": 16},
        "sampled, 8 leaves": {**sampled, "num_leaves": 8},
    }
    for name, options in trials.items():
        print(f"LightGBM, {name}: NLL {lightgbm_nll(X, y, X_new, y_new, options):.3f}", flush=True)
    shapes = {
        "as above": {},
        "all columns, 31 leaves": {"max_leaves": 31, "subsample": 1.0, "colsample": 1.0},
        "split_on all": {"split_on": "all", "leaf": "mean", "max_depth": 3, "growth": "depth_wise"},
    }
    for name, changes in shapes.items():
        times = [[seconds(X, y, asked, **changes) for asked in ([0], None)] for _ in range(3)]
        ours, numbers = np.min(times, axis=0)
        print(f"100 rounds, {name}: {ours:.2f} s, {ours / numbers:.2f} of codes as numbers")


if __name__ == "__main__":
    main()
