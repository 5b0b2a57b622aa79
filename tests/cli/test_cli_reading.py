"""CSV files with various encodings, delimiters, blank lines and missing values."""

import csv
import gzip
import io
import re
import tempfile

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli_files import FAST, call, error_of, facts, houses, write_messy
from wgboost.cli.kinds import NumberFormat, parse_column
from wgboost.cli.reading import ReadOptions, read_table
from wgboost.cli.screen import CommandError, Screen

TABLE = houses(120)


def typed(path, **reading):
    table = read_table(str(path), ReadOptions(**reading), Screen(quiet=True))
    return table.columns(table.frame.columns, {"id": "text"})


def assert_same(found, expected=TABLE):
    assert found.columns == expected.columns
    for name in expected.columns:
        assert found[name].to_list() == expected[name].to_list(), name
        assert found[name].dtype == expected[name].dtype, name


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_and_encoding_are_detected(tmp_path, delimiter, encoding):
    path = write_messy(TABLE, tmp_path / "t.csv", delimiter=delimiter, encoding=encoding)
    assert_same(typed(path))


def test_errors_name_the_flag_for_what_is_not_detected(tmp_path):
    path = write_messy(TABLE, tmp_path / "t.csv", delimiter=";", encoding="cp1252", decimal=",")
    with pytest.raises(CommandError, match=r"not utf-8 text \(byte 0xc5 in line \d+\).*--encoding"):
        typed(path)
    with pytest.raises(CommandError, match=r"'area' has numbers with commas.*--decimal ,"):
        typed(path, encoding="cp1252")
    assert_same(typed(path, encoding="cp1252", decimal=","))
    write_messy(TABLE, path, delimiter="^")
    with pytest.raises(CommandError, match=r"line \d+ has 2 fields, the header 1;.*--delimiter"):
        typed(path)  # New York has a comma
    assert_same(typed(path, delimiter="^"))


WORDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
TEXTS = st.lists(WORDS.map(lambda word: f"{word} x"), min_size=1, max_size=8)
FLOATS = st.floats(allow_nan=False)


@given(TEXTS, st.data(), st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=60, deadline=None)
def test_csv_round_trip(texts, data, delimiter, end):
    numbers = data.draw(st.lists(FLOATS, min_size=len(texts), max_size=len(texts)))
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=end)
    writer.writerows([["word", "number"], *zip(texts, map(repr, numbers), strict=True)])
    with tempfile.NamedTemporaryFile() as file:
        file.write(buffer.getvalue().encode())
        file.flush()
        found = typed(file.name)
    assert found["word"].to_list() == texts
    assert found["number"].to_list() == numbers


def test_carriage_returns_and_gzip(tmp_path):
    path = write_messy(TABLE, tmp_path / "t.csv")
    plain = path.read_bytes()
    path.write_bytes(plain.replace(b"\r\n", b"\r"))
    assert_same(typed(path))
    path.write_bytes(gzip.compress(plain))
    assert_same(typed(path))
    path.write_bytes(gzip.compress(plain)[:-20])
    with pytest.raises(CommandError, match="damaged gzip file"):
        typed(path)


def test_words_for_missing_values_and_thousands(tmp_path):
    (tmp_path / "t.csv").write_text('a;b;c\n"1,234,567";?;x\n"2,000";4.5;\n12;unknown;NULL\n')
    found = typed(tmp_path / "t.csv", thousands=",", missing=("?", "unknown"))
    assert found["a"].to_list() == [1234567, 2000, 12]
    assert found["b"].to_list() == [None, 4.5, None]
    assert found["c"].to_list() == ["x", None, None]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "+3"], pl.Int64),
        (["1", "2.5", "1e3", "inf"], pl.Float64),
        (["true", "FALSE", "NA"], pl.Boolean),
        (["yes", "no", ""], pl.String),
        (["1", "2", "3A", "4B"], pl.String),
        (["99999999999999999999", "1"], pl.Float64),
        (["", "NA"], pl.String),
        (["1.2.3", "1.2.4"], pl.String),
    ],
)
def test_type_of_a_column_follows_its_values(tmp_path, values, kind):
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{value},1\n" for value in values))
    assert typed(tmp_path / "t.csv")["x"].dtype == kind


@pytest.mark.parametrize("word", ["a", '"a"', '"a\n\nb"'])
def test_rows_of_missing_values_are_not_blank_lines(tmp_path, word):
    (tmp_path / "t.csv").write_text(f"\nx,y\n1,{word}\n\nNA,NA\n  \n,\n3,{word}\n\n\n")
    found = typed(tmp_path / "t.csv")
    assert found["x"].to_list() == [1, None, None, 3]
    assert found["y"][0] == found["y"][3] == word.strip('"')
    (tmp_path / "t.csv").write_text("x\n1\n\n3\n\n")
    assert typed(tmp_path / "t.csv")["x"].to_list() == [1, None, 3]


