"""The features of training data and of new rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import polars as pl

from wgboost.cli.roles import ColumnRoles
from wgboost.cli.screen import CommandError, Problems, Screen
from wgboost.cli.table import FileTable
from wgboost.data.schema import Schema

__all__ = ["new_features", "training_features"]


def training_features(
    table: FileTable, roles: ColumnRoles, *, features: Sequence[str] = (),
    ignore: Sequence[str] = (), categorical: Sequence[str] = (),
) -> tuple[pl.DataFrame, Any]:  # fmt: skip
    """Return the features to train on and the value of `categorical_features`."""
    problems = Problems()
    left = {*roles.names}
    chosen: list[str] = []
    categories: list[str] = []
    with problems:
        chosen = table.named(features, "--features")
    with problems:
        left |= {*table.named(ignore, "--ignore", duplicates=True)}
    for name in chosen:
        with problems:
            if name in left:
                raise CommandError(f"--features {name}: this column has a role or is ignored")
    present = [n for n in chosen or [*table.frame.columns, *table.duplicates] if n not in left]
    for name in present:
        with problems:
            if name in table.duplicates:
                raise CommandError(
                    f"{table.source} has {table.duplicates[name]} columns named {name!r}; "
                    f"rename one of them, or --ignore {name} leaves them all out"
                )
    names = [name for name in present if name not in table.duplicates]
    with problems:
        if not present:
            raise CommandError(f"{table.source} has no column left as a feature")
    with problems:
        categories = table.named(categorical, "--categorical")
    known = {*present}
    for name in categories:
        with problems:
            if name not in known:
                raise CommandError(f"--categorical {name}: this column is not a feature")
    X = pl.DataFrame()
    with problems:
        X = table.columns(names, {}, {*categories})
    problems.check()
    if not categories:
        return X, "from_dtype"
    chosen_categories = {*categories}
    return X, [name for name in names if name in chosen_categories or _is_text(X[name])]


def _is_text(series: pl.Series) -> bool:
    return series.dtype in (pl.String, pl.Categorical, pl.Enum)


def _kinds(schema: Schema) -> dict[str, str]:
    """Return the kind of each feature of a model: "numbers", "dates", "text" or "any"."""
    names = schema.names or ()
    return {
        name: "any" if levels is not None and not levels.values
        else "text" if levels is not None and levels.text
        else "dates" if i in schema.dates else "numbers"
        for i, (name, levels) in enumerate(zip(names, schema.levels, strict=bool(names)))
    }  # fmt: skip


def new_features(
    table: FileTable,
    schema: Schema,
    roles: ColumnRoles,
    screen: Screen,
    known: Collection[str] = (),
) -> Any:
    """Return the features of a model as a frame, or as an array if they have no names.

    Other columns are left out with a note, except those in `known`. It raises CommandError for a
    missing column.
    """
    if schema.names is None:
        names = [name for name in table.frame.columns if name not in roles.names]
        p = len(schema.levels)
        if len(names) != p:
            raise CommandError(
                f"the model was trained on {p} columns without names, and {table.source} has "
                f"{len(names)} columns without a role; give exactly these {p} columns, in the "
                "order of training, or train on a frame with column names"
            )
        numbers = table.columns(names, dict.fromkeys(names, "numbers"))
        return numbers.cast(pl.Float64).to_numpy()
    kinds, problems = _kinds(schema), Problems()
    for name in kinds:
        with problems:
            table.check(name, "the model needs")
    if problems.found:
        with problems:  # report the other problems too
            table.columns([name for name in kinds if name in table.names], kinds)
    problems.check()
    other = {*kinds, *roles.names, *known}
    extra = [name for name in table.frame.columns if name not in other]
    if extra:
        shown = ", ".join(map(repr, extra[:5])) + (", ..." if len(extra) > 5 else "")
        screen.note(f"{table.source}: not used, because the model was trained without: {shown}")
    return table.columns(kinds, kinds)
