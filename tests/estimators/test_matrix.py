"""Every public object in every public place: it works, or the error says what does.

Here every display, and the report; `test_matrix_methods.py` has methods, files and copies,
`test_matrix_commands.py` the command line, and `test_matrix_dask.py` models of a cluster. Objects
and data are those of `matrix_objects.py`. What is refused is listed in `matrix_refusals.py`, with
words that the message must have; all else has to work.
"""

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest

import wgboost
from matrix_objects import DATA, TEST, every_object, file_of, fitted
from matrix_refusals import OF_DISTRIBUTIONS, refusal, works_or_says
from wgboost import plotting
from wgboost.metrics.summaries import summary


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return the file of an object, written once."""
    return partial(file_of, tmp_path_factory.mktemp("matrix"))


DISPLAYS = {
    "predictive": (plotting.PredictiveDisplay, {}),
    "along": (plotting.PredictiveDisplay, {"feature": 1, "grid_size": 20}),
    "density": (plotting.DensityDisplay, {}),
    "calibration": (plotting.CalibrationDisplay, {}),
    "pit": (plotting.PITDisplay, {}),
    "coverage": (plotting.CoverageDisplay, {}),
    "uncertainty": (plotting.UncertaintyDisplay, {"n_bins": 3}),
    "dependence": (plotting.PartialDependenceDisplay, {"feature": 2, "grid_size": 4}),
    "particles": (plotting.ParticlesDisplay, {}),
    "importance": (plotting.ImportanceDisplay, {}),
    "history": (plotting.LearningCurveDisplay, {}),
    "given_rows": (plotting.LearningCurveDisplay, {}),
    "ood": (plotting.OODDisplay, {}),
}


def test_every_display_is_in_the_matrix():
    known = {getattr(plotting, name) for name in plotting.__all__ if name.endswith("Display")}
    assert {display for display, _ in DISPLAYS.values()} == known - {plotting.Display}


@pytest.mark.parametrize("place", DISPLAYS)
@every_object
def test_displays(family, data, place, saved):
    conformal = family.startswith("conformal")
    model = fitted(family, data) if conformal else wgboost.load(saved(family, data))
    X, y, row_params = DATA[data].part(TEST)
    display, settings = DISPLAYS[place]
    rows = {
        "dependence": (X,), "particles": (X,), "importance": (), "history": (), "ood": (X, X),
    }.get(place, (X, y))  # fmt: skip
    if data == "columns" and place in OF_DISTRIBUTIONS - {"given_rows"}:
        settings = {**settings, "column": 1}
    if place not in ("importance", "history", "ood"):
        settings = {**settings, **row_params}
    draw = partial(display.from_estimator, model, *rows, **settings)
    shown = works_or_says(refusal(family, data, place), draw)
    if shown is not None:
        shown.figure_.draw_without_rendering()
        assert len(repr(shown)) < 700


@every_object
def test_report(family, data, tmp_path):
    X, y, row_params = DATA[data].part(TEST)
    model, path = fitted(family, data), tmp_path / "report.html"
    along = 1 if family == "bag" else 0
    write = partial(wgboost.report, model, X, y, path, X_out=X, n_dependence=along, **row_params)
    told = works_or_says(refusal(family, data, "report"), write)
    assert path.exists() == (told is not None)
    if told is not None:
        assert np.isfinite(list(told.values())).all()
        dist = model.predict_dist(X, **row_params)
        expected = summary(dist, y)
        assert told == {one.name: one.value for one in expected}
