"""Raw features to codes: where the edges lie and what applying them gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from plain_trees import plain_codes, plain_cuts
from wgboost.data import Features
from wgboost.data.binning import MAX_BINS, Binned, Cuts

anything = st.one_of(
    st.floats(allow_nan=False),
    st.sampled_from([np.inf, -np.inf, 0.0, -0.0, 1e308, -1e308, 5e-324, -5e-324, 2e-308]),
    st.integers(-3, 3).map(float),
)
columns = hnp.arrays(np.float64, st.integers(1, 60), elements=st.one_of(anything, st.just(np.nan)))


def column(values, dtype=np.float64):
    return np.asarray(values, dtype=dtype)[:, None]


def codes_of(values, **options):
    X = column(values)
    return Cuts.find(X, **options).apply(X).codes[:, 0]


def assert_ranks(values):
    """Every code is the rank of its value: all neighbours are separated."""
    values = np.asarray(values, dtype=float)
    np.testing.assert_array_equal(codes_of(values), np.unique(values, return_inverse=True)[1])


@given(columns)
def test_a_feature_with_few_values_has_a_code_for_each(values):
    present = values[~np.isnan(values)]
    distinct, rank = np.unique(present, return_inverse=True)
    codes = codes_of(values)
    np.testing.assert_array_equal(codes[~np.isnan(values)], rank)
    np.testing.assert_array_equal(codes[np.isnan(values)], max(1, len(distinct)))


@pytest.mark.parametrize("distinct", [1, 2, 254, 255])
def test_up_to_255_distinct_values_are_all_separated(distinct):
    rng = np.random.default_rng(distinct)
    levels = rng.normal(size=distinct)
    assert_ranks(rng.permutation(np.append(levels, rng.choice(levels, size=4000))))


@pytest.mark.parametrize("distinct", [256, 300, 5000])
def test_more_values_than_bins_fill_no_more_than_255_bins(distinct):
    values = np.random.default_rng(distinct).normal(size=distinct)
    cuts = Cuts.find(column(values))
    assert 200 < cuts.n_bins[0] <= MAX_BINS
    assert len(np.unique(cuts.apply(column(values)).codes)) == cuts.n_bins[0]


@given(columns, anything, st.integers(2, 20), st.sampled_from([np.float32, np.float64]))
def test_a_code_is_at_most_b_exactly_when_the_value_is_at_most_edge_b(values, new, bins, dtype):
    with np.errstate(over="ignore"):
        X = column(np.append(values, new), dtype)
    cuts = Cuts.find(X[:-1], max_bins=bins)
    edges, codes = cuts.edges[0], cuts.apply(X).codes[:, 0]
    assert (np.diff(edges) > 0).all()
    known = ~np.isnan(X[:, 0])
    for b, edge in enumerate(edges):
        np.testing.assert_array_equal(codes[known] <= b, X[known, 0].astype(float) <= edge)
    assert (codes[~known] == cuts.n_bins[0]).all()
    np.testing.assert_array_equal(codes, plain_codes(X[:, 0], edges))


@given(
    hnp.arrays(np.float64, st.integers(1, 120), elements=st.integers(0, 60).map(float)),
    st.integers(2, 30),
    st.randoms(use_true_random=False),
)
def test_edges_follow_the_plain_rule(values, bins, random):
    weight = np.array([random.choice([0, 1, 1, 2, 9]) for _ in values], dtype=float)
    weight[0] = 1
    X = column(values)
    np.testing.assert_array_equal(
        Cuts.find(X, max_bins=bins).edges[0], plain_cuts(values, max_bins=bins)
    )
    np.testing.assert_array_equal(
        Cuts.find(X, max_bins=bins, weight=weight).edges[0],
        plain_cuts(values, max_bins=bins, weight=weight),
    )


@pytest.mark.parametrize("distinct", [50, 4000])
def test_an_integer_weight_is_that_many_rows_and_zero_is_none(distinct):
    rng = np.random.default_rng(1)
    values = rng.normal(size=distinct)
    weight = rng.integers(0, 4, size=distinct)
    weighted = Cuts.find(column(values), weight=weight).edges[0]
    repeated = Cuts.find(column(np.repeat(values, weight))).edges[0]
    np.testing.assert_array_equal(weighted, repeated)
    assert len(weighted) > 30


@pytest.mark.parametrize("n", [1000, 30_000])
def test_bins_of_many_values_hold_about_equal_mass(n):
    rng = np.random.default_rng(2)
    values, weight = rng.lognormal(size=n), rng.random(n).astype(np.float32)
    codes = codes_of(values, weight=weight)
    mass = np.bincount(codes, weights=weight)
    assert len(mass) == MAX_BINS
    # A bin can miss its share by half of its last value, and later bins make up for it.
    assert abs(mass - weight.sum() / MAX_BINS).max() <= 1.5 * weight.max()


@pytest.mark.parametrize("heavy", [-5.0, 0.3, 5.0])
def test_a_value_heavier_than_a_bin_stands_alone(heavy):
    values = np.random.default_rng(3).normal(size=4000)
    values[:400] = heavy
    codes = codes_of(values)
    alone = codes[0]
    np.testing.assert_array_equal(np.flatnonzero(codes == alone), np.arange(400))
    rest = np.bincount(codes[400:])
    assert len(rest[rest > 0]) > 200
    assert rest.max() < 40


@pytest.mark.parametrize(
    "values",
    [
        [np.inf, 1.0, 2.0],
        [-np.inf, 1.0, 2.0],
        [-np.inf, np.inf],
        [-np.inf, -1e308, 0.0, 1e308, np.inf],
        [np.inf, np.inf],
        [-np.inf],
        [np.finfo(float).max, np.inf, -np.finfo(float).max, -np.inf],
        [1e308, -1e308, 1.7e308, -1.7e308],
        [5e-324, 0.0, -5e-324, 1e-323],
        [1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0)],
        [0.0, -0.0, 1.0],
        [7.0, 7.0, 7.0],
    ],
    ids=str,
)
def test_extreme_values_are_values_like_others(values):
    assert_ranks(values)


def test_infinities_among_many_values_keep_bins_of_their_own():
    values = np.random.default_rng(4).normal(size=3000)
    values[:100], values[100:200] = np.inf, -np.inf
    codes = codes_of(values)
    np.testing.assert_array_equal(np.flatnonzero(codes == codes.max()), np.arange(100))
    np.testing.assert_array_equal(np.flatnonzero(codes == 0), np.arange(100, 200))


def test_a_column_without_any_value_has_one_bin_and_only_missing_codes():
    X = np.full((5, 1), np.nan)
    cuts = Cuts.find(X)
    assert cuts.n_bins.tolist() == [1]
    assert cuts.apply(X).codes.tolist() == [[1]] * 5
    assert cuts.apply(np.zeros((1, 1))).codes.tolist() == [[0]]


@pytest.mark.parametrize("distinct", [40, 2000])
def test_memory_layout_and_precision_do_not_change_the_codes(distinct):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(distinct, 3)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    expected = Cuts.find(X).apply(X)
    strided = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
    fixed = X.astype(np.float64)
    fixed.flags.writeable = False
    layouts = [X.astype(np.float64), np.asfortranarray(X), strided, X[::-1][::-1], fixed]
    layouts.append(X.astype(">f8"))
    for same in layouts:
        binned = Cuts.find(same).apply(same)
        np.testing.assert_array_equal(binned.codes, expected.codes)
        np.testing.assert_array_equal(binned.n_bins, expected.n_bins)


def test_integers_and_booleans_are_numbers():
    integers = np.array([[3, 1], [2, 1], [3, 0]])
    np.testing.assert_array_equal(
        Features.from_raw(integers).binned.codes, [[1, 1], [0, 1], [1, 0]]
    )
    np.testing.assert_array_equal(Features.from_raw(integers > 1).binned.n_bins, [1, 1])


def test_beyond_200000_rows_a_seeded_sample_finds_the_quantiles():
    values = np.random.default_rng(6).random((400_000, 1))
    first, again = (Cuts.find(values, rng=np.random.default_rng(1)).edges[0] for _ in range(2))
    other = Cuts.find(values, rng=np.random.default_rng(2)).edges[0]
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    np.testing.assert_allclose(first, np.arange(1, MAX_BINS) / MAX_BINS, atol=0.01)


def test_a_rare_value_among_few_is_found_in_any_number_of_rows():
    values = np.random.default_rng(7).integers(0, 9, size=(300_001, 1)).astype(float)
    for row in (0, 150_000, 300_000):
        values[row] = 50 + row
    assert_ranks(values[:, 0])


@pytest.mark.parametrize("distinct", [None, 30])
def test_threads_do_not_change_the_bins(distinct):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60_000, 7)) if distinct is None else rng.integers(0, 30, (60_000, 7))
    X = X.astype(float)
    X[rng.random(X.shape) < 0.02] = np.nan
    one, two = (Features.from_raw(X, n_threads=threads) for threads in (1, 2))
    for a, b in zip(one.cuts.edges, two.cuts.edges, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one.binned.codes, two.binned.codes)


def test_cuts_refuse_other_features_than_they_were_made_for():
    cuts = Cuts.find(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="X has 3 features, the cuts were made for 2"):
        cuts.apply(np.zeros((3, 3)))


def test_binned_takes_codes_only_as_bytes_in_columns():
    codes, n_bins = np.zeros((4, 2), np.uint8, order="F"), np.ones(2, np.int32)
    assert Binned(codes, n_bins).shape == (4, 2)
    for wrong in (codes.astype(np.int32), codes[:, 0], np.ascontiguousarray(codes)):
        with pytest.raises(TypeError, match="a uint8 matrix in Fortran order is needed"):
            Binned(wrong, n_bins)
    for wrong_bins in (np.ones(3, np.int32), np.ones(2)):
        with pytest.raises(ValueError, match="one int32 for each column"):
            Binned(codes, wrong_bins)


def test_a_sample_is_drawn_from_the_rows_that_have_a_value():
    rng = np.random.default_rng(0)
    x = np.full((600_000, 2), np.nan)
    rows = rng.choice(len(x), size=1000, replace=False)
    x[rows, 0] = rng.normal(size=1000)
    x[:, 1] = rng.normal(size=len(x))
    weight = np.zeros(len(x))
    weight[rows] = 1.0
    assert Cuts.find(x[:, :1]).n_bins.tolist() == [255]
    assert Cuts.find(x, weight=weight).n_bins.tolist() == [255, 255]


def test_masked_values_are_missing():
    x = np.ma.masked_equal(np.array([[1.0], [2.0], [3.0]]), 2.0)
    binned = Cuts.find(x).apply(x)
    assert binned.codes.ravel().tolist() == [0, 2, 1]
