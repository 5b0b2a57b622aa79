"""Tables for the tests of the command line, and helpers to run it."""

import json
import os
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import polars as pl
from typer.testing import CliRunner

from wgboost.cli.app import app

mpl.use("Agg")
FAST = ["--n-estimators", "12", "--n-particles", "5", "--seed", "3", "--threads", "1"]
SETTINGS = {"n_estimators": 12, "n_particles": 5, "random_state": 3}


def houses(n=160, seed=0):
    """Return a table of text, numbers, booleans and counts, all with missing values, and a y."""
    rng = np.random.default_rng(seed)
    city = rng.choice(["Århus", "Bonn", "New York, NY", 'the "old" town'], n)
    area, rooms = rng.uniform(30, 150, n), rng.integers(1, 7, n)
    balcony = rng.random(n) < 0.4
    price = 3 * area + 40 * (city == "Bonn") + 25 * balcony + rng.normal(0, 15, n)
    kind = np.where(price > 330, "dear", np.where(price > 220, "fair", "cheap"))
    frame = pl.DataFrame(
        {
            "id": [f"H{i:04d}" for i in range(n)],
            "city": city,
            "area": area,
            "rooms": rooms,
            "balcony": balcony,
            "price": price,
            "kind": kind,
        }
    )
    missing = {name: rng.random(n) < 0.08 for name in ("city", "area", "rooms", "balcony", "price")}
    return frame.with_columns(
        pl.when(~pl.Series(mask)).then(pl.col(name)).alias(name) for name, mask in missing.items()
    )


def write_messy(frame, path, *, delimiter=",", encoding="utf-8-sig", decimal=".", words=("", "NA")):
    """Write a CSV file with blank lines, spaces, and several words for missing values."""

    def cell(value, i):
        if value is None:
            return words[i % len(words)]
        if isinstance(value, bool):
            return ("TRUE", "true", "False")[0 if i % 2 else 1] if value else "False"
        if isinstance(value, float):
            return f" {value!r}".replace(".", decimal)
        text = str(value)
        quoted = any(mark in text for mark in (delimiter, '"'))
        return '"' + text.replace('"', '""') + '"' if quoted else text

    lines = ["", delimiter.join(f" {name} " for name in frame.columns)]
    for i, row in enumerate(frame.iter_rows()):
        lines.append(delimiter.join(cell(value, i + j) for j, value in enumerate(row)))
        if i % 40 == 9:
            lines.append("")
    path.write_bytes("\r\n".join(lines).encode(encoding))
    return path


def call(*arguments, code=0, stdin=None):
    """Run a command in this process; the result has stdout and stderr."""
    done = CliRunner().invoke(app, [str(one) for one in arguments], input=stdin)
    assert done.exit_code == code, done.stderr + done.stdout
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def facts(*arguments, **settings):
    """Return the JSON result of a command."""
    return json.loads(call(*arguments, "--json", **settings).stdout)


def error_of(*arguments, code=2):
    """Return the error message of a command that fails, without notes."""
    done = call(*arguments, code=code)
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if not line.startswith("wgboost: note: ")]
    assert len(lines) == 1
    assert lines[0].startswith("wgboost: error: ")
    return lines[0].removeprefix("wgboost: error: ")


def process(*arguments, interruptible=False, **settings):
    """Start the command in another process.

    Tests may run in the background, where Ctrl-C is ignored; `interruptible` restores it.
    """
    module = ["-m", "wgboost"]
    if interruptible:
        listening = "signal.signal(signal.SIGINT, signal.default_int_handler)"
        running = "runpy.run_module('wgboost', run_name='__main__', alter_sys=True)"
        module = ["-c", f"import runpy, signal; {listening}; {running}"]
    return subprocess.Popen(
        [sys.executable, *module, *map(str, arguments)],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        **settings,
    )
