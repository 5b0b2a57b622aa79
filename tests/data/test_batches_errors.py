"""What is said of batches that cannot be fitted from."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from wgboost import Batches, ParquetBatches, WGBRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 3))
Y = X[:, 0] + 0.3 * rng.normal(size=600)
WEIGHT = rng.integers(0, 3, 600)


def batches():
    return Batches([(X[:170], Y[:170]), (X[170:], Y[170:])])


def regressor(**settings):
    return WGBRegressor(**{"n_estimators": 8, "random_state": 0, "n_jobs": 1, **settings})


def test_what_is_wrong_with_parquet_files_is_said(tmp_path, tmp_path_factory):
    folder = tmp_path
    pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=Y).to_parquet(folder / "part-0.parquet")
    with pytest.raises(ValueError, match=r"part-0.parquet has no column 'yy'; did you mean 'y'\?"):
        regressor().fit(ParquetBatches(folder, y="yy"))
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(FileNotFoundError, match="there is no Parquet file at"):
        regressor().fit(ParquetBatches(empty, y="y"))
    (empty / "odd.parquet").write_bytes(b"a,b,c\n1,2,3\n")
    with pytest.raises(ValueError, match=r"odd.parquet' is no Parquet file, or damaged"):
        regressor().fit(ParquetBatches(empty, y="y"))
    for y in (None, 3, ["y", 3]):
        with pytest.raises(TypeError, match="must be the name of a column, or a list of names"):
            ParquetBatches(folder, y=y)
    with pytest.raises(ValueError, match=r"y=\[\] names no column"):
        ParquetBatches(folder, y=[])
    with pytest.raises(ValueError, match="columns has 'y', which is y; leave it out"):
        ParquetBatches(folder, y="y", columns=["a", "y"])


class _Shrinking:
    """Batches that have lost a row of X when they are asked for again."""

    def __init__(self):
        self.lost = 0

    def __iter__(self):
        yield X[self.lost :], Y
        self.lost += 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Batches(iter([])), "is an iterator and ends after one pass"),
        (lambda: Batches(3), "source=3 must be batches"),
        (lambda: Batches([X]), r"batch 0 is a ndarray, not \(X, y\)"),
        (lambda: Batches([]), "there are no rows; the source"),
        (lambda: Batches([(X[:0], Y[:0])]), "there are no rows; the source"),
        (lambda: Batches([(X, np.where(Y > 1, np.nan, Y))]), "y has missing values|is nan"),
        (lambda: Batches([(X, Y[:5])]), r"batch 0 has 600 rows of X, and y of shape \(5,\)"),
        (lambda: Batches([(X, Y), (X[:, :2], Y)]), "batch 1: X has 2 columns, training had 3"),
        (lambda: Batches([(X, Y), (X, Y, WEIGHT)]), "some batches have weights and some have none"),
        (
            lambda: Batches(lambda: [(X, np.random.default_rng().normal(size=600))]),
            "batch 0 has another y in the second pass",
        ),
        (
            lambda: Batches([(X, Y), (X, Y.astype(str))]),
            r"batch 1 has y of dtype <U\d+ and shape \(600,\), the first of float64 and .*one kind",
        ),
        (
            lambda: Batches([(X, Y), (X, Y[:, None])]),
            r"batch 1 has y of dtype float64 and shape \(600, 1\), the first of .*one kind",
        ),
        (lambda: Batches([(X, 3.0)]), r"batch 0 has y=3.0, and a value for each row is needed"),
        (lambda: Batches(_Shrinking()), "batch 0 has 599 rows of X in the second pass"),
        (
            lambda: Batches([(pd.DataFrame({"a": list("xy") * 300}), Y)]),
            "batch 0: column 'a' is categorical, and batches are of numbers",
        ),
    ],
)
def test_bad_batches_are_said(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        regressor().fit(make())


def test_what_needs_x_in_memory_is_refused():
    with pytest.raises(ValueError, match="y is in the batches"):
        regressor().fit(batches(), Y)
    with pytest.raises(ValueError, match="init='smooth' is fitted to X"):
        regressor(init="smooth").fit(batches())
    with pytest.raises(ValueError, match=r"learner=LinearRegression\(\) reads X itself"):
        regressor(learner=LinearRegression()).fit(batches())
    with pytest.raises(TypeError, match="X_val in batches"):
        regressor().fit(batches(), X_val=batches())
    with pytest.raises(TypeError, match=r"X is Batches, .*predict batch by batch"):
        regressor().fit(batches()).predict(batches())


def test_an_iterator_is_sent_to_batches():
    with pytest.raises(TypeError, match=r"X is a generator; .*wgboost.Batches of the function"):
        regressor().fit((X, Y) for _ in range(2))
