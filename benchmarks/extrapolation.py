"""Leave percentiles of a leading feature out of training, and predict them: edges and gaps.

    python benchmarks/extrapolation.py            # the sets that constants were chosen on
    python benchmarks/extrapolation.py --group confirmed
    python benchmarks/extrapolation.py --reach 0.6

For each set of WGBOOST_DATA the two features with the largest importance are taken in turn. The
training rows lack the lowest and the highest tenth of the feature, or the fifth in its middle, and
the test rows are those. The table has the share of test rows in the central 90 % interval, the
CRPS in deviations of y, and the NLL, without and with support.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

from wgboost import TreeLearner, WGBRegressor, metrics

GROUPS = {
    "chosen": ("boston", "concrete", "yacht", "energy"),
    "confirmed": ("wine", "power", "kin8nm", "protein", "naval"),
}
PLACES = {"edges": (0.1, 0.9), "gap": (0.4, 0.6)}
MOST_ROWS = 2000
LEAST_VALUES = 10  # of a feature


def load(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    with np.load(folder / "uci" / f"{name}.npz") as arrays:
        X, y = arrays["X"].astype(float), arrays["y"].astype(float)
    some = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    return X[some], (y[some] - y[some].mean()) / y[some].std()


def leading(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the two features with the largest importance that have enough values."""
    model = WGBRegressor(
        n_estimators=30, early_stopping=False, evidence=5, random_state=0, n_jobs=1
    )
    order = np.argsort(-model.fit(X, y).feature_importances_)
    return np.array([f for f in order if np.unique(X[:, f]).size >= LEAST_VALUES])[:2]


def left_out(x: np.ndarray, place: str) -> np.ndarray:
    low, high = np.quantile(x, PLACES[place])
    return (x < low) | (x > high) if place == "edges" else (x > low) & (x < high)


def figures(
    X: np.ndarray, y: np.ndarray, out: np.ndarray, *, support: float | bool
) -> tuple[float, ...]:
    model = WGBRegressor(learner=TreeLearner(support=support), random_state=0, n_jobs=1)
    dist = model.fit(X[~out], y[~out]).predict_dist(X[out])
    coverage = metrics.coverage(dist, y[out], 0.9)
    return coverage, metrics.crps(dist, y[out]), metrics.nll(dist, y[out])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("WGBOOST_DATA"))
    parser.add_argument("--group", choices=tuple(GROUPS), default="chosen")
    parser.add_argument("--reach", type=float, default=0.3, help="of TreeLearner(support=...)")
    options = parser.parse_args()
    if options.data is None:
        parser.error("give the folder of the benchmark data: --data FOLDER, or set WGBOOST_DATA")
    print("| set, left out | coverage | CRPS | NLL | with support: coverage | CRPS | NLL |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    runs = []
    for name in GROUPS[options.group]:
        X, y = load(Path(options.data), name)
        for feature in leading(X, y):
            for place in PLACES:
                out = left_out(X[:, feature], place)
                if min(out.sum(), (~out).sum()) < LEAST_VALUES:
                    continue
                run = [figures(X, y, out, support=support) for support in (False, options.reach)]
                runs.append(run)
                cells = " | ".join(f"{v:.2f}" if i % 3 == 0 else f"{v:.3f}"
                                   for i, v in enumerate(np.ravel(run)))  # fmt: skip
                print(f"| {name}, {place} of feature {feature} | {cells} |", flush=True)
    both = np.array(runs)
    without, with_support = both.mean(axis=0)
    better = np.mean(both[:, 1, 2] < both[:, 0, 2])
    print(f"\ncoverage {without[0]:.2f} -> {with_support[0]:.2f}, mean CRPS {without[1]:.3f} -> "
          f"{with_support[1]:.3f}, NLL better in {better:.0%} of {len(runs)}, median change "
          f"{np.median(both[:, 1, 2] - both[:, 0, 2]):.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