BAD = {
    "nothing": (b"", "is empty"),
    "blank": (b"\n\n  \n", "is empty"),
    "header": (b"a,y\n", "has columns but no rows"),
    "long line": (b"a,y\n1,2\n3,4,5\n", r"line 3 has 3 fields, the header 2"),
    "open quote": (b'a,y\n1,2\n"3,4\n5,6\n', r"line 3: .*quotation mark"),
    "open quote and blank": (b'a,y\n1,2\n\n"3,4\n5,6\n', r"line 4: .*quotation mark"),
    "zip": (b"PK\x03\x04....", "workbook or a zip file; save it as CSV"),
    "bytes": (b"a,y\n\0\x01,2\n", "neither CSV nor Parquet"),
    "parquet": (b"PAR1 and nothing more", "damaged Parquet"),
    "no names": (b",,\n1,2,3\n", "no column names"),
    "twice": (b"a,a,y\n1,2,3\n", r"2 columns named 'a'; rename one of them, or --ignore a"),
    "target twice": (b"a,y,y\n1,2,3\n", r"--target y: .* has 2 columns of that name"),
    "unclear dates": (b"a,y\n04/03/2021,1\n05/03/2021,2\n", r"'a' has dates with an ambiguous ord"),
    "wrong dates": (b"a,y\n2021-13-04,1\n2021-03-05,2\n", r"'a' has values that are not dates"),
    "typo": (
        b"a,y\n" + b"1,2\n" * 30 + b"oops,2\n",
        r"1 of 31 values are not numbers, such as 'oop",
    ),
    "no target": (b"a,y\n1,NA\n2,\n", r"no row with a value of 'y'"),
    "no feature": (b"y\n1\n2\n", r"has no column left as a feature"),
}


@pytest.mark.parametrize("case", BAD)
def test_unusable_files_raise(tmp_path, case):
    data, message = BAD[case]
    (tmp_path / "t.csv").write_bytes(data)
    error = error_of("fit", tmp_path / "t.csv", "--target", "y", "--out", tmp_path / "m.wgb")
    assert re.search(message, error), error
    assert not (tmp_path / "m.wgb").exists()


def test_all_unusable_columns_are_reported(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n4/3/2021,1/3/20,1\n5/3/2021,2/3/20,2\n")
    error = error_of("fit", tmp_path / "t.csv", "--target", "y", "--out", tmp_path / "m.wgb")
    assert error.startswith("2 problems: (1) column 'a' has dates")
    assert "(2) column 'b' has dates" in error


def test_new_data_are_read_like_training_data(tmp_path):
    """The model file keeps kinds of columns, the decimal mark and words for missing values."""
    rng = np.random.default_rng(0)
    code = rng.choice(["1", "2", "3A"], 60)
    lines = [
        f"{c};{x:.3f};{3 * x:.3f}".replace(".", ",")
        for c, x in zip(code, rng.random(60), strict=True)
    ]
    lines[5] = "1;gone;0,5"
    (tmp_path / "train.csv").write_text("code;x;y\n" + "\n".join(lines) + "\n")
    call("fit", tmp_path / "train.csv", "--target", "y", "--decimal", ",", "--missing", "gone",
         "--out", tmp_path / "m.wgb", *FAST)  # fmt: skip
    (tmp_path / "new.csv").write_text("code;x\n1;0,25\n2;gone\n")
    found = facts("predict", tmp_path / "m.wgb", tmp_path / "new.csv")["predictions"]
    (tmp_path / "point.csv").write_text("x,code\n0.25,1\n?,2\n")
    again = facts("predict", tmp_path / "m.wgb", tmp_path / "point.csv", "--decimal", ".",
                  "--missing", "?")["predictions"]  # fmt: skip
    assert found == again
    assert len(found) == 2


def test_fit_and_predict_a_single_row(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,2\n")
    result = facts("fit", tmp_path / "t.csv", "--target", "y", "--out", tmp_path / "m.wgb", *FAST)
    assert result["rows"] == 1
    mean = facts("predict", tmp_path / "m.wgb", tmp_path / "t.csv")["predictions"][0]["mean"]
    assert mean == pytest.approx(2, abs=0.5)


def test_unnamed_columns_are_left_out_with_a_note(tmp_path):
    (tmp_path / "t.csv").write_text(",a,y,\n0,1,2,\n1,2,3,\n2,3,5,\n")
    paths = tmp_path / "t.csv", "--target", "y", "--out", tmp_path / "m.wgb"
    result = facts("fit", *paths, *FAST, "--evidence", "1")
    assert result["features"] == ["a"]
    assert result["notes"] == [f"'{tmp_path}/t.csv': column 1, 4 has no name and is left out"]


DATES = {
    "days": ["2021-03-04", "NA", "1969-12-31"],
    "minutes": ["2021-03-04 12:00", "", "1970-01-01 00:00"],
    "zulu": ["2021-03-04T12:00:00Z", "", "1970-01-01T00:00:00Z"],
    "points": ["4.3.2021", "", "31.12.1969"],
    "month first": ["03/04/2021", "", "12/31/1969"],
    "day first": ["04/03/21", "", "31/12/99"],
}


@pytest.mark.parametrize("kind", DATES)
def test_text_is_parsed_as_dates(kind):
    series = parse_column(pl.Series("a", DATES[kind]), "any", NumberFormat())
    assert series.dtype == pl.Datetime("us")
    first = series[0]
    assert (first.year, first.month, first.day) == (2021, 3, 4)
    assert first.hour == (12 if kind in ("minutes", "zulu") else 0)
    assert series.is_null().to_list() == [False, True, False]
    assert parse_column(pl.Series("a", DATES[kind]), "dates", NumberFormat()).equals(series)


def test_model_with_a_feature_of_dates(tmp_path):
    lines = [f"2024-01-{i % 28 + 1:02d},{i % 28}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["day,y", *lines]))
    call("fit", tmp_path / "t.csv", "--target", "y", "--out", tmp_path / "m.wgb", *FAST)
    call("predict", tmp_path / "m.wgb", tmp_path / "t.csv", "--out", tmp_path / "p.csv")
    assert pl.read_csv(tmp_path / "p.csv")["mean"].std() > 1
    (tmp_path / "new.csv").write_text("day\n17\n")
    error = error_of("predict", tmp_path / "m.wgb", tmp_path / "new.csv")
    assert "'day' has values that are not dates" in error
