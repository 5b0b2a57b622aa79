"""Frames become matrices in blocks, as they would column by column."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from wgboost.data.schema import Schema
from wgboost.data.table import Table

N = 5
NUMBERS = {
    "double": np.linspace(0, 1, N),
    "single": np.linspace(0, 1, N, dtype=np.float32),
    "byte": np.arange(N, dtype=np.int8),
    "long": 2**40 + np.arange(N),
    "unsigned": np.arange(N, dtype=np.uint64),
    "truth": np.arange(N) % 2 == 0,
    "gaps": np.where(np.arange(N) == 2, np.nan, 1.5),
}
MISSING = {"whole": [1, None, 3, 4, None], "yes": [True, None, False, True, None]}
WORDS = ["b", "a", None, "b", "c"]


def matrix(columns):
    table = [[np.nan if v is None else float(v) for v in values] for values in columns.values()]
    return np.array(table).T


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas, nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas, fragments": lambda columns: pd.concat(
        [pd.Series(values, name=name) for name, values in columns.items()], axis=1
    ),
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "arrow": lambda columns: pl.DataFrame(columns, strict=False).to_arrow(),
}


@pytest.mark.parametrize("library", FRAMES)
def test_numbers_of_every_type_make_one_matrix(library):
    columns = {**NUMBERS, **MISSING}
    frame = FRAMES[library](columns)
    if library == "pandas":  # where missing integers and truth values are objects or floats
        frame = frame.astype({"whole": float, "yes": float})
    got = Schema.fit(frame)[1]
    assert got.dtype == np.float64
    assert_array_equal(got, matrix(columns))
    one_by_one = Table.of(frame, separate=range(frame.shape[1]))
    assert_array_equal(one_by_one.matrix({}), got)
    assert_array_equal(np.stack([column.values for column in one_by_one.columns()], axis=1), got)


@pytest.mark.parametrize("library", FRAMES)
def test_categories_stay_between_blocks_of_numbers(library):
    columns = {"double": NUMBERS["double"], "word": WORDS, "byte": NUMBERS["byte"]}
    frame = FRAMES[library](columns)
    schema, got = Schema.fit(frame)
    assert schema.levels[1].values == ("a", "b", "c")
    expected = np.column_stack([columns["double"], [1, 0, np.nan, 1, 2], columns["byte"]])
    assert_array_equal(got, expected)
    assert_array_equal(schema.apply(frame), expected)
    others = {name: columns[name] for name in ("byte", "word", "double")}
    assert_array_equal(schema.apply(FRAMES[library](others)), expected)


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_single_precision_stays_single_and_levels_keep_their_decimals(library):
    tenths = {"a": np.float32([0.1, 0.2, 0.3]), "b": np.float32([1, 2, 3])}
    frame = FRAMES[library](tenths)
    assert Schema.fit(frame)[1].dtype == np.float32
    mixed = FRAMES[library]({**tenths, "c": np.arange(3.0)})
    schema, got = Schema.fit(mixed, categorical_features=["a"])
    assert got.dtype == np.float64
    assert schema.levels[0].values == (0.1, 0.2, 0.3)
    assert_array_equal(schema.apply(FRAMES[library]({**tenths, "c": np.arange(3.0)})), got)
    larger = FRAMES[library](
        {"a": np.array([0.1, 0.2, 0.3]), "b": tenths["b"], "c": np.arange(3.0)}
    )
    assert_array_equal(schema.apply(larger), got)
