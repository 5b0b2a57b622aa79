"""Displays along columns of dates, intervals and sparse numbers."""

import datetime

import numpy as np
import pandas as pd
import polars
import pytest
from numpy.testing import assert_allclose

from wgboost import WGBRegressor
from wgboost import plotting as pl
from wgboost.plotting.feature_table import FeatureTable

N = 120
DAYS = np.arange("2021-01-01", "2021-05-01", dtype="datetime64[D]")
NUMBER = np.linspace(0, 3, N)
Y = NUMBER + np.random.default_rng(0).normal(0, 0.1, N)
SETTINGS = {"n_estimators": 8, "early_stopping": False, "evidence": 10, "random_state": 0}
COLUMNS = {
    "pandas": pd.Series(pd.to_datetime(DAYS)),
    "zone": pd.Series(pd.date_range("2021-01-01", periods=N, tz="UTC")),
    "period": pd.Series(pd.period_range("2021-01-01", periods=N, freq="D")),
    "objects": pd.Series([datetime.date(2021, 1, 1) + datetime.timedelta(i) for i in range(N)]),
    "polars": polars.Series(DAYS),
}


def frame_of(column, **others):
    make = polars.DataFrame if isinstance(column, polars.Series) else pd.DataFrame
    return make({"along": column, **others})


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("display", [pl.PredictiveDisplay, pl.PartialDependenceDisplay])
def test_features_of_dates_have_a_date_axis(kind, display):
    frame = frame_of(COLUMNS[kind], other=NUMBER[::-1].copy())
    fitted = WGBRegressor(**SETTINGS).fit(frame, Y)
    shown = display.from_estimator(fitted, frame, feature="along", grid_size=15)
    grid = shown.grid if display is pl.PartialDependenceDisplay else shown.x
    line = shown.average[0] if display is pl.PartialDependenceDisplay else shown.middle
    assert grid.dtype.kind == "M"
    assert len(grid) == 15
    assert (np.diff(grid) > np.timedelta64(0, "us")).all()
    assert grid[0] <= DAYS[2]
    assert grid[-1] >= DAYS[-3]
    assert line[-1] - line[0] > 1  # y rises over the whole time
    shown.figure_.canvas.draw()
    ticks = [tick.get_text() for tick in shown.ax_.get_xticklabels() if tick.get_text()]
    assert 3 <= len(ticks) <= 8
    assert any("Feb" in tick for tick in ticks)


def test_observed_values_are_drawn_at_their_dates():
    frame = frame_of(COLUMNS["pandas"].where(np.arange(N) != 3))
    fitted = WGBRegressor(**SETTINGS).fit(frame, Y)
    shown = pl.PredictiveDisplay.from_estimator(fitted, frame, Y, feature="along")
    assert np.isnat(shown.x_observed[3])
    assert (shown.x_observed[4:] == DAYS[4:]).all()
    shown.figure_.canvas.draw()
    assert shown.ax_.collections[-1].get_offsets().shape == (N - 1, 2)


def test_intervals_keep_their_order():
    bins = pd.cut(NUMBER**0.3, 4)  # the highest one has most rows
    frame = pd.DataFrame({"along": bins[::-1]})
    shown = FeatureTable(frame).grid(0, 10).values.tolist()
    assert shown == [str(one) for one in bins.categories]


def test_sparse_columns_and_durations_are_numeric():
    sparse = pd.arrays.SparseArray(np.where(NUMBER > 2, NUMBER, 0.0))
    frame = pd.DataFrame({"sparse": sparse, "wait": pd.to_timedelta(np.arange(N), unit="h")})
    fitted = WGBRegressor(**SETTINGS).fit(frame, Y)
    for feature, last in (("sparse", 3.0), ("wait", (N - 1) / 24)):
        shown = pl.PredictiveDisplay.from_estimator(fitted, frame, feature=feature, grid_size=9)
        assert shown.ticks is None
        assert_allclose(shown.x[[0, -1]], [0, last])
