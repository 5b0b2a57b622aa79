"""Write results, as a whole or not at all, and not over files of another kind."""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from wgboost.atomic import replacing
from wgboost.cli.reading import read_bytes
from wgboost.cli.screen import CommandError, Screen
from wgboost.loading import load

__all__ = ["check_output", "load_model", "save_model", "table_format", "write_table"]

_FORMATS = {".csv": "csv", ".tsv": "tsv", ".txt": "csv", ".parquet": "parquet", ".pq": "parquet"}
_KINDS = {
    "model": "a model file",
    "parquet": "a Parquet file",
    "page": "an HTML page",
    "image": "an image",
    "text": "a text file",
    "other": "a file of another kind",
}
_HEAD = 64  # bytes that identify a file
_FORMULA = r"^\s*[=+\-@\t\r]"  # the beginning of a cell that a spreadsheet runs


def table_format(path: str) -> str:
    """Return the format of a table by the suffix of its name."""
    if path == "-":
        return "csv"
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise CommandError(
            f"--out {path}: the name must end with {', '.join(_FORMATS)}, or be - for CSV on stdout"
        )
    return _FORMATS[suffix]


def _kind(head: bytes) -> str:
    """Return the kind of a file by its first bytes."""
    if head[8:].startswith(b'{"__metadata__":{"sha256":"'):
        return "model"
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"\x89PNG", b"%PDF", b"<?xml", b"<svg")):
        return "image"
    if head.lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return "page"
    try:
        text = head.decode("utf-8", errors="strict" if len(head) < _HEAD else "ignore")
    except UnicodeDecodeError:
        return "other"
    return "other" if "\0" in text else "text"


def check_output(
    path: str, kind: str, *, force: bool = False, inputs: Iterable[str] = (), flag: str = "--out"
) -> None:
    """Raise CommandError if a file cannot be written or must not be overwritten.

    An empty file and a file of the same kind may be overwritten, other files only with `force`, and
    input files never.
    """
    if path == "-":
        return
    target = Path(path)
    if target.is_dir():
        raise CommandError(f"{flag} {path} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise CommandError(f"{flag} {path}: no folder {str(target.parent)!r}")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise CommandError(f"{flag} {path}: {str(target.parent)!r} is not writable")
    if not target.exists():
        return
    if not target.is_file():
        raise CommandError(f"{flag} {path} is a device, a pipe or a socket; name a regular file")
    for source in inputs:
        if _same_file(source, target):
            raise CommandError(f"{flag} {path} is an input file; name another one")
    if force:
        return
    with open(target, "rb") as file:
        head = file.read(_HEAD)
    if head and _kind(head) != kind:
        raise CommandError(
            f"{flag} {path} is {_KINDS[_kind(head)]}, not {_KINDS[kind]}; --force overwrites it"
        )


def _same_file(source: str, target: Path) -> bool:
    """Return whether an input, a path or standard input, is the same file as the target."""
    try:
        known = os.fstat(sys.stdin.fileno()) if source == "-" else os.stat(source)
    except (OSError, ValueError):  # it does not exist, or standard input is not a file
        return False
    return os.path.samestat(known, target.stat())


def write_table(
    frame: pl.DataFrame, path: str, screen: Screen, *, escape_formulas: bool = False
) -> None:
    """Write a table in the format of its suffix.

    `escape_formulas` puts an apostrophe before text and column names in CSV that a spreadsheet
    would run as formulas.
    """
    kind, buffer = table_format(path), io.BytesIO()
    if kind == "parquet":
        frame.write_parquet(buffer)
    else:
        frame = _without_formulas(frame) if escape_formulas else frame
        frame.write_csv(buffer, separator="\t" if kind == "tsv" else ",")
    if path == "-":
        screen.write(buffer.getvalue())
        return
    with replacing(path, "the table") as file:
        file.write(buffer.getvalue())


def _without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose text and names do not start like formulas."""
    text = [name for name, kind in frame.schema.items() if kind == pl.String]
    safe = frame.with_columns(
        pl.when(
            pl.col(name).str.contains(_FORMULA)
            & pl.col(name).cast(pl.Float64, strict=False).is_null()
        )
        .then("'" + pl.col(name))
        .otherwise(pl.col(name))
        .alias(name)
        for name in text
    )
    return safe.rename({one: f"'{one}" for one in safe.columns if re.match(_FORMULA, one)})


def save_model(model: Any, path: str, metadata: dict[str, Any], screen: Screen) -> None:
    """Write a model to a file, or to stdout if the path is "-"."""
    if path != "-":
        try:
            model.save(path, metadata=metadata)
        except OSError as error:
            raise CommandError(
                f"{error}; {_save_in_temporary_folder(model, metadata)}", 1
            ) from error
        return
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model", metadata=metadata)
        data = (Path(folder) / "model").read_bytes()
    screen.write(data)


def _save_in_temporary_folder(model: Any, metadata: dict[str, Any]) -> str:
    """Save a model in a temporary folder, and return a message about it."""
    path = Path(tempfile.mkdtemp(prefix="wgboost-")) / "model.wgb"
    try:
        model.save(path, metadata=metadata)
    except OSError as error:
        path.parent.rmdir()
        return f"nor in {str(path.parent.parent)!r} ({error.strerror})"
    return f"it is in {str(path)!r} instead"


def load_model(path: str, threads: int | None = None) -> Any:
    """Return the model in a file or on standard input, with a number of threads."""
    if path == "-":
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "standard input"
            copy.write_bytes(read_bytes(path))
            model = load(copy)
    else:
        try:
            model = load(path)
        except OSError as error:
            read_bytes(path)  # its error is clearer
            raise CommandError(f"cannot read {path!r}: {error.strerror}") from error
    return model.set_params(n_jobs=threads)
