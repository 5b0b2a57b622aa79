"""Compare the time of fits with NGBoost and CatBoost: 500 rounds, depth 3, one thread."""

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from wgboost import LogDensity, TreeLearner, WGBoost, WGBRegressor

SETS = ("boston", "kin8nm", "protein")
ROUNDS = 500


def best_time(fit: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        fit()
        times.append(time.process_time() - start)
    return min(times)


def model(rounds: int = ROUNDS, **options: Any) -> WGBRegressor:
    """Return the model of the paper: one shared tree of depth 3 in each round."""
    settings = {"n_estimators": rounds, "early_stopping": False, "n_jobs": 1, "random_state": 0}
    return WGBRegressor.paper(**settings, **options)


def ours(X: np.ndarray, y: np.ndarray, rounds: int = ROUNDS) -> Callable[[], object]:
    return lambda: model(rounds).fit(X, y)


def ngboost(X: np.ndarray, y: np.ndarray) -> Callable[[], object]:
    from ngboost import NGBRegressor

    return lambda: NGBRegressor(n_estimators=ROUNDS, verbose=False, random_state=0).fit(X, y)


def catboost(X: np.ndarray, y: np.ndarray) -> Callable[[], object]:
    from catboost import CatBoostRegressor

    options = {
        "loss_function": "RMSEWithUncertainty", "iterations": ROUNDS, "depth": 3,
        "thread_count": 1, "verbose": False, "allow_writing_files": False, "random_seed": 0,
    }  # fmt: skip
    return lambda: CatBoostRegressor(**options).fit(X, y)


def peers(folder: Path) -> None:
    print("\n## 500 rounds: seconds of CPU, one thread; then the time of others relative to ours\n")
    print("| data set | ours | NGBoost | CatBoost | NGBoost / ours | CatBoost / ours |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in SETS:
        data = np.load(folder / "uci" / f"{name}.npz")
        X, y = data["X"], data["y"]
        small = len(y) < 20_000
        a = best_time(ours(X, y), 3)
        b = best_time(ngboost(X, y), 2 if small else 1)
        c = best_time(catboost(X, y), 3)
        print(f"| {name} | {a:.2f} | {b:.2f} | {c:.2f} | {b / a:.1f}x | {c / a:.1f}x |", flush=True)


def linear(rows: list[int]) -> None:
    rng = np.random.default_rng(0)
    print("\n## Cost of a round: milliseconds of CPU, one thread, 20 features\n")
    print("| rows | rounds | ms a round | ns a round and row |")
    print("|---|--:|--:|--:|")
    for n in rows:
        X = rng.standard_normal((n, 20))
        y = np.sin(X[:, 0]) + rng.standard_normal(n)
        pairs = [(10, 30)] if n > 200_000 else [(10, 110), (500, 1000)]
        for few, many in pairs:
            spent = best_time(ours(X, y, many), 1) - best_time(ours(X, y, few), 1)
            each = spent / (many - few)
            span = f"{few} to {many}"
            print(f"| {n:,} | {span} | {1e3 * each:.2f} | {1e9 * each / n:.0f} |", flush=True)


def own_density(rows: list[int]) -> None:
    """Compare a normal posterior written for JAX or PyTorch with the built-in one."""
    rng = np.random.default_rng(0)
    start = rng.standard_normal((10, 2))
    print("\n## A custom density: seconds of CPU for 200 rounds, and the ratio\n")
    print("| rows | built in | backend | LogDensity | LogDensity / built in | at most 3x |")
    print("|---|--:|---|--:|--:|--:|")
    for n in rows:
        X = rng.standard_normal((n, 10))
        y = np.sin(X[:, 0]) + rng.standard_normal(n)
        z = (y - y.mean()) / y.std()
        options = {"n_estimators": 200, "init": start, "n_jobs": 1, "random_state": 0}
        a = best_time(partial(model(200, init=start).fit, X, y), 3)
        for backend, module in (("jax", "jax.numpy"), ("torch", "torch")):
            if find_spec(backend) is None:
                print(f"{backend} is not installed", file=sys.stderr)
                continue
            density = LogDensity(normal_posterior(import_module(module)), 2, backend=backend)
            general = WGBoost(density, learner=TreeLearner(split_on="sum"), **options)
            general.fit(X, z)  # compiles
            b = best_time(partial(general.fit, X, z), 3)
            mark = "pass" if b <= 3 * a else "fail"
            print(f"| {n:,} | {a:.2f} | {backend} | {b:.2f} | {b / a:.1f}x | {mark} |", flush=True)


def normal_posterior(xp: Any) -> Callable[[Any, Any], Any]:
    def log_density(theta: Any, y: Any) -> Any:
        mean, log_scale = theta
        likelihood = -0.5 * ((y - mean) * xp.exp(-log_scale)) ** 2 - log_scale
        return likelihood - mean**2 / 200 - 0.01 * log_scale - 0.01 * xp.exp(-log_scale)

    return log_density


def main() -> None:
    warnings.filterwarnings("ignore", module="ngboost|sklearn")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("WGBOOST_DATA"), help="data folder")
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    if options.data is None:
        print("no data folder: give --data or set WGBOOST_DATA to compare with peers")
    else:
        peers(Path(options.data))
    if options.rows:
        linear(options.rows)
    own_density([2_000, 20_000])


if __name__ == "__main__":
    main()
