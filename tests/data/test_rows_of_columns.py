"""One row is read as the same row of many is, in any order of the columns."""

import datetime
import decimal
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from wgboost.data.schema import Schema
from wgboost.data.table import Table

N = 4
BIG = 2**60 + np.arange(N)  # not exact as float64
WORDS = ["b", "a", None, "b"]
DAYS = [datetime.date(2024, 1, 1 + i) for i in range(N)]
COLUMNS = {
    "double": [0.1, np.nan, 0.3, -np.inf], "word": WORDS, "long": BIG.tolist(),
    "byte": [1, None, -128, 127], "truth": [True, None, False, True], "day": DAYS,
    "price": [decimal.Decimal("1.5"), decimal.Decimal("2.25"), None, decimal.Decimal(3)],
    "plain truth": [True, False, True, True],
}  # fmt: skip
TYPES = {"byte": pl.Int8, "long": pl.UInt64, "truth": pl.Boolean, "price": pl.Decimal(10, 2)}
EXPECTED = np.column_stack([
    COLUMNS["double"], [1, 0, np.nan, 1], BIG.astype(float), [1, np.nan, -128, 127],
    [1, np.nan, 0, 1], 19723 + np.arange(N), [1.5, 2.25, np.nan, 3], [1, 0, 1, 1],
])  # fmt: skip


def polars():
    frame = pl.DataFrame(COLUMNS, schema_overrides=TYPES, strict=False)
    return frame.with_columns(pl.col("word").cast(pl.Categorical))


def pandas():
    frame = pd.DataFrame(COLUMNS)
    types = {"word": "category", "long": "uint64", "byte": "Int8", "truth": "boolean"}
    return frame.astype(types).assign(day=pd.to_datetime(frame["day"]))


def arrow():
    table = polars().to_arrow()
    return pa.concat_tables([table[:1], table[1:3], table[3:]])


def _of_arrow(frame):
    with warnings.catch_warnings():  # pandas 2.2 casts infinite values to see if they are integers
        warnings.filterwarnings("ignore", "invalid value encountered in cast", RuntimeWarning)
        return frame.convert_dtypes(dtype_backend="pyarrow")


FRAMES = {
    "pandas": pandas,
    "pandas of objects": lambda: pandas().astype({"byte": object, "truth": object, "word": object}),
    "pandas of arrow": lambda: _of_arrow(pandas()),
    "polars": polars,
    "polars of text": lambda: polars().with_columns(pl.col("word").cast(pl.String)),
    "arrow": arrow,
}


@pytest.mark.parametrize("kind", FRAMES)
def test_each_row_alone_is_the_row_among_others(kind):
    frame = FRAMES[kind]()
    schema, matrix = Schema.fit(frame)
    assert_array_equal(matrix, EXPECTED)
    assert_array_equal(schema.apply(frame), EXPECTED)
    for i in range(N):
        assert_array_equal(schema.apply(frame[i : i + 1]), EXPECTED[i : i + 1])


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("n", [1, N])
def test_columns_in_another_order_are_put_in_order(kind, n):
    frame = FRAMES[kind]()
    schema = Schema.fit(frame)[0]
    names = ["price", "long", "truth", "double", "plain truth", "day", "word", "byte"]
    other = frame.select(names) if hasattr(frame, "select") else frame[names]
    assert_array_equal(schema.apply(other[:n]), EXPECTED[:n])


@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_row_of_numbers_of_several_types_is_the_row_among_others(kind, nullable):
    ends = {name: np.iinfo(name) for name in ("int8", "uint8", "int32", "int64", "uint64")}
    columns = {name: np.array([end.min, end.max - 1], name) for name, end in ends.items()}
    columns |= {name: np.array([0.1, np.nan], name) for name in ("float32", "float64")}
    pandas = pd.DataFrame({**columns, "bool": [True, False]})
    if nullable:
        pandas = pandas.convert_dtypes().mask(pandas == 0.1)
    make = {"pandas": lambda x: x, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}[kind]
    frame = make(pandas)
    schema, matrix = Schema.fit(frame)
    assert matrix.dtype == np.float64
    assert_array_equal(matrix, [[np.nan if v is pd.NA else float(v) for v in row]
                                for row in pandas.astype(object).to_numpy()])  # fmt: skip
    for i in range(len(pandas)):
        assert schema.apply(frame[i : i + 1]).tobytes() == matrix[i : i + 1].tobytes()


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("n", [1, 3])
def test_numbers_alone_in_another_order(kind, n):
    values = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    pandas = pd.DataFrame(values, columns=list("abcd"))
    make = {"pandas": lambda x: x, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}[kind]
    schema = Schema.fit(make(pandas))[0]
    got = schema.apply(make(pandas[list("cadb")])[:n])
    assert got.dtype == np.float32
    assert_array_equal(got, values[:n])


@pytest.mark.parametrize(
    "levels",
    [
        [3, 1, 2],
        [0.5, 2.5, 1.5],
        [True, False],
        pd.interval_range(0, 3).tolist(),
        [pd.Timestamp("2024-01-02"), pd.Timestamp("2024-01-01")],
    ],
)
def test_categories_of_any_values(levels):
    values = pd.Categorical([*levels, None, levels[0]], categories=levels)
    frame = pd.DataFrame({"x": np.arange(len(values)) / 2, "level": values})
    schema, matrix = Schema.fit(frame)
    assert np.isnan(matrix[:, 1]).sum() == 1
    for i in range(len(values)):
        assert_array_equal(schema.apply(frame[i : i + 1]), matrix[i : i + 1])


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_any_missing_value_in_a_row_of_objects(missing):
    frame = pd.DataFrame({"x": [1.0, 2.0], "word": pd.Series(["a", missing], dtype=object)})
    schema = Schema.fit(frame)[0]
    assert_array_equal(schema.apply(frame[1:]), [[2.0, np.nan]])


def test_a_row_of_odd_values_is_refused_by_name():
    frame = pd.DataFrame({"x": [1.0], "odd": [[1, 2]]})
    with pytest.raises(TypeError, match="column 'odd' has values of type list"):
        Table.of(frame)


def test_whole_numbers_of_every_arrow_type_keep_their_value():
    kinds = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    ends = {kind: np.iinfo(kind) for kind in kinds}
    columns = {
        kind: pa.array([int(end.min), None, int(end.max) - 1], kind) for kind, end in ends.items()
    }
    got = Table.of(pa.table(columns)).matrix({})
    expected = [[float(end.min), np.nan, float(int(end.max) - 1)] for end in ends.values()]
    assert_array_equal(got, np.transpose(expected))
