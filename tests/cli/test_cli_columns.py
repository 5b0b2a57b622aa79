"""One message reports all problems with the columns of a table."""

import os
import subprocess

import numpy as np
import polars as pl
import pytest

from cli_files import FAST, call, error_of, process

RNG = np.random.default_rng(0)


def fit(data, *more):
    return ["fit", data, "--target", "y", "--out", data.parent / "m.wgb", *FAST, *more]


def messy(n=40):
    """Return a table with duplicate names, words among numbers, commas, dates and a bad weight."""
    lines = ["a,a,mass,height,when,w,y"]
    for i in range(n):
        mass = "?" if i == 3 else f"{i}"
        weight = "heavy" if i == 5 else "1"
        lines.append(f'{i},{-i},{mass},"{i},5",2024-01-{i % 28 + 1:02d},{weight},{i}.5')
    return "\n".join(lines)


def test_all_problems_of_a_table_are_reported_at_once(tmp_path):
    data = tmp_path / "messy.csv"
    data.write_text(messy())
    error = error_of(*fit(data, "--weight", "w", "--categorical", "coulor", "--increasing", "mas"))
    for part in (
        "2 columns named 'a'",
        "column 'mass': 1 of 40 values are not numbers, such as '?'",
        "column 'height' has numbers with commas",
        "--categorical coulor: ",
        "column 'w': 1 of 40 values are not numbers, such as 'heavy'",
    ):
        assert part in error, part
    assert error.count("(1) ") == 1
    flags = ["--weight", "w", "--ignore", "a,when", "--missing", "?", "--missing", "heavy",
              "--decimal", ","]  # fmt: skip
    error = error_of(*fit(data, *flags))
    assert "problems" not in error  # one is left: a weight is missing


def test_missing_and_wrong_columns_are_reported_together(tmp_path):
    table = pl.DataFrame({f"x{i}": RNG.normal(size=30) for i in range(4)} | {"y": np.arange(30.0)})
    table.write_csv(tmp_path / "data.csv")
    call(*fit(tmp_path / "data.csv"))
    other = table.drop("x1", "x3").with_columns(x0=pl.lit("large"))
    other.write_csv(tmp_path / "new.csv")
    error = error_of("predict", tmp_path / "m.wgb", tmp_path / "new.csv")
    assert error.startswith("3 problems: (1) the model needs x1: ")
    assert "(2) the model needs x3: " in error
    assert "(3) column 'x0': 30 of 30 values are not numbers" in error
    error = error_of(*fit(tmp_path / "data.csv", "--weight", "w", "--exposure", "e"))
    assert "--weight w: " in error
    assert "--exposure e: " in error


def test_number_of_lookups_of_column_names_does_not_depend_on_their_number(tmp_path, monkeypatch):
    """A frame makes a new list of names at each lookup; a lookup per column would be quadratic."""
    names, lookups = pl.DataFrame.columns, []

    def counted(frame):
        lookups.append(frame)
        return names.fget(frame)

    monkeypatch.setattr(pl.DataFrame, "columns", property(counted, names.fset))
    counts = []
    for p in (20, 80):
        data = tmp_path / f"{p}.csv"
        table = {f"x{i}": RNG.normal(size=12) for i in range(p)} | {"y": RNG.normal(size=12)}
        pl.DataFrame(table).write_csv(data)
        lookups.clear()
        call(*fit(data, "--validation-data", tmp_path / f"{p}.csv"))
        call("predict", tmp_path / "m.wgb", data)
        counts.append(len(lookups))
    assert counts[0] == counts[1]


@pytest.fixture
def tables(tmp_path):
    for name in ("train.csv", "val.csv"):
        x = RNG.normal(size=40)
        pl.DataFrame({"x": x, "y": x + 1}).write_csv(tmp_path / name)
    (tmp_path / "link.csv").symlink_to(tmp_path / "val.csv")
    os.link(tmp_path / "val.csv", tmp_path / "hard.csv")
    return tmp_path


@pytest.mark.parametrize("name", ["val.csv", "link.csv", "hard.csv", "train.csv"])
@pytest.mark.parametrize("flag", ["--checkpoint", "--out"])
def test_outputs_never_overwrite_inputs(tables, name, flag):
    before = (tables / name).read_bytes()
    outs = {"--out": tables / "m.wgb", "--checkpoint": tables / "c.wgb", flag: tables / name}
    command = ["fit", tables / "train.csv", "--target", "y", "--validation-data",
               tables / "val.csv", "--force", *FAST]  # fmt: skip
    error = error_of(*command, *(part for pair in outs.items() for part in pair))
    assert error == f"{flag} {tables / name} is an input file; name another one"
    assert (tables / name).read_bytes() == before


def test_redirected_standard_input_is_never_overwritten(tables):
    call("fit", tables / "train.csv", "--target", "y", "--out", tables / "m.wgb", *FAST)
    with open(tables / "train.csv", "rb") as file:
        child = process(
            "predict", tables / "m.wgb", "-", "--out", tables / "train.csv",
            stdin=file, stderr=subprocess.PIPE,
        )  # fmt: skip
        _, errors = child.communicate()
    assert child.returncode == 2
    assert b"train.csv is an input file" in errors
