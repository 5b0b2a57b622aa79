"""Measure the cost of uninformative categorical columns, and the gain of informative ones.

`python benchmarks/categories.py table` prints R2 of 10,000 new rows with and without a categorical
column, for several numbers of levels that shift y or do not. `python benchmarks/categories.py
classes` prints the log loss of a model of y > 0 on the same data. LightGBM and CatBoost are
included if they are installed.

`python benchmarks/categories.py [rows]` prints the negative log-likelihood and the time of a fit
with 200 levels. The data are synthetic: y is normal, its mean depends on the level, on x0 and on
the level times x1, its scale on the level and on x2. It compares on 20,000 new rows: wgboost with a
categorical column and with codes as numbers, and LightGBM with its own handling of categories. The
latter has a model of the mean, averaged over five folds, and one of the variance (gamma objective)
of the squared out-of-fold residuals.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost import DiagonalNewton, Kernel, TreeLearner, WGBClassifier, WGBRegressor

try:
    import lightgbm
except ImportError:
    lightgbm = None

LEVELS = 200
SAMPLED = {"learning_rate": 0.05, "subsample": 0.6, "colsample": 0.7, "max_leaves": 8}
SETTINGS = {
    "l2": 0.1, "direction": DiagonalNewton(Kernel("scaled")), "evidence": 10.0, "max_depth": None,
    "n_jobs": 1, "random_state": 0, **SAMPLED,
}  # fmt: skip
UNPENALISED = TreeLearner(cat_penalty=0.0)


def made(seed: int, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return features (n, 5) with the level first, y (n,), and the NLL of the truth."""
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


def boosted(X: Any, y: Any, objective: str, validation: np.ndarray, options: dict) -> Any:
    """Return a LightGBM model with early stopping on some of the rows."""
    inside = lightgbm.Dataset(X[~validation], y[~validation], categorical_feature=[0])
    outside = lightgbm.Dataset(X[validation], y[validation], reference=inside)
    settings = {"verbosity": -1, "num_threads": 1, "seed": 0, "objective": objective, **options}
    stop = lightgbm.early_stopping(50, verbose=False)
    return lightgbm.train(settings, inside, 2000, [outside], callbacks=[stop])


def lightgbm_nll(X: Any, y: Any, X_new: Any, y_new: Any, options: dict) -> float:
    fold = np.random.default_rng(0).integers(0, 5, len(y))
    mean, residual = np.zeros(len(y_new)), np.zeros(len(y))
    for k in range(5):
        inside, validation = fold != k, fold == (k + 1) % 5
        model = boosted(X[inside], y[inside], "regression", validation[inside], options)
        mean += model.predict(X_new) / 5
        residual[~inside] = y[~inside] - model.predict(X[~inside])
    model = boosted(X, residual**2, "gamma", fold == 0, options)
    return normal_nll(y_new, mean, model.predict(X_new))


def seconds(X: Any, y: Any, categorical: Any, **changes: Any) -> float:
    settings = {**SETTINGS, "n_estimators": 100, **changes}
    start = time.process_time()
    WGBRegressor(categorical_features=categorical, **settings).fit(X, y)
    return time.process_time() - start


