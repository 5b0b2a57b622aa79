"""Columns that look alike and are not, and those that look different and are the same."""

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from wgboost import ModelFileError, WGBClassifier, WGBRegressor, load

RNG = np.random.default_rng(5)
N = 120
CODE = RNG.integers(0, 4, N)
Y = CODE + 0.1 * RNG.normal(size=N)


def small(kind=WGBRegressor, **options):
    return kind(n_estimators=15, learning_rate=0.3, random_state=0, n_jobs=1, **options)


@pytest.mark.parametrize("kind", [pd.Categorical, np.asarray])
def test_whole_numbers_that_floats_cannot_distinguish_are_no_categories(kind):
    table = pd.DataFrame({"id": kind(2**53 + CODE)})
    with pytest.raises(ValueError, match=r"from 2\^53 on .* give such categories as text"):
        small(categorical_features=["id"]).fit(table, Y)
    fitted = small().fit(table.astype(str), Y)
    assert np.abs(fitted.predict(table.astype(str)) - CODE).max() < 0.5


@pytest.mark.parametrize(("before", "after"), [("f4", "f8"), ("f8", "f4"), ("f4", "f4")])
@pytest.mark.parametrize("frame", [True, False])
def test_a_category_is_the_same_number_in_either_precision(before, after, frame):
    values = np.array([0.1, 0.2, 0.3, 0.7])[CODE][:, None]

    def table(dtype):
        return pd.DataFrame(values.astype(dtype)) if frame else values.astype(dtype)

    fitted = small(categorical_features=[0]).fit(table(before), Y)
    assert_array_equal(fitted.predict(table(after)), fitted.predict(table(before)))
    assert np.abs(fitted.predict(table(after)) - CODE).max() < 0.5


@pytest.mark.parametrize("dtype", ["datetime64[D]", "timedelta64[s]"])
def test_dates_in_arrays_are_refused_as_in_frames(dtype):
    dates = CODE.astype(dtype)[:, None]
    with pytest.raises(TypeError, match=r"X has dates or times \(.*64.*days since a date"):
        small().fit(dates, Y)
    fitted = small().fit(CODE[:, None].astype(float), Y)
    with pytest.raises(TypeError, match="X has dates or times"):
        fitted.predict(dates)


def test_columns_named_by_numbers_are_matched_by_name():
    table = pd.DataFrame({2020: CODE, 2021: RNG.normal(size=N)})
    fitted = small().fit(table, Y)
    assert_array_equal(fitted.predict(table[[2021, 2020]]), fitted.predict(table))
    with pytest.raises(ValueError, match=r"X lacks the column '2020'"):
        fitted.predict(table.rename(columns={2020: 1998}))
    plain = pd.DataFrame(table.to_numpy())
    positions = small().fit(plain, Y)
    assert_array_equal(positions.predict(plain[[1, 0]]), positions.predict(plain))


def test_a_frame_without_names_for_a_model_with_names_is_a_warning():
    fitted = small().fit(pd.DataFrame({"a": CODE}), Y)
    with pytest.warns(UserWarning, match="X has no feature names, but WGBRegressor was fitted"):
        fitted.predict(pd.DataFrame({0: CODE}))


def test_decimals_are_numbers():
    prices = [decimal.Decimal(int(code)) / 10 for code in CODE]
    fitted = small().fit(pd.DataFrame({"price": prices}), Y)
    twin = small().fit(pd.DataFrame({"price": [float(price) for price in prices]}), Y)
    assert_array_equal(fitted.predict(pd.DataFrame({"price": prices})), twin.predict(
        pd.DataFrame({"price": [float(price) for price in prices]})
    ))  # fmt: skip
    assert fitted.model_.schema.n_levels.tolist() == [0]


def test_the_order_of_a_polars_enum_is_that_of_the_labels():
    grades = np.array(["L", "M", "H", "T"])[CODE]
    ordered = pl.Series(grades.tolist(), dtype=pl.Enum(["L", "M", "H", "T"]))
    fitted = small(WGBClassifier, response="ordinal").fit(CODE[:, None], ordered)
    assert fitted.ranks_.tolist() == ["L", "M", "H", "T"]
    with pytest.warns(UserWarning, match="text labels are taken in the order H < L < M < T"):
        small(WGBClassifier, response="ordinal").fit(CODE[:, None], grades)


def test_lines_of_progress_without_validation_show_the_training_rows(capsys):
    small(verbose=5).fit(CODE[:, None], Y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("round 5 of 15  train nll ")
    assert len(lines) == 3


def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(ModelFileError, match="is a folder"):
        load(tmp_path)
