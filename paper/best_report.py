"""paper/best.md: the tables with estimators that choose their own settings."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from paper import best
from paper.jobs import Job
from paper.report import Found, as_page, collect, markdown, plus_minus, values
from paper.reported import CLASSIFICATION, METHODS, NLL, RMSE
from paper.table1 import repeats

__all__ = ["write"]

_UNITS = {("naval", "rmse"): 1e4}  # printed in 1e-4, where the paper has 0.00
_INTRO = """\
# The tables, with settings chosen by cross-validation

`make paper-best` makes these tables and continues an interrupted run. "Bag" is
`WGBRegressorCV()` or `WGBClassifierCV()` with its defaults: not one model but the {members} models
of all folds of the winning recipe, calibrated. Most of them boost the residuals of a Gaussian
process. "Single" is `WGBRegressor()` or `WGBClassifier()` with its defaults: one model, with or
without such a process. NLL and RMSE are of the same model. Figures are means ± standard deviations
over the standard splits, as in the paper.

`benchmarks/recipes.py` fixed defaults and recipes before these runs. Of the nine sets it reads only
the training rows of the first splits: 85 % of them to train on, the others to evaluate. It also
uses a set of scikit-learn and synthetic sets; [docs/cv.md](../docs/cv.md) has its table. Each split
chooses its recipe on its own training rows. The training rows of one split are test rows of others,
as in every study on repeated splits of one table.
"""


def _with(found: dict[int, dict[str, Any]] | None, key: str) -> dict[int, dict[str, Any]]:
    """The results that have a figure; those of an earlier version may not."""
    return {i: one for i, one in (found or {}).items() if key in one}


def _cell(
    found: dict[int, dict[str, Any]] | None, name: str, key: str, splits: int | None = None
) -> str:
    """Mean and, of several splits, deviation; in brackets their number where others have more."""
    some = _with(found, key)
    if not some:
        return "-"
    ours = values(some, key) * _UNITS.get((name, key), 1)
    fewer = f" ({len(some)})" if len(some) < (splits or len(found or {})) else ""
    digits = 3 if key == "rmse" else 2
    return (plus_minus(ours, digits) if len(ours) > 1 else f"{ours[0]:.{digits}f}") + fewer


def _printed(found: dict[int, dict[str, Any]], key: str) -> float:
    """The mean as the paper would print it, to two digits: figures are compared so."""
    return round(float(values(found, key).mean()), 2)


def _regression(bags: Found, single: Found, key: str, reported: dict[str, Any]) -> str:
    rows, below = [], 0
    for name in reported:
        if name not in bags:
            continue
        ours = _printed(bags[name], key)
        best_of = min(zip(reported[name], METHODS, strict=True), key=lambda one: one[0][0])
        reached = ours < best_of[0][0] if key == "nll" else ours <= best_of[0][0]
        below += reached
        rows.append([
            name + (" (1e-4)" if (name, key) in _UNITS else ""), str(len(bags[name])),
            _cell(bags[name], name, key), _cell(single.get(name), name, key, len(bags[name])),
            f"{reported[name][0][0]:.2f}", f"{best_of[0][0]:.2f} ({best_of[1]})",
            "yes" if reached else "**no**",
        ])  # fmt: skip
    better = "below" if key == "nll" else "no worse than"
    head = ["set", "splits", "bag", "single", "paper's own", "best of its six",
            f"bag {better} the best"]  # fmt: skip
    beats = [
        name for name in reported
        if name in single and _printed(single[name], key) < reported[name][0][0]
    ]  # fmt: skip
    text = f"The bag is {better} the best of six on {below} of {len(rows)} sets. "
    known = sum(name in single for name in reported)
    named = f": {', '.join(beats)}" if beats else ""
    text += f"The single model is below the paper's own row on {len(beats)} of {known}{named}.\n"
    return f"## {key.upper()}\n{text}\n{markdown(head, rows)}"


def _copies(bags: Found, single: Found) -> str:
    """The NLL of test rows that have not the features of a training row."""
    some = [
        name for name, found in bags.items()
        if any(one.get("copied", 0) > 0 for one in found.values())
    ]  # fmt: skip
    if not some:
        return ""
    rows = [
        [name, f"{100 * values(_with(bags[name], 'copied'), 'copied').mean():.1f}",
         _cell(bags[name], name, "nll_new"),
         _cell(single.get(name), name, "nll_new", len(bags[name]))]
        for name in some
    ]  # fmt: skip
    return (
        "Some test rows have the very features of a training row, and can be looked up. NLL of the "
        "others:\n\n" + markdown(["set", "copied, %", "bag", "single"], rows)
    )


def _classes(bags: Found, single: Found) -> str:
    rows = []
    for name, criterion in CLASSIFICATION:
        if name not in bags:
            continue
        sizes = values(_with(bags[name], "rows"), "rows")
        size = f" ({int(sizes[0]):,} rows)" if sizes.size else ""
        keys = ["accuracy"] if criterion == "accuracy" else [f"ood_{one}" for one in best.OOD]
        own, *others = CLASSIFICATION[name, criterion]
        for key in keys:
            rows.append([
                name + size,
                key.replace("ood_", "OOD, ").replace("_", " "), str(len(bags[name])),
                _cell(bags[name], name, key),
                _cell(single.get(name), name, key, len(bags[name])),
                f"{own[0]:.2f}", f"{max([own, *others])[0]:.2f}",
            ])  # fmt: skip
    if not rows:
        return ""
    head = ["set", "percent", "seeds", "bag", "single", "paper's own", "best of its five"]
    return (
        "## Classes\nAccuracy, and average precision of telling test rows from classes left out, "
        "by three scores of `ood_score`. "
        "Of sensorless the subset that the data folder has; the paper's figures are of all rows, "
        "and [report.md](report.md) has its settings on the same subset.\n\n" + markdown(head, rows)
    )


def _calibration(bags: Found) -> str:
    rows = []
    for name, every in bags.items():
        found = _with(every, "before")
        if not found:
            continue
        before = {i: one["before"] for i, one in found.items()}
        cells = []
        for results in (before, found):
            shares = np.mean([one["coverage"] for one in results.values()], axis=0)
            cells += [" / ".join(f"{100 * x:.1f}" for x in shares)]
            cells += [
                f"{values(results, 'crps').mean():.4g}",
                f"{values(results, 'nll').mean():.3f}",
            ]
        factors = [f"{values(found, key).mean():.2f}" for key in ("scale", "spread")]
        rows.append([name, *cells[:3], *cells[3:], *factors])
    if not rows:
        return ""
    head = ["set", "in 50 / 80 / 90 / 95 %, before", "CRPS", "NLL", "after", "CRPS", "NLL",
            "scale", "spread"]  # fmt: skip
    return (
        "## Calibration\nPercent of test rows in central intervals, CRPS and NLL of the bag "
        "before and after its two factors, which are fitted to rows that members have not seen.\n\n"
        + markdown(head, rows)
    )


def _recipes(bags: Found) -> str:
    rows = []
    for name, found in bags.items():
        counts = Counter(one["recipe"] for one in found.values()).most_common()
        said = ", ".join(f"{recipe} {n}" for recipe, n in counts)
        rows.append([name, f"{values(found, 'cpu_seconds').mean():.0f}", said])
    if not rows:
        return ""
    return "## What won\n" + markdown(["set", "CPU s a split", "recipes, and how often"], rows)


def _time(jobs: list[Job], results: Path) -> str:
    seconds: dict[str, list[float]] = {}
    for job in jobs:
        found = job.result(results)
        if found is not None:
            seconds.setdefault(job.settings["method"], []).append(found["cpu_seconds"])
    parts = [
        f"{sum(some) / 60:.0f} minutes of CPU for {len(some)} {said}"
        for method, said in (("cv", "bags"), ("single", "single models"))
        if (some := seconds.get(method))
    ]
    if not parts:
        return ""
    total = sum(map(sum, seconds.values())) / 120
    return f"## Time\n{' and '.join(parts)}: about {total:.0f} minutes on two free cores.\n"


def write(results: Path, path: Path, peers: str = "") -> Path:
    """Write the report from the results that are there."""
    jobs = best.jobs(None)
    found = {
        method: {
            **collect(
                [j for j in jobs if j.settings["method"] == method and "repeat" in j.settings],
                results,
            ),
            **collect(
                [j for j in jobs if j.settings["method"] == method and "seed" in j.settings],
                results,
                "seed",
            ),
        }
        for method in best.METHODS
    }
    bags, single = found["cv"], found["single"]
    folds = sorted(
        {int(one["members"]) for some in bags.values() for one in some.values() if "members" in one}
    )
    missing = [
        n for n in (*NLL, *best.CLASSES) if len(bags.get(n, {})) < (repeats(n) if n in NLL else 5)
    ]
    parts = [
        _INTRO.format(members=" or ".join(map(str, folds)) or "5 or 10"),
        f"Splits are missing of: {', '.join(missing)}.\n" if missing else "",
        _regression(bags, single, "nll", NLL), _copies(bags, single),
        _regression(bags, single, "rmse", RMSE),
        _classes(bags, single), _calibration(bags), _recipes(bags), peers, _time(jobs, results),
    ]  # fmt: skip
    path.write_text(as_page(parts))
    return path
