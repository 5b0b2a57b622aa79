"""Every public object: files, copies, pipelines, and methods. See `test_matrix.py`."""

import pickle
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import wgboost
from matrix_objects import (
    DATA,
    TEST,
    TRAIN,
    every_object,
    file_of,
    fitted,
    new,
    samples,
    saved_objects,
)
from matrix_refusals import predictions, refusal, works_or_says
from wgboost import plotting


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return the file of an object, written once."""
    return partial(file_of, tmp_path_factory.mktemp("matrix"))


@saved_objects
def test_save_and_load(family, data, saved, tmp_path):
    X, _, row_params = DATA[data].part(TEST)
    model, again = fitted(family, data), wgboost.load(saved(family, data))
    assert type(again) is type(model)
    assert_array_equal(predictions(again, X, row_params), predictions(model, X, row_params))
    again.save(tmp_path / "again.wgb")
    assert (tmp_path / "again.wgb").read_bytes() == saved(family, data).read_bytes()


def test_a_conformal_model_says_how_to_keep_it():
    for data in ("numbers", "classes"):
        with pytest.raises(AttributeError, match="use pickle or joblib"):
            fitted("conformal", data).save("anywhere")


@every_object
def test_pickle(family, data):
    X, _, row_params = DATA[data].part(TEST)
    model = fitted(family, data)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(predictions(again, X, row_params), predictions(model, X, row_params))


@every_object
def test_a_clone_of_what_was_fitted_fits_to_the_same(family, data):
    X, y, row_params = DATA[data].part(TRAIN)
    model = fitted(family, data)
    again = clone(model).fit(X, samples(y) if family == "general" else y, **row_params)
    rows, _, known = DATA[data].part(TEST)
    assert_array_equal(predictions(again, rows, known), predictions(model, rows, known))


@every_object
def test_pipeline(family, data):
    """The last step is told what belongs to rows; pictures and predictions see through it."""
    X, y, row_params = DATA[data].part(TRAIN)
    model = fitted(family, data)
    pipe = make_pipeline(FunctionTransformer(), new(family, data))
    named = {f"{type(model).__name__.lower()}__{name}": value for name, value in row_params.items()}
    pipe.fit(X, samples(y) if family == "general" else y, **named)
    rows, y_test, known = DATA[data].part(TEST)
    assert_array_equal(pipe.predict(rows), model.predict(rows))
    column = {"column": 0} if data == "columns" else {}
    draw = partial(
        plotting.CalibrationDisplay.from_estimator, pipe, rows, y_test, **known, **column
    )
    works_or_says(refusal(family, data, "calibration"), draw)


# --- methods ----------------------------------------------------------------------------------


def objects_of(family, data, saved):
    """A copy of the object in memory, and the one from its file."""
    yield pickle.loads(pickle.dumps(fitted(family, data)))
    if not family.startswith("conformal"):
        yield wgboost.load(saved(family, data))


@every_object
def test_calibrate(family, data, saved):
    X, y, row_params = DATA[data].part(TEST)
    for model in objects_of(family, data, saved):
        action = lambda model=model: model.calibrate(X, y, **row_params)  # noqa: E731
        again = works_or_says(refusal(family, data, "calibrate"), action)
        if again is not None:
            assert again.calibration_.scale > 0
            assert np.isfinite(predictions(again, X, row_params)).all()


@every_object
def test_out_of_distribution(family, data, saved):
    X, _, _ = DATA[data].part(TEST)
    for model in objects_of(family, data, saved):
        for place, action in {
            "ood_score": lambda model=model: model.ood_score(X),
            "ood_pvalue": lambda model=model: model.ood_pvalue(X),
            "calibrate_ood": lambda model=model: model.calibrate_ood(X).ood_pvalue(X),
        }.items():
            found = works_or_says(refusal(family, data, place), action)
            if found is not None:
                assert found.shape == (len(X),)
                assert np.isfinite(found).all()


@every_object
def test_support(family, data, saved):
    X, _, _ = DATA[data].part(TEST)
    words = refusal(family, data, "support")
    for model in objects_of(family, data, saved):
        found = works_or_says(words, lambda model=model: model.predict_support(X))
        lost = works_or_says(words, lambda model=model: model.explain_support(X))
        if found is not None:
            assert found.shape == (len(X),)
            assert ((found >= 0) & (found <= 1)).all()
            assert type(lost) is type(X)
            assert lost.shape == X.shape
            assert_allclose(np.asarray(lost).sum(axis=1), 1 - found, atol=1e-5)


@every_object
def test_table_of_predictions(family, data, saved):
    X, _, row_params = DATA[data].part(TEST)
    words = refusal(family, data, "table")
    for model in objects_of(family, data, saved):
        table = works_or_says(words, lambda model=model: model.predict_table(X, **row_params))
        if table is not None:
            assert [*table][-2:] == ["ood_score", "ood_pvalue"]
            assert_array_equal(table["ood_pvalue"], model.ood_pvalue(X))


@every_object
def test_credible_bands(family, data, saved):
    X, _, row_params = DATA[data].part(TEST)
    words = refusal(family, data, "band")
    for model in objects_of(family, data, saved):
        action = lambda model=model: model.predict_band(X, **row_params)  # noqa: E731
        band = works_or_says(words, action)
        if band is None:
            continue
        each = {"columns": (2,), "classes": (3,), "frame_classes": (3,)}.get(data, ())
        assert band.shape == (len(X), *each, 2)
        assert np.isfinite(band).all()
        assert (band[..., 0] <= band[..., 1]).all()
        parameter = next(iter(model.predict_particles(X, **row_params)))
        assert model.predict_band(X, parameter, 0.5, **row_params).shape == (len(X), 2)


@every_object
def test_decide(family, data, saved):
    X, _, row_params = DATA[data].part(TEST)

    def loss(action, theta):
        first = theta[..., 0] if family == "general" else theta[next(iter(theta))]
        return np.square(action - first)

    for model in objects_of(family, data, saved):
        action = lambda model=model: model.decide(X, loss, [0.1, 5.0, 30.0], **row_params)  # noqa: E731
        chosen = works_or_says(refusal(family, data, "decide"), action)
        if chosen is not None:
            assert chosen.shape == (len(X),)
            assert np.isin(chosen, [0.1, 5.0, 30.0]).all()


@every_object
def test_staged_predictions_end_at_the_prediction(family, data, saved):
    X, _, row_params = DATA[data].part(TEST)
    for model in objects_of(family, data, saved):
        for place, name in (
            ("staged_dist", "staged_predict_dist"),
            ("staged_particles", "staged_predict_particles"),
            ("staged_predict", "staged_predict"),
        ):
            action = lambda model=model, name=name: list(getattr(model, name)(X, **row_params))  # noqa: E731
            stages = works_or_says(refusal(family, data, place), action)
            if stages is None:
                continue
            last = getattr(model, name.removeprefix("staged_"))(X, **row_params)
            if place == "staged_dist":
                assert_array_equal(stages[-1].theta(), last.theta())
            elif isinstance(last, dict):
                for key, values in last.items():
                    assert_array_equal(stages[-1][key], values)
            else:
                assert_array_equal(stages[-1], last)
