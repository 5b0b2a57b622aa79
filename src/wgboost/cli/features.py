"""Which columns a model is trained on, and where new rows have them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import polars as pl

from wgboost.cli.reading import Table
from wgboost.cli.roles import Roles
from wgboost.cli.screen import CommandError, Screen

__all__ = ["feature_kinds", "new_features", "training_features"]


def training_features(
    table: Table, roles: Roles, *, features: Sequence[str] = (), ignore: Sequence[str] = (),
    categorical: Sequence[str] = (),
) -> tuple[pl.DataFrame, Any]:  # fmt: skip
    """Return the features to train on, and what `categorical_features` has to be."""
    chosen = table.named(features, "--features")
    left = {*roles.names, *table.named(ignore, "--ignore", twice=True)}
    there = chosen or [*table.frame.columns, *table.twice]
    for name in chosen:
        if name in left:
            raise CommandError(f"--features {name}: this column is ignored, or has a role")
    twice = [name for name in there if name in table.twice and name not in left]
    if twice:
        raise CommandError(
            f"{table.source} has {table.twice[twice[0]]} columns named {twice[0]!r}; rename one of "
            f"them, or --ignore {twice[0]} leaves them all out"
        )
    names = [name for name in there if name not in left]
    if not names:
        raise CommandError(f"{table.source} has no column left to predict from")
    categories = table.named(categorical, "--categorical")
    for name in categories:
        if name not in names:
            raise CommandError(f"--categorical {name}: this column is no feature")
    X = _typed(table, names, categories)
    if not categories:
        return X, "from_dtype"
    return X, [name for name in names if name in categories or _is_text(X[name])]


def _typed(table: Table, names: Sequence[str], categorical: Sequence[str]) -> pl.DataFrame:
    """Return columns as what they are; an error names all that cannot be used."""
    columns, problems = [], {}
    for name in names:
        try:
            columns.append(table.column(name, category=name in categorical))
        except CommandError as error:
            problems[name] = str(error)
    if problems:
        first, *others = problems
        more = f"; see to {', '.join(map(repr, others))}, too" if others else ""
        raise CommandError(f"{problems[first]}{more}")
    return pl.DataFrame(columns)


def _is_text(series: pl.Series) -> bool:
    return series.dtype in (pl.String, pl.Categorical, pl.Enum)


def feature_kinds(model: Any) -> dict[str, str]:
    """Return the kinds of a model's columns, by name."""
    names = model.schema_.names or ()
    return {
        name: "any" if levels is not None and not levels.values
        else "text" if levels is not None and levels.text else "numbers"
        for name, levels in zip(names, model.schema_.levels, strict=bool(names))
    }  # fmt: skip


def new_features(
    table: Table, model: Any, roles: Roles, screen: Screen, known: Collection[str] = ()
) -> Any:
    """Return the columns that a model was trained on, a frame or an array; others are left out.

    `known` are columns that have another use, of which nothing has to be said. Raises CommandError
    for a column that is not there.
    """
    if model.schema_.names is None:
        names = [name for name in table.frame.columns if name not in roles.names]
        p = len(model.schema_.levels)
        if len(names) != p:
            raise CommandError(
                f"the model was trained on {p} columns without names; {table.source} has "
                f"{len(names)} beside those with a role"
            )
        numbers = table.columns(names, dict.fromkeys(names, "numbers"))
        return numbers.cast(pl.Float64).to_numpy()
    kinds = feature_kinds(model)
    for name in kinds:
        table.check(name, "the model needs")
    extra = [n for n in table.frame.columns if n not in kinds and n not in {*roles.names, *known}]
    if extra:
        shown = ", ".join(map(repr, extra[:5])) + (", ..." if len(extra) > 5 else "")
        screen.note(f"{table.source}: not used, since the model was trained without: {shown}")
    return table.columns(kinds, kinds)
