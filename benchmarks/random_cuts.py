"""Draw thresholds at random inside the empty gap of their node, for each tree: an experiment.

    python benchmarks/random_cuts.py

No training row lies between the two children of a split, so a threshold may be anywhere in between.
The table compares thresholds as they are with random ones, "guarded" for features with fewer than
50 values and gaps that are no wider than 2.5 times the usual one. Rows are a random fifth of a set,
or the fifth in the middle of a leading feature (`extrapolation.py`). CRPS is in deviations of y.
"""

from __future__ import annotations

import argparse
import copy
import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from extrapolation import GROUPS, leading, left_out, load
from wgboost import WGBRegressor, metrics
from wgboost.trees.flat import FlatTrees

FEW_VALUES, LARGE_GAP = 50, 2.5


def gaps(trees: FlatTrees) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the nodes that split a number, and the ends of the gap between their children."""
    ranges, p, nodes, low, high = trees.ranges, trees.n_features, [], [], []
    for t, (begin, end) in enumerate(zip(trees.first_node, trees.first_node[1:], strict=False)):
        inner = begin + np.flatnonzero(trees.feature[begin:end] >= 0)
        inner = inner[trees.category_set[inner] < 0]
        left = begin + trees.left[inner]
        first = ranges.first_bin[ranges.table[t] * p + trees.feature[inner]]
        codes = ranges.codes[left, 3].astype(int), ranges.codes[left + 1, 0].astype(int)
        known = (codes[0] < 255) & (codes[1] < 255)
        nodes.append(inner[known])
        low.append(ranges.high[(first + codes[0])[known]])
        high.append(ranges.low[(first + codes[1])[known]])
    return np.concatenate(nodes), np.concatenate(low), np.concatenate(high)


def with_random_cuts(model: WGBRegressor, X: np.ndarray, *, guarded: bool) -> WGBRegressor:
    trees = model.model_.ensemble
    nodes, low, high = gaps(trees)
    if guarded:
        values = [np.unique(column) for column in X.T]
        few = np.array([len(one) < FEW_VALUES for one in values])
        usual = np.array([np.median(np.diff(one)) if len(one) > 1 else 0.0 for one in values])
        feature = trees.feature[nodes]
        large = ~few[feature] & (high - low > LARGE_GAP * usual[feature])
        nodes, low, high = nodes[large], low[large], high[large]
    threshold = trees.threshold.copy()
    threshold[nodes] = low + np.random.default_rng(0).random(len(nodes)) * (high - low)
    changed = copy.copy(model)
    changed.model_ = replace(model.model_, ensemble=replace(trees, threshold=threshold))
    return changed


def places(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    same = np.zeros(len(y), dtype=bool)
    same[np.random.default_rng(1).permutation(len(y))[: len(y) // 5]] = True
    found = {"a random fifth": same}
    for feature in leading(X, y):
        out = left_out(X[:, feature], "gap")
        if min(out.sum(), (~out).sum()) >= 10:
            found[f"middle of feature {feature}"] = out
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("WGBOOST_DATA"))
    parser.add_argument("--sets", nargs="*", default=[*GROUPS["chosen"], "wine", "power"])
    options = parser.parse_args()
    if options.data is None:
        parser.error("give the folder of the benchmark data: --data FOLDER, or set WGBOOST_DATA")
    print("| set, rows | CRPS | NLL | random: CRPS | NLL | guarded: CRPS | NLL |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name in options.sets:
        X, y = load(Path(options.data), name)
        for place, out in places(X, y).items():
            known = X[~out]
            model = WGBRegressor(max_leaves=16, random_state=0, n_jobs=1).fit(known, y[~out])
            models = [model, *(with_random_cuts(model, known, guarded=g) for g in (False, True))]
            dists = [one.predict_dist(X[out]) for one in models]
            cells = [f(dist, y[out]) for dist in dists for f in (metrics.crps, metrics.nll)]
            print(f"| {name}, {place} | {' | '.join(f'{one:.3f}' for one in cells)} |", flush=True)


if __name__ == "__main__":
    main()
