"""Rows that are not trained on: held out of the training data, or given by the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost.data.naming import named_columns
from wgboost.training.copies import Distinct
from wgboost.training.data import TrainingData, random_split
from wgboost.typing import Array

__all__ = ["split_rows", "validation_sets"]


def split_rows(
    data: TrainingData, given: Any, fraction: float, seed: int, groups: Distinct | None = None
) -> tuple[Array, Array]:
    """Return indices of the rows to train on and to hold out; rows of weight zero are in neither.

    Parameters
    ----------
    data : TrainingData
    given : array or None
        A mask or indices of the rows to hold out; None draws a random share.
    fraction : float
        The share to draw; see `random_split`.
    seed : int
    groups : Distinct, optional
        What is held out as a whole.
    """
    if given is not None:
        held, counted = _as_mask(given, len(data)), data.counted
        inside, outside = counted[~held[counted]], counted[held[counted]]
    else:
        inside, outside = random_split(data, fraction, seed, groups)
    if inside.size == 0 or outside.size == 0:
        raise ValueError(
            f"{inside.size} rows to train on and {outside.size} to validate; both are needed"
        )
    return np.sort(inside), np.sort(outside)


def _as_mask(given: Any, n: int) -> Array:
    held, index = np.zeros(n, dtype=bool), np.asarray(given)
    try:
        held[index] = True
    except IndexError as error:
        raise ValueError(f"validation_rows does not index {n} rows: {error}") from error
    if index.dtype.kind != "b" and held.sum() < index.size:
        raise ValueError(
            f"validation_rows has {index.size} indices of {held.sum()} rows; a mask has to be of "
            "True and False, indices have to differ"
        )
    return held


def validation_sets(
    data: TrainingData, encoder: Any, read: Callable[[Any], Array], X_val: Any,
    fit_params: dict[str, Any],
) -> dict[str, TrainingData]:  # fmt: skip
    """Return the validation sets of the user by name, checked like the training data.

    Parameters
    ----------
    data : TrainingData
        The training data.
    encoder
        Encodes y; see `NumericEncoder` and `ClassEncoder`.
    read : callable
        Returns a table as a matrix.
    X_val
        A table, or a list of tables.
    fit_params : dict
        y_val, sample_weight_val and the like, for each set or None.
    """
    y_val = fit_params["y_val"]
    if X_val is None and y_val is None:
        for name, value in fit_params.items():
            if value is not None:
                raise ValueError(f"{name} belongs to X_val and y_val; give all three")
        return {}
    if X_val is None or (y_val is None and data.has_y):
        raise ValueError("X_val and y_val belong together; give both")
    several = isinstance(X_val, (list, tuple)) and (not X_val or np.ndim(X_val[0]) == 2)
    tables = list(X_val) if several else [X_val]
    lists = dict(fit_params)
    for name, value in fit_params.items():
        if not several or value is None:
            lists[name] = [value] * len(tables)
        elif not isinstance(value, (list, tuple)) or len(value) != len(tables) or not tables:
            answered = f"of {len(value)}" if isinstance(value, (list, tuple)) else "is none"
            raise ValueError(
                f"X_val is a list of {len(tables)} sets, {name} {answered}; "
                "as many of both are needed"
            )
    if not tables:
        raise ValueError("X_val is a list of 0 sets; leave it out, or give some")
    sets: dict[str, TrainingData] = {}
    for i, table in enumerate(tables):
        which = f"set {i + 1} of " if len(tables) > 1 else ""
        given = {name.removesuffix("_val"): values[i] for name, values in lists.items()}
        try:
            table, given, _ = named_columns(table, given)
            X = read(table)
            one = data.validation(encoder, X, given)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{which}X_val, y_val: {error}") from error
        if len(one) != X.shape[0]:
            raise ValueError(f"{which}X_val has {X.shape[0]} rows, y_val has {len(one)}")
        sets["validation" if i == 0 else f"validation_{i + 1}"] = one
    return sets
