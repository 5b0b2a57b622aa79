"""From the bytes of a CSV or Parquet file to a table of columns."""

from __future__ import annotations

import codecs
import csv
import difflib
import gzip
import io
import os
import re
import sys
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from wgboost.cli.flags import flag
from wgboost.cli.kinds import MISSING, NumberFormat, parse_column
from wgboost.cli.screen import CommandError, Problems, Screen
from wgboost.machine import memory_limit
from wgboost.validation import nearest_name

__all__ = ["ReadOptions", "Table", "read_bytes", "read_table"]

_DELIMITERS = ",;\t|"
_PANEL = "Reading CSV"
_PIECE = 2**20  # bytes
_SAMPLE = 50  # lines that tell the delimiter
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}


@dataclass(frozen=True)
class ReadOptions:
    """How to read a CSV file; None is found out.

    `missing` are words that stand for a missing value, beside the usual ones. Decimal mark,
    separator of thousands and these words are kept with a model: new data look like the old.
    """

    delimiter: str | None = flag(
        "What separates fields. [default: found out of , ; tab |]", "char", panel=_PANEL
    )
    encoding: str | None = flag(
        "Such as cp1252. [default: utf-8, or by a byte order mark]", "name", panel=_PANEL
    )
    decimal: str | None = flag("Decimal mark. [default: .]", "char", panel=_PANEL)
    thousands: str | None = flag(
        "What separates thousands. [default: nothing]", "char", panel=_PANEL
    )
    missing: tuple[str, ...] = flag(
        "A word for a missing value, beside NA, NaN, null and the like; repeat for more.",
        "word",
        panel=_PANEL,
        default=(),
    )
    unpacked: float | None = flag(
        "Largest size of a gzipped file when unpacked, in MB. [default: a quarter of the memory]",
        "MB",
        panel=_PANEL,
    )

    def __post_init__(self) -> None:
        if self.delimiter is not None:
            mark = _WORDS.get(self.delimiter, self.delimiter)
            if len(mark) != 1 or mark in '"\r\n':
                raise CommandError(f"--delimiter {self.delimiter!r} must be one character, or tab")
            object.__setattr__(self, "delimiter", mark)
        if self.unpacked is not None and not self.unpacked > 0:
            raise CommandError(f"--unpacked {self.unpacked} must be a size in MB, > 0")
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except LookupError as error:
                raise CommandError(
                    f"--encoding {self.encoding!r} is not known; try utf-8, cp1252 or utf-16"
                ) from error
        if self.decimal not in (None, ".", ","):
            raise CommandError(f"--decimal {self.decimal!r} must be '.' or ','")
        if self.thousands is not None and (
            len(self.thousands) != 1 or self.thousands.isalnum() or self.thousands in "+-"
        ):
            raise CommandError(f"--thousands {self.thousands!r} must be one character, such as ','")
        if self.thousands is not None and self.thousands == self.number_format.decimal:
            raise CommandError(
                f"--thousands {self.thousands!r} is the decimal mark, too; say --decimal"
            )

    @property
    def number_format(self) -> NumberFormat:
        """How numbers and missing values are written."""
        return NumberFormat(self.decimal, self.thousands, (*MISSING, *self.missing))

    def with_defaults(self, known: Any) -> ReadOptions:
        """Return this with what is not said here as a model has it."""
        if not isinstance(known, dict):
            return self
        own = {name: value for name, value in asdict(self).items() if value not in (None, ())}
        saved = {
            name: tuple(known[name]) if name == "missing" else known[name]
            for name in ("decimal", "thousands", "missing")
            if known.get(name)
        }
        return replace(self, **{**saved, **own})

    def metadata(self) -> dict[str, Any]:
        """What a model file holds of it."""
        known = {"decimal": self.decimal, "thousands": self.thousands, "missing": self.missing}
        return {name: value for name, value in known.items() if value}


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of a file.

    Attributes
    ----------
    source : str
        What messages call it.
    frame : polars.DataFrame
        The columns: those of a CSV file as text, others of their type.
    twice : dict of int by str
        How many columns have this name, where it is more than one; they are not in the frame.
    numerals : Numerals or None
        How numbers are written; None if columns have types already.
    """

    source: str
    frame: pl.DataFrame
    duplicates: dict[str, int] = field(default_factory=dict)
    number_format: NumberFormat | None = None

    def __len__(self) -> int:
        return self.frame.height

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the columns; those of a frame are a list, made anew each time."""
        return frozenset(self.frame.columns)

    def check(self, name: str, flag: str) -> str:
        """Return the name if there is one column of it; raise CommandError otherwise."""
        if name in self.duplicates:
            raise CommandError(
                f"{flag} {name}: {self.source} has {self.duplicates[name]} columns of that name; "
                "rename one of them"
            )
        if name not in self.names:
            raise CommandError(f"{flag} {name}: {self.source} has {self._missing(name)}")
        return name

    def named(self, given: Sequence[str], flag: str, *, duplicates: bool = False) -> list[str]:
        """Return the columns that a flag names, one or several with commas between.

        Names that several columns have are an error, unless `duplicates` allows them.
        """
        known = self.names | {*(self.duplicates if duplicates else ())}
        names: list[str] = []
        for text in given:
            parts = [text] if text in known else [part.strip() for part in text.split(",")]
            names += [part if part in known else self.check(part, flag) for part in parts]
        return list(dict.fromkeys(names))

    def _missing(self, name: str) -> str:
        names = self.frame.columns
        near = nearest_name(name, names)
        if not near and name.casefold() in (one.casefold() for one in names):
            near = f"; did you mean {next(n for n in names if n.casefold() == name.casefold())!r}?"
        if len(names) == 1 and any(mark in names[0] for mark in _DELIMITERS):
            near = f", only {names[0]!r}; --delimiter says what separates columns"
        elif not near:
            shown = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
            near = f"; it has {shown}"
        return f"no column {name!r}{near}"

    def column(self, name: str, kind: str = "any", *, category: bool = False) -> pl.Series:
        """Return a column as "numbers", as "text", or as "any" kind that its values say.

        A `category` may be text that is mostly numbers. NaN is null, a missing value.
        """
        series = self.frame.get_column(name)
        if self.number_format is not None and series.dtype == pl.String:
            series = parse_column(series, kind, self.number_format, category=category)
        return series.fill_nan(None) if series.dtype.is_float() else series

    def columns(
        self, names: Iterable[str], kinds: Mapping[str, str], categorical: Collection[str] = ()
    ) -> pl.DataFrame:
        """Return some columns, each as the kind that it is said to be; an error names all problems.

        Those that are `categorical` may be text that is mostly numbers.
        """
        columns, problems = [], Problems()
        for name in names:
            with problems:
                kind = kinds.get(name, "any")
                columns.append(self.column(name, kind, category=name in categorical))
        problems.check()
        return pl.DataFrame(columns)

    def rows(self, mask: pl.Series) -> Table:
        """Return some of the rows."""
        return replace(self, frame=self.frame.filter(mask))


