"""From what users say about features to what the trees are held to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wgboost.data.schema import Schema, column_index
from wgboost.trees import Constraints
from wgboost.typing import Array
from wgboost.validation import check_choice, check_integer, format_value

__all__ = ["held_parameter", "tree_constraints"]

_ALONE = "no_interactions"


def held_parameter(given: Any, names: Sequence[str], n_params: int) -> int:
    """Return the index of the coordinate that `monotone_parameter` means; None is the first."""
    if isinstance(given, str):
        if not names:
            raise ValueError(
                f"monotone_parameter={given!r}: the target's parameters have no names; give an "
                f"index below {n_params}"
            )
        return list(names).index(check_choice("monotone_parameter", given, names))
    hint = f"or one of {', '.join(map(repr, names))}" if names else ""
    index = 0 if given is None else given
    return check_integer("monotone_parameter", index, low=0, high=n_params - 1, hint=hint)


def tree_constraints(
    monotone: Any, interaction: Any, schema: Schema, parameter: int, sign: int
) -> Constraints | None:
    """Return the constraints on trees that parameters stand for; None: nothing is constrained.

    Parameters
    ----------
    monotone, interaction
        The parameters `monotone_constraints` and `interaction_constraints`.
    schema : Schema
        The columns of X.
    parameter, sign : int
        The coordinate that monotone constraints hold, and what they are multiplied by.
    """
    signs, groups = _signs(monotone, schema), _groups(interaction, schema)
    if not signs.any() and not groups:
        return None
    return Constraints(tuple((sign * signs).tolist()), parameter, groups)


def _signs(given: Any, schema: Schema) -> Array:
    """Signs (p,) of a dict by column, or of a list of one for each."""
    what, p = "monotone_constraints", len(schema.levels)
    signs = np.zeros(p, dtype=np.int64)
    if given is None:
        return signs
    if isinstance(given, Mapping):
        pairs = [(column_index(what, key, schema.names, p), sign) for key, sign in given.items()]
    else:
        values = np.asarray(given)
        if values.ndim != 1 or values.dtype.kind not in "iufb":
            raise TypeError(f"{what}={given!r} must be a dict by column, or one sign for each")
        if values.shape != (p,):
            raise ValueError(
                f"{what} has {values.size} signs, X has {p} columns; give one for each, or a dict"
            )
        pairs = list(enumerate(values.tolist()))
    for column, sign in pairs:
        label = repr(schema.names[column]) if schema.names else column
        if isinstance(sign, (bool, np.bool_)) or sign not in (-1, 0, 1):
            raise ValueError(
                f"{what} has {format_value(sign)} for column {label}; 1 is for rising, -1 for "
                "falling, 0 for free"
            )
        if sign and schema.levels[column] is not None:
            raise ValueError(f"{what}: column {label} is categorical and has no order")
        signs[column] = int(sign)
    return signs


def _groups(given: Any, schema: Schema) -> tuple[tuple[int, ...], ...]:
    """Groups of columns; those in none of them are one more."""
    what, p = "interaction_constraints", len(schema.levels)
    if given is None:
        return ()
    if isinstance(given, str):
        check_choice(what, given, [_ALONE])
        return tuple((column,) for column in range(p))
    listed = isinstance(given, (list, tuple, set, frozenset))
    if not listed or not all(isinstance(one, (list, tuple, set, frozenset)) for one in given):
        raise TypeError(
            f"{what}={given!r} must be a list of groups of columns, such as [[0, 1], [2]], or "
            f"{_ALONE!r}"
        )
    groups = {
        tuple(sorted({column_index(what, key, schema.names, p) for key in one})) for one in given
    }
    rest = tuple(sorted(set(range(p)).difference(*groups)))
    return tuple(sorted(group for group in {*groups, rest} if group))
