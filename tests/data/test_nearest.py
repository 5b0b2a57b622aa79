"""Distances to the nearest training row against a slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import fractional_matrix_power

from wgboost import WGBRegressor
from wgboost.data.nearest import NearestRows


def plain_places(column, values, ends):
    """The coordinates of values of a feature, written from the description."""
    low, high, spread = ends
    known = column[~np.isnan(column)]
    if low == -np.inf:
        return values
    middle = 0.5 + 0.3 * (np.median(known) - low if known.size else 0.0) / spread

    def place(x):
        if np.isnan(x):
            return middle
        share = (np.mean(known < x) + np.mean(known <= x)) / 2
        beyond = max(x - high, 0) - max(low - x, 0)
        return share + (beyond + 0.3 * (x - low)) / spread

    return np.array([place(x) for x in values])


def plain_mixing(points):
    """The power -1/2 of the shrunk correlations of coordinates (r, q), in their units."""
    r, q = points.shape
    ridge = max(0.2, q / r)
    if ridge >= 1:
        return np.eye(q)
    deviation = np.where(points.std(axis=0) > 0, points.std(axis=0), 1.0)
    unit = (points - points.mean(axis=0)) / deviation
    shrunk = (1 - ridge) * unit.T @ unit / r
    shrunk[np.diag_indices(q)] = 1.0
    return np.diag(1 / deviation) @ fractional_matrix_power(shrunk, -0.5) @ np.diag(deviation)


def plain_excess(column, x, spread):
    """How far a value is beyond the others of its column, in units of the spread."""
    known = np.sort(column[~np.isnan(column)])
    if len(known) < 2:
        return 0.0
    above = (known[-1] - known[-2]) * (x == known[-1])
    return (above - (known[1] - known[0]) * (x == known[0])) / spread


def plain_distances(rows, X, low, high, spread, left_out=False):
    ends = np.column_stack([low, high, spread])
    points, places = (
        np.column_stack([plain_places(rows[:, f], values[:, f], ends[f]) for f in range(len(low))])
        for values in (rows, X)
    )
    numbers = np.flatnonzero(low > -np.inf)
    mixing = plain_mixing(points[:, numbers])
    counts = np.maximum(1, (~np.isnan(rows[:, numbers])).sum(axis=0))
    shrink = np.diag(mixing) * 0.5 / counts if left_out else 0.0  # the row is half a row
    found = []
    for i, x in enumerate(X):
        at, distances = places[i].copy(), []
        if left_out:
            at[numbers] += [plain_excess(rows[:, f], x[f], spread[f]) for f in numbers]
        for k, row in enumerate(rows):
            if left_out and k == i:
                continue
            gaps = np.maximum(np.abs((at - points[k])[numbers] @ mixing) - shrink, 0)
            missing = np.isnan(x[numbers]) != np.isnan(row[numbers])
            categories = np.delete(np.arange(len(x)), numbers)
            unlike = [
                x[f] != row[f] and not (np.isnan(x[f]) and np.isnan(row[f])) for f in categories
            ]
            distances.append(gaps.sum() + 0.5 * missing.sum() + 0.5 * np.sum(unlike))
        found.append(min(distances))
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
