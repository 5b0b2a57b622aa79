"""Targets with words among numbers, decimal commas, NaN, codes as classes, dates."""

from datetime import date, datetime

import polars as pl
import pytest

from cli_files import FAST, error_of, facts
from wgboost import Categorical, load


def table(path, values, name="y"):
    """Write a CSV file with a feature and a target, separated by semicolons."""
    lines = [f"{i % 7};{value}" for i, value in enumerate(values)]
    path.write_text("\n".join([f"x;{name}", *lines]) + "\n")
    return path


def test_errors_for_numbers_with_commas_and_words(tmp_path):
    path = table(tmp_path / "t.csv", ["k.A.", *(f"{i},5" for i in range(60))])
    fit = ("fit", path, "--target", "y", "--out", tmp_path / "m.wgb", *FAST)
    error = error_of(*fit)
    assert error.startswith("column 'y' has numbers with commas, such as '0,5': give --decimal ,")
    error = error_of(*fit, "--decimal", ",")
    assert "--missing 'k.A.' makes them missing values" in error
    found = facts(*fit, "--decimal", ",", "--missing", "k.A.")
    assert (found["task"], found["rows"]) == ("regression", 60)


def test_codes_that_are_mostly_numbers_can_be_classes(tmp_path):
    path = table(tmp_path / "t.csv", ["1A", *(i % 3 + 1 for i in range(60))])
    fit = ("fit", path, "--target", "y", "--out", tmp_path / "m.wgb", *FAST)
    error = error_of(*fit)
    assert error.endswith("; if they are classes: --task classification")
    assert facts(*fit, "--task", "classification")["task"] == "classification"
    assert facts("info", tmp_path / "m.wgb")["classes"] == ["1", "1A", "2", "3"]
    assert facts("evaluate", tmp_path / "m.wgb", path)["rows"] == 61


def test_error_for_a_target_of_dates(tmp_path):
    path = table(tmp_path / "t.csv", ["2021-03-04", "2021-03-05"])
    error = error_of("fit", path, "--target", "y", "--out", tmp_path / "m.wgb")
    assert error.startswith("column 'y' has dates, such as '2021-03-04'; give numbers")
    assert "--ignore" not in error


@pytest.mark.parametrize(
    "roles", [["--target", "y"], ["--lower", "y", "--upper", "above"]], ids=["value", "bounds"]
)
def test_nan_in_a_parquet_file_is_a_missing_target(tmp_path, roles):
    y = [float("nan"), *map(float, range(30))]
    above = [float("nan"), *(value + 1 for value in range(30))]
    frame = pl.DataFrame({"x": [i % 7 for i in range(31)], "y": y, "above": above})
    frame = frame if "above" in roles else frame.drop("above")
    frame.write_parquet(tmp_path / "nan.parquet")
    frame.fill_nan(None).write_parquet(tmp_path / "null.parquet")
    models = []
    for name in ("nan", "null"):
        data, model = tmp_path / f"{name}.parquet", tmp_path / f"{name}.wgb"
        found = facts("fit", data, *roles, "--out", model, *FAST, "--evidence", "1")
        assert found["rows"] == 30
        assert ["1 of 31 rows without" in note for note in found["notes"]] == [True]
        models.append(model.read_bytes())
    assert models[0] == models[1]


def test_kept_columns_in_json(tmp_path):
    frame = pl.DataFrame(
        {
            "x": [0.0, 1.0],
            "y": [1.0, 2.5],
            "cost": pl.Series(["0.75", None]).cast(pl.Decimal(8, 2)),
            "day": [date(2024, 2, 29), None],
            "at": [datetime(2024, 2, 29, 13, 30), None],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    model = tmp_path / "m.wgb"
    data = tmp_path / "t.parquet"
    facts("fit", data, "--target", "y", "--features", "x", "--out", model, *FAST)
    first, second = facts("predict", model, data, "--keep", "cost,day,at")["predictions"]
    kept = {name: first[name] for name in ("cost", "day", "at")}
    assert kept == {"cost": 0.75, "day": "2024-02-29", "at": "2024-02-29T13:30:00"}
    assert [second[name] for name in kept] == [None] * 3


def test_a_prior_is_that_of_the_response_of_classes(tmp_path):
    path = table(tmp_path / "t.csv", ["ab"[i % 2] for i in range(60)])
    facts("fit", path, "--target", "y", "--out", tmp_path / "m.wgb", *FAST,
          "--option", 'prior={"scale": 2}')  # fmt: skip
    assert load(tmp_path / "m.wgb").response == Categorical(prior_scale=2)
