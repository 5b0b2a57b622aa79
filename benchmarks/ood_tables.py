"""Data sets of benchmarks/foreign_tables.py and out_of_distribution.py."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_classification,
)

__all__ = ["GROUPS", "Table", "class_names", "class_table", "number_names", "number_table"]

Table = tuple[np.ndarray, np.ndarray]
"""Features (n, p) and y (n,)."""

GROUPS = "chosen", "confirmed"
"""Sets that the constants of the score were chosen with, and sets that were looked at once."""

_NUMBERS = {
    "chosen": ("diabetes", "breast_cancer", "boston", "concrete", "energy", "yacht", "wine"),
    "confirmed": ("kin8nm", "naval", "power", "protein", "magic", "phoneme", "wdbc", "texture"),
}
_CLASSES = {
    "chosen": ("iris", "cultivars", "digits", "segment", "sensorless", "clouds", "rings",
               "eight_classes"),
    "confirmed": ("led7digit", "letter", "marketing", "movement_libras", "optdigits", "penbased",
                  "satimage", "texture", "vehicle", "vowel"),
}  # fmt: skip


def number_names(group: str) -> tuple[str, ...]:
    """Return the names of the sets with a number to predict."""
    return _NUMBERS[group]


def class_names(group: str) -> tuple[str, ...]:
    """Return the names of the sets with classes."""
    return _CLASSES[group]


def _folder(given: str | None, variable: str) -> Path:
    folder = given or os.environ.get(variable)
    if folder is None:
        raise SystemExit(f"give the folder of the data sets, or set {variable}")
    return Path(folder)


def number_table(name: str, data: str | None = None, keel: str | None = None) -> Table:
    """Return features and y; of sets for classification the last feature is y."""
    if name == "diabetes":
        return load_diabetes(return_X_y=True)
    if name == "breast_cancer":
        X = load_breast_cancer().data
        return X[:, 10:20], X[:, 3]
    uci = _folder(data, "WGBOOST_DATA") / "uci" / f"{name}.npz"
    if uci.exists():
        found = np.load(uci)
        return found["X"].astype(float), found["y"].astype(float).ravel()
    X = np.load(_folder(keel, "KEEL_DATA") / f"{name}.npz")["X"]
    return X[:, :-1], X[:, -1]


def class_table(name: str, data: str | None = None, keel: str | None = None) -> Table:
    """Return features and classes."""
    shipped = {"iris": load_iris, "cultivars": load_wine, "digits": load_digits}
    if name in shipped:
        return shipped[name](return_X_y=True)
    if name in ("segment", "sensorless"):
        file = "sensorless_2200.npz" if name == "sensorless" else f"{name}.npz"
        found = np.load(_folder(data, "WGBOOST_DATA") / "paper" / file)
        return found["X"].astype(float), found["y"].astype(int)
    if name in ("clouds", "rings", "eight_classes"):
        return _made(name)
    found = np.load(_folder(keel, "KEEL_DATA") / f"{name}.npz")
    return found["X"], found["y"]


def _made(name: str) -> Table:
    rng = np.random.default_rng(11)
    if name == "clouds":
        X, y = make_blobs(900, 2, centers=6, cluster_std=1.2, random_state=0)
        return np.hstack([X, rng.normal(scale=5, size=(900, 6))]), y
    if name == "eight_classes":
        return make_classification(
            1600, n_features=20, n_informative=10, n_classes=8, n_clusters_per_class=1,
            flip_y=0.0, random_state=0,
        )  # fmt: skip
    y = rng.integers(4, size=800)
    radius, angle = 1 + y + 0.25 * rng.normal(size=800), rng.uniform(0, 2 * np.pi, 800)
    plane = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return np.hstack([plane, rng.normal(size=(800, 2))]), y
