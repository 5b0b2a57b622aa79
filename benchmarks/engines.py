"""engine="xgboost" beside the native engine on the benchmark's splits: test NLL, and what it costs.

    WGBOOST_DATA=folder python benchmarks/engines.py     # kin8nm and protein: half an hour or more
    WGBOOST_DATA=folder python benchmarks/engines.py --sets kin8nm --splits 1 --rounds 50

Both engines fit the same settings and as many rounds, so that what differs is which of two splits
that are as good was taken. Seconds are of CPU on one thread. The last line has the largest
difference of a single split.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from wgboost import WGBRegressor, metrics

sys.path.insert(0, str(Path(__file__).parents[1]))
ENGINES = ("native", "xgboost")
SETTINGS: dict[str, dict[str, Any]] = {
    "the paper's": {"evidence": 1.0, "early_stopping": False},
    "ten of 16 leaves": {"evidence": 10.0, "max_leaves": 16},
}


def model(trees: str, engine: str, rounds: int) -> WGBRegressor:
    """Return the estimator: the paper's trees with its evidence, or one tree for each particle."""
    settings = {"n_estimators": rounds, "random_state": 0, "n_jobs": 1, "engine": engine}
    make = WGBRegressor.paper if trees == "the paper's" else WGBRegressor
    return make(**settings, **SETTINGS[trees])


def one(data: Any, split: int, trees: str, engine: str, rounds: int) -> tuple[float, float]:
    """Return the test NLL of a fit, and its seconds."""
    train, test = data.repeats[split]
    began = time.process_time()
    fitted = model(trees, engine, rounds).fit(data.X[train], data.y[train])
    seconds = time.process_time() - began
    return metrics.nll(fitted.predict_dist(data.X[test]), data.y[test]), seconds


def main(given: argparse.Namespace) -> None:
    from paper.data import Source

    print(
        f"{given.rounds} rounds\n\n| set | split | trees | NLL, native | NLL, xgboost | apart "
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
                apart = other - native
                found.append(abs(apart))
                print(
                    f"| {name} | {split} | {trees} | {native:.4f} | {other:.4f} | {apart:+.4f} "
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
