"""Frames that do not fit are refused with the name of the column and a remedy."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from wgboost import WGBRegressor

N = 120
X = np.random.default_rng(0).normal(size=N)
WORDS = np.array(["b", "a", "c"])[np.arange(N) % 3]
Y = X + (WORDS == "a")
FRAME = pd.DataFrame({"x": X, "word": WORDS, "code": pd.Categorical(np.arange(N) % 3)})


def small(**options):
    return WGBRegressor(n_estimators=3, n_jobs=1, random_state=0, **options)


@pytest.fixture(scope="module")
def fitted():
    return small().fit(FRAME, Y)


CHANGED = [
    (FRAME.drop(columns="x"), "X lacks the column 'x' of the training data"),
    (FRAME[["word"]], "X lacks the columns 'x', 'code' of the training data"),
    (FRAME.assign(z=1), "X has the column 'z', unseen in training; drop what training did not"),
    (
        FRAME.rename(columns={"word": "words"}),
        "X lacks the column 'word' of the training data, and X has the column 'words', unseen in "
        "training; did you mean 'word'?",
    ),
    (FRAME.assign(x=WORDS), "column 'x' was numbers in training and is text now"),
    (
        FRAME.assign(x=pd.Categorical(X)),
        "column 'x' was numbers in training and is a category of numbers now",
    ),
    (
        FRAME.assign(word=X),
        "column 'word' was a category of text ('a', 'b', 'c', ...) in training and is numbers now",
    ),
    (
        FRAME.assign(code=WORDS),
        "column 'code' was a category of numbers (0.0, 1.0, 2.0, ...) in training and is text now",
    ),
    (
        FRAME.assign(x=pd.Timestamp("2020-01-01")),
        "column 'x' was numbers in training and is dates or times now",
    ),
]


@pytest.mark.parametrize(("frame", "message"), CHANGED, ids=[m[:40] for _, m in CHANGED])
def test_a_column_that_changed_is_named(fitted, frame, message):
    frames = [frame]
    if "category of numbers now" not in message:  # which polars does not have
        frames.append(pl.DataFrame({name: frame[name].to_list() for name in frame}))
        frames.append(frames[-1].to_arrow())
    for one in [*frames, *(many[:1] for many in frames)]:
        with pytest.raises((ValueError, TypeError), match=re.escape(message)):
            fitted.predict(one)


def test_a_model_of_text_cannot_answer_an_array(fitted):
    with (
        pytest.warns(UserWarning, match="does not have valid feature names"),
        pytest.raises(ValueError, match="column 'word' was a category of text"),
    ):
        fitted.predict(np.zeros((2, 3)))


def test_new_categories_and_columns_without_values_count_as_missing(fitted):
    new = FRAME[:3].assign(word=["d", None, "e"], code=[1.5, 7, None])
    nothing = new.assign(word=np.nan, code=None)
    assert fitted.predict(new).tobytes() == fitted.predict(nothing).tobytes()


REFUSED = [
    ({"a": [f"note {i}" for i in range(N)]}, "has 120 different texts in 120 rows, such as 'no"),
    ({"a": [[1, 2]] * N}, "column 'a' "),
]


@pytest.mark.parametrize(("columns", "message"), REFUSED, ids=[m[:30] for _, m in REFUSED])
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_free_text_and_lists_are_refused(columns, message, library):
    with pytest.raises((ValueError, TypeError), match=message):
        small().fit(library({"x": X, **columns}), Y)


def test_free_text_is_taken_when_it_is_asked_for():
    frame = pl.DataFrame({"x": X, "a": [f"note {i}" for i in range(N)]})
    assert small(categorical_features=["a"]).fit(frame, Y).model_.schema.n_levels.tolist() == [
        0,
        120,
    ]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("from_type", "categorical_features='from_type' must be \"from_dtype\", None, or a list"),
        (["wrd"], "categorical_features has 'wrd', which is no column of X; did you mean 'word'"),
        ([3], "categorical_features has 3, which is no column of X"),
        ([True, False], "categorical_features is a mask of 2, X has 3 columns"),
        ([0.5], r"categorical_features=\[0.5\] must be a list of names or indices"),
        (None, "column 'word' is text and not among categorical_features=None"),
        (["code"], r"column 'word' is text and not among categorical_features=\['code'\]"),
    ],
)
def test_columns_asked_for_have_to_exist(asked, message):
    with pytest.raises((ValueError, TypeError), match=message):
        small(categorical_features=asked).fit(FRAME, Y)


def test_odd_frames_are_refused():
    with pytest.raises(TypeError, match=r"X is a lazy frame; give X.collect\(\)"):
        small().fit(pl.LazyFrame({"x": Y}), Y)
    with pytest.raises(TypeError, match=r"one named 7; X.columns = X.columns.astype\(str\)"):
        small().fit(FRAME.rename(columns={"x": 7}), Y)
    with pytest.raises(TypeError, match="column 'x' has values of type int, str; categories are"):
        small().fit(FRAME.assign(x=[1, *WORDS[1:].tolist()]), Y)
    with pytest.raises(ValueError, match=r"X of shape \(0, 3\) is empty"):
        small().fit(FRAME[:0], Y[:0])


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x[:1], pa.Table.from_pandas])
def test_equal_names_are_refused(fitted, make):
    renamed = FRAME.assign(z=X).rename(columns={"word": "a", "z": "b"})
    twice = make(renamed)
    twice = (
        twice.rename_columns(["x", "a", "code", "a"]) if hasattr(twice, "schema")
        else twice.set_axis(["x", "a", "code", "a"], axis=1)
    )  # fmt: skip
    for call in (lambda: small().fit(twice, Y), lambda: fitted.predict(twice)):
        with pytest.raises(ValueError, match="unique column names"):
            call()


def test_a_sparse_matrix_too_large_to_be_dense_is_refused():
    with pytest.raises(ValueError, match=r"takes 7.45e\+05 GiB as a dense matrix, .*TruncatedSVD"):
        small().fit(sparse.csr_array((10**6, 10**8)), np.zeros(10**6))


def test_a_fit_that_refuses_a_frame_leaves_the_model_as_it_was(fitted):
    before = fitted.predict(FRAME)
    with pytest.raises(TypeError, match="values of type list"):
        fitted.fit(FRAME.assign(x=[[1]] * N), Y)
    assert fitted.predict(FRAME).tobytes() == before.tobytes()
