"""The summary metrics of a report."""

import numpy as np
import pytest

from display_examples import TEST, TEST_Y, X, Y, model
from wgboost import metrics, report
from wgboost.metrics.summaries import summary

NEW = X[TEST]
NAMES = {
    "normal": ["NLL", "CRPS", "RMSE", "Coverage of 50%", "Coverage of 90%", "Width of 90%",
               "Interval score of 90%", "Calibration error"],
    "counts": ["NLL", "CRPS", "RMSE", "Coverage of 50%", "Coverage of 90%", "Width of 90%",
               "Interval score of 90%", "Calibration error"],
    "classes": ["Log loss", "Brier score", "Accuracy", "Calibration error"],
    "bounds": ["NLL", "Concordance", "Calibration error"],
}  # fmt: skip


@pytest.mark.parametrize("kind", NAMES)
def test_metrics_follow_the_kind_of_y(kind):
    y = TEST_Y[kind]
    found = summary(model(kind).predict_dist(NEW), y)
    assert [one.name for one in found] == NAMES[kind]
    assert all(one.note for one in found)


def test_metrics_of_several_columns():
    y = np.stack([Y, 3 * X[:, 1]], axis=1)[TEST]
    dist = model("columns").predict_dist(NEW)
    found = {one.name: one.value for one in summary(dist, y)}
    assert found == {
        "NLL": metrics.nll(dist, y),
        "Energy score": metrics.energy_score(dist, y),
        "RMSE": metrics.rmse(dist, y),
    }


@pytest.mark.parametrize("kind", NAMES)
def test_integer_weights_equal_repeated_rows(kind):
    times = np.arange(len(NEW)) % 3
    y = TEST_Y[kind]
    weighted = summary(model(kind).predict_dist(NEW), y, sample_weight=times)
    repeated = summary(model(kind).predict_dist(np.repeat(NEW, times, 0)), np.repeat(y, times, 0))
    for one, other in zip(weighted, repeated, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-9), one.name


def test_report_uses_exposure_and_weights(tmp_path):
    exposure, weight = np.linspace(1, 3, len(NEW)), np.linspace(0, 2, len(NEW))
    y = TEST_Y["counts"]
    reported = report(
        model("counts"), NEW, y, tmp_path / "page.html", exposure=exposure, sample_weight=weight,
        n_dependence=0,
    )  # fmt: skip
    dist = model("counts").predict_dist(NEW, exposure=exposure)
    assert reported["NLL"] == metrics.nll(dist, y, sample_weight=weight)
    assert reported["NLL"] != metrics.nll(model("counts").predict_dist(NEW), y)


def test_unwritable_report_raises(tmp_path):
    path = tmp_path / "no" / "page.html"
    with pytest.raises(FileNotFoundError, match="the report was not saved"):
        report(model("normal"), NEW, TEST_Y["normal"], path, n_dependence=0)
