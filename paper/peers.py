"""Other methods on the splits of Table 1, run here: jobs, tables and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paper.data import REGRESSION, Array, Source
from paper.jobs import Job
from paper.methods import LENGTH_ROWS, PATIENCE, PEERS, PROCESS_ROWS, RATES, answer
from paper.regression import held_out
from paper.report import Found, collect, markdown, values
from paper.reported import REGRESSION_SHAPES
from paper.table1 import repeats
from wgboost import metrics

__all__ = [
    "LEVELS",
    "copied",
    "jobs",
    "missing",
    "one_split",
    "runs_on",
    "section",
    "slow",
    "splits",
]

LEVELS = (0.5, 0.8, 0.9, 0.95)
LARGE = 5000  # rows of a set on which NGBoost and a Gaussian process take minutes a split
FEW = 5
DIGITS = {"nll": 2, "nll_new": 2, "rmse": 3, "crps": 4, "fit_seconds": 1}


def _inside(level: float) -> str:
    return f"in_{100 * level:.0f}"


def copied(X: Array, train: Array, test: Array) -> Array:
    """Which test rows have the features of a training row."""
    code = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    return np.isin(code[test], code[train])


def one_split(method: str, name: str, repeat: int, data: str | None) -> dict[str, Any]:
    """A peer's figures on one split's test rows, in the units of y."""
    source = Source.chosen(data).regression(name)
    train, test = source.repeats[repeat]
    found = answer(
        method, source.X[train], source.y[train], held_out(len(train)), source.X[test], repeat
    )
    dist, y = found.dist, source.y[test]
    new = ~copied(source.X, train, test)
    return {
        "nll": metrics.nll(dist, y),
        "nll_new": metrics.nll(dist[new], y[new]),
        "copied": float(1 - new.mean()),
        "rmse": metrics.rmse(dist, y),
        "crps": metrics.crps(dist, y),
        **{_inside(level): metrics.coverage(dist, y, level) for level in LEVELS},
        "fit_seconds": found.seconds,
        "chosen": found.chosen,
    }


def runs_on(method: str, name: str) -> bool:
    """Whether a peer is run on a set: a Gaussian process is not on large ones."""
    most = PEERS[method].most_rows
    return most is None or REGRESSION_SHAPES[name][0] <= most


def slow(method: str, name: str) -> bool:
    """Whether a split takes minutes."""
    return method in ("ngboost", "process") and REGRESSION_SHAPES[name][0] > LARGE


def splits(method: str, name: str) -> int:
    """How many splits a peer is run on: all, or the first five if each takes minutes."""
    return min(FEW, repeats(name)) if slow(method, name) else repeats(name)


def missing(methods: Sequence[str]) -> dict[str, str]:
    """The peers whose package is not installed, and which that is."""
    return {name: str(PEERS[name].package) for name in methods if not PEERS[name].is_there}


def jobs(
    data: str | None, *, sets: Sequence[str] = REGRESSION, methods: Sequence[str] = tuple(PEERS),
    most: int | None = None,
) -> list[Job]:  # fmt: skip
    """One job for every split, small sets first and what takes minutes a split last."""
    pairs = [(method, name) for name in sets for method in methods if runs_on(method, name)]
    pairs.sort(key=lambda pair: (slow(*pair), REGRESSION_SHAPES[pair[1]][0]))
    out = []
    for method, name in pairs:
        n = splits(method, name) if most is None else min(most, repeats(name))
        for i in range(n):
            settings = {"method": method, "name": name, "repeat": i}
            label = str(Path("peers") / method / name / f"{i:02d}")
            out.append(Job(label, one_split, settings, data, version=2))
    return out


def _cell(found: dict[int, dict[str, Any]], key: str, name: str) -> str:
    """Mean and its standard error; in brackets the number of splits if it is not all of them."""
    if not found:
        return "-"
    unit, digits = (1e-4, 2) if (key, name) == ("rmse", "naval") else (1.0, DIGITS[key])
    ours = values(found, key) / unit
    text = f"{ours.mean():.{digits}f}"
    if len(ours) > 1:
        text += f" ± {ours.std(ddof=1) / np.sqrt(len(ours)):.{digits}f}"
    return text if len(ours) == repeats(name) else f"{text} ({len(ours)})"


def _shares(found: dict[int, dict[str, Any]]) -> str:
    """Percent of test rows in each central interval."""
    if not found:
        return "-"
    return " ".join(f"{100 * values(found, _inside(level)).mean():.0f}" for level in LEVELS)


def _table(found: dict[str, Found], sets: Sequence[str], key: str) -> str:
    rows = []
    for name in sets:
        cells = [found[method].get(name, {}) for method in found]
        shown = [_shares(c) if key == "in" else _cell(c, key, name) for c in cells]
        rows.append([f"{name}, 1e-4" if (key, name) == ("rmse", "naval") else name, *shown])
    return markdown(["set", *(PEERS[method].title for method in found)], rows)


def _without_copies(found: dict[str, Found], sets: Sequence[str]) -> str:
    """The NLL of test rows that cannot be looked up; empty if there are no others."""
    copies = {}
    for name in sets:
        shares = {i: one["copied"] for f in found.values() for i, one in f.get(name, {}).items()}
        copies[name] = 100 * np.mean(list(shares.values()))
    some = [name for name in sets if copies[name] > 0]
    if not some:
        return ""
    said = ", ".join(f"{copies[name]:.1f} % of {name}" for name in some)
    return f"""Some test rows have the very features of a training row ({said}): a method
