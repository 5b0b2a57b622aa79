"""Why figures deviate: the author's repeats again, one ingredient after the other changed.

Every model is fitted on all training rows of a repeat with as many rounds as the author's early
stopping chose there, so that nothing but the ingredient differs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from paper import plain
from paper.data import Source
from paper.faithful import with_digits
from paper.jobs import Job
from paper.regression import estimator
from wgboost import metrics

__all__ = ["REPEATS", "VARIANTS", "WORST", "at_given_rounds", "jobs", "leaf_sizes", "worst_jobs"]

WORST = 14  # the worst repeat of boston and of yacht in Table 1

# name: (what it is, changes to the paper's settings; None: the plain program)
VARIANTS: dict[str, tuple[str, dict[str, Any] | None]] = {
    "native": ("wgboost: 255 bins, own start", {}),
    "start": ("255 bins, the author's start", {"init": "author"}),
    "exact": ("every threshold, the author's start", {"init": "author", "learner": "exact"}),
    "exact_own": ("every threshold, own start", {"learner": "exact"}),
    "plain": ("every threshold, the author's start, float64", None),
    "bins_63": ("63 bins, the author's start", {"init": "author", "max_bins": 63}),
    "bins_15": ("15 bins, the author's start", {"init": "author", "max_bins": 15}),
    "leaf_30": (
        "every threshold, at least 30 rows a leaf", {"init": "author", "learner": "exact:30"}
    ),
    "digits_1": (
        "every threshold, y with random digits beyond its second decimal",
        {"init": "author", "learner": "exact", "digits": 1},
    ),
    "digits_2": (
        "the same, other digits", {"init": "author", "learner": "exact", "digits": 2}
    ),
    "ties": (
        "every threshold, the author's start, ties broken otherwise",
        {"init": "author", "learner": "exact:1:2"},
    ),
    "native_leaf_30": (
        "255 bins, at least 30 rows a leaf", {"init": "author", "min_samples_leaf": 30}
    ),
}  # fmt: skip
# (set, variant): repeats, as many as the cost allows
REPEATS = {
    **{
        (name, variant): 20
        for name in ("boston", "concrete", "wine")
        for variant in ("native", "start", "exact")
    },
    ("boston", "exact_own"): 20,
    ("concrete", "digits_1"): 20,
    ("concrete", "digits_2"): 20,
    **{
        ("kin8nm", variant): 5
        for variant in ("native", "start", "exact", "bins_63", "bins_15", "native_leaf_30")
    },
    ("kin8nm", "leaf_30"): 2,
    ("kin8nm", "plain"): 1,
    **{("naval", variant): 3 for variant in ("native", "start", "bins_63")},
    ("naval", "exact"): 2,
    ("naval", "leaf_30"): 1,
    ("boston", "plain"): 5,
    **{("yacht", variant): 20 for variant in ("exact", "plain")},
    **{("energy", variant): 10 for variant in ("exact", "ties", "plain")},
    ("yacht", "ties"): 20,
    ("protein", "native"): 1,
    ("protein", "exact"): 1,
}


def leaf_sizes(model: Any, X: np.ndarray, rounds: int) -> dict[str, float]:
    """How many training rows the smallest leaf of a round has: the median over rounds."""
    smallest = []
    before: np.ndarray | None = None
    for i, dist in enumerate(model.staged_predict_dist(X)):
        if i == rounds:
            break
        now = dist.particles[:, 0, 0].copy()
        if before is not None and i % 10 == 0:
            moved = np.round((now - before).astype(np.float64), 6)
            smallest.append(np.unique(moved, return_counts=True)[1].min())
        before = now
    return {"smallest_leaf": float(np.median(smallest))} if smallest else {}


def at_given_rounds(
    name: str, repeat: int, variant: str, rounds: int, data: str | None
) -> dict[str, Any]:
    """NLL and RMSE of a variant on a repeat's test rows."""
    source = Source.chosen(data).regression(name)
    train, test = source.repeats[repeat]
    changes, values = VARIANTS[variant][1], source.y
    if changes is not None and "digits" in changes:
        values = with_digits(values, changes["digits"])
        changes = {key: value for key, value in changes.items() if key != "digits"}
    X, y, X_test, y_test = source.X[train], values[train], source.X[test], values[test]
    if changes is None:
        mean, scale = y.mean(), y.std()
        *_, theta = plain.Plain().rounds(X, (y - mean) / scale, X_test, rounds)
        z = (y_test - mean) / scale
        return {
            "nll": plain.nll(theta, z) + float(np.log(scale)),
            "rmse": plain.rmse(theta, z) * float(scale),
        }
    model = estimator(y, **{**changes, "early_stopping": False, "n_estimators": rounds}).fit(X, y)
    dist = model.predict_dist(X_test)
    return {
        "nll": metrics.nll(dist, y_test),
        "rmse": metrics.rmse(dist, y_test),
        "train_nll": metrics.nll(model.predict_dist(X), y),
        "worst_row": float(np.max(-dist.logpdf(y_test))),
        "test_rows": len(y_test),
        **leaf_sizes(model, X, min(rounds, 400)),
    }


def worst_jobs(author: Any, data: str | None) -> list[Job]:
    """The repeat that is worst in Table 1, with each start and kind of tree."""
    return [
        Job(
            f"worst/{name}/{variant}",
            at_given_rounds,
            {
                "name": name, "repeat": WORST, "variant": variant,
                "rounds": author[name, "nll"][WORST][1],
            },
            data,
        )
        for name in ("boston", "yacht")
        for variant in ("native", "start", "exact_own", "exact")
    ]  # fmt: skip


def jobs(
    author: dict[tuple[str, str], dict[int, tuple[float, int]]], data: str | None,
    names: Any = None,
) -> list[Job]:  # fmt: skip
    """A job for every set, variant and repeat."""
    out = []
    for (name, variant), repeats in REPEATS.items():
        if names is not None and name not in names:
            continue
        for i in range(repeats):
            settings = {
                "name": name, "repeat": i, "variant": variant, "rounds": author[name, "nll"][i][1]
            }  # fmt: skip
            path = str(Path("explain") / name / variant / f"{i:02d}")
            out.append(Job(path, at_given_rounds, settings, data))
    return out
