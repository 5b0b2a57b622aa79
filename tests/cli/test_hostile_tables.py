"""Malicious tables: escape sequences, formulas, huge fields, gzip bombs."""

import csv
import gzip
import io

import numpy as np
import polars as pl
import pytest

from cli_files import FAST, call, error_of
from wgboost.cli.screen import one_line, printable, quoted

RNG = np.random.default_rng(0)
RED = "\x1b[31mred\x1b[0m\x9b2J\u202e"  # colours, C1 controls, right-to-left text


def write(path, columns):
    pl.DataFrame(columns).write_csv(path)
    return path


def no_control(text):
    return all(one.isprintable() or one == "\n" for one in text)


@pytest.fixture
def table(tmp_path):
    x = RNG.normal(size=40)
    return {RED: x, "b": RNG.normal(size=40), "y": x + RNG.normal(size=40)}, tmp_path


def test_escape_sequences_are_not_printed(table):
    columns, folder = table
    data, model = write(folder / "data.csv", columns), folder / "m.wgb"
    fit = ["fit", data, "--target", "y", "--out", model, *FAST]
    results = [call(*fit), call("info", model), call("evaluate", model, data),
            call("predict", model, data, "--out", folder / "p.csv", "--keep", RED)]  # fmt: skip
    assert "\\x1b[31mred" in results[1].stdout
    assert "\\x1b[31mred" in results[3].stdout
    other = write(folder / "other.csv", {"b": columns["b"], "y": columns["y"], "c" + RED: "x"})
    results.append(call("predict", model, other, code=2))
    results.append(call("predict", model, other, "--debug", code=2))
    assert "the model needs \\x1b[31mred" in results[-1].stderr
    text = write(folder / "text.csv", {**columns, RED: [f"large{RED}"] * 40})
    results.append(call("predict", model, text, code=2))
    results.append(call(*fit, "--categorical", RED + "?", code=2))
    classes = write(folder / "classes.csv", {"b": columns["b"], "y": [f"k{RED}", "l"] * 20})
    results.append(call("fit", classes, "--target", "y", "--out", model, *FAST))
    results.append(call("info", model))
    for one in results:
        assert no_control(one.stdout)
        assert no_control(one.stderr)


def test_printable_text_is_unchanged():
    for text in ("Århus, 東京 €", "a\nb", ""):
        assert printable(text) == text
    assert printable("\x1b]0;x\x07") == "\\x1b]0;x\\x07"
    assert one_line("a\n\tb\x1b") == "a b\\x1b"
    assert len(one_line("word " * 10_000)) < 9000
    assert quoted("x" * 10) == repr("x" * 10)
    assert quoted("x" * 1000) == "'" + "x" * 80 + "'... (1000 characters)"


FIELD = "9" * 3_000_000 + "x"


@pytest.mark.parametrize("where", ["cell", "target", "name", "event"])
def test_huge_fields_are_abbreviated_in_messages(tmp_path, where):
    rows = [[f"{i}", f"{i}.5", "1"] for i in range(20)]
    names = ["a", "y", "e"]
    if where == "name":
        names[0] = FIELD
    else:
        rows[7][["cell", "target", "event"].index(where)] = FIELD
    data = tmp_path / "data.csv"
    with open(data, "w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    more = ["--event", "e"] if where == "event" else ["--weight", "nothing"]
    error = error_of("fit", data, "--target", "y", "--out", tmp_path / "m.wgb", *FAST, *more)
    assert len(error) < 10_000


def test_formulas_are_escaped_on_request(tmp_path):
    odd = ["=cmd()", "+1+1", "-2+3", "@SUM(1)", "-5", "+7.5", "\t=1", "plain", "a=b", "1e-3"]
    x = RNG.normal(size=10)
    data = write(tmp_path / "data.csv", {"x": x, "=name": odd, "y": x})
    model = tmp_path / "m.wgb"
    call("fit", data, "--target", "y", "--ignore", "=name", "--out", model, *FAST)

    def kept(*more):
        done = call("predict", model, data, "--keep", "=name", "--quiet", *more)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    plain, safe = kept(), kept("--escape-formulas")
    before = [row["=name"] for row in plain]
    assert before == [one.strip() for one in odd]  # unchanged by default
    after = [row["'=name"] for row in safe]
    assert after == [f"'{one}" if one[0] in "=@" or one in ("+1+1", "-2+3") else one
                     for one in before]  # fmt: skip
    assert [row["mean"] for row in safe] == [row["mean"] for row in plain]


def test_gzip_bomb_raises(tmp_path):
    bomb = tmp_path / "bomb.csv.gz"
    lines = "x,y\n" + "0,1\n" * 1_000_000
    bomb.write_bytes(gzip.compress(lines.encode(), 9))
    assert bomb.stat().st_size < 20_000
    fit = ["fit", bomb, "--target", "y", "--out", tmp_path / "m.wgb", *FAST]
    error = error_of(*fit, "--unpacked", "1")
    assert error.endswith("MB and is more than 1 MB when unpacked; --unpacked MB allows more")
    assert "must be a size in MB" in error_of(*fit, "--unpacked", "0")
    good = gzip.compress(b"x,y\n1,2\n2,3\n3,4\n") + gzip.compress(b"4,5\n")  # two members
    bomb.write_bytes(good)
    call(*fit, "--unpacked", "0.001")
    bomb.write_bytes(good[:-12])
    assert "is a damaged gzip file" in error_of(*fit)