that takes them for free of noise looks them up. NLL of the others:

{_table(found, some, "nll_new")}
"""


def section(results: Path, methods: Sequence[str] = tuple(PEERS)) -> str:
    """The report's part on peers, from the results that are there; empty without any."""
    listed: dict[str, list[Job]] = {method: [] for method in methods}
    for job in jobs(None, methods=methods, most=max(map(repeats, REGRESSION))):
        listed[job.settings["method"]].append(job)
    found = {method: collect(some, results) for method, some in listed.items()}
    sets = [name for name in REGRESSION if any(name in there for there in found.values())]
    if not sets:
        return ""
    rates = " or ".join(map(str, RATES))
    shares = " ".join(f"{100 * level:.0f}" for level in LEVELS)
    return f"""## Other methods, run here
On the splits of Table 1; mean ± standard error over splits, their number in brackets if it is not
all of them. Every method sees y standardised by the training rows; figures are in the units of y.
Numbers of rounds and epochs come from the NLL of 20 % of the training rows, the same for all, and
the model is then trained on all of them.

- NGBoost with the settings of its authors' benchmark: default trees, rate 0.01, at most 2,000
  rounds; patience {PATIENCE}.
- CatBoost: `RMSEWithUncertainty` with its defaults, at most 1,000 rounds, patience {PATIENCE}, its
  data uncertainty, no posterior sampling.
- 5 networks: a deep ensemble of networks with one hidden layer of 50 units (100 for protein) and
  batches of 100, trained by Adam at the rate, {rates}, that the rows held out prefer, for at
  most 40 epochs or 5,000 steps, whichever are more; no adversarial training. The mixture of the
  five is judged.
- Gaussian process of scikit-learn: squared exponential kernel with a length for every feature, and
  noise, by the marginal likelihood of at most {LENGTH_ROWS:,} rows, and then with all rows; on
  sets of at most {PROCESS_ROWS:,} rows, since its time grows with their third power.

On sets of more than {LARGE:,} rows NGBoost and the Gaussian process take minutes a split: the first
{FEW} splits are run.

NLL:

{_table(found, sets, "nll")}
{_without_copies(found, sets)}RMSE of the mean:

{_table(found, sets, "rmse")}
CRPS:

{_table(found, sets, "crps")}
Percent of test rows in the central {shares} % intervals:

{_table(found, sets, "in")}
Seconds of CPU to choose, fit and predict, one thread:

{_table(found, sets, "fit_seconds")}"""
