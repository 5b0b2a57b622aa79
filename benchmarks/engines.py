"""Compare the XGBoost engine with the native one: test NLL and time on the benchmark's splits.

    WGBOOST_DATA=folder python benchmarks/engines.py     # kin8nm and protein: half an hour or more
    WGBOOST_DATA=folder python benchmarks/engines.py --sets kin8nm --splits 1 --rounds 50

Both engines use the same settings and number of rounds, so they differ only in which of two equally
good splits they take. Seconds are CPU time on one thread. The last line has the largest difference
over all splits of the data.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from wgboost import TreeLearner, WGBRegressor, metrics

sys.path.insert(0, str(Path(__file__).parents[1]))
ENGINES = ("native", "xgboost")
SETTINGS: dict[str, dict[str, Any]] = {
    "the paper's": {"evidence": 1.0, "early_stopping": False},
    "ten of 16 leaves": {"evidence": 10.0, "max_leaves": 16},
}


def model(trees: str, engine: str, rounds: int) -> WGBRegressor:
    """Return an estimator with the trees of the paper, or with one tree for each particle."""
    settings = {"n_estimators": rounds, "random_state": 0, "n_jobs": 1, **SETTINGS[trees]}
    make = WGBRegressor.paper if trees == "the paper's" else WGBRegressor
    estimator = make(**settings)
    learner = estimator.learner or TreeLearner()
    return estimator.set_params(learner=replace(learner, engine=engine))


def one(data: Any, split: int, trees: str, engine: str, rounds: int) -> tuple[float, float]:
    """Return the test NLL of a fit, and its seconds."""
    train, test = data.repeats[split]
    start = time.process_time()
    fitted = model(trees, engine, rounds).fit(data.X[train], data.y[train])
    seconds = time.process_time() - start
    return metrics.nll(fitted.predict_dist(data.X[test]), data.y[test]), seconds


def main(given: argparse.Namespace) -> None:
    from paper.data import Source

    print(
        f"{given.rounds} rounds\n\n| set | split | trees | NLL, native | NLL, xgboost | difference "
        "| s, native | s, xgboost |\n|---|--:|---|--:|--:|--:|--:|--:|"
    )
    found: list[float] = []
    for name in given.sets.split(","):
        data = Source.chosen(given.data).regression(name)
        for trees in SETTINGS:
            for split in range(given.splits):
                (native, s_native), (other, s_other) = (
                    one(data, split, trees, engine, given.rounds) for engine in ENGINES
                )
                delta = other - native
                found.append(abs(delta))
                print(
                    f"| {name} | {split} | {trees} | {native:.4f} | {other:.4f} | {delta:+.4f} "
                    f"| {s_native:.1f} | {s_other:.1f} |",
                    flush=True,
                )
    print(f"\nlargest difference of a split: {np.max(found):.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", default="kin8nm,protein")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--data", default=os.environ.get("WGBOOST_DATA"))
    main(parser.parse_args())
