"""Features as columns: comparable, finite whatever comes, and the training rows decide."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from wgboost.smooth.columns import Columns

RNG = np.random.default_rng(2)
X = np.column_stack(
    [
        RNG.lognormal(sigma=1.5, size=400),
        np.where(RNG.random(400) < 0.2, np.nan, RNG.normal(5, 0.1, size=400)),
        np.where(RNG.random(400) < 0.1, np.nan, RNG.integers(3, size=400)),
        np.full(400, 7.0),
        np.full(400, np.nan),
    ]
)
LEVELS = np.array([0, 0, 4, 0, 0])  # the last level is in no row
FITTED = Columns.fit(X, LEVELS)


def test_features_that_vary_have_columns():
    assert FITTED.feature.tolist() == [0, 1, 1, 2, 2, 2, 2]
    assert FITTED.kind.tolist() == [0, 0, 1, 2, 2, 2, 2]
    assert FITTED.group.tolist() == [0, 1, 2, 3, 3, 3, 3]
    assert FITTED.n_lengths == 4
    assert len(Columns.fit(X[:, 3:], LEVELS[3:])) == 0


def test_standardised_numbers_and_zeros_and_ones():
    values = FITTED.apply(X)
    missing = np.isnan(X[:, 1])
    assert_allclose(values[:, 0], (X[:, 0] - X[:, 0].mean()) / X[:, 0].std())
    there = X[~missing, 1]
    assert_allclose(values[~missing, 1], (there - there.mean()) / there.std())
    assert_array_equal(values[missing, 1], 0)
    assert_array_equal(values[:, 2], missing)
    assert_array_equal(values[:, 3], np.isnan(X[:, 2]))
    assert_array_equal(values[:, 4:], X[:, 2:3] == np.arange(3))
    new = FITTED.apply(np.array([[1.0, 5.0, 3.0, 0.0, 0.0]]))
    assert_array_equal(new[0, 3:], 0)  # a level that no training row has


def test_ranks_are_normal_scores_of_the_training_rows():
    values = FITTED.with_rank_share(1.0, X).apply(X)[:, 0]
    scores = stats.norm.ppf((stats.rankdata(X[:, 0]) - 0.5) / 400)
    assert_allclose(values, scores / scores.std(), atol=0.03)  # 256 knots for 400 values
    few = np.repeat([1.0, 2.0, 7.0], [10, 60, 30])[:, None]
    exact = Columns.fit(few, np.zeros(1, dtype=int)).with_rank_share(1.0, few).apply(few)[:, 0]
    scores = stats.norm.ppf((stats.rankdata(few[:, 0]) - 0.5) / 100)
    assert_allclose(exact, (scores - scores.mean()) / scores.std())


def test_a_share_of_ranks_is_a_weighted_mean():
    standard, both, ranks = (
        FITTED.with_rank_share(share, X).apply(X)[:, :2] for share in (0, 0.25, 1)
    )
    assert_allclose(both, 0.75 * standard + 0.25 * ranks)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_beyond_the_training_rows_distances_grow_and_the_trend_ends(share):
    columns = FITTED.with_rank_share(share, X)
    ends = columns.apply(X)[:, 0]
    far = np.full((4, 5), np.nan)
    far[:, 0] = [-300, 300, np.inf, 1e308]
    values = columns.apply(far)[:, 0]
    assert values[0] < ends.min() - 10
    assert ends.max() + 10 < values[1] < values[2] <= ends.max() + 100
    assert values[2] == values[3]
    trend = columns.within(columns.apply(far))
    assert_array_equal(trend[:, 0], [ends.min() - 1, *[ends.max() + 1] * 3])  # a spread
    assert_array_equal(trend[:, 2], 1)  # it is missing, no more than that


def test_values_missing_only_in_new_rows_are_unknown():
    new = np.array([[np.nan] * 5, [0, 0, 3, 0, 0]])  # of the second and third some are missing
    expected = np.zeros((2, 7), dtype=bool)
    expected[0, 0] = expected[1, 3] = True
    assert_array_equal(FITTED.unknown(new, FITTED.apply(new)), expected)
    assert not FITTED.unknown(X, FITTED.apply(X)).any()


FLOATS = st.floats(allow_nan=True, allow_infinity=True)


@given(arrays(np.float64, (12, 2), elements=FLOATS), arrays(np.float64, (5, 2), elements=FLOATS))
def test_columns_are_finite_and_in_order_for_any_input(train, new):
    fitted = Columns.fit(train, np.zeros(2, dtype=int))
    for share in (0.0, 0.5, 1.0):
        columns = fitted.with_rank_share(share, train)
        values = columns.apply(new)
        assert np.isfinite(values).all()
        columns.check(2)
        for c in np.flatnonzero(columns.kind == 0):
            given_values = new[:, columns.feature[c]]
            order = np.argsort(given_values)[: int((~np.isnan(given_values)).sum())]
            assert (np.diff(values[order, c]) >= -1e-9 * np.abs(values[order[1:], c])).all()


def test_many_features_share_a_length():
    many = RNG.normal(size=(20, 65))
    columns = Columns.fit(many, np.zeros(65, dtype=int))
    assert (len(columns), columns.n_lengths) == (65, 1)
    assert Columns.fit(many[:, :64], np.zeros(64, dtype=int)).n_lengths == 64