def read_bytes(source: str) -> bytes:
    """Return what is in a file, or on standard input if the source is "-"."""
    if source == "-":
        return sys.stdin.buffer.read()
    try:
        with open(source, "rb") as file:
            return file.read()
    except OSError as error:
        near = _beside(source) if isinstance(error, FileNotFoundError) else ""
        raise CommandError(f"cannot read {source!r}: {error.strerror}{near}") from error


def _beside(source: str) -> str:
    """Return what file of the same folder may have been meant."""
    folder, name = os.path.split(source)
    if not os.path.isdir(folder or "."):
        return ""
    # Without their endings, which are often the same.
    there = {Path(one).stem: one for one in sorted(os.listdir(folder or "."))}
    close = difflib.get_close_matches(Path(name).stem, list(there), n=1)
    return f"; did you mean {os.path.join(folder, there[close[0]])!r}?" if close else ""


def read_table(source: str, reading: ReadOptions, screen: Screen) -> Table:
    """Return the table in a CSV or Parquet file, which are told apart by their contents.

    Raises CommandError if it is empty or something else.
    """
    data, name = read_bytes(source), "standard input" if source == "-" else repr(source)
    if data[:2] == b"\x1f\x8b":
        data = _unpacked(data, name, reading.unpacked)
    if data[:4] == b"PAR1":
        table = _parquet(data, name)
    else:
        table = _csv(_text(data, name, reading.encoding), name, reading, screen)
    if len(table) == 0:
        raise CommandError(f"{name} has columns and no rows")
    return table


def _unpacked(data: bytes, name: str, limit: float | None) -> bytes:
    """Return what a gzip file holds; raise CommandError for more than `limit` MB of it."""
    largest = memory_limit() / 4 if limit is None else limit * 1e6
    pieces, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while piece := file.read(_PIECE):
                size += len(piece)
                if size > largest:
                    raise CommandError(
                        f"{name} has {len(data) / 1e6:.3g} MB and is more than {largest / 1e6:.3g} "
                        "MB when unpacked; --unpacked MB allows more"
                    )
                pieces.append(piece)
    except (OSError, EOFError, zlib.error) as error:
        raise CommandError(f"{name} is a damaged gzip file: {error}") from error
    return b"".join(pieces)


