"""The public sets from OpenML, by number, checked against the sizes the paper gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from paper.reported import REGRESSION_SHAPES

Array = np.ndarray

__all__ = [
    "CLASSES",
    "SETS",
    "ClassSet",
    "Set",
    "UnreachableError",
    "classes",
    "numeric",
    "regression",
]


class UnreachableError(RuntimeError):
    """OpenML did not answer, or its set is not the one meant."""


@dataclass(frozen=True)
class Set:
    """Where OpenML keeps a regression set: number, target, and columns that are no features."""

    number: int
    target: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClassSet:
    """Where OpenML keeps a classification set, its rows, and how many last classes are OOD."""

    name: str
    rows: int
    left_out: int


SETS = {
    "boston": Set(531, "MEDV"),
    "concrete": Set(44959, "strength"),
    "energy": Set(44960, "heating_load", ("cooling_load",)),
    "kin8nm": Set(189, "y"),
    "naval": Set(
        44969, "gt_compressor_decay_state_coefficient", ("gt_turbine_decay_state_coefficient",)
    ),
    "protein": Set(44963, "RMSD"),
    "wine": Set(44972, "quality"),
    "yacht": Set(42370, "Residuary_resistance"),
}
CLASSES = {"segment": ClassSet("segment", 2310, 1), "sensorless": ClassSet("sensorless", 58509, 2)}


def _fetch(**which: Any) -> Any:
    from sklearn.datasets import fetch_openml

    try:
        return fetch_openml(**which, as_frame=True, parser="auto", n_retries=1).frame
    except (OSError, ValueError) as error:  # no network, or no such set
        raise UnreachableError(f"{type(error).__name__}: {error}") from error


def numeric(frame: Any) -> Array:
    """The columns of a frame as numbers."""
    return np.column_stack([np.asarray(frame[c].astype(float)) for c in frame.columns])


def regression(name: str) -> tuple[Array, Array]:
    """Features and target of a set of Table 1."""
    if name not in SETS:
        raise UnreachableError(f"no set of OpenML is known to be {name!r}")
    where = SETS[name]
    frame = _fetch(data_id=where.number)
    y = frame[where.target].astype(float).to_numpy()
    X = numeric(frame.drop(columns=[where.target, *where.left_out]))
    if X.shape != REGRESSION_SHAPES[name]:
        raise UnreachableError(
            f"set {where.number} is {X.shape}, {REGRESSION_SHAPES[name]} is meant"
        )
    return X, y


def classes(name: str) -> tuple[Array, Array]:
    """Features and labels of a set of Table 2, all classes."""
    where = CLASSES[name]
    frame = _fetch(name=where.name, version=1)
    label = frame.columns[-1]
    if len(frame) != where.rows:
        raise UnreachableError(
            f"the set {where.name!r} has {len(frame)} rows, {where.rows} are meant"
        )
    return numeric(frame.drop(columns=[label])), frame[label].to_numpy()
