"""`wgboost demo`: run all commands on data of scikit-learn."""

from __future__ import annotations

import io
import json
import shlex
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer
from rich.text import Text
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import train_test_split

from wgboost.cli.screen import CommandError, Screen

__all__ = ["demo", "write_tables"]

_COMMANDS = (
    "fit patients.csv --target progression --ignore patient --out patients.wgb --seed 0"
    " --validation 0.2 --evidence 10 --learning-rate 0.05 --leaf newton --l2 1"
    " --split-on particle_mean",
    "info patients.wgb",
    "predict patients.wgb patients_test.csv --keep patient --out predictions.csv",
    "evaluate patients.wgb patients_test.csv --report patients.html",
    "fit tumours.parquet --target diagnosis --n-estimators 100 --out tumours.wgb --seed 0",
    "evaluate tumours.wgb tumours_test.parquet --report tumours.html",
    "plot tumours.wgb tumours_test.parquet --out pictures",
)


def demo(
    screen: Screen,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="folder", help="Folder for the files.")
    ] = "wgboost_demo",
) -> None:
    """Run all commands on data that ship with scikit-learn.

    The patients are a CSV file with text and missing values, and their target is a number. The
    tumours are a Parquet file with two classes. No network is needed. Example:

    wgboost demo --out try_it
    """
    folder = Path(out)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CommandError(f"--out {out} exists and is not an empty folder; name another one")
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    with chdir(folder):
        write_tables()
        for command in _COMMANDS:
            results.append(_run(command, screen))
    files = sorted(str(path) for path in folder.rglob("*") if path.is_file())
    screen.show({"results": results, "files": files}, Text(f"\nall files are in {out}"))


def _run(command: str, screen: Screen) -> Any:
    """Run a command in this process; return its result with --json, else None."""
    from wgboost.cli.app import app  # it imports this module

    arguments, lines = shlex.split(command), io.StringIO()
    if screen.json:
        arguments.append("--json")
    else:
        screen.show({}, Text(f"\n$ wgboost {command}", style="bold"))
    if screen.quiet:
        arguments.append("--quiet")
    try:
        with redirect_stdout(lines if screen.json else screen.stdout):
            app(arguments)
    except SystemExit as ended:
        if ended.code:
            raise CommandError(f"wgboost {command} failed", 1) from ended
    return {"command": command, **json.loads(lines.getvalue())} if screen.json else None


def write_tables() -> None:
    """Write the training and test tables of the demo into the current folder."""
    _write("patients", "csv", _patients())
    _write("tumours", "parquet", _tumours())


def _write(name: str, form: str, table: pl.DataFrame) -> None:
    """Write a table as two files, for training and testing."""
    parts = train_test_split(np.arange(table.height), random_state=0)
    for end, rows in zip(("", "_test"), parts, strict=True):
        part, path = table[np.sort(rows)], f"{name}{end}.{form}"
        part.write_csv(path) if form == "csv" else part.write_parquet(path)


def _patients() -> pl.DataFrame:
    """Return the diabetes data, with sex as text and some values missing."""
    known = load_diabetes(as_frame=False, scaled=False)
    rng = np.random.default_rng(0)
    columns = {name: known.data[:, j].round(4) for j, name in enumerate(known.feature_names)}
    table = pl.DataFrame(columns).with_columns(
        patient=pl.Series([f"P{i:03d}" for i in range(len(known.target))]),
        sex=pl.Series(np.where(columns["sex"] == 1, "f", "m")),
        bmi=pl.Series(np.where(rng.random(len(known.target)) < 0.1, np.nan, columns["bmi"])),
        progression=pl.Series(known.target),
    )
    return table.with_columns(pl.col("bmi").fill_nan(None), pl.col("age").cast(pl.Int64))


def _tumours() -> pl.DataFrame:
    """Return the breast cancer data, with classes as text."""
    known = load_breast_cancer()
    names = [str(name).replace(" ", "_") for name in known.feature_names]
    diagnosis = pl.Series("diagnosis", known.target_names[known.target].tolist())
    return pl.DataFrame(dict(zip(names, known.data.T, strict=True))).with_columns(diagnosis)
