"""Rarity of rows against counts by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from wgboost.data.rarity import rarity

NUMBER = np.zeros(1, dtype=int)


def test_nine_rows_of_ten_in_one_half_are_nine_times_as_frequent():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, 20_000) * np.where(rng.random(20_000) < 0.9, -1, 1)
    found = rarity(x[:, None], NUMBER)
    assert_allclose(found[x > 0.2].mean() / found[x < -0.2].mean(), 9, rtol=0.2)


def test_the_rarest_value_of_a_row_counts():
    X = np.array([[0, 0], [0, 0], [0, 1], [1, 1]], dtype=float)
    expected = [2 / 3, 2 / 3, 2 / 3, 2], [1, 1, 1, 1]
    for j in (0, 1):
        assert_allclose(rarity(X[:, [j]], NUMBER), expected[j])
    assert_allclose(rarity(X, np.zeros(2, dtype=int)), np.maximum(*expected))


def test_categories_and_missing_values_are_values_of_their_own():
    codes = np.array([0, 0, 0, 7, np.nan, np.nan])[:, None]
    assert_allclose(rarity(codes, np.array([9])), [2 / 3] * 3 + [2] + [1] * 2)
    assert_allclose(rarity(np.where(codes == 7, np.inf, codes), NUMBER)[4:], 1, rtol=0.5)


@pytest.mark.parametrize("value", [0.0, 1e300, np.nan, np.inf])
def test_features_that_do_not_vary_say_nothing(value):
    assert_array_equal(rarity(np.full((5, 2), value), np.zeros(2, dtype=int)), np.ones(5))


def test_units_and_long_tails_change_little():
    x = np.random.default_rng(1).normal(size=500)
    plain = rarity(x[:, None], NUMBER)
    assert_array_equal(plain, rarity(1024 * x[:, None], NUMBER))
    x[np.argmax(x)] = 1e308
    far = rarity(x[:, None], NUMBER)
    assert (np.delete(far == plain, np.argmax(x))).mean() > 0.9
    assert (far >= 0.1).all()
    assert (far <= 10).all()