def shifted(seed: int, n: int, levels: int, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """Return features (n, 7) with the level first, and y (n,); `strength` scales level effects."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6))
    effect = strength * np.random.default_rng(0).normal(size=levels)
    level = rng.integers(0, levels, n)
    mean = x[:, 0] + np.sin(2 * x[:, 1]) + 0.5 * x[:, 2] * x[:, 3] + 0.3 * x[:, 4]
    y = mean + effect[level] + 1.15 * rng.normal(size=n)
    return np.column_stack([level, x]), y


Predict = Callable[..., np.ndarray]  # (X, y, X_new, categorical columns) -> predictions


def wgboost_fit(classes: bool, **changes: Any) -> Predict:
    """Return a function that fits with early stopping and evidence 10, and predicts."""

    def fitted(X: Any, y: Any, X_new: Any, categorical: list[int]) -> np.ndarray:
        model = (WGBClassifier if classes else WGBRegressor)(
            evidence=10.0, early_stopping=True, categorical_features=categorical, n_jobs=1,
            random_state=0, **changes,
        ).fit(X, y)  # fmt: skip
        return np.asarray(model.predict_proba(X_new)[:, 1] if classes else model.predict(X_new))

    return fitted


def lightgbm_fit(classes: bool) -> Predict:
    def fitted(X: Any, y: Any, X_new: Any, categorical: list[int]) -> np.ndarray:
        validation = np.random.default_rng(0).random(len(y)) < 0.2
        inside = lightgbm.Dataset(X[~validation], y[~validation], categorical_feature=categorical)
        outside = lightgbm.Dataset(X[validation], y[validation], reference=inside)
        objective = "binary" if classes else "regression"
        settings = {"verbosity": -1, "num_threads": 1, "seed": 0, "objective": objective}
        stop = lightgbm.early_stopping(50, verbose=False)
        model = lightgbm.train(settings, inside, 2000, [outside], callbacks=[stop])
        return np.asarray(model.predict(X_new))

    return fitted


def catboost_fit(classes: bool) -> Predict:
    from catboost import CatBoostClassifier, CatBoostRegressor  # optional
    from pandas import DataFrame

    def fitted(X: Any, y: Any, X_new: Any, categorical: list[int]) -> np.ndarray:
        validation = np.random.default_rng(0).random(len(y)) < 0.2
        kinds = dict.fromkeys(categorical, int)
        old, new = (DataFrame(table).astype(kinds) for table in (X, X_new))
        model = (CatBoostClassifier if classes else CatBoostRegressor)(
            cat_features=categorical, thread_count=1, random_seed=0, verbose=False,
            early_stopping_rounds=50, allow_writing_files=False,
        )  # fmt: skip
        model.fit(old[~validation], y[~validation], eval_set=(old[validation], y[validation]))
        return np.asarray(model.predict_proba(new)[:, 1] if classes else model.predict(new))

    return fitted


def r2(y: np.ndarray, mean: np.ndarray) -> float:
    return float(1 - np.mean((y - mean) ** 2) / np.var(y))


def log_loss(y: np.ndarray, probability: np.ndarray) -> float:
    return float(-np.log(np.where(y, probability, 1 - probability)).mean())


CASES = [
    (4000, 200, 0.0), (4000, 200, 1.0), (2000, 5, 0.0), (2000, 5, 0.5), (2000, 8, 0.0),
    (2000, 8, 0.5), (8000, 1000, 0.0), (8000, 1000, 1.0), (8000, 5000, 0.0), (8000, 5000, 1.0),
]  # fmt: skip


def table(classes: bool) -> None:
    """Print the scores without and with the column, for informative and other levels."""
    models = {
        "wgboost": wgboost_fit(classes),
        "wgboost, cat_penalty=0": wgboost_fit(classes, learner=UNPENALISED),
    }
    if lightgbm is not None:
        models["LightGBM"] = lightgbm_fit(classes)
    if importlib.util.find_spec("catboost"):
        models["CatBoost"] = catboost_fit(classes)
    print("| rows | levels | shift | model | without | with |")
    print("| ---: | ---: | ---: | --- | ---: | ---: |")
    score = log_loss if classes else r2
    for n, levels, strength in CASES:
        X, y = shifted(1, n, levels, strength)
        X_new, y_new = shifted(2, 10_000, levels, strength)
        if classes:
            y, y_new = y > 0, y_new > 0
        for name, fitted in models.items():
            without = score(y_new, fitted(X[:, 1:], y, X_new[:, 1:], []))
            using = score(y_new, fitted(X, y, X_new, [0]))
            row = f"| {n:,} | {levels:,} | {strength} | {name} | {without:.3f} | {using:.3f} |"
            print(row, flush=True)


def main() -> None:
    if sys.argv[1:] in (["table"], ["classes"]):
        table(classes=sys.argv[1] == "classes")
        return
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    X, y, _ = made(1, n)
    X_new, y_new, truth = made(2, 20_000)
    print(f"{n} rows, {LEVELS} levels; NLL of the truth {truth:.3f}")
    forms: dict[str, dict[str, Any]] = {
        "categories": {"categorical_features": [0]},
        "cat_penalty=0": {"categorical_features": [0], "learner": UNPENALISED},
        "codes as numbers": {"categorical_features": None},
    }
    for name, form in forms.items():
        model = WGBRegressor(
            n_estimators=2000, early_stopping=True, n_iter_no_change=50, **form, **SETTINGS
        ).fit(X, y)
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
    for name, options in trials.items() if lightgbm is not None else ():
        print(f"LightGBM, {name}: NLL {lightgbm_nll(X, y, X_new, y_new, options):.3f}", flush=True)
    shapes = {
        "as above": {},
        "all columns, 31 leaves": {"max_leaves": 31, "subsample": 1.0, "colsample": 1.0},
        "split_on all": {
            "max_depth": 3,
            "learner": TreeLearner(split_on="all", leaf="mean", growth="depth_wise"),
        },
    }
    for name, changes in shapes.items():
        times = [[seconds(X, y, columns, **changes) for columns in ([0], None)] for _ in range(3)]
        ours, numbers = np.min(times, axis=0)
        print(f"100 rounds, {name}: {ours:.2f} s, {ours / numbers:.2f} of codes as numbers")


if __name__ == "__main__":
    main()
