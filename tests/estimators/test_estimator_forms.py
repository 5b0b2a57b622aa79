"""Data comes in many forms; what is in it counts, and nothing else."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wgboost import WGBClassifier, WGBRegressor

RNG = np.random.default_rng(41)
X = RNG.integers(-8, 9, size=(40, 2)).astype(float)  # exact in every number format
Y = X[:, 0] + RNG.integers(3, size=40)
LABELS = np.where(Y > 0, "high", "low")
NAMED = pd.DataFrame(X, columns=["u", "v"])


def regressor(**options):
    return WGBRegressor(**{"n_estimators": 3, "random_state": 0, "n_jobs": 1, **options})


def classifier(**options):
    return WGBClassifier(**{"n_estimators": 3, "random_state": 0, "n_jobs": 1, **options})


ANSWER, SHARES = regressor().fit(X, Y).predict(X), classifier().fit(X, LABELS).predict_proba(X)


def strided(values):
    larger = np.zeros([2 * n for n in values.shape], values.dtype)
    view = larger[(slice(None, None, 2),) * values.ndim]
    view[...] = values
    return view


def read_only(values):
    values = values.copy()
    values.flags.writeable = False
    return values


ARRAYS = {
    "integers": lambda a: a.astype(np.int16),
    "half precision": lambda a: a.astype(np.float16),
    "single precision": lambda a: a.astype(np.float32),
    "long double": lambda a: a.astype(np.longdouble),
    "objects": lambda a: a.astype(object),
    "lists": lambda a: a.tolist(),
    "columns first": np.asfortranarray,
    "strided": strided,
    "backwards in memory": lambda a: a[::-1].copy()[::-1],
    "read only": read_only,
    "other byte order": lambda a: a.astype(">f8"),
}


@pytest.mark.parametrize("form", ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize("early_stopping", [False, True])
def test_the_form_of_an_array_does_not_matter(form, early_stopping):
    plain = regressor(early_stopping=early_stopping).fit(X, Y, np.ones(40))
    fitted = regressor(early_stopping=early_stopping).fit(form(X), form(Y), read_only(np.ones(40)))
    assert_allclose(fitted.predict(form(X)), plain.predict(X), rtol=1e-6)


def test_a_memory_map_is_an_array(tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert_array_equal(regressor().fit(mapped, Y).predict(mapped), ANSWER)


@pytest.mark.parametrize("weight", [[1] * 40, pd.Series(1.0, index=range(40, 0, -1)), np.ones(40)])
def test_weights_may_be_a_list_or_a_series(weight):
    assert_allclose(regressor().fit(X, Y, weight).predict(X), ANSWER, rtol=1e-6)


@pytest.mark.parametrize("kind", ["Float64", "Int64", object, "float32"])
def test_a_series_of_any_kind_of_number_is_y(kind):
    assert_allclose(regressor().fit(NAMED, pd.Series(Y).astype(kind)).predict(NAMED), ANSWER)


@pytest.mark.parametrize("kind", [object, "category", "string"])
def test_a_series_of_any_kind_of_text_is_labels(kind):
    fitted = classifier().fit(NAMED, pd.Series(LABELS).astype(kind))
    assert_array_equal(fitted.predict_proba(NAMED), SHARES)


@pytest.mark.parametrize("kind", ["Int64", "UInt8", "boolean"])
def test_nullable_labels_come_back_as_what_they_are(kind):
    labels = pd.Series(np.arange(40) % 2, index=range(40, 0, -1)).astype(kind)
    fitted = classifier().fit(X, labels)
    assert fitted.classes_.dtype == fitted.predict(X).dtype == labels.dtype.numpy_dtype
    assert_array_equal(
        fitted.predict_proba(X), classifier().fit(X, 1 * (labels > 0)).predict_proba(X)
    )
    labels.iloc[3] = pd.NA
    with pytest.raises(ValueError, match=r"y is (nan|<NA>) at row 3"):
        classifier().fit(X, labels)


def test_truth_values_are_numbers_or_labels():
    assert_array_equal(
        regressor().fit(X, Y > 0).predict(X), regressor().fit(X, 1 * (Y > 0)).predict(X)
    )
    assert classifier().fit(X, Y > 0).predict(X).dtype == bool


def test_a_table_of_one_column_is_y_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        fitted = regressor().fit(NAMED, pd.DataFrame({"y": Y}))
    assert_array_equal(fitted.predict(NAMED), ANSWER)
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        classifier().fit(X, LABELS[:, None])


def test_columns_have_to_be_those_of_the_fit():
    fitted = regressor().fit(NAMED, Y)
    with pytest.raises(ValueError, match=r"X lacks the column 'u' .*has the column 'w', unseen"):
        fitted.predict(NAMED.rename(columns={"u": "w"}))
    assert_array_equal(fitted.predict(NAMED[["v", "u"]]), fitted.predict(NAMED))
    with pytest.raises(ValueError, match="X_val, y_val: X lacks the column 'u' of the training"):
        regressor().fit(NAMED, Y, X_val=NAMED[["v"]], y_val=Y)


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (LABELS, ValueError, "y of dtype <U4 is not numeric"),
        ([None, *Y[1:]], ValueError, "y is nan at row 0; drop the row or fill it in"),
        (pd.Series(Y, dtype="Float64").mask(Y > 3), ValueError, "y is nan at row"),
        (np.arange(40).astype("M8[D]"), TypeError, r"y has dtype datetime64\[D\]; give numbers"),
        (Y + 1j, ValueError, "Complex data not supported"),
        (np.column_stack([Y, Y]), ValueError, r"shape \(40, 2\).*multivariate_normal"),
    ],
)
def test_what_is_no_number_is_no_y(y, error, message):
    with pytest.raises(error, match=message):
        regressor().fit(X, y)


def test_labels_have_to_be_of_one_kind():
    with pytest.raises(TypeError, match=r"labels y cannot be sorted: .*int.*str.*; use one kind"):
        classifier().fit(X, np.array([1, *LABELS[1:]], dtype=object))
    for missing in (None, np.nan, pd.NA):
        with pytest.raises(ValueError, match=r"y is (None|nan|<NA>) at row 5; drop the row"):
            classifier().fit(X, np.array([*LABELS[:5], missing, *LABELS[6:]], dtype=object))


def test_text_in_an_array_has_to_be_encoded():
    odd = np.column_stack([X[:, 0].astype(object), LABELS])
    with pytest.raises(
        ValueError, match=r"X has text in it, .*'(high|low)'.*; give a frame, or encode it"
    ):
        regressor().fit(odd, Y)


TAKES_WEIGHTS = [
    Ridge(),
    make_pipeline(StandardScaler(), Ridge()),
    make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), Ridge())),
    TransformedTargetRegressor(Ridge()),
]


@pytest.mark.parametrize("estimator", TAKES_WEIGHTS)
@pytest.mark.parametrize("role", ["init", "learner"])
def test_weights_reach_the_estimator_that_takes_them(estimator, role):
    weight = np.repeat([1.0, 1e-6], 20)
    odd = np.concatenate([Y[:20], 50 - 9 * Y[20:]])
    fitted = regressor(n_estimators=60, **{role: estimator}).fit(X, odd, weight)
    assert np.abs(fitted.predict(X) - Y).mean() < 2
    assert np.abs(regressor(init=estimator).fit(X, odd).predict(X) - Y).mean() > 5


@pytest.mark.parametrize("pipeline", [False, True])
@pytest.mark.parametrize("role", ["init", "learner"])
def test_an_estimator_without_weights_is_named(role, pipeline):
    estimator = KNeighborsRegressor(3)
    estimator = make_pipeline(StandardScaler(), estimator) if pipeline else estimator
    with pytest.raises(TypeError, match="KNeighborsRegressor takes no sample weights; leave them"):
        regressor(**{role: estimator}).fit(X, Y, np.ones(40))
    assert np.isfinite(regressor(**{role: estimator}).fit(X, Y).predict(X)).all()


def test_classes_start_from_classifiers():
    with pytest.raises(TypeError, match=r"init=LinearRegression\(\) has no predict_proba"):
        classifier(init=LinearRegression()).fit(X, LABELS)
    with pytest.raises(TypeError, match="KNeighborsClassifier takes no sample weights"):
        classifier(init=KNeighborsClassifier(), class_weight="balanced").fit(X, LABELS)
    weighted = classifier(init=LogisticRegression(), class_weight="balanced").fit(X, LABELS)
    assert weighted.score(X, LABELS) > 0.8
