"""Dates, periods, intervals and sparse columns as features."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from wgboost import WGBRegressor, calendar_features, load
from wgboost.data.schema import Schema

DAYS = [datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31)]
EXPECTED = [19782.0, np.nan, -1.0]  # days since 1970-01-01
NOON = [None if d is None else datetime.datetime.combine(d, datetime.time(12)) for d in DAYS]
SPANS = [datetime.timedelta(hours=36), None, datetime.timedelta(days=-2)]
TIMES = [datetime.time(13, 30), None, datetime.time(0)]


def column(frame):
    schema, matrix = Schema.fit(frame)
    assert schema.dates == {0}
    assert schema.levels == (None,)
    assert_array_equal(schema.apply(frame), matrix)
    return matrix[:, 0]


def in_libraries(values):
    yield pl.DataFrame({"d": values})
    yield pl.DataFrame({"d": values}).to_arrow()
    yield pd.DataFrame({"d": pd.Series(values, dtype=object)})


def test_dates_are_days_since_1970():
    for frame in in_libraries(DAYS):
        assert_array_equal(column(frame), EXPECTED)
    for frame in in_libraries(NOON):
        assert_allclose(column(frame), np.add(EXPECTED, 0.5))
    for unit in ("s", "ms", "us", "ns"):
        stamps = pd.to_datetime(pd.Series(DAYS)).astype(f"datetime64[{unit}]")
        assert_array_equal(column(pd.DataFrame({"d": stamps})), EXPECTED)


def test_zones_periods_durations_and_times():
    berlin = pd.Series(pd.to_datetime(["2024-02-29 01:00"])).dt.tz_localize("Europe/Berlin")
    assert_array_equal(column(pd.DataFrame({"d": berlin})), [19782.0])
    months = pd.Series(pd.PeriodIndex(["2024-02", None, "1970-01"], freq="M"))
    assert_array_equal(column(pd.DataFrame({"d": months})), [19754.0, np.nan, 0.0])
    for frame in in_libraries(SPANS):
        assert_allclose(column(frame), [1.5, np.nan, -2])
    for frame in in_libraries(TIMES):
        assert_allclose(column(frame), [13.5, np.nan, 0])


def test_cut_categories_intervals_and_other_categories_are_text():
    numbers = [1.0, 5.0, np.nan, 2.0]
    cut = pd.DataFrame({"c": pd.cut(numbers, [0, 3, 10])})
    schema, matrix = Schema.fit(cut)
    assert schema.levels[0].values == ("(0, 3]", "(3, 10]")
    assert_array_equal(matrix[:, 0], [0, 1, np.nan, 0])
    assert_array_equal(schema.apply(cut.dropna()), matrix[[0, 1, 3]])
    plain = pd.DataFrame({"c": pd.arrays.IntervalArray.from_tuples([(3, 10), (0, 3), (0, 1)])})
    assert_array_equal(schema.apply(plain)[:, 0], [1, 0, np.nan])
    halves = pd.DataFrame({"c": pd.cut([1, 2], [0.5, 1.25, 3], right=False)})
    assert Schema.fit(halves)[0].levels[0].values == ("[0.5, 1.25)", "[1.25, 3)")
    months = pd.Categorical(pd.PeriodIndex(["2024-02", "2024-01"], freq="M"))
    assert Schema.fit(pd.DataFrame({"c": months}))[0].levels[0].values == ("2024-01", "2024-02")


def test_sparse_columns_are_those_of_a_dense_frame():
    dense = pd.DataFrame({"a": [0.0, 1.0, np.nan], "b": [0, 2, 0], "c": [True, False, False]})
    kinds = {"a": pd.SparseDtype(float, 0.0), "b": pd.SparseDtype(int, 0), "c": "Sparse[bool]"}
    matrix = Schema.fit(dense.astype(kinds))[1]
    assert_array_equal(matrix, Schema.fit(dense)[1])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    days = pd.date_range("2023-01-01", periods=200)
    frame = pd.DataFrame({"day": days, "size": pd.cut(rng.normal(size=200), 4)})
    return frame, 0.01 * np.arange(200) + (days.day_of_week == 5)


def test_a_model_of_dates_keeps_their_kind_in_its_file(rows, tmp_path):
    frame, y = rows
    model = WGBRegressor(n_estimators=10, n_jobs=1, random_state=0).fit(frame, y)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert_array_equal(again.predict(frame), model.predict(frame))
    assert again.model_.schema == model.model_.schema
    number = frame.assign(day=np.arange(200.0))
    for one in (model, again):
        with pytest.raises(ValueError, match="'day' was dates or times in training and is numbers"):
            one.predict(number)
    nothing = frame.assign(day=pd.NaT)
    assert np.isfinite(model.predict(nothing)).all()


@pytest.mark.parametrize("library", ["pandas", "polars", "Arrow", "periods"])
def test_calendar_features_are_those_of_the_calendar(library):
    days = [datetime.date(2024, 2, 29), datetime.date(2024, 12, 24)]
    frame = pl.DataFrame({"sold": days, "x": [1.0, 2.0]})
    if library == "Arrow":
        frame = frame.to_arrow()
    elif library != "polars":
        stamps = pd.Series(pd.to_datetime(days))
        stamps = stamps.dt.to_period("D") if library == "periods" else stamps
        frame = pd.DataFrame({"sold": stamps, "x": [1.0, 2.0]})
    parts = ["year", "month", "day", "weekday", "day_of_year", "hour"]
    got = calendar_features(frame, parts=parts, keep=False)
    names = ["x", *(f"sold_{part}" for part in parts)]
    assert list(getattr(got, "column_names", got.columns)) == names
    schema, matrix = Schema.fit(got)
    assert schema.dates == frozenset()
    assert_array_equal(matrix[0], [1, 2024, 2, 29, 4, 60, 0])
    assert_array_equal(matrix[1], [2, 2024, 12, 24, 2, 359, 0])


def test_calendar_features_refuse_what_has_no_dates():
    frame = pd.DataFrame({"x": [1.0]})
    assert calendar_features(frame) is frame
    with pytest.raises(TypeError, match="column 'x' of type Float64 has no dates"):
        calendar_features(frame, ["x"])
    with pytest.raises(ValueError, match="'y', which is no column of X"):
        calendar_features(frame, ["y"])
    with pytest.raises(ValueError, match="parts='weeks' must be one of"):
        calendar_features(frame, parts=["weeks"])
    with pytest.raises(TypeError, match="a frame has columns of dates"):
        calendar_features(np.zeros((2, 2)))
