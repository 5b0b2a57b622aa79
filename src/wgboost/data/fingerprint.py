"""Fingerprints of data and objects."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from wgboost.slicing import row_slices

__all__ = ["fingerprint", "name_of"]

_BYTES = 2**20  # at a time


def fingerprint(*values: Any) -> str:
    """Return 64 hexadecimal digits that are equal for equal values and different for others.

    Arrays count by dtype, shape and bytes; lists, mappings and dataclasses by their items;
    functions and other objects by their names.
    """
    digest = hashlib.sha256()
    for value in values:
        _add(digest, value)
    return digest.hexdigest()


def _add(digest: Any, value: Any) -> None:
    if value is None or isinstance(value, (bool, int, float, str)):
        digest.update(f"{type(value).__name__} {value!r};".encode())
    elif isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        digest.update(f"array {array.dtype.str} {array.dtype.names} {array.shape};".encode())
        if array.dtype.hasobject:
            _add(digest, array.ravel().tolist())
        elif array.ndim == 1 and array.dtype.kind in "SU":
            for text in array:  # without the padding of the longest
                digest.update(np.ascontiguousarray(text).view(np.uint8).data)
        else:
            rows = np.atleast_1d(array)
            size = max(1, _BYTES // max(1, rows[:1].nbytes))
            for part in row_slices(len(rows), size):  # without a copy of the whole array
                digest.update(rows[part].tobytes())
    elif isinstance(value, np.random.RandomState):
        digest.update(b"random state;")  # a fit changes it
    elif is_dataclass(value) and not isinstance(value, type):
        digest.update(f"{type(value).__name__} ".encode())
        _add(digest, {entry.name: getattr(value, entry.name) for entry in fields(value)})
    elif isinstance(value, Mapping):
        digest.update(f"mapping {len(value)};".encode())
        for name, entry in value.items():
            _add(digest, name)
            _add(digest, entry)
    elif isinstance(value, Sequence):
        digest.update(f"{len(value)} values;".encode())
        for entry in value:
            _add(digest, entry)
    else:
        digest.update(f"named {name_of(value)};".encode())


def name_of(value: Any) -> str:
    """Return the name of a function, or of the class of an object."""
    for field_name in ("function", "score"):  # of LogDensity and Target
        if field_name in getattr(value, "__dataclass_fields__", ()):
            value = getattr(value, field_name)
    named = value if hasattr(value, "__name__") else type(value)
    return str(named.__name__)
