"""Which rows to train on and which to watch."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from wgboost.typing import Array

__all__ = ["given_sets", "split_rows"]


def split_rows(
    y: Array, weight: Array | None, given: Any, fraction: float, nominal: bool, seed: int
) -> tuple[Array, Array]:
    """Return indices of the rows to train on and to hold out; rows of weight zero are in neither.

    `given` is a mask or indices of the rows to hold out, or None: then a random share, stratified
    by class where every class has two rows.
    """
    n = len(y)
    counted = np.arange(n) if weight is None else np.flatnonzero(weight)
    if given is not None:
        held = np.zeros(n, dtype=bool)
        try:
            held[np.asarray(given)] = True
        except IndexError as error:
            raise ValueError(f"validation_rows does not index {n} rows: {error}") from error
        inside, outside = counted[~held[counted]], counted[held[counted]]
    else:
        if counted.size < 2:
            raise ValueError(
                f"early stopping has {counted.size} rows to split; two are needed, or "
                "early_stopping=False"
            )
        classes = y[counted] if nominal else None
        if classes is not None:
            held_size = np.ceil(fraction * counted.size)
            counts = np.unique(classes, return_counts=True)[1]
            if counts.min() < 2 or min(held_size, counted.size - held_size) < counts.size:
                classes = None
        inside, outside = train_test_split(
            counted, test_size=fraction, random_state=seed % 2**31, stratify=classes
        )
    if inside.size == 0 or outside.size == 0:
        raise ValueError(
            f"{inside.size} rows to train on and {outside.size} to validate; both are needed"
        )
    return np.sort(inside), np.sort(outside)


def given_sets(estimator: Any, X_val: Any, y_val: Any) -> list[tuple[str, Array, Array]]:
    """Return the user's validation sets as (name, X, y), checked like the training data."""
    if X_val is None and y_val is None:
        return []
    if X_val is None or y_val is None:
        raise ValueError("X_val and y_val belong together; give both")
    pairs = list(zip(X_val, y_val, strict=True)) if isinstance(X_val, list) and isinstance(
        y_val, list
    ) and len(X_val) > 0 and np.ndim(X_val[0]) == 2 else [(X_val, y_val)]  # fmt: skip
    sets = []
    for i, (X, y) in enumerate(pairs):
        X = estimator._matrix(X, reset=False)
        codes = estimator._encode(y, fitting=False)
        if len(codes) != X.shape[0]:
            raise ValueError(f"X_val has {X.shape[0]} rows, y_val has {len(codes)}")
        sets.append(("validation" if i == 0 else f"validation_{i + 1}", X, codes))
    return sets
