"""The columns of a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import polars as pl

from wgboost.cli.kinds import NumberFormat, parse_column
from wgboost.cli.screen import CommandError, Problems
from wgboost.validation import nearest_name

__all__ = ["DELIMITERS", "FileTable"]

DELIMITERS = ",;\t|"


@dataclass(frozen=True, eq=False)
class FileTable:
    """The columns of a file.

    Attributes
    ----------
    source : str
        Name of the file in messages.
    frame : polars.DataFrame
        The columns; those of a CSV file are text.
    duplicates : dict of str to int
        Number of columns by name, for names of several columns, which are not in the frame.
    number_format : NumberFormat or None
        How numbers are written in a CSV file; None for other files.
    """

    source: str
    frame: pl.DataFrame
    duplicates: dict[str, int] = field(default_factory=dict)
    number_format: NumberFormat | None = None

    def __len__(self) -> int:
        return self.frame.height

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the columns; a frame would make a new list each time."""
        return frozenset(self.frame.columns)

    def check(self, name: str, flag: str) -> str:
        """Return the name of a column; raise CommandError unless there is exactly one."""
        if name in self.duplicates:
            raise CommandError(
                f"{flag} {name}: {self.source} has {self.duplicates[name]} columns of that name; "
                "rename one of them"
            )
        if name not in self.names:
            raise CommandError(f"{flag} {name}: {self.source} has {self._missing(name)}")
        return name

    def named(self, given: Sequence[str], flag: str, *, duplicates: bool = False) -> list[str]:
        """Return the columns that a flag names, separated by commas.

        A name of several columns raises CommandError, unless `duplicates` is true.
        """
        known = self.names | {*(self.duplicates if duplicates else ())}
        names: list[str] = []
        for text in given:
            parts = [text] if text in known else [part.strip() for part in text.split(",")]
            names += [part if part in known else self.check(part, flag) for part in parts]
        return list(dict.fromkeys(names))

    def _missing(self, name: str) -> str:
        names = self.frame.columns
        suggestion = nearest_name(name, names)
        if not suggestion and name.casefold() in (one.casefold() for one in names):
            suggestion = (
                f"; did you mean {next(n for n in names if n.casefold() == name.casefold())!r}?"
            )
        if len(names) == 1 and any(mark in names[0] for mark in DELIMITERS):
            suggestion = f", only {names[0]!r}; set the --delimiter of columns"
        elif not suggestion:
            shown = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
            suggestion = f"; it has {shown}"
        return f"no column {name!r}{suggestion}"

    def column(self, name: str, kind: str = "any", *, category: bool = False) -> pl.Series:
        """Return a column as a kind of `parse_column`, with null for NaN.

        A `category` may be text that is mostly numbers.
        """
        series = self.frame.get_column(name)
        if self.number_format is not None and series.dtype == pl.String:
            series = parse_column(series, kind, self.number_format, category=category)
        return series.fill_nan(None) if series.dtype.is_float() else series

    def columns(
        self, names: Iterable[str], kinds: Mapping[str, str], categorical: Collection[str] = ()
    ) -> pl.DataFrame:
        """Return some columns by their kinds; one error reports the problems of all columns.

        `categorical` columns may be text that is mostly numbers.
        """
        columns, problems = [], Problems()
        for name in names:
            with problems:
                kind = kinds.get(name, "any")
                columns.append(self.column(name, kind, category=name in categorical))
        problems.check()
        return pl.DataFrame(columns)

    def rows(self, mask: pl.Series) -> FileTable:
        """Return the rows of a mask."""
        return replace(self, frame=self.frame.filter(mask))
