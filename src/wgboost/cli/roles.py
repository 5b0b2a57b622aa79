"""Columns with a role: target, bounds, weight and exposure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from wgboost.cli.flags import flag
from wgboost.cli.screen import CommandError, Problems, Screen, quoted
from wgboost.cli.table import FileTable
from wgboost.responses import censored
from wgboost.typing import Array

__all__ = ["ColumnRoles", "Data", "read_row_parameters", "split_target"]

_PANEL = "Columns"


@dataclass(frozen=True)
class ColumnRoles:
    """Columns that are not features, by their role; they are saved with the model."""

    target: tuple[str, ...] = flag(
        "Column to predict; repeat for several columns together.",
        "column",
        panel=_PANEL,
        default=(),
    )
    lower: str | None = flag(
        "Lower bound of a y that is known only between bounds; empty is none.",
        "column",
        panel=_PANEL,
    )
    upper: str | None = flag("Upper bound, likewise.", "column", panel=_PANEL)
    event: str | None = flag(
        "Whether the target was observed (1, true) or censored (0, false).",
        "column",
        panel=_PANEL,
    )
    entry: str | None = flag(
        "Truncation: rows are in the data only if the target was above this.",
        "column",
        panel=_PANEL,
    )
    weight: str | None = flag("Weight of each row.", "column", panel=_PANEL)
    exposure: str | None = flag("Factor of the mean, such as time at risk.", "column", panel=_PANEL)

    @property
    def bounds(self) -> bool:
        """Whether y is known only between bounds."""
        return self.lower is not None or self.upper is not None or self.event is not None

    @property
    def y_names(self) -> list[str]:
        """The columns of y."""
        named = (self.lower, self.upper, self.event, self.entry)
        return [*self.target, *(name for name in named if name is not None)]

    @property
    def names(self) -> list[str]:
        """All columns with a role."""
        return [*self.y_names, *(n for n in (self.weight, self.exposure) if n is not None)]

    @property
    def display_name(self) -> str | list[str] | None:
        """The name of y, or a list of names if it has several columns."""
        if self.target:
            return list(self.target) if len(self.target) > 1 else self.target[0]
        return " to ".join(name for name in (self.lower, self.upper) if name) or None

    def flags(self) -> dict[str, str]:
        """Return the flag of each column with a role."""
        known = dict.fromkeys(self.target, "--target")
        for role, name in asdict(self).items():
            if isinstance(name, str):
                known.setdefault(name, f"--{role}")
        return known

    def check(self) -> None:
        """Raise CommandError unless the columns make one y."""
        if self.lower is not None or self.upper is not None:
            if self.target or self.event is not None:
                raise CommandError("give --lower and --upper, or --target and --event, not both")
        elif not self.target:
            raise CommandError("give what to predict: --target COLUMN, or --lower and --upper")
        if (self.event is not None or self.entry is not None) and len(self.target) > 1:
            raise CommandError("--event and --entry are for a single --target")
        names = self.names
        again = sorted({name for name in names if names.count(name) > 1})
        if again:
            raise CommandError(f"the column {again[0]!r} cannot have two roles")

    def metadata(self) -> dict[str, Any]:
        """Return the roles as a dict for the model file."""
        return {name: value for name, value in asdict(self).items() if value}

    def with_defaults(self, known: Any) -> ColumnRoles:
        """Return these roles, with those of a model file as defaults."""
        own = self.metadata()
        if not isinstance(known, dict):
            return self
        if self.y_names:  # another y: do not mix it with that of the model
            known = {name: known[name] for name in ("weight", "exposure") if name in known}
        both = {**{name: known[name] for name in known if name in asdict(self)}, **own}
        return ColumnRoles(**{**both, "target": tuple(both.get("target", ()))})


@dataclass(frozen=True, eq=False)
class Data:
    """Rows as an estimator takes them."""

    X: Any  # (n, p): a frame, or an array for a model without names
    y: Any = None  # a series, an array of several columns, or what `censored` returns
    weight: Array | None = None
    exposure: Array | None = None
    name: str | list[str] | None = None  # name of y

    def block(self, rows: slice) -> Data:
        """Return some of the rows, without y."""
        exposure = None if self.exposure is None else self.exposure[rows]
        return Data(self.X[rows], exposure=exposure)

    def fit_params(self, suffix: str = "") -> dict[str, Any]:
        """Return y, weight and exposure as arguments of `fit`."""
        known = {"y": self.y, "sample_weight": self.weight, "exposure": self.exposure}
        return {f"{name}{suffix}": value for name, value in known.items() if value is not None}


def split_target(
    table: FileTable, roles: ColumnRoles, screen: Screen, kind: str = "target"
) -> tuple[FileTable, Any]:
    """Return the rows with a known y, and y; other rows are left out with a note.

    `kind` is the kind of the target for `parse_column`.
    """
    problems = Problems()
    for name, its_flag in roles.flags().items():
        with problems:
            table.check(name, its_flag)
    problems.check()
    needed = [*roles.target, *([roles.event] if roles.event else [])]
    unknown = pl.Series([False] * len(table))
    for name in needed:
        with problems:
            unknown |= table.column(name, kind if name in roles.target else "any").is_null()
    problems.check()
    if roles.lower and roles.upper:
        unknown |= (
            table.column(roles.lower, "numbers").is_null()
            & table.column(roles.upper, "numbers").is_null()
        )
    if unknown.any():
        what = " or ".join(map(repr, needed or roles.y_names))
        if unknown.all():
            raise CommandError(f"{table.source} has no row with a value of {what}")
        screen.note(
            f"{table.source}: {unknown.sum()} of {len(table)} rows without {what} are left out"
        )
        table = table.rows(~unknown)
    return table, _y(table, roles, kind)


def _y(table: FileTable, roles: ColumnRoles, kind: str) -> Any:
    above: Any = -np.inf
    if roles.entry is not None:
        above = _numbers(table, roles.entry, "--entry", -np.inf)
    if roles.lower is not None or roles.upper is not None:
        lower, upper = (
            fill if name is None else _numbers(table, name, flag, fill)
            for name, flag, fill in (
                (roles.lower, "--lower", -np.inf),
                (roles.upper, "--upper", np.inf),
            )
        )
        return censored(lower, upper, above=above)
    if len(roles.target) > 1:
        return np.column_stack([_numbers(table, name, "--target") for name in roles.target])
    (name,) = roles.target
    if roles.event is None and roles.entry is None:
        return table.column(name, kind)
    time = _numbers(table, name, "--target")
    if roles.event is None:
        return censored(time, time, above=above)
    return censored(time, np.where(_truth(table, roles.event), time, np.inf), above=above)


def _numbers(table: FileTable, name: str, flag: str, fill: float | None = None) -> Array:
    series = table.column(name, "numbers")
    if not (series.dtype.is_numeric() or series.dtype == pl.Boolean):
        raise CommandError(f"{flag} {name}: the column has type {series.dtype}, not numbers")
    series = series.cast(pl.Float64)
    return (series if fill is None else series.fill_null(fill)).to_numpy()


def _truth(table: FileTable, name: str) -> Array:
    """Return a column of events as booleans."""
    series = table.column(name)
    values = {str(value).casefold() for value in series.unique().to_list()}
    yes = ("true", "1", "1.0", "yes", "y")
    if not values <= {*yes, "false", "0", "0.0", "no", "n"}:
        odd = min(values - {*yes, "false", "0", "0.0", "no", "n"})
        raise CommandError(
            f"--event {name}: {quoted(odd)} is neither true nor false; write 1 or true if y was "
            "observed, 0 or false if it is censored"
        )
    return np.array([str(value).casefold() in yes for value in series.to_list()])


def read_row_parameters(table: FileTable, roles: ColumnRoles) -> dict[str, Any]:
    """Return the weight and exposure of the rows, if there are such columns."""
    found, problems = {}, Problems()
    for role, name in (("weight", roles.weight), ("exposure", roles.exposure)):
        if name is not None and name in table.names:  # `split_target` reports missing columns
            with problems:
                found[role] = _numbers(table, name, f"--{role}")
    problems.check()
    return found
