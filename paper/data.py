"""The data sets: a folder in the layout of the benchmark data, or OpenML."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paper import openml
from paper.reported import REGRESSION_SHAPES

Array = np.ndarray

__all__ = ["REGRESSION", "Classes", "NoDataError", "Regression", "Source", "permutations"]

REGRESSION = tuple(REGRESSION_SHAPES)


class NoDataError(RuntimeError):
    """A data set is neither in the folder nor to be had from OpenML."""


@dataclass(frozen=True, eq=False)
class Regression:
    """A regression set and its repeats."""

    name: str
    X: Array  # (n, p)
    y: Array  # (n,)
    repeats: tuple[tuple[Array, Array], ...]  # training rows in the order drawn, test rows


@dataclass(frozen=True, eq=False)
class Classes:
    """A classification set, classes left out as out of distribution."""

    name: str
    X: Array  # (n, p), every feature between 0 and 1 over all rows
    y: Array  # (n,)
    X_ood: Array


def permutations(n: int, repeats: int) -> list[Array]:
    """The orders of n rows that the benchmark's repeats are cut from, 90 % of each to train on."""
    draw = np.random.RandomState(1)
    return [draw.permutation(n) for _ in range(repeats)]


def repeats_of(n: int, repeats: int, tests: Array | None = None) -> tuple[tuple[Array, Array], ...]:
    """Training and test rows of every repeat.

    Given test rows that are not the seeded ones are kept, and the others train in their order.
    """
    cut = round(0.9 * n)
    out = []
    for i, order in enumerate(permutations(n, repeats if tests is None else len(tests))):
        train, test = order[:cut], order[cut:]
        if tests is not None and not np.array_equal(np.sort(test), np.sort(tests[i])):
            test = np.asarray(tests[i])
            train = np.setdiff1d(np.arange(n), test)
        out.append((train, test))
    return tuple(out)


@dataclass(frozen=True)
class Source:
    """Where data come from."""

    folder: Path | None

    @classmethod
    def chosen(cls, folder: str | None) -> Source:
        """The folder given, that of WGBOOST_DATA, or none: OpenML."""
        named = folder or os.environ.get("WGBOOST_DATA")
        if named is None:
            return cls(None)
        path = Path(named)
        if not path.is_dir():
            raise NoDataError(
                f"the data folder {named!r} does not exist; leave it out to use OpenML"
            )
        return cls(path)

    def _file(self, *parts: str) -> Path | None:
        if self.folder is None:
            return None
        path = self.folder.joinpath(*parts)
        return path if path.exists() else None

    def _missing(self, name: str, error: Exception | None = None) -> NoDataError:
        where = "no data folder was given" if self.folder is None else f"{self.folder} has no file"
        why = "OpenML does not have it" if error is None else f"OpenML gave: {error}"
        return NoDataError(
            f"no data for {name!r}: {where}, and {why}. Give --data FOLDER or set WGBOOST_DATA to "
            "a folder with uci/<name>.npz and paper/, or connect to the network"
        )

    def regression(self, name: str) -> Regression:
        """A set of Table 1."""
        path = self._file("uci", f"{name}.npz")
        if path is not None:
            with np.load(path) as file:
                X, y, tests = file["X"], file["y"], file["test_index"]
            return Regression(name, X, y, repeats_of(len(y), len(tests), tests))
        try:
            X, y = openml.regression(name)
        except openml.UnreachableError as error:
            raise self._missing(name, error) from error
        return Regression(name, X, y, repeats_of(len(y), 5 if name == "protein" else 20))

    def classes(self, name: str) -> Classes:
        """A set of Table 2: "segment", "sensorless" or its subset "sensorless_2200"."""
        path = self._file("paper", f"{name}.npz")
        if path is not None:
            with np.load(path) as file:
                return Classes(name, file["X"], file["y"], file["X_ood"])
        if name not in openml.CLASSES:
            raise self._missing(name)
        try:
            X, y = openml.classes(name)
        except openml.UnreachableError as error:
            raise self._missing(name, error) from error
        return without_last_classes(name, X, y)

    def sensorless(self) -> Classes:
        """The whole set if the folder has it, else its subset of 2,200 rows, else OpenML's."""
        subset = self._file("paper", "sensorless_2200.npz") is not None
        whole = self._file("paper", "sensorless.npz") is not None
        return self.classes("sensorless_2200" if subset and not whole else "sensorless")

    def bone(self) -> tuple[Array, Array]:
        """Age, and the relative change of spinal bone mineral density."""
        path = self._file("paper", "bone.tsv")
        if path is None:
            raise self._missing("bone")
        return _columns(path, "\t", "age", "spnbmd")

    def geyser(self) -> tuple[Array, Array]:
        """Waiting time to an eruption of Old Faithful and how long it lasts, in minutes."""
        path = self._file("paper", "faithful.csv")
        if path is None:
            raise self._missing("faithful")
        return _columns(path, ",", "waiting", "eruptions")


def _columns(path: Path, delimiter: str, x: str, y: str) -> tuple[Array, Array]:
    with path.open(newline="") as file:
        table = [
            (float(row[x]), float(row[y])) for row in csv.DictReader(file, delimiter=delimiter)
        ]
    values = np.array(table)
    return values[:, 0], values[:, 1]


def without_last_classes(name: str, X: Array, y: Array) -> Classes:
    """Scale features to [0, 1] and set the paper's last classes apart."""
    low, high = X.min(axis=0), X.max(axis=0)
    varied = high > low
    scaled = (X[:, varied] - low[varied]) / (high - low)[varied]
    codes = np.unique(y, return_inverse=True)[1]
    inside = codes < codes.max() + 1 - openml.CLASSES[name].left_out
    return Classes(name, scaled[inside], codes[inside], scaled[~inside])
