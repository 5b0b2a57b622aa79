"""Compare a smooth start with the flow: test NLL, RMSE and time on the benchmark's splits.

    WGBOOST_DATA=folder python benchmarks/smooth.py --sets yacht,kin8nm --splits 3 --evidence 1,10
    python benchmarks/smooth.py --untouched --sets yacht,kin8nm
    python benchmarks/smooth.py --times

--untouched compares WGBRegressor(init="flow") with WGBRegressor(). The other models have
curvature-weighted leaves with l2 = 1, learning rate 0.05, subsample 0.6, colsample 0.7, early
stopping on a fifth of the training rows with patience 150, and a refit on all rows. Times are
seconds of CPU on one thread.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from wgboost import WGBRegressor, metrics
from wgboost.smooth import SmoothStart
from wgboost.smooth.gp_model import GPData, fit_gp

sys.path.insert(0, str(Path(__file__).parents[1]))
SIZES = (500, 7_000, 40_000)


def model(init: str, evidence: float) -> WGBRegressor:
    return WGBRegressor(
        init=init, evidence=evidence, l2=1.0, learning_rate=0.05, subsample=0.6, colsample=0.7,
        n_estimators=4000, early_stopping=True, n_iter_no_change=150, random_state=0, n_jobs=1,
    )  # fmt: skip


def print_head(first: str, starts: Sequence[str]) -> None:
    titles = [f"{score}, {init}" for score in ("NLL", "RMSE", "s") for init in starts]
    print(f"| {first} | {' | '.join(titles)} |")
    print(f"|---|{'--:|' * (first.count('|') + len(titles))}")


def cells(data: Any, n_splits: int, models: list[WGBRegressor]) -> str:
    """Return mean NLL, RMSE and seconds of fits of some models, as cells of a table."""
    found = []
    for one in models:
        runs = []
        for train, test in data.repeats[:n_splits]:
            start = time.process_time()
            fitted = one.fit(data.X[train], data.y[train])
            seconds, dist = time.process_time() - start, fitted.predict_dist(data.X[test])
            y = data.y[test]
            runs.append([metrics.nll(dist, y), metrics.rmse(dist, y), seconds])
        found.append(np.mean(runs, axis=0))
    forms = (".3f", ".3g", ".1f")
    return " | ".join(f"{each[i]:{form}}" for i, form in enumerate(forms) for each in found)


def scores(sets: list[str], n_splits: int, evidence: list[float], source: str | None) -> None:
    from paper.data import Source

    starts = ("flow", "smooth")
    print_head("set | evidence", starts)
    for name, power in product(sets, evidence):
        data = Source.chosen(source).regression(name)
        row = cells(data, n_splits, [model(init, power) for init in starts])
        print(f"| {name} | {power:g} | {row} |", flush=True)


def untouched(sets: list[str], n_splits: int, source: str | None) -> None:
    from paper.data import Source

    starts = ("flow", "auto")
    print_head("set", starts)
    for name in sets:
        data = Source.chosen(source).regression(name)
        models = [WGBRegressor(init=init, random_state=0, n_jobs=1) for init in starts]
        print(f"| {name} | {cells(data, n_splits, models)} |", flush=True)


def times() -> None:
    print("| rows x 9 | s to fit | s, parameters known | ms per 1,000 predictions | MB of file |")
    print("|--:|--:|--:|--:|--:|")
    rng = np.random.default_rng(0)
    for n in SIZES:
        X = rng.uniform(-1, 1, size=(n, 9))
        y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
        rows, numbers = GPData.of(X, y, None, None), np.zeros(9, dtype=int)
        seconds, like = [], None
        for _ in range(2):
            start = time.process_time()
            found = fit_gp(SmoothStart(), rows, numbers, np.random.default_rng(0), like)
            seconds.append(time.process_time() - start)
            if found is None:
                raise RuntimeError("a constant predicts as well")
            like = found[0]
        like.at(X[:10])  # unpack once
        start = time.process_time()
        like.at(np.tile(X[:500], (10, 1)))
        each = (time.process_time() - start) / 5 * 1e3
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            quick = SmoothStart(tuning_rows=10, kernel="rbf", scaling="standard")
            WGBRegressor(init=quick, n_estimators=1).fit(X, y).save(path)
            size = path.stat().st_size / 1e6
        print(
            f"| {n:,} | {seconds[0]:.1f} | {seconds[1]:.1f} | {each:.0f} | {size:.1f} |", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder of the benchmark data, if not WGBOOST_DATA")
    parser.add_argument("--sets", default="boston,energy,kin8nm,naval,yacht")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--evidence", default="1")
    parser.add_argument("--untouched", action="store_true", help='compare init="auto"')
    parser.add_argument("--times", action="store_true", help="only the time of the start")
    given = parser.parse_args()
    if given.times:
        times()
    elif given.untouched:
        untouched(given.sets.split(","), given.splits, given.data)
    else:
        evidence = [float(one) for one in given.evidence.split(",")]
        scores(given.sets.split(","), given.splits, evidence, given.data)


if __name__ == "__main__":
    main()
