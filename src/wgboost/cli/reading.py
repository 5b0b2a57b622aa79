"""Read CSV and Parquet files."""

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
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from wgboost.cli.flags import flag
from wgboost.cli.kinds import MISSING, NumberFormat
from wgboost.cli.screen import CommandError, Screen
from wgboost.cli.table import DELIMITERS, FileTable
from wgboost.machine import memory_limit

__all__ = ["ReadOptions", "read_bytes", "read_table"]

_PANEL = "Reading CSV"
_CHUNK = 2**20  # bytes
_SAMPLE = 50  # lines to detect the delimiter from
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}


@dataclass(frozen=True)
class ReadOptions:
    """Flags for reading a CSV file; what is None is detected.

    A model file keeps the decimal mark, the separator of thousands and the words for missing
    values, and new data are read in the same way.
    """

    delimiter: str | None = flag(
        "Separator of fields. [default: one of , ; tab | by the contents]", "char", panel=_PANEL
    )
    encoding: str | None = flag(
        "Encoding, such as cp1252. [default: utf-8, or by a byte order mark]", "name", panel=_PANEL
    )
    decimal: str | None = flag("Decimal mark. [default: .]", "char", panel=_PANEL)
    thousands: str | None = flag("Separator of thousands. [default: none]", "char", panel=_PANEL)
    missing: tuple[str, ...] = flag(
        "Another word for a missing value than NA, NaN, null and the like; repeat for more.",
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
                f"--thousands {self.thousands!r} is also the decimal mark; set --decimal"
            )

    @property
    def number_format(self) -> NumberFormat:
        """How numbers and missing values are written."""
        return NumberFormat(self.decimal, self.thousands, (*MISSING, *self.missing))

    def with_defaults(self, known: Any) -> ReadOptions:
        """Return these options, with those of a model file as defaults."""
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
        """Return the options to save in a model file."""
        known = {"decimal": self.decimal, "thousands": self.thousands, "missing": self.missing}
        return {name: value for name, value in known.items() if value}


def read_bytes(source: str) -> bytes:
    """Return the bytes of a file, or of standard input if the source is "-"."""
    if source == "-":
        return sys.stdin.buffer.read()
    try:
        with open(source, "rb") as file:
            return file.read()
    except OSError as error:
        suggestion = _similar_file(source) if isinstance(error, FileNotFoundError) else ""
        raise CommandError(f"cannot read {source!r}: {error.strerror}{suggestion}") from error


def _similar_file(source: str) -> str:
    """Return a suggestion of a file in the same folder with a similar name."""
    folder, name = os.path.split(source)
    if not os.path.isdir(folder or "."):
        return ""
    # Suffixes are often the same, so they would make all names similar.
    stems = {Path(one).stem: one for one in sorted(os.listdir(folder or "."))}
    close = difflib.get_close_matches(Path(name).stem, list(stems), n=1)
    return f"; did you mean {os.path.join(folder, stems[close[0]])!r}?" if close else ""


def read_table(source: str, reading: ReadOptions, screen: Screen) -> FileTable:
    """Return the table in a CSV or Parquet file; the contents tell which it is.

    It raises CommandError if the file is empty or of another kind.
    """
    data, name = read_bytes(source), "standard input" if source == "-" else repr(source)
    if data[:2] == b"\x1f\x8b":
        data = _unzip(data, name, reading.unpacked)
    if data[:4] == b"PAR1":
        table = _parquet(data, name)
    else:
        table = _csv(_text(data, name, reading.encoding), name, reading, screen)
    if len(table) == 0:
        raise CommandError(f"{name} has columns but no rows")
    return table


def _unzip(data: bytes, name: str, limit: float | None) -> bytes:
    """Return the contents of a gzip file; raise CommandError if they exceed `limit` MB."""
    largest = memory_limit() / 4 if limit is None else limit * 1e6
    pieces, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while piece := file.read(_CHUNK):
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


def _parquet(data: bytes, name: str) -> FileTable:
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise CommandError(f"{name} is a damaged Parquet file: {error}") from error
    return FileTable(name, frame)


def _text(data: bytes, name: str, encoding: str | None) -> str:
    """Return the text of a file; None is UTF-8, or the encoding of a byte order mark."""
    if data[:4] == b"PK\x03\x04":
        raise CommandError(f"{name} is a workbook or a zip file; save it as CSV or Parquet")
    marked = next((known for mark, known in _BOMS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding or marked)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise CommandError(
            f"{name} is not {error.encoding} text (byte 0x{data[error.start]:02x} in line {line}); "
            "give its encoding: --encoding cp1252, for example"
        ) from error
    if "\0" in text:
        raise CommandError(f"{name} is neither CSV nor Parquet; it has bytes that are not text")
    return text.removeprefix("\ufeff")


def _csv(text: str, name: str, reading: ReadOptions, screen: Screen) -> FileTable:
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
            f"{name}: the column names in the first line cannot be read: {error}"
        ) from error
    header = [one.strip() for one in first]
    if len(header) > 1:  # in a single column a blank line is a missing value
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
        return text  # an unmatched quotation mark, which the reader reports
    return buffer.getvalue()


def _named(
    frame: pl.DataFrame, header: Sequence[str], name: str, reading: ReadOptions, screen: Screen
) -> FileTable:
    unnamed = [i for i, one in enumerate(header) if not one]
    if unnamed and len(unnamed) < len(header):
        places = ", ".join(str(i + 1) for i in unnamed[:5])
        screen.note(f"{name}: column {places} has no name and is left out")
    duplicates = {one: count for one, count in Counter(header).items() if one and count > 1}
    kept = {str(i): one for i, one in enumerate(header) if one and one not in duplicates}
    if not kept and not duplicates:
        raise CommandError(f"{name} has no column names in its first line")
    frame = frame.select(list(kept)).rename(kept)
    return FileTable(name, frame, duplicates, reading.number_format)


def _delimiter(text: str) -> str:
    """Return the delimiter that splits the first lines most evenly."""
    lines = [line for line in text[: 2**16].splitlines()[: _SAMPLE + 1] if line.strip()]
    best, best_score = ",", (0.0, 0)
    for mark in DELIMITERS:
        widths = [len(row) for row in csv.reader(lines, delimiter=mark) if row]
        if widths[0] > 1:
            score = sum(width == widths[0] for width in widths) / len(widths), widths[0]
            best, best_score = max((best_score, best), (score, mark))[::-1]
    return best


def _diagnosis(text: str, delimiter: str, header: Sequence[str], name: str, error: object) -> str:
    """Return a message that names the line of a CSV file that cannot be read."""
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    start = 1
    try:
        for row in reader:
            if len(row) > len(header):
                return (
                    f"{name}: line {start} has {len(row)} fields, the header {len(header)}; quote "
                    "fields that contain the delimiter, or set --delimiter"
                )
            start = reader.line_num + 1
    except csv.Error as problem:
        return f"{name}: line {start}: {problem}; is a quotation mark missing?"
    return f"{name} cannot be read as CSV: {error}"
