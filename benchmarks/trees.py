"""Compare the time of one round of trees with LightGBM, XGBoost and scikit-learn.

    python benchmarks/trees.py [--data FOLDER] [--rows 1000000] [--quick]

FOLDER (by default WGBOOST_DATA) contains uci/boston.npz and other data sets. Tables go to stdout as
Markdown, progress to stderr. For every library a round fits trees of depth 3 on 255 bins to K = 20
targets and adds them, times the learning rate, to the scores of the training rows. Binning is not
timed. Times are CPU times of the process on one thread: the best round of several passes, in which
the methods alternate so that other load affects all of them.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import lightgbm as lgb
import numpy as np
import xgboost as xgb
from sklearn.tree import DecisionTreeRegressor

from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.trees import TreeSettings
from wgboost.trees.flat import FlatTrees

UCI = ("boston", "kin8nm", "protein")
M, D, K = 10, 2, 20  # particles, parameters, outputs
DEPTH, BINS, RATE = 3, 255, 0.1
TOO_SLOW = 5.0  # seconds; a round that takes longer is timed once, without warming up

ALL, MEAN, PER_PARTICLE = "ours, all", "ours, particle_mean", "ours, per particle"
LIGHTGBM, XGBOOST = "LightGBM, 20 trees", "XGBoost, vector leaves"
OURS = {
    ALL: TreeSettings(max_depth=DEPTH),
    "ours, sum": TreeSettings(max_depth=DEPTH, split_on="sum"),
    MEAN: TreeSettings(max_depth=DEPTH, split_on="particle_mean"),
    "ours, 5 random": TreeSettings(max_depth=DEPTH, split_on=5),
    PER_PARTICLE: TreeSettings(max_depth=DEPTH, tree="per_particle"),
}
MARKS = {ALL: 5.0, MEAN: 10.0, PER_PARTICLE: 2.0}  # times cheaper than LightGBM and XGBoost
MEMORY_MARK = 1000  # MB
VERDICT = {True: "pass", False: "MISS"}

LIGHTGBM_PARAMETERS = {
    "num_leaves": 2**DEPTH, "max_depth": DEPTH, "max_bin": BINS, "learning_rate": RATE,
    "min_data_in_leaf": 1, "min_data_in_bin": 1, "min_sum_hessian_in_leaf": 0.0,
    "feature_pre_filter": False, "num_threads": 1, "verbosity": -1,
}  # fmt: skip
XGBOOST_PARAMETERS = {
    "tree_method": "hist", "multi_strategy": "multi_output_tree", "num_target": K,
    "base_score": [0.0] * K, "max_depth": DEPTH, "max_bin": BINS, "learning_rate": RATE,
    "reg_lambda": 0.0, "min_child_weight": 0.0, "nthread": 1, "disable_default_eval_metric": 1,
}  # fmt: skip

log = partial(print, file=sys.stderr, flush=True)
Step = Callable[[], object]
Times = dict[str, dict]  # data set -> method -> seconds


class Case(NamedTuple):
    """A data set."""

    name: str
    X: np.ndarray  # (n, p)
    targets: np.ndarray  # (n, m, d) of float32


def with_targets(name: str, X: np.ndarray) -> Case:
    """Add targets, a smooth signal plus noise, made in blocks to save memory."""
    rng = np.random.default_rng(1)
    centre, scale = X.mean(axis=0), X[:100_000].std(axis=0)
    weights = rng.standard_normal((X.shape[1], K)) / (np.sqrt(X.shape[1]) * scale[:, None])
    targets = np.empty((len(X), K), np.float32)
    for start in range(0, len(X), 10_000):
        block = slice(start, start + 10_000)
        signal = np.tanh((X[block] - centre) @ weights)
        targets[block] = signal + 0.5 * rng.standard_normal(signal.shape)
    return Case(name, X, targets.reshape(-1, M, D))


def made_case(rows: int) -> Case:
    return with_targets(f"made {rows:,} x 20", np.random.default_rng(0).normal(size=(rows, 20)))


def cases(data: Path | None, rows: int) -> Iterator[Case]:
    for name in UCI if data else ():
        with np.load(data / "uci" / f"{name}.npz") as file:
            yield with_targets(name, file["X"].astype(np.float64))
    yield made_case(rows)


# Each of these functions prepares a method and returns a function that runs one more round.


def our_round(case: Case, features: Features, settings: TreeSettings, n_threads: int = 1) -> Step:
    learner = HistTree(settings, n_threads)
    particles = np.zeros_like(case.targets)
    return lambda: learner.fit(features, case.targets).scaled(RATE).add_to(particles)


def lightgbm_round(case: Case, data: lgb.Dataset) -> Step:
    booster = lgb.Booster(LIGHTGBM_PARAMETERS | {"objective": "none", "num_class": K}, data)
    gradient = np.asfortranarray(-case.targets.reshape(-1, K))  # avoids a copy in LightGBM
    hessian = np.ones_like(gradient)
    # Booster.update calls this for a custom objective, after fetching scores, which are not needed.
    return partial(booster._Booster__boost, grad=gradient, hess=hessian)


def xgboost_round(case: Case, data: xgb.DMatrix, split_on_mean: bool = False) -> Step:
    gradient, mean = -case.targets.reshape(-1, K), -case.targets.mean(axis=1)
    hessian, mean_hessian = np.ones_like(gradient), np.ones_like(mean)
    booster = xgb.Booster(XGBOOST_PARAMETERS, [data])
    # After its first prediction a booster updates the scores of its training rows in each round.
    booster.predict(data, output_margin=True, training=True)

    class MeanObjective(xgb.objective.TreeObjective):
        def __call__(self, *_):
            return gradient, hessian

        def split_grad(self, *_):
            return mean, mean_hessian

    if split_on_mean:  # leaves from all outputs, splits from their mean over particles
        objective = MeanObjective()
        return lambda: booster.boost(data, booster.num_boosted_rounds(), fobj=objective)
    return lambda: booster.boost(data, booster.num_boosted_rounds(), grad=gradient, hess=hessian)


def sklearn_round(case: Case) -> Step:
    X = case.X.astype(np.float32)  # the types of scikit-learn, so nothing is converted
    targets = case.targets.reshape(-1, K).astype(np.float64)
    learner, scores = DecisionTreeRegressor(max_depth=DEPTH), np.zeros_like(targets)
    return lambda: np.add(scores, RATE * learner.fit(X, targets).predict(X), out=scores)


def all_rounds(case: Case) -> dict[str, Step]:
    features = Features.from_raw(case.X, bins=BINS)
    lightgbm = lgb.Dataset(case.X, params=LIGHTGBM_PARAMETERS).construct()
    xgboost = xgb.QuantileDMatrix(case.X, max_bin=BINS, nthread=1)
    return {
        **{name: our_round(case, features, settings) for name, settings in OURS.items()},
        LIGHTGBM: lightgbm_round(case, lightgbm),
        XGBOOST: xgboost_round(case, xgboost),
        "XGBoost, vector leaves, split on mean": xgboost_round(case, xgboost, split_on_mean=True),
        "scikit-learn, multi-output": sklearn_round(case),
    }


def prediction_steps(rounds: int, rows: int) -> dict[str, Step]:
    sample = made_case(20_000)
    features, particles = Features.from_raw(sample.X, bins=BINS), np.zeros_like(sample.targets)
    learner, grown = HistTree(OURS[ALL]), []
    for _ in range(rounds):
        fitted = learner.fit(features, sample.targets - particles).scaled(RATE)
        fitted.add_to(particles)
        grown.append(fitted.flat)
    ours = FlatTrees.join(grown)
    data = xgb.QuantileDMatrix(sample.X, sample.targets.reshape(-1, K), max_bin=BINS, nthread=1)
    booster = xgb.train(XGBOOST_PARAMETERS, data, rounds)
    X = np.random.default_rng(2).standard_normal((rows, 20), np.float32)
    matrix = xgb.DMatrix(X, nthread=1)
    return {
        "ours": partial(ours.predict, X),
        "XGBoost, inplace_predict": partial(booster.inplace_predict, X),
        # reset drops the cached predictions of the matrix
        "XGBoost, predict on a DMatrix": lambda: booster.reset().predict(matrix),
    }


def best_times(steps: dict, quick: bool, clock: Callable = time.process_time) -> dict:
    """Return the seconds of the best step of each method; methods alternate."""

    def timed(step: Step) -> float:
        start = clock()
        step()
        return clock() - start

    passes, slot = (3, 0.05) if quick else (6, 0.3)
    best = {name: timed(step) for name, step in steps.items()}  # also warms up
    for name in [name for name in steps if best[name] < TOO_SLOW] * passes:
        if best[name] < slot:
            steps[name]()  # brings the data back into the caches
        spent = 0.0
        while spent < slot:
            spent += (seconds := timed(steps[name]))
            best[name] = min(best[name], seconds)
    return best


def added_megabytes(method: str, rows: int) -> float:
    """Return the peak memory of binning and one round beyond the inputs; needs a new process."""
    case = made_case(rows)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    our_round(case, Features.from_raw(case.X, bins=BINS), OURS[method])()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return (peak - pages * resource.getpagesize()) / 1e6


def show(title: str, header: list[str], rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    print(f"## {title}\n")
    for first, *others in (header, rule, *rows):
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        print("| " + " | ".join([first.ljust(widths[0]), *cells]) + " |")
    print(flush=True)


def show_training(times: Times) -> None:
    rows = []
    for data, best in times.items():
        for method, seconds in best.items():
            ratios = ["" if method in OURS else f"{seconds / best[ours]:.2f}x" for ours in MARKS]
            rows.append([f"{data}: {method}", f"{1e3 * seconds:.3f}", *ratios])
    title = "One round: milliseconds of CPU, one thread; then the time of others relative to ours"
    show(title, ["data set: method", "ms", *(f"/ {ours}" for ours in MARKS)], rows)
    rows = []
    for (ours, mark), peer in product(MARKS.items(), (LIGHTGBM, XGBOOST)):
        ratios = [best[peer] / best[ours] for best in times.values()]
        cells = [f"{ratio:.2f}x {VERDICT[ratio >= mark]}" for ratio in ratios]
        rows.append([f"{ours}: {mark:g}x cheaper than {peer}", *cells])
    show("Marks of one round", ["mark", *times], rows)


def thread_times(case: Case, quick: bool) -> dict:
    features = Features.from_raw(case.X, bins=BINS)
    rounds = {(o, t): our_round(case, features, OURS[o], t) for o, t in product(MARKS, (1, 2))}
    return best_times(rounds, quick, time.perf_counter)


def show_threads(times: Times) -> None:
    rows = []
    for (data, best), ours in product(times.items(), MARKS):
        one, two = 1e3 * best[ours, 1], 1e3 * best[ours, 2]
        rows.append([f"{data}: {ours}", f"{one:.3f}", f"{two:.3f}", f"{one / two:.2f}x"])
    title = f"Threads: milliseconds of wall time (load average {os.getloadavg()[1]:.1f})"
    show(title, ["data set: method", "1 thread", "2 threads", "speed-up"], rows)


def show_prediction(quick: bool, rounds: int = 500, rows: int = 100_000) -> None:
    best = best_times(prediction_steps(rounds, rows), quick)
    peer = min(seconds for name, seconds in best.items() if name.startswith("XGBoost"))
    table = []
    for name, seconds in best.items():
        mark = VERDICT[seconds <= peer] if name == "ours" else ""
        ratio, speed = f"{peer / seconds:.2f}x", f"{rows / seconds:,.0f}"
        table.append([name, f"{1e3 * seconds:.1f}", speed, ratio, mark])
    title = f"Prediction: {rounds} rounds, {rows:,} rows, {K} outputs; CPU time, one thread"
    show(title, ["method", "ms", "rows a second", "by fastest XGBoost", "as fast"], table)


def show_memory(rows: int) -> None:
    table = []
    for method in (ALL, PER_PARTICLE):
        command = [sys.executable, __file__, "--rows", str(rows), "--memory-of", method]
        added = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        table.append([method, f"{added:.0f}", VERDICT[added < MEMORY_MARK]])
    title = f"Memory: peak of binning and one round beyond X and targets, {rows:,} x 20"
    show(title, ["method", "MB", f"below {MEMORY_MARK} MB"], table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("WGBOOST_DATA") or None)
    parser.add_argument("--rows", type=int, help="of the made set; 1,000,000, or 100,000 if quick")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, a smaller made set")
    parser.add_argument("--memory-of", choices=OURS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    rows = arguments.rows or (100_000 if arguments.quick else 1_000_000)
    if arguments.memory_of:
        print(added_megabytes(arguments.memory_of, rows))
        return
    if arguments.data is None:
        log("no --data and no WGBOOST_DATA: the made set only")
    log("memory")  # first, because a child inherits the peak of its parent on Linux
    show_memory(rows)
    training, threads = {}, {}
    for case in cases(arguments.data, rows):
        log(f"training: {case.name}")
        training[case.name] = best_times(all_rounds(case), arguments.quick)
        log(f"threads: {case.name}")
        threads[case.name] = thread_times(case, arguments.quick)
    show_training(training)
    show_threads(threads)
    log("prediction")
    show_prediction(arguments.quick)


if __name__ == "__main__":
    main()
