"""Columns of a frame given by name: y, exposure, weights, groups."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose

from wgboost import ConformalRegressor, WGBClassifier, WGBRegressor, WGBRegressorCV, load, metrics

RNG = np.random.default_rng(0)
N = 240
X = RNG.uniform(-1, 1, size=(N, 2))
YEARS = RNG.uniform(0.5, 30, size=N)
COUNTS = RNG.poisson(np.exp(X[:, 0]) * YEARS)
WEIGHT = RNG.integers(1, 4, size=N).astype(float)
NLL = metrics.get_scorer("nll")


def counting(**settings):
    common = {"evidence": 10, "n_jobs": 1, "random_state": 0}
    return WGBRegressor(**{"response": "poisson", "n_estimators": 20, **common, **settings})


FRAME = {"a": X[:, 0], "b": X[:, 1], "years": YEARS, "w": WEIGHT, "claims": COUNTS}
LIBRARIES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "Arrow": lambda columns: pl.DataFrame(columns).to_arrow(),
}


@pytest.mark.filterwarnings("ignore:.* rows that the model was trained on")
@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_are_named_in_fit_and_score_and_ignored_in_predictions(library, tmp_path):
    frame = LIBRARIES[library](FRAME)
    features = LIBRARIES[library]({"a": FRAME["a"], "b": FRAME["b"]})
    named = {"exposure": "years", "sample_weight": "w"}
    model = counting().fit(frame, "claims", **named)
    plain = counting().fit(features, COUNTS, exposure=YEARS, sample_weight=WEIGHT)
    assert list(model.feature_names_in_) == ["a", "b"]
    assert (model.predict(frame) == plain.predict(features)).all()
    assert (model.predict(features) == plain.predict(features)).all()
    wanted = plain.predict(features, exposure=YEARS)
    assert (model.predict(frame, exposure="years") == wanted).all()
    assert model.score(frame, "claims") == plain.score(features, COUNTS, exposure=YEARS)
    weighed = plain.score(features, COUNTS, WEIGHT, exposure=YEARS)
    assert model.score(frame, "claims", **named) == weighed
    assert NLL(model, frame, "claims") == NLL(plain, features, COUNTS, exposure=YEARS)
    model.calibrate(frame, "claims", **named)
    plain.calibrate(features, COUNTS, exposure=YEARS, sample_weight=WEIGHT)
    assert model.calibration_ == plain.calibration_
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.row_parameters_ == {"y": "claims", **named}
    assert (again.predict(frame) == model.predict(frame)).all()


def test_bags_and_conformal_wrappers_take_names_of_columns():
    frame = pd.DataFrame(FRAME).assign(site=np.arange(N) % 4)
    named = {"exposure": "years", "groups": "site"}
    recipes = [{"n_estimators": 5, "evidence": 10}]
    bag = WGBRegressorCV(recipes, response="poisson", cv=2, n_jobs=1, random_state=0)
    for model in (bag, ConformalRegressor(counting(), cv=2, random_state=0)):
        model.fit(frame, "claims", **named)
        assert model.score(frame, "claims", exposure="years") > 0.5
        assert_allclose(model.predict(frame), model.predict(frame[["a", "b", "w"]]))
        ends = model.predict_interval(frame, exposure="years")
        assert_allclose(ends, model.predict_interval(frame, exposure=YEARS))


def test_named_sets_to_watch_and_labels_of_a_classifier():
    frame = pd.DataFrame(FRAME).assign(label=np.where(X[:, 0] > 0, "up", "down"))
    kept = frame.drop(columns="label")
    model = counting(early_stopping=True).fit(
        kept, "claims", exposure="years", X_val=kept, y_val="claims", exposure_val="years"
    )
    watched = model.history_["validation"]["nll"][model.n_estimators_]
    assert_allclose(watched, -NLL(model, kept, "claims"), rtol=1e-5)
    classes = WGBClassifier(n_estimators=5, n_jobs=1, random_state=0)
    classes.fit(frame[["a", "b", "w", "label"]], "label", sample_weight="w")
    expected = np.average(classes.predict(frame[["a", "b"]]) == frame["label"], weights=WEIGHT)
    named = classes.score(frame[["a", "b", "w", "label"]], "label", sample_weight="w")
    assert_allclose(named, expected)


def test_names_that_are_no_columns_are_answered():
    frame = pd.DataFrame(FRAME)
    with pytest.raises(
        ValueError, match="no column 'year' to take as exposure; did you mean 'years"
    ):
        counting().fit(frame, "claims", exposure="year")
    with pytest.raises(TypeError, match="sample_weight='w' names a column; X has to be a frame"):
        counting().fit(X, COUNTS, sample_weight="w")
    model = counting().fit(frame, "claims", exposure="years")
    with pytest.raises(ValueError, match="no column 'yeers' to take as exposure"):
        model.predict(frame, exposure="yeers")
    with pytest.raises(ValueError, match="fitted with exposure"):
        model.score(frame.drop(columns="years"), COUNTS)
