"""Names, ticks, legends and the repr of displays."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from display_examples import COUNTS, OF_Y, SETTINGS, TEST, TEST_Y, TRAIN, X, Y, model
from wgboost import WGBClassifier, WGBRegressor, metrics, report
from wgboost import plotting as pl

NEW = X[TEST]


def test_y_and_exposure_given_by_column_name(tmp_path):
    """Columns given by name are not features, and plots show the name of y."""
    frame = pd.DataFrame(X[:, :2], columns=["age", "load"])
    frame = frame.assign(time=np.linspace(0.5, 2, len(X)), claims=COUNTS)
    fitted = WGBRegressor(response="poisson", evidence=5, **SETTINGS)
    fitted.fit(frame[TRAIN], "claims", exposure="time")
    test = frame[TEST]
    named = pl.CalibrationDisplay.from_estimator(fitted, test, "claims")
    features, claims = test[["age", "load"]], test["claims"]
    plain = pl.CalibrationDisplay.from_estimator(fitted, features, claims, exposure=test["time"])
    assert_allclose(named.share, plain.share)
    with pytest.raises(ValueError, match="the model was fitted with exposure"):
        pl.CalibrationDisplay.from_estimator(fitted, features, claims)
    shown = pl.PredictiveDisplay.from_estimator(fitted, test, "claims", feature="age", grid_size=9)
    assert shown.ax_.get_ylabel() == "claims"
    at_median = pl.PredictiveDisplay.from_estimator(
        fitted,
        features,
        claims,
        feature="age",
        grid_size=9,
        exposure=float(test["time"].median()),
    )
    assert_allclose(shown.middle, at_median.middle)
    for exposure in ("time", test["time"]):
        mean = pl.PartialDependenceDisplay.from_estimator(
            fitted, test, feature="age", grid_size=3, exposure=exposure
        )
        assert mean.ax_.get_ylabel() == "mean of claims"
        rows = features.assign(age=mean.grid[1])
        expected = fitted.predict(rows, exposure=test["time"]).mean()
        assert_allclose(mean.average[0, 1], expected)
    reported = report(fitted, test, "claims", tmp_path / "page.html", n_dependence=1)
    dist = fitted.predict_dist(features, exposure=test["time"])
    assert reported["NLL"] == metrics.nll(dist, claims)
    curve = pl.LearningCurveDisplay.from_estimator(fitted, test, "claims")
    assert curve.curves["given rows"][-1] == reported["NLL"]


HOSTILE = ["$a_to_$b", r"\frac{$x^2$", "$", "a\nb\x1b[31m", "long " * 40, "{}%s", "_"]


def test_names_are_never_parsed_as_formulas():
    """This holds for names of features, classes, targets and sets; long names are abbreviated."""
    names, classes = HOSTILE[:4], np.array(HOSTILE[:3])
    y = classes[np.digitize(X[:, 2], [-0.3, 0.4])]
    table = pd.DataFrame(X, columns=names).assign(kind=np.array(HOSTILE)[np.arange(len(X)) % 7])
    fitted = WGBClassifier(**SETTINGS).fit(table[TRAIN], y[TRAIN])
    numbers = WGBRegressor(evidence=5, **SETTINGS)
    numbers.fit(table[TRAIN], Y[TRAIN], X_val=table[TEST], y_val=Y[TEST])
    target = pd.Series(Y[TEST], name=HOSTILE[0])
    test, labels = table[TEST], y[TEST]
    few = {"grid_size": 3, "max_rows": 9}
    drawn = [
        *(make.from_estimator(fitted, test, labels) for make in OF_Y[:3]),
        *(make.from_estimator(numbers, test, target) for make in OF_Y),
        *(pl.PredictiveDisplay.from_estimator(fitted, test, labels, feature=j) for j in (0, 4)),
        *(pl.PartialDependenceDisplay.from_estimator(fitted, test, feature=j, **few)
          for j in (0, 1, 3, 4)),
        pl.PartialDependenceDisplay.from_estimator(
            numbers, test, feature=1, name=HOSTILE[4], **few
        ),
        pl.ParticlesDisplay.from_estimator(fitted, test),
        pl.ImportanceDisplay.from_estimator(fitted),
        pl.LearningCurveDisplay.from_estimator(numbers),
    ]  # fmt: skip
    for one in drawn:
        one.figure_.draw_without_rendering()
        texts = [one.ax_.get_title(), one.ax_.get_xlabel(), one.ax_.get_ylabel()]
        assert max(map(len, texts)) < 80
        assert all(text.isprintable() for text in texts)
    assert drawn[3].ax_.get_ylabel() == "$a_to_$b"
    legend = [text.get_text() for text in drawn[0].ax_.get_legend().get_texts()]
    assert r"\$a_to_\$b" in legend


@pytest.mark.parametrize("kind", ["normal", "counts", "classes"])
def test_repr_is_one_short_line(kind):
    shown = pl.PredictiveDisplay.from_estimator(model(kind), NEW, TEST_Y[kind])
    assert repr(shown).startswith("PredictiveDisplay(x=<array (120,)>, dist=<Mixture of 120>,")
    assert len(repr(shown)) < 400


def test_ticks_are_possible_values():
    table = pd.DataFrame({"rooms": np.arange(240) % 7, "area": X[:, 0]})
    many = table.assign(rooms=np.arange(240) % 40)
    for rows in (table, many):
        fitted = WGBRegressor(**SETTINGS).fit(rows[TRAIN], Y[TRAIN])
        for make in (pl.PredictiveDisplay, pl.PartialDependenceDisplay):
            shown = make.from_estimator(fitted, rows, feature="rooms")
            ticks = shown.ax_.get_xticks()
            assert len(ticks) > 2
            assert (ticks == np.round(ticks)).all()
    for kind in ("normal", "counts", "classes"):
        shown = pl.DensityDisplay.from_estimator(model(kind), NEW, TEST_Y[kind])
        assert min(shown.ax_.get_yticks()) == 0
        assert len(shown.ax_.get_yticks()) > 2


def test_curves_of_classes_fill_the_axes_without_legend_overlap():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 8, 240)
    fitted = WGBClassifier(**SETTINGS).fit(X, y)
    shown = pl.PartialDependenceDisplay.from_estimator(fitted, X, feature=0)
    shown.figure_.draw_without_rendering()
    low, high = shown.ax_.get_ylim()
    assert (shown.average.max() - low) / (high - low) > 0.6
    legend = shown.ax_.get_legend().get_window_extent()
    top = shown.ax_.transData.transform([(0, shown.average.max())])[0, 1]
    assert legend.y0 > top
    assert shown.ax_.get_position().width > 0.7
