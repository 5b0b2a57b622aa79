"""Compare settings over many data sets: the experiment behind defaults and recipes.

    WGBOOST_DATA=folder python benchmarks/recipes.py run --sets yacht,diabetes --repeats 3
    WGBOOST_DATA=folder python benchmarks/recipes.py run --sets protein --settings recipe
    python benchmarks/recipes.py table
    python benchmarks/recipes.py leaves

Only the training rows of the benchmark's standard splits are used: 85% of them for training (a
fifth of these for early stopping) and the rest for evaluation. Test rows are never read. The other
data are one set of scikit-learn and synthetic ones, from pure noise to no noise. Results are lines
of JSON in `--out`, and existing results are not computed again.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
    make_friedman1,
    make_friedman3,
    make_moons,
    make_regression,
)

from wgboost import DiagonalNewton, Kernel, TreeLearner, WGBClassifier, WGBRegressor, metrics
from wgboost.selection import regressor_recipes
from wgboost.training.settings import usual_leaves

sys.path.insert(0, str(Path(__file__).parents[1]))
from paper.data import REGRESSION, Source
from paper.table2 import SEEDS, split

Table = tuple[np.ndarray, np.ndarray]

_SCALED = {"direction": DiagonalNewton(Kernel("scaled"))}
_BASE = {
    "max_depth": None, "l2": 1.0, "subsample": 0.6, "colsample": 0.7, "learning_rate": 0.05,
    "n_estimators": 4000, "n_iter_no_change": 50, "early_stopping": True, "refit": False,
}  # fmt: skip
_LEAVES = (4, 16, 64)
SIZES = (4, 8, 16, 32, 64, 128, 256)  # numbers of leaves for the defaults


def _named(init: str, tree: str, leaves: int, evidence: float, share: float) -> tuple[str, dict]:
    settings = {
        **_BASE, "init": init, "tree": tree, "max_leaves": leaves, "evidence": evidence,
        "subsample": share, **(_SCALED if evidence >= 3 else {}),
    }  # fmt: skip
    return f"{init} {tree} {leaves} leaves, evidence {evidence:g}, rows {share:g}", settings


def _sized(leaves: int, share: float = 1.0, least: int = 1) -> str:
    return f"default, {leaves} leaves of {least} rows, rows {share:g}"


def candidates_for_classes() -> dict[str, dict]:
    """Return the settings to compare for classes, by name."""
    found = {"paper": {**WGBClassifier.paper().get_params(), "early_stopping": True}}
    for leaves in (4, 8, 16, 32, 64):
        found[f"default, {leaves} leaves"] = {"early_stopping": True, "max_leaves": leaves}
    base = {**_BASE, "colsample": 0.5}
    for tree, leaves, rate, share, leaf, evidence in (
        ("shared", 16, 0.1, 0.6, "newton", 1.0),
        ("shared", 4, 0.1, 0.6, "newton", 1.0),
        ("shared", 16, 0.1, 0.6, "newton", 10.0),
        ("per_particle", 16, 0.1, 0.9, "newton", 1.0),
        ("per_particle", 4, 0.1, 0.9, "newton", 1.0),
        ("per_particle", 31, 0.1, 0.9, "newton", 1.0),
        ("per_particle", 16, 0.3, 0.9, "newton", 1.0),
        ("per_particle", 31, 0.3, 0.9, "newton", 1.0),
        ("per_particle", 16, 0.3, 0.6, "newton", 1.0),
        ("per_particle", 16, 0.3, 0.9, "newton", 3.0),
        ("per_particle", 16, 0.3, 0.9, "newton", 10.0),
        ("per_particle", 16, 0.1, 0.9, "mean", 1.0),
    ):
        label = f"{tree} {leaves} leaves, {leaf}, rate {rate}, rows {share}, evidence {evidence:g}"
        found[label] = {
            **base, "tree": tree, "max_leaves": leaves, "learning_rate": rate, "subsample": share,
            "learner": TreeLearner(leaf=leaf), "evidence": evidence,
        }  # fmt: skip
    return found


def candidates() -> dict[str, dict]:
    """Return the settings to compare, by name: combinations that did well in earlier trials."""
    found = {"paper": {**WGBRegressor.paper().get_params(), "early_stopping": True}}
    found["default"] = {"early_stopping": True}
    few = product(SIZES[:3], (1.0, 0.7), (1, 5))
    for leaves, share, least in (*few, *product(SIZES[3:], (1.0,), (1,))):
        changed = {"max_leaves": leaves, "subsample": share, "min_samples_leaf": least}
        found[_sized(leaves, share, least)] = {"early_stopping": True, **changed}
    for init in ("smooth", "flow"):
        some = [("shared", n, e, 0.6) for n in _LEAVES for e in (1.0, 3.0, 10.0, 30.0)]
        some += [("shared", n, e, 0.9) for n in _LEAVES[1:] for e in (1.0, 3.0)]
        some += [
            ("per_particle", n, e, share)
            for n in _LEAVES[1:]
            for e in (1.0, 3.0)
            for share in (0.6, 0.9)
        ]
        found |= dict(_named(init, *one) for one in some)
    return found


def recipes(n: int) -> dict[str, dict]:
    """Return the recipes of `WGBRegressorCV` for n rows, with the same stopping rule."""
    ending = ("n_estimators", "n_iter_no_change", "early_stopping", "refit")
    return {
        f"recipe {name}": {**one, **{key: _BASE[key] for key in ending}}
        for name, one in regressor_recipes(n).items()
    }


# --- data ---------------------------------------------------------------------------------------


def uneven(n: int, rng: np.random.Generator) -> Table:
    """Return rows with a scale that depends on x."""
    X = rng.uniform(-1, 1, size=(n, 5))
    return X, np.sin(2 * X[:, 0]) + np.exp(X[:, 1] / 2) * rng.normal(size=n)


def steps(n: int, rng: np.random.Generator) -> Table:
    """Return rows with a mean of steps and little noise."""
    X = rng.uniform(-1, 1, size=(n, 6))
    X[:, 3:] = np.floor(3 * X[:, 3:])
    level = np.sign(X[:, 0]) * (X[:, 3] > 0) + 0.5 * X[:, 4] * (X[:, 1] > 0.3)
    return X, level + 0.1 * rng.normal(size=n)


MADE: dict[str, Callable[[np.random.Generator], Table]] = {
    "noise": lambda rng: (rng.uniform(size=(1000, 8)), rng.normal(size=1000)),
    "uneven": lambda rng: uneven(2000, rng),
    "uneven_many": lambda rng: uneven(20_000, rng),
    "heavy_tails": lambda rng: (
        X := rng.normal(size=(1500, 5)), X[:, 0] + X[:, 1] ** 2 / 2 + rng.standard_t(3, size=1500)
    ),
    "friedman1": lambda rng: make_friedman1(1000, noise=1.0, random_state=rng.integers(2**31)),
    "friedman1_exact": lambda rng: make_friedman1(1000, random_state=rng.integers(2**31)),
    "friedman3": lambda rng: make_friedman3(500, noise=0.1, random_state=rng.integers(2**31)),
    "steps": lambda rng: steps(2000, rng),
    "few_of_many": lambda rng: make_friedman1(
        350, n_features=50, noise=1.0, random_state=rng.integers(2**31)
    ),
    "few_of_many_linear": lambda rng: make_regression(
        350, n_features=50, n_informative=5, noise=10, random_state=rng.integers(2**31)
    ),
    "few": lambda rng: uneven(120, rng),
}  # fmt: skip
LABELLED: dict[str, Callable[[np.random.Generator], Table]] = {
    "iris": lambda _: load_iris(return_X_y=True),
    "cultivars": lambda _: load_wine(return_X_y=True),
    "breast_cancer": lambda _: load_breast_cancer(return_X_y=True),
    "digits": lambda _: load_digits(return_X_y=True),
    "moons": lambda rng: make_moons(800, noise=0.35, random_state=rng.integers(2**31)),
    "random_labels": lambda rng: (rng.normal(size=(500, 6)), rng.integers(3, size=500)),
    "flipped": lambda rng: make_classification(
        1500, n_features=15, n_informative=6, n_classes=4, flip_y=0.2,
        random_state=rng.integers(2**31),
    ),
}  # fmt: skip
CLASSES = ("segment", "sensorless", *LABELLED)
SETS = (*REGRESSION, "diabetes", *MADE)
_FEW = 4000  # rows of sensorless


def rows(name: str, repeat: int, source: str | None) -> tuple[Table, Table]:
    """Return rows for training and for evaluation, without the test rows of a split."""
    rng = np.random.default_rng([repeat, 7])
    if name in MADE or name in LABELLED:
        X, y = {**MADE, **LABELLED}[name](rng)
    elif name in CLASSES:
        known = Source.chosen(source)
        found = known.sensorless() if name == "sensorless" else known.classes(name)
        train, _ = split(len(found.y), SEEDS[repeat])
        X, y = found.X[train[:_FEW]], found.y[train[:_FEW]]
    elif name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
    else:
        data = Source.chosen(source).regression(name)
        train, _ = data.repeats[repeat]
        X, y = data.X[train], data.y[train]
    order = rng.permutation(len(y))
    cut = int(0.85 * len(y))
    inside, outside = order[:cut], order[cut:]
    return (X[inside], y[inside]), (X[outside], y[outside])


# --- running ------------------------------------------------------------------------------------


def measure_classes(settings: dict, inside: Table, outside: Table) -> dict:
    """Return the scores of a classifier."""
    start = time.process_time()
    model = WGBClassifier(**{**settings, "random_state": 0, "n_jobs": 1}).fit(*inside)
    seconds, dist = time.process_time() - start, model.predict_dist(outside[0])
    return {
        "nll": metrics.nll(dist, outside[1]), "error": 1 - metrics.accuracy(dist, outside[1]),
        "rounds": model.n_estimators_, "evidence": model.evidence_, "seconds": seconds,
    }  # fmt: skip


def measure(settings: dict, inside: Table, outside: Table) -> dict:
    """Return the scores of a regressor."""
    start = time.process_time()
    model = WGBRegressor(**{**settings, "random_state": 0, "n_jobs": 1}).fit(*inside)
    seconds, dist, y = time.process_time() - start, model.predict_dist(outside[0]), outside[1]
    return {
        "nll": metrics.nll(dist, y), "rmse": metrics.rmse(dist, y), "crps": metrics.crps(dist, y),
        "rounds": model.n_estimators_, "evidence": model.evidence_, "seconds": seconds,
    }  # fmt: skip


def run(names: list[str], repeats: int, chosen: str, source: str | None, out: Path) -> None:
    done = {(one["set"], one["repeat"], one["settings"]) for one in results(out)}
    for name, repeat in product(names, range(repeats)):
        inside, outside = rows(name, repeat, source)
        known, measured = candidates() | recipes(len(inside[1])), measure
        if name in CLASSES:
            known, measured = candidates_for_classes(), measure_classes
        tried = {label: one for label, one in known.items() if re.search(chosen, label)}
        for label, settings in tried.items():
            if (name, repeat, label) in done:
                continue
            found = measured(settings, inside, outside)
            line = {"set": name, "repeat": repeat, "n": len(inside[1]), "settings": label, **found}
            with out.open("a") as file:
                file.write(json.dumps(line) + "\n")
            print(f"{name} {repeat} {label}: {found['nll']:.4f}, {found['seconds']:.1f} s")


def results(out: Path) -> list[dict]:
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def table(out: Path, metric: str, chosen: str) -> None:
    """Print the differences to the best settings on each data set, and their means."""
    found = results(out)
    names = list(dict.fromkeys(one["set"] for one in found))
    labels = list(dict.fromkeys(one["settings"] for one in found))
    mean = np.full((len(labels), len(names)), np.nan)
    for (i, label), (j, name) in product(enumerate(labels), enumerate(names)):
        values = [o[metric] for o in found if o["settings"] == label and o["set"] == name]
        mean[i, j] = np.mean(values) if values else np.nan
    lost = mean - np.nanmin(mean, axis=0)
    print(f"| {metric}: loss against the best | {' | '.join(names)} | mean | worst |")
    print("|---|" + "--:|" * (len(names) + 2))
    print(f"| (the best) | {' | '.join(f'{x:.3f}' for x in np.nanmin(mean, axis=0))} | | |")
    for i in np.argsort(np.nanmean(lost, axis=1)):
        if not re.search(chosen, labels[i]):
            continue
        cells = [f"{x:.3f}" for x in (*lost[i], np.nanmean(lost[i]), np.nanmax(lost[i]))]
        print(f"| {labels[i]} | {' | '.join(cells)} |")


def leaves_table(out: Path) -> None:
    """Print the differences of the defaults to the best number of leaves, by number of rows."""
    found = [one for one in results(out) if one["settings"] in map(_sized, SIZES)]
    rows_of = {one["set"]: one["n"] for one in found}
    print("| rows | set | " + " | ".join(map(str, SIZES)) + ' | "auto" |')
    print("|--:|---|" + "--:|" * (len(SIZES) + 1))
    for name in sorted(rows_of, key=rows_of.__getitem__):
        mine = [[o["nll"] for o in found if (o["set"], o["settings"]) == (name, _sized(k))]
                for k in SIZES]  # fmt: skip
        mean = [np.mean(values) if values else np.nan for values in mine]
        best = np.nanmin(mean)
        cells = ["" if np.isnan(m) else f"{m - best:.3f}" if m > best else f"**{m:.3f}**"
                 for m in mean]  # fmt: skip
        n = rows_of[name]
        print(f"| {n:,} | {name} | {' | '.join(cells)} | {usual_leaves(round(0.8 * n))} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["run", "table", "leaves"])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--settings", default="", help="a regular expression")
    parser.add_argument(
        "--metric", default="nll", choices=["nll", "rmse", "crps", "error", "seconds"]
    )
    parser.add_argument("--data", default=None, help="folder; the default is WGBOOST_DATA")
    parser.add_argument("--out", type=Path, default=Path("build/recipes.jsonl"))
    args = parser.parse_args()
    if args.what == "table":
        table(args.out, args.metric, args.settings)
        return
    if args.what == "leaves":
        leaves_table(args.out)
        return
    args.out.parent.mkdir(parents=True, exist_ok=True)
    names = args.sets.split(",")
    unknown = set(names) - {*SETS, *CLASSES}
    if unknown:
        parser.error(f"unknown sets {sorted(unknown)}; known: {', '.join((*SETS, *CLASSES))}")
    run(names, args.repeats, args.settings, args.data, args.out)


if __name__ == "__main__":
    main()
