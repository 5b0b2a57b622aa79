"""Displays of every kind of y and X, and the errors they raise."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from display_examples import OF_Y, SETTINGS, TEST, TEST_Y, TRAIN, X, Y, model
from wgboost import WGBRegressor
from wgboost import plotting as pl
from wgboost.plotting.feature_table import FeatureTable

NEW = X[TEST]
NEED_NUMBERS = {pl.PITDisplay, pl.CoverageDisplay}
NEED_KNOWN = {*NEED_NUMBERS, pl.UncertaintyDisplay}


@pytest.mark.parametrize("display", OF_Y, ids=lambda d: d.__name__)
@pytest.mark.parametrize("kind", ["normal", "counts", "bounds", "classes", "binary"])
def test_displays_draw_or_raise_a_reasoned_error(kind, display):
    arguments = model(kind), NEW, TEST_Y[kind]
    if kind in ("classes", "binary") and display in NEED_NUMBERS:
        with pytest.raises(ValueError, match="for classes: CalibrationDisplay"):
            display.from_estimator(*arguments)
        return
    if kind == "bounds" and display in NEED_KNOWN:
        with pytest.raises(ValueError, match="known values of y"):
            display.from_estimator(*arguments)
        return
    shown = display.from_estimator(*arguments)
    assert shown.ax_.figure is shown.figure_
    assert shown.ax_.get_title()
    assert shown.ax_.get_xlabel()
    assert shown.ax_.get_ylabel()
    mine = plt.figure().add_subplot()
    assert shown.plot(mine).ax_ is mine
    shown.figure_.canvas.draw()


@pytest.mark.parametrize("quantity", ["mean", "spread", "epistemic_share"])
@pytest.mark.parametrize("kind", ["normal", "counts", "bounds", "classes"])
def test_partial_dependence_of_every_quantity(kind, quantity):
    shown = pl.PartialDependenceDisplay.from_estimator(
        model(kind), NEW, feature=0, quantity=quantity, grid_size=4, max_rows=20
    )
    assert np.isfinite(shown.average).all()
    assert (shown.low <= shown.high).all()


@pytest.mark.parametrize("frame", [pd.DataFrame, polars.DataFrame])
def test_data_frames_give_the_same_numbers_as_arrays(frame):
    names = ["width", "height", "age", "load"]
    table = frame(dict(zip(names, NEW.T, strict=True)))
    fitted = WGBRegressor(**SETTINGS).fit(
        frame(dict(zip(names, X[TRAIN].T, strict=True))), Y[TRAIN]
    )
    plain = WGBRegressor(**SETTINGS).fit(X[TRAIN], Y[TRAIN])
    for make, changed in (
        (pl.PredictiveDisplay, "middle"), (pl.PartialDependenceDisplay, "average")
    ):  # fmt: skip
        ours = make.from_estimator(fitted, table, feature="height", grid_size=5)
        theirs = make.from_estimator(plain, NEW, feature=1, grid_size=5)
        assert_allclose(getattr(ours, changed), getattr(theirs, changed))
        assert ours.ax_.get_xlabel() == "height"
    with pytest.raises(ValueError, match=r"feature='heigth'.*did you mean 'height'"):
        pl.PredictiveDisplay.from_estimator(fitted, table, feature="heigth")


@pytest.mark.parametrize("frame", [pd.DataFrame, polars.DataFrame])
def test_columns_keep_their_types_when_one_is_varied(frame):
    table = FeatureTable(
        frame({"size": [1, 2, 3, 9], "kind": ["a", "b", "b", "c"], "old": [True] * 4})
    )
    grid = table.grid(1, 10)
    assert grid.values.tolist() == ["b", "a", "c"]
    varied = table.vary(1, grid)
    assert list(varied["kind"]) == ["b", "a", "c"]
    assert list(varied["size"]) == [2, 2, 2]
    assert varied["size"].dtype == table.frame.to_native()["size"].dtype
    along = table.take(np.array([0, 3]), 0, table.grid(0, 2, ends=0.0))
    assert list(along["kind"]) == ["a", "c"]


def test_a_single_feature_is_the_x_axis_and_missing_values_are_dropped():
    holes = np.where(np.arange(120) % 7 == 0, np.nan, X[TRAIN, 0])[:, None]
    fitted = WGBRegressor(**SETTINGS).fit(holes, Y[TRAIN])
    shown = pl.PredictiveDisplay.from_estimator(fitted, holes, Y[TRAIN], kind="density")
    assert shown.feature == "feature 0"
    assert np.isfinite(shown.x).all()
    with pytest.raises(ValueError, match="no finite value"):
        pl.PredictiveDisplay.from_estimator(fitted, np.full((3, 1), np.nan))


def test_pipelines_are_drawn_along_untransformed_features():
    pipe = make_pipeline(StandardScaler(), WGBRegressor(**SETTINGS)).fit(X[TRAIN], Y[TRAIN])
    shown = pl.PredictiveDisplay.from_estimator(pipe, NEW, Y[TEST], feature=0)
    assert_allclose(shown.x[[0, -1]], [NEW[:, 0].min(), NEW[:, 0].max()])
    assert pl.CoverageDisplay.from_estimator(pipe, NEW, Y[TEST]).coverage.shape == (19,)


def test_one_of_several_columns_of_y_is_drawn():
    y = np.stack([Y, 3 * X[:, 1]], axis=1)[TEST]
    fitted = model("columns")
    with pytest.raises(ValueError, match="y has 2 columns; choose one of them"):
        pl.PITDisplay.from_estimator(fitted, NEW, y)
    shown = pl.PITDisplay.from_estimator(fitted, NEW, y, column=1)
    assert_allclose(shown.pit, fitted.predict_dist(NEW).marginal(1).cdf(y[:, 1]))
    along = pl.PredictiveDisplay.from_estimator(fitted, NEW, y, column=1, feature=1)
    assert_allclose(along.y_observed.lower, y[:, 1])
    with pytest.raises(ValueError, match="column=0 is for a y of several"):
        pl.PITDisplay.from_estimator(model("normal"), NEW, Y[TEST], column=0)


@pytest.mark.parametrize("display", OF_Y, ids=lambda d: d.__name__)
def test_other_and_unfitted_estimators_are_rejected(display):
    with pytest.raises(TypeError, match="has no predict_dist"):
        display.from_estimator(LinearRegression().fit(NEW, Y[TEST]), NEW, Y[TEST])
    with pytest.raises(TypeError, match="is a class"):
        display.from_estimator(WGBRegressor, NEW, Y[TEST])
    with pytest.raises(NotFittedError):
        display.from_estimator(WGBRegressor(), NEW, Y[TEST])
    with pytest.raises(ValueError, match="X has 120 rows, y has 100"):
        display.from_estimator(model("normal"), NEW, Y[:100])
    with pytest.raises(ValueError, match="y has 100 rows, the distribution 120"):
        display.from_predictions(Y[:100], model("normal").predict_dist(NEW))
    with pytest.raises(TypeError, match="as predict_dist returns it"):
        display.from_predictions(Y[TEST], NEW)
    with pytest.raises(TypeError, match="ax=3 must be matplotlib axes"):
        display.from_estimator(model("normal"), NEW, Y[TEST], ax=3)


def test_bad_parameters_raise_errors_with_a_remedy():
    fitted = model("normal")
    with pytest.raises(ValueError, match="feature=7 must be between -4 and 3"):
        pl.PartialDependenceDisplay.from_estimator(fitted, NEW, feature=7)
    with pytest.raises(ValueError, match="did you mean 'spread'"):
        pl.PartialDependenceDisplay.from_estimator(fitted, NEW, feature=0, quantity="spred")
    with pytest.raises(ValueError, match="rows has 500; there are 120"):
        pl.DensityDisplay.from_estimator(fitted, NEW, rows=[500])
    with pytest.raises(ValueError, match=r"params='scal'.*did you mean 'scale'"):
        pl.ParticlesDisplay.from_estimator(fitted, NEW, params=("mean", "scal"))
    with pytest.raises(ValueError, match="fit had no validation set"):
        pl.LearningCurveDisplay.from_estimator(fitted)
    with pytest.raises(ValueError, match="without a variance"):
        pl.UncertaintyDisplay.from_estimator(model("cauchy"), NEW, Y[TEST])
    with pytest.raises(ValueError, match="label='none' must be one of"):
        pl.CalibrationDisplay.from_estimator(model("binary"), NEW, TEST_Y["binary"], label="none")
    with pytest.raises(ValueError, match="2 feature names for 4 features"):
        pl.ImportanceDisplay.from_estimator(fitted, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="not for classes"):
        pl.PredictiveDisplay.from_estimator(model("classes"), NEW, kind="density")
