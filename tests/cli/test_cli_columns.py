"""Many columns, and many problems with them: one message names them all."""

import os
import subprocess

import numpy as np
import polars as pl
import pytest

from cli_files import FAST, call, process, refusal

RNG = np.random.default_rng(0)


def fit(data, *more):
    return ["fit", data, "--target", "y", "--out", data.parent / "m.wgb", *FAST, *more]


def messy(n=40):
    """Six problems: two columns of one name, a word in numbers, commas, dates, a weight, a role."""
    lines = ["a,a,mass,height,when,w,y"]
    for i in range(n):
        mass = "?" if i == 3 else f"{i}"
        weight = "heavy" if i == 5 else "1"
        lines.append(f'{i},{-i},{mass},"{i},5",2024-01-{i % 28 + 1:02d},{weight},{i}.5')
    return "\n".join(lines)


def test_all_problems_of_a_table_are_named_at_once(tmp_path):
    data = tmp_path / "messy.csv"
    data.write_text(messy())
    told = refusal(*fit(data, "--weight", "w", "--categorical", "coulor", "--increasing", "mas"))
    for part in (
        "2 columns named 'a'",
        "column 'mass': 1 of 40 values are no numbers, such as '?'",
        "column 'height' has numbers with commas",
        "--categorical coulor: ",
        "column 'w': 1 of 40 values are no numbers, such as 'heavy'",
    ):
        assert part in told, part
    assert told.count("(1) ") == 1
    mended = ["--weight", "w", "--ignore", "a,when", "--missing", "?", "--missing", "heavy",
              "--decimal", ","]  # fmt: skip
    told = refusal(*fit(data, *mended))
    assert "problems" not in told  # what is left: a weight is missing, and y has points


def test_missing_columns_and_wrong_ones_are_named_together(tmp_path):
    table = pl.DataFrame({f"x{i}": RNG.normal(size=30) for i in range(4)} | {"y": np.arange(30.0)})
    table.write_csv(tmp_path / "data.csv")
    call(*fit(tmp_path / "data.csv"))
    other = table.drop("x1", "x3").with_columns(x0=pl.lit("large"))
    other.write_csv(tmp_path / "new.csv")
    told = refusal("predict", tmp_path / "m.wgb", tmp_path / "new.csv")
    assert told.startswith("3 problems: (1) the model needs x1: ")
    assert "(2) the model needs x3: " in told
    assert "(3) column 'x0': 30 of 30 values are no numbers" in told
    told = refusal(*fit(tmp_path / "data.csv", "--weight", "w", "--exposure", "e"))
    assert "--weight w: " in told
    assert "--exposure e: " in told


def test_the_names_of_columns_are_asked_for_a_fixed_number_of_times(tmp_path, monkeypatch):
    """A frame makes the list of its names anew each time: asked for by every column, the work
    would grow with the square of their number."""
    names, asked = pl.DataFrame.columns, []

    def counted(frame):
        asked.append(frame)
        return names.fget(frame)

    monkeypatch.setattr(pl.DataFrame, "columns", property(counted, names.fset))
    counts = []
    for p in (20, 80):
        data = tmp_path / f"{p}.csv"
        table = {f"x{i}": RNG.normal(size=12) for i in range(p)} | {"y": RNG.normal(size=12)}
        pl.DataFrame(table).write_csv(data)
        asked.clear()
        call(*fit(data, "--validation-data", tmp_path / f"{p}.csv"))
        call("predict", tmp_path / "m.wgb", data)
        counts.append(len(asked))
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
def test_no_output_takes_the_place_of_an_input(tables, name, flag):
    before = (tables / name).read_bytes()
    outs = {"--out": tables / "m.wgb", "--checkpoint": tables / "c.wgb", flag: tables / name}
    command = ["fit", tables / "train.csv", "--target", "y", "--validation-data",
               tables / "val.csv", "--force", *FAST]  # fmt: skip
    told = refusal(*command, *(part for pair in outs.items() for part in pair))
    assert told == f"{flag} {tables / name} is the file that is read; name another one"
    assert (tables / name).read_bytes() == before


def test_standard_input_is_a_file_that_is_read(tables):
    call("fit", tables / "train.csv", "--target", "y", "--out", tables / "m.wgb", *FAST)
    with open(tables / "train.csv", "rb") as file:
        child = process(
            "predict", tables / "m.wgb", "-", "--out", tables / "train.csv",
            stdin=file, stderr=subprocess.PIPE,
        )  # fmt: skip
        _, errors = child.communicate()
    assert child.returncode == 2
    assert b"train.csv is the file that is read" in errors
