"""The columns of the training data: names, kinds and levels of categories."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from wgboost.data.binning import MAX_BINS
from wgboost.data.frames import Column
from wgboost.data.levels import Levels
from wgboost.data.sources import source_of
from wgboost.data.table import Table
from wgboost.typing import Array
from wgboost.validation import format_value, nearest_name

__all__ = ["FROM_DTYPE", "Levels", "Schema", "column_index"]

FROM_DTYPE = "from_dtype"
_FREE_TEXT = 50  # more different texts, on half of the rows, are not categories
_SHOWN = 5
_DATES = 3  # the type of a column in a file: 0 numbers, 1 and 2 categories of numbers and of text


@dataclass(frozen=True)
class Schema:
    """Describe the columns of the training data.

    Parameters
    ----------
    names : tuple of str or None
        Names of the columns; None if columns are known by position.
    levels : tuple of Levels or None
        Levels of each categorical column, None for other columns.
    dates : frozenset of int, default=frozenset()
        Columns of dates or times, which are numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from wgboost.data.schema import Schema
    >>> schema, matrix = Schema.fit(pd.DataFrame({"kind": ["a", "b"], "size": [1.0, 2.0]}))
    >>> matrix
    array([[0., 1.],
           [1., 2.]])
    """

    names: tuple[str, ...] | None
    levels: tuple[Levels | None, ...]
    dates: frozenset[int] = frozenset()

    @classmethod
    def fit(
        cls, X: Any, *, categorical_features: Any = FROM_DTYPE, weight: Array | None = None
    ) -> tuple[Schema, Array]:
        """Return the schema of a frame or a matrix, and its rows as a matrix (n, p) of floats.

        `categorical_features` are names, indices or a mask of columns, None for no column, or
        "from_dtype" for text and columns of a categorical type. Rows of weight zero have no levels.
        """
        source = source_of(X)
        names = None if source is None else source.names
        X = X if source is None else source
        table = Table.of(X)
        chosen = _chosen(categorical_features, names, table.shape[1])
        if chosen is not None and chosen.any():  # these keep their precision
            table = Table.of(X, separate=np.flatnonzero(chosen).tolist())
        columns = table.columns()
        levels: list[Levels | None] = []
        for i, column in enumerate(columns):
            label = _label(names, i)
            by_type = chosen is None and (column.text or column.declared)
            if by_type or (chosen is not None and chosen[i]):
                found = Levels.find(column, weight)
                if chosen is None and column.text and not column.declared:
                    _refuse_free_text(label, column, found)
                levels.append(found)
            elif column.text:
                raise ValueError(
                    f"{label} is text and not among "
                    f"categorical_features={categorical_features!r}; name it there, or give "
                    '"from_dtype"'
                )
            else:
                levels.append(None)
        dates = frozenset(
            i for i, (column, one) in enumerate(zip(columns, levels, strict=True))
            if column.dated and one is None
        )  # fmt: skip
        schema = cls(None if names is None else tuple(names), tuple(levels), dates)
        return schema, schema._encode(table)

    @cached_property
    def n_levels(self) -> Array:
        """Number (p,) of codes of each categorical column, 0 for numbers."""
        return np.array([0 if one is None else one.n_codes for one in self.levels], dtype=np.int64)

    def apply(self, X: Any) -> Array:
        """Return new rows as a matrix (n, p), with codes for categories.

        The columns of a frame may be in any order. A missing, additional or different column raises
        ValueError. Levels that training did not have count as missing.
        """
        source = source_of(X)
        names = None if source is None else source.names
        known = self._numbered(names) if self.names is None else self.names
        order = None
        if known is not None and names is not None and list(known) != names:
            self._check_names(names, known)
            place = {name: i for i, name in enumerate(names)}
            order = [place[name] for name in known]
        table = Table.of(X if source is None else source, separate=self._separate, order=order)
        if table.shape[1] != len(self.levels):
            raise ValueError(f"X has {table.shape[1]} columns, training had {len(self.levels)}")
        for i, column in table.others.items():
            _check_kind(_label(self.names, i), self.levels[i], column, dated=i in self.dates)
        return self._encode(table)

    @cached_property
    def _separate(self) -> frozenset[int]:
        """Columns that are not plain numbers: categories and dates."""
        return self.dates | {i for i, one in enumerate(self.levels) if one is not None}

    def _numbered(self, names: Sequence[str] | None) -> tuple[str, ...] | None:
        """Return the columns 0, 1, 2, ... of training if `names` has them in another order."""
        numbers = tuple(map(str, range(len(self.levels))))
        return numbers if names is not None and set(names) == set(numbers) else None

    def warn_names(self, names: Sequence[str] | None, who: str) -> None:
        """Warn if only one of the training data and `names` has names of columns."""
        if self.names is None and names is not None and self._numbered(names) is None:
            text = f"X has feature names, but {who} was fitted without feature names"
            warnings.warn(text, UserWarning, stacklevel=3)
        if self.names is not None and names is None:
            text = f"X has no feature names, but {who} was fitted with feature names"
            warnings.warn(text, UserWarning, stacklevel=3)

    def _check_names(self, names: Sequence[str], known: Sequence[str]) -> None:
        here, there = set(names), set(known)
        lacking = [name for name in known if name not in here]
        extra = [name for name in names if name not in there]
        problems = []
        if lacking:
            problems.append(f"X lacks {_listed(lacking)} of the training data")
        if extra:
            suggestion = (
                nearest_name(extra[0], known) if lacking else "; drop what training did not have"
            )
            problems.append(f"X has {_listed(extra)}, unseen in training{suggestion}")
        if problems:
            raise ValueError(", and ".join(problems))

    def _encode(self, table: Table) -> Array:
        encoded = {}
        for i, column in table.others.items():
            levels = self.levels[i]
            if levels is not None:
                encoded[i] = levels.encode(column.values)
            elif column.text:  # only missing values, see _check_kind
                encoded[i] = np.full(len(column.values), np.nan)
        return table.matrix(encoded)

    def to_arrays(self) -> dict[str, Array | None]:
        """Return the schema as arrays, for a file."""
        listed = [one for one in self.levels if one is not None]
        kinds = [
            (_DATES if i in self.dates else 0) if one is None else 1 + one.text
            for i, one in enumerate(self.levels)
        ]
        sizes = [0 if one is None else len(one.values) for one in self.levels]
        text = [value for one in listed if one.text for value in one.values]
        numbers = [value for one in listed if not one.text for value in one.values]
        codes = [code for one in listed for code in one.codes]
        return {
            "types": np.array(kinds, dtype=np.uint8),
            "names": None if self.names is None else np.array(self.names, dtype=object),
            "first_level": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            "codes": np.array(
                codes, dtype=np.uint8 if max(codes, default=0) < MAX_BINS else np.int64
            ),
            "text": np.array(text, dtype=object),
            "numbers": np.array(numbers, dtype=np.float64),
        }

    @classmethod
    def from_arrays(
        cls, types: Array, names: Array | None, first_level: Array, codes: Array, text: Array,
        numbers: Array,
    ) -> Schema:  # fmt: skip
        """Return the schema of `to_arrays`; raise ValueError if the arrays are inconsistent."""
        _check_arrays(types, names, first_level, codes, text, numbers)
        values: dict[int, list[Any]] = {1: numbers.tolist(), 2: text.tolist()}
        levels: list[Levels | None] = []
        for kind, begin, end in zip(types, first_level[:-1], first_level[1:], strict=True):
            if kind in (0, _DATES):
                levels.append(None)
                continue
            mine, values[kind] = values[kind][: end - begin], values[kind][end - begin :]
            if any(a >= b for a, b in pairwise(mine)):
                raise ValueError("levels of a category are not in order")
            levels.append(Levels(tuple(mine), tuple(codes[begin:end].tolist())))
        dates = frozenset(np.flatnonzero(types == _DATES).tolist())
        return cls(None if names is None else tuple(names.tolist()), tuple(levels), dates)


def _check_arrays(
    types: Array, names: Array | None, first_level: Array, codes: Array, text: Array, numbers: Array
) -> None:
    of_codes = np.int64 if codes.dtype == np.int64 else np.uint8
    kinds = [(types, np.uint8), (first_level, np.int64), (codes, of_codes), (numbers, np.float64)]
    if not all(array.dtype == kind and array.ndim == 1 for array, kind in kinds):
        raise ValueError("the columns are described by arrays of another kind")
    if names is not None and (names.shape != types.shape or len(set(names.tolist())) < len(names)):
        raise ValueError(f"{names.size} names, or equal ones, of {types.size} columns")
    if not all(isinstance(one, str) for one in [*text.tolist(), *([] if names is None else names)]):
        raise ValueError("names of columns or categories are not text")
    sizes = np.diff(first_level)
    if (types > _DATES).any() or first_level.shape != (types.size + 1,) or first_level[0] != 0:
        raise ValueError("a column is of an unknown kind")
    shares = [sizes[types == kind].sum() for kind in range(_DATES + 1)]
    if (
        (sizes < 0).any()
        or shares != [0, numbers.size, text.size, 0]
        or codes.size != first_level[-1]
    ):
        raise ValueError("levels do not belong to the categories")
    # Codes above 254 number the levels, so they are below the number of levels.
    most = np.repeat(np.maximum(sizes, MAX_BINS), sizes)
    if (codes < 0).any() or (codes >= most).any() or np.isnan(numbers).any():
        raise ValueError("a category has a code or a level that it cannot have")


def column_index(parameter: str, column: Any, names: Sequence[str] | None, p: int) -> int:
    """Return the index of a column that is given by name or index; raise ValueError if unknown."""
    if isinstance(column, str) and names is not None and column in names:
        return list(names).index(column)
    whole = isinstance(column, (int, np.integer)) and not isinstance(column, bool)
    if whole and -p <= column < p:
        return int(column) % p
    suggestion = nearest_name(column, names) if isinstance(column, str) and names else ""
    raise ValueError(f"{parameter} has {format_value(column)}, which is no column of X{suggestion}")


def _label(names: Sequence[str] | None, i: int) -> str:
    return f"column {i if names is None else repr(names[i])}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
    return f"the column{'s' if len(names) > 1 else ''} {shown}"


def _chosen(categorical_features: Any, names: Sequence[str] | None, p: int) -> Array | None:
    """Return a mask of the categorical columns, or None if their types decide."""
    if isinstance(categorical_features, str):
        if categorical_features == FROM_DTYPE:
            return None
        raise ValueError(
            f'categorical_features={categorical_features!r} must be "from_dtype", None, or a '
            "list of columns"
        )
    mask = np.zeros(p, dtype=bool)
    which = np.asarray([] if categorical_features is None else categorical_features)
    if which.ndim != 1 or (which.size and which.dtype.kind not in "biuUO"):
        raise TypeError(
            f"categorical_features={categorical_features!r} must be a list of names or indices, "
            "or a mask"
        )
    if which.dtype.kind == "b":
        if which.shape != (p,):
            raise ValueError(
                f"categorical_features is a mask of {which.size}, X has {p} columns; one truth "
                "value for each is needed"
            )
        return which
    for one in which.tolist():
        mask[column_index("categorical_features", one, names, p)] = True
    return mask


def _refuse_free_text(label: str, column: Column, levels: Levels) -> None:
    there = int((~column.missing).sum())
    if len(levels.values) > _FREE_TEXT and 2 * len(levels.values) > there:
        raise ValueError(
            f"{label} has {len(levels.values)} different texts in {there} rows, such as "
            f"{levels.values[0]!r}: free text or names of rows, not categories; drop it or make "
            "features of it, or list it in categorical_features if it is what you want"
        )


def _check_kind(label: str, levels: Levels | None, column: Column, *, dated: bool) -> None:
    changed = column.text or column.declared or column.dated != dated
    if levels is not None:
        changed = bool(levels.values) and levels.text != column.text
    if not changed or column.missing.all():
        return
    before = "dates or times" if dated else "numbers"
    if levels is not None:
        shown = ", ".join(map(repr, levels.values[:_SHOWN]))
        before = f"a category of {'text' if levels.text else 'numbers'} ({shown}, ...)"
    raise ValueError(f"{label} was {before} in training and is {column.kind} now")