def _parquet(data: bytes, name: str) -> Table:
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise CommandError(f"{name} is a damaged Parquet file: {error}") from error
    return Table(name, frame)


def _text(data: bytes, name: str, encoding: str | None) -> str:
    """Return the text of a file; its encoding by a mark at its beginning, else UTF-8."""
    if data[:4] == b"PK\x03\x04":
        raise CommandError(f"{name} is a workbook or a zip file; save it as CSV or Parquet")
    marked = next((known for mark, known in _BOMS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding or marked)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        remedy = "say which it is: --encoding cp1252, for example"
        raise CommandError(
            f"{name} is not {error.encoding} text (byte 0x{data[error.start]:02x} in line {line}); "
            f"{remedy}"
        ) from error
    if "\0" in text:
        raise CommandError(f"{name} is neither CSV nor Parquet; it has bytes that are no text")
    return text.removeprefix("\ufeff")


def _csv(text: str, name: str, reading: ReadOptions, screen: Screen) -> Table:
    if not text.strip():
        raise CommandError(f"{name} is empty")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    lines = text.strip("\r\n")
    delimiter = reading.delimiter or _delimiter(lines)
    try:
        first = next(csv.reader(io.StringIO(lines), delimiter=delimiter))
    except csv.Error as error:
        raise CommandError(
            f"{name}: the names in the first line cannot be read: {error}"
        ) from error
    header = [one.strip() for one in first]
    if len(header) > 1:  # of a single column a blank line is a missing value
        lines = _without_blank_lines(lines, delimiter)
    try:
        frame = pl.read_csv(
            lines.encode(), separator=delimiter, infer_schema=False, has_header=False,
            new_columns=[f"{i}" for i in range(len(header))],
        )[1:]  # fmt: skip
    except pl.exceptions.PolarsError as error:
        raise CommandError(_diagnosis(text, delimiter, header, name, error)) from error
    if frame.width != len(header):
        raise CommandError(_diagnosis(text, delimiter, header, name, "columns do not fit"))
    frame = frame.with_columns(pl.all().str.strip_chars())
    return _named(frame, header, name, reading, screen)


def _without_blank_lines(text: str, delimiter: str) -> str:
    """Return CSV text without blank lines; those inside quotation marks stay."""
    if not re.search(r"\n *\r?\n", text):
        return text
    if '"' not in text:
        return re.sub(r"\n(?: *\r?\n)+", "\n", text)
    buffer = io.StringIO()
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = (row for row in reader if row and (len(row) > 1 or row[0].strip()))
    try:
        csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(rows)
    except csv.Error:
        return text  # a quotation mark too many: to be found out, and said, by who reads it
    return buffer.getvalue()


def _named(
    frame: pl.DataFrame, header: Sequence[str], name: str, reading: ReadOptions, screen: Screen
) -> Table:
    unnamed = [i for i, one in enumerate(header) if not one]
    if unnamed and len(unnamed) < len(header):
        places = ", ".join(str(i + 1) for i in unnamed[:5])
        screen.note(f"{name}: column {places} has no name and is left out")
    duplicates = {one: count for one, count in Counter(header).items() if one and count > 1}
    kept = {str(i): one for i, one in enumerate(header) if one and one not in duplicates}
    if not kept and not duplicates:
        raise CommandError(f"{name} has no names of columns in its first line")
    frame = frame.select(list(kept)).rename(kept)
    return Table(name, frame, duplicates, reading.number_format)


def _delimiter(text: str) -> str:
    """Return what separates the fields of the first lines most regularly."""
    lines = [line for line in text[: 2**16].splitlines()[: _SAMPLE + 1] if line.strip()]
    best, best_score = ",", (0.0, 0)
    for mark in _DELIMITERS:
        widths = [len(row) for row in csv.reader(lines, delimiter=mark) if row]
        if widths[0] > 1:
            score = sum(width == widths[0] for width in widths) / len(widths), widths[0]
            best, best_score = max((best_score, best), (score, mark))[::-1]
    return best


def _diagnosis(text: str, delimiter: str, header: Sequence[str], name: str, error: object) -> str:
    """Say which line of a CSV file cannot be read."""
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    begun = 1
    try:
        for row in reader:
            if len(row) > len(header):
                return (
                    f"{name}: line {begun} has {len(row)} fields, the header {len(header)}; quote "
                    "fields that contain the delimiter, or say --delimiter"
                )
            begun = reader.line_num + 1
    except csv.Error as problem:
        return f"{name}: line {begun}: {problem}; is a quotation mark missing?"
    return f"{name} cannot be read as CSV: {error}"
