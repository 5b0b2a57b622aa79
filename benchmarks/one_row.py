"""Measure the time to predict a single row, by kind of table.

    python benchmarks/one_row.py --columns 300

It prints process time in milliseconds, the best of several repeats.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from wgboost import WGBRegressor


def tables(X: np.ndarray, names: list[str]) -> dict[str, tuple[Any, Any]]:
    """Return training rows and one new row, by the kind of table."""
    pandas = pd.DataFrame(X, columns=names)
    mixed = pandas.copy()
    for i in range(0, len(names), 3):
        mixed[names[i]] = (X[:, i] * 10).astype(int)
    for i in range(1, len(names), 30):
        mixed[names[i]] = pd.Categorical(np.where(X[:, i] > 0, "high", "low"))
    polars = pl.DataFrame(X, schema=names)
    numbers = mixed.select_dtypes("number")
    return {
        "numpy": (X, X[:1]),
        "pandas": (pandas, pandas.iloc[:1]),
        "pandas, mixed types": (mixed, mixed.iloc[:1]),
        "pandas, numbers": (numbers, numbers.iloc[:1]),
        "polars": (polars, polars[:1]),
        "arrow": (polars.to_arrow(), polars[:1].to_arrow()),
    }


def fastest(call: Callable[[], Any], repeats: int) -> float:
    """Return the smallest process time of a call in milliseconds."""
    call()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=50)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, options.columns))
    y = X[:, 0] + 0.1 * rng.normal(size=500)
    names = [f"x{i}" for i in range(options.columns)]
    for kind, (table, row) in tables(X, names).items():
        model = WGBRegressor(
            n_estimators=options.rounds, early_stopping=False, n_jobs=1, random_state=0
        ).fit(table, y)
        print(f"{kind:20s} {fastest(lambda m=model, r=row: m.predict(r), options.repeats):7.2f} ms")


if __name__ == "__main__":
    main()
