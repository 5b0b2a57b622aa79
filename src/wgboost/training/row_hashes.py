"""Which rows a model was trained on, by a sample of their hashes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from wgboost.training.copies import row_hashes
from wgboost.typing import Array

__all__ = ["hash_rows", "known_share", "warn_other_rows", "warn_trained_rows"]

_KEPT = 2048  # rows whose hashes a model keeps: those with the smallest
_ENOUGH = 3  # rows with known hashes that it takes to recognise training rows
_REPEATED = 0.1  # share of equal training rows above which new rows may be equal to them by chance


def hash_rows(X: Any, y: Any, some: Array | None = None) -> Array | None:
    """Return hashes (2, k) of the features, and of features and y together, of at most 2,048 rows.

    They are those with the smallest hash of the features, so that of other rows it is known whether
    they would be among them. None for rows that are not in memory, for y that are not plain
    numbers, and where more than a tenth of the rows are equal to others: new rows may then well be
    equal to training rows.

    Parameters
    ----------
    X : array (n, p)
    y : array (n,) or (n, q)
    some : array, optional
        Indices of the rows to take; all without.
    """
    features, both = _hashes(X, y)
    if features is None or both is None:
        return None
    if some is not None:
        features, both = features[some], both[some]
    _, first = np.unique(features, return_index=True)
    if features.size == 0 or first.size < (1 - _REPEATED) * features.size:
        return None
    least = first[:_KEPT]  # in the order of their hashes
    return np.stack([features[least], both[least]]).view(np.int64)


def known_share(hashes: Array, X: Any, y: Any = None) -> tuple[float, int]:
    """Return the share of rows that hashes are of, and by how many rows it is estimated.

    Without y the features alone have to be equal.
    """
    return _trained_share([hashes], X, y)


def _trained_share(known: list[Array], X: Any, y: Any) -> tuple[float, int]:
    """Return the share of rows that any of the hashes are of, and by how many it is estimated."""
    if not known:
        return 0.0, 0
    # Models of earlier files have hashes of rows in double precision.
    return max(_share_in(kind, known, X, y) for kind in (np.float32, np.float64))


def _share_in(kind: Any, known: list[Array], X: Any, y: Any) -> tuple[float, int]:
    features, both = _hashes(X, y, kind)
    if features is None or (y is not None and both is None):
        return 0.0, 0
    kept = [one.view(np.uint64) for one in known]
    # Rows with a larger hash of the features are not compared: theirs were not kept.
    full = [one[0, -1] for one in kept if one.shape[1] == _KEPT]
    comparable = features <= min(full) if full else np.ones(features.size, bool)
    hashes, row = (features, 0) if both is None else (both, 1)
    found = np.isin(hashes[comparable], np.concatenate([one[row] for one in kept]))
    return (float(found.mean()) if found.size else 0.0), int(found.size)


def warn_trained_rows(known: Sequence[Array], X: Any, y: Any, remedy: str, stacklevel: int) -> None:
    """Warn if most of the rows given for calibration are rows that a model was trained on.

    `known` are hashes of the training rows of one model or several.
    """
    share, n_compared = _trained_share(list(known), X, y)
    if share > 0.5 and n_compared >= _ENOUGH:
        warnings.warn(
            f"{share:.0%} of the rows given are rows that the model was trained on: it errs "
            f"less there than on new rows, so what is learnt from them is too narrow; {remedy}",
            stacklevel=stacklevel + 1,
        )


def warn_other_rows(hashes: Array | None, X: Any, y: Any, stacklevel: int) -> None:
    """Warn if most of the rows of a warm start are others than the model was trained on."""
    if hashes is None:
        return
    share, n_compared = known_share(hashes, X, y)
    if share < 0.5 and n_compared >= _ENOUGH:
        warnings.warn(
            f"warm_start adds rounds to a model of other data, which has seen {share:.0%} of these "
            "rows: start, units of y and columns stay those of the first fit. Give the rows of the "
            "first fit, or fit anew with warm_start=False",
            stacklevel=stacklevel + 1,
        )


def _hashes(X: Any, y: Any, kind: Any = np.float32) -> tuple[Array | None, Array | None]:
    """Return hashes of the features, and of features and y, of rows rounded to one precision."""
    if not isinstance(X, np.ndarray):
        return None, None
    y = np.asarray(y)
    with np.errstate(over="ignore"):
        columns = [column.astype(kind) for column in X.T]
        features = row_hashes(columns, len(X))
        if y.dtype.names is not None or y.dtype.kind not in "biuf" or y.shape[:1] != X.shape[:1]:
            return features, None
        columns += [column.astype(kind) for column in y.reshape(len(y), -1).T]
        return features, row_hashes(columns, len(X))
