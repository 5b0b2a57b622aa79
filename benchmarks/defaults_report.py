"""Tables of benchmarks/defaults.py, as Markdown."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata

from defaults_methods import METHODS

__all__ = ["print_tables"]

Result = dict[str, Any]
Case = tuple[str, int]
"""A set and a number of training rows."""

SCORES = {"numbers": ("nll", "crps", "rmse"), "classes": ("log_loss", "accuracy")}
TITLES = {
    "nll": "NLL", "crps": "CRPS", "rmse": "RMSE", "log_loss": "log loss", "accuracy": "accuracy",
}  # fmt: skip
MANY_ROWS = 1000  # from which coverage is shown; with fewer it varies too much


def print_tables(found: list[Result]) -> None:
    """Print for each kind of y a table of ranks and time, and one of every set."""
    titles = titles_of(found)
    for kind in SCORES:
        mine = [one for one in found if one["kind"] == kind]
        methods = [one for one in titles if any(key_of(line) == one for line in mine)]
        means = means_of(mine, methods)
        if not means:
            continue
        names = [titles[one] for one in methods]
        print_summary(kind, names, means)
        print_sets(kind, names, means)
        report_incomplete(mine, methods, means, titles)


def key_of(line: Result) -> tuple[str, str]:
    """Return the method and the version of a result."""
    return line["method"], line["version"]


def titles_of(found: list[Result]) -> dict[tuple[str, str], str]:
    """Return titles, with the version of a method that is there in several."""
    keys = list(dict.fromkeys(key_of(one) for one in found))
    keys.sort(key=lambda one: list(METHODS).index(one[0]))  # stable: versions in their order
    many = {name for name, _ in keys if sum(other == name for other, _ in keys) > 1}
    return {
        (name, version): METHODS[name].title + (f" [{version}]" if name in many else "")
        for name, version in keys
    }


def means_of(
    found: list[Result], methods: list[tuple[str, str]]
) -> dict[Case, dict[str, np.ndarray]]:
    """Return means over common splits by set and column, methods along the axis.

    Sets that a method has not been run on are left out.
    """
    by_case: dict[Case, dict[tuple[str, str], dict[int, Result]]] = {}
    for line in found:
        of_methods = by_case.setdefault((line["set"], line["rows"]), {})
        of_methods.setdefault(key_of(line), {})[line["split"]] = line
    out = {}
    for case, lines in by_case.items():
        common = set.intersection(*(set(lines.get(one, ())) for one in methods))
        if common:
            first = next(iter(lines.values()))
            columns = [
                name for name, value in next(iter(first.values())).items()
                if isinstance(value, float) or name == "features"
            ]  # fmt: skip
            out[case] = {
                name: np.array([
                    np.mean([lines[one][repeat][name] for repeat in sorted(common)])
                    for one in methods
                ])
                for name in columns
            }  # fmt: skip
    return out


def print_summary(kind: str, titles: list[str], means: dict[Case, dict[str, np.ndarray]]) -> None:
    """Print average ranks, wins, coverage and seconds over CatBoost's."""
    scores = SCORES[kind]
    losses = {s: np.array([losses_of(s, one[s]) for one in means.values()]) for s in scores}
    ranks = {s: rankdata(losses[s], axis=1).mean(axis=0) for s in scores}
    wins = {s: (losses[s] == losses[s].min(axis=1, keepdims=True)).sum(axis=0) for s in scores}
    base = next((i for i, title in enumerate(titles) if title.startswith("CatBoost")), None)
    times = {
        name: np.array([one[name] for one in means.values()])
        for name in ("fit_seconds", "predict_seconds")
    }
    heads = [f"rank, {TITLES[s]}" for s in scores] + [f"wins, {TITLES[s]}" for s in scores]
    if kind == "numbers":
        heads += ["in 90 %: mean", "lowest", "highest"]
    over = "" if base is None else " / CatBoost's"
    heads += [f"fit{over}", "most", f"predict{over}"]
    print(f"\nSets of {kind}: {len(means)}\n")
    print(f"| method | {' | '.join(heads)} |\n|---|" + "--:|" * len(heads))
    for i, title in enumerate(titles):
        cells = [f"{ranks[s][i]:.2f}" for s in scores] + [f"{wins[s][i]}" for s in scores]
        if kind == "numbers":
            cells += coverage_cells(i, means)
        ratio = {
            name: value[:, i] / (1 if base is None else value[:, base])
            for name, value in times.items()
        }
        cells.append(f"{geometric_mean(ratio['fit_seconds']):.2f}")
        cells.append(f"{ratio['fit_seconds'].max():.1f}")
        cells.append(f"{geometric_mean(ratio['predict_seconds']):.2f}")
        print(f"| {title} | {' | '.join(cells)} |")


def coverage_cells(i: int, means: dict[Case, dict[str, np.ndarray]]) -> list[str]:
    """Return mean, lowest and highest coverage of sets with many training rows."""
    shares = [one["coverage"][i] for (_, n), one in means.items() if n > MANY_ROWS]
    if not shares:
        return ["", "", ""]
    return [f"{value:.3f}" for value in (np.mean(shares), min(shares), max(shares))]


def losses_of(score: str, values: np.ndarray) -> np.ndarray:
    """Return values of which a smaller one is better, without differences of rounding."""
    return np.round(-values if score == "accuracy" else values, 12)


def geometric_mean(values: np.ndarray) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(values))))


def print_sets(kind: str, titles: list[str], means: dict[Case, dict[str, np.ndarray]]) -> None:
    """Print the scores and seconds of every set, the best of each score bold."""
    scores = SCORES[kind]
    shown = " / ".join(TITLES[s] for s in scores if s != "crps")
    print(f"\n{shown} / seconds to fit\n")
    print(f"| set | rows x features | {' | '.join(titles)} |\n|---|---|" + "--:|" * len(titles))
    for (name, n), one in means.items():
        losses = {s: losses_of(s, one[s]) for s in scores}
        cells = []
        for i in range(len(titles)):
            parts = [
                f"**{one[s][i]:.3f}**" if losses[s][i] == losses[s].min() else f"{one[s][i]:.3f}"
                for s in scores
                if s != "crps"
            ]
            cells.append(" / ".join([*parts, f"{one['fit_seconds'][i]:.1f}"]))
        print(f"| {name} | {n:,} x {one['features'][0]:.0f} | {' | '.join(cells)} |")


def report_incomplete(
    found: list[Result],
    methods: list[tuple[str, str]],
    means: dict[Case, dict[str, np.ndarray]],
    titles: dict[tuple[str, str], str],
) -> None:
    """Print the sets that are left out, and the methods that have not been run on them."""
    cases = dict.fromkeys((one["set"], one["rows"]) for one in found)
    for name, n in cases:
        if (name, n) not in means:
            run = {key_of(one) for one in found if (one["set"], one["rows"]) == (name, n)}
            absent = ", ".join(titles[one] for one in methods if one not in run)
            print(f"\n{name}, {n:,} rows, is left out: not run with {absent or 'common splits'}")
