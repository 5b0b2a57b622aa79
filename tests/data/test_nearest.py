"""Distances to the nearest training row against a slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from wgboost import WGBRegressor
from wgboost.data.nearest import NearestRows


def plain_difference(a, b, column, ends, own=False):
    """The difference of two values of a feature, written from its description.

    With `own`, a is a value of the column that is left out.
    """
    low, high, spread = ends
    if low == -np.inf:
        return 0.0 if a == b or np.isnan([a, b]).all() else 0.5
    if np.isnan(a) and np.isnan(b):
        return 0.0
    known = np.sort(column[~np.isnan(column)])

    def place(x):
        if np.isnan(x):
            return 0.5 + 0.3 * np.median(known) / spread if known.size else 0.5 + 0.3 * low / spread
        share = (np.mean(known < x) + np.mean(known <= x)) / 2
        return share + (max(x - high, 0) - max(low - x, 0)) / spread + 0.3 * x / spread

    at, shrink = place(a), 0.0
    if own:
        shrink = 0.5 / max(1, len(known))  # the row itself counts as half a row
        if len(known) > 1:
            at += (known[-1] - known[-2]) / spread * (a == known[-1])
            at -= (known[1] - known[0]) / spread * (a == known[0])
    return max(abs(at - place(b)) - shrink, 0) + 0.5 * (np.isnan(a) != np.isnan(b))


def plain_distances(rows, X, low, high, spread, left_out=False):
    ends, found = np.column_stack([low, high, spread]), []
    for i, x in enumerate(X):
        others = [row for k, row in enumerate(rows) if not (left_out and k == i)]
        found.append(min(
            sum(
                plain_difference(x[f], row[f], rows[:, f], ends[f], left_out)
                for f in range(len(x))
            )
            for row in others
        ))  # fmt: skip
    return np.array(found)


def make_rows(rng, n):
    X = np.column_stack([
        rng.normal(size=n).round(1), rng.normal(size=n), rng.integers(0, 4, n).astype(float)
    ])  # fmt: skip
    X[rng.random(n) < 0.2, 0] = np.nan
    X[rng.random(n) < 0.1, 2] = np.nan
    return X


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 40))
def test_distances_are_those_of_the_description(seed, n):
    rng = np.random.default_rng(seed)
    rows, new = make_rows(rng, n), 2 * make_rows(rng, 15)
    new[:, 2] = rng.integers(0, 6, 15)
    new[:3, 1] = np.nan  # where no training row has a gap
    low = np.array([-2.5, np.nanmin(rows[:, 1]), -np.inf])
    high = np.array([2.5, np.nanmax(rows[:, 1]), np.inf])
    spread = np.array([0.7, 1.3, 1.0])
    known = NearestRows.of(rows, low, high, spread)
    expected = plain_distances(rows, new, low, high, spread)
    assert_allclose(known.distances(new), expected, atol=2e-5)
    assert_array_equal(known.distances(new, n_threads=2), known.distances(new))
    assert_allclose(known.distances(rows), 0, atol=1e-6)
    left_out = plain_distances(rows, rows, low, high, spread, left_out=True)
    assert_allclose(known.left_out(rows), left_out, atol=2e-5)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_distances_have_no_unit(scale):
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(80, 2)), 2 * rng.normal(size=(40, 2))
    one, other = (
        WGBRegressor(n_estimators=3, early_stopping=False, random_state=0).fit(unit * X, X[:, 0])
        for unit in (1.0, scale)
    )
    assert_allclose(
        other.ood_score(scale * new, "distance"), one.ood_score(new, "distance"), rtol=1e-4
    )


def test_many_rows_are_represented_by_some_of_them():
    X = np.zeros((2500, 3))
    assert NearestRows.choose(X).shape == (834, 3)
    assert NearestRows.choose(np.zeros((900, 3))).shape == (900, 3)
    assert NearestRows.choose(np.zeros((100, 50_000))).shape == (20, 50_000)


def test_a_single_training_row_is_at_no_distance_from_itself():
    model = WGBRegressor(n_estimators=3, early_stopping=False).fit([[1.0, 2.0]], [3.0])
    assert_array_equal(model.ood_score([[1.0, 2.0]], "distance"), [0.0])
    assert model.ood_score([[9.0, 2.0]], "distance")[0] > 1
    assert_array_equal(model.ood_pvalue([[1.0, 2.0]]), [1.0])
