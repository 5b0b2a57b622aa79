"""Arrays of an ensemble that make no sense are refused before anything is predicted."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from making import grow, made
from wgboost.data import Features
from wgboost.trees.flat import FlatTrees

X, G = made(1, 300, 3, 2, 2)
LEVELS = np.array([20, 0, 0])


@pytest.fixture(scope="module")
def flat() -> FlatTrees:
    """Two rounds of two trees with four leaves and two outputs each."""
    one = grow(X, G, tree="per_particle", max_depth=2)[1].flat
    return FlatTrees.join([one, one])


@pytest.fixture(scope="module")
def sets() -> FlatTrees:
    """Two rounds of two trees that part the categories of the first feature only."""
    codes = np.floor(np.random.default_rng(0).random((300, 1)) * 20)
    g = np.sin(codes * np.arange(1, 5)).reshape(300, 2, 2)
    features = Features.from_raw(np.hstack([codes, np.ones((300, 2))]), n_levels=LEVELS)
    one = grow(features, g, tree="per_particle", max_depth=2)[1].flat
    assert sorted(one.category_set.tolist()) == [-1] * 8 + [0, 0, 1, 1, 2, 2]
    return FlatTrees.join([one, one])


def with_entry(flat, name, index, value):
    array = getattr(flat, name).copy()
    array[index] = value
    return replace(flat, **{name: array})


ENTRIES = [
    ("left", 0, 7, "node 0 has a child outside its tree"),
    ("left", 0, 6, "node 0 has a child outside its tree"),
    ("left", 1, 2**31 - 1, "node 1 has a child outside its tree"),
    ("left", 0, 0, "node 0 has a child outside its tree"),
    ("left", 1, 0, "node 1 has a child outside its tree"),
    ("left", 0, -1, "node 0 has a child outside its tree"),
    ("left", 0, -5, "node 0 has a child outside its tree"),
    ("left", 0, 3, "no parent|shares a child"),
    ("feature", 0, 3, "node 0 splits on feature 3 of 3"),
    ("feature", 0, 2**31 - 1, "splits on feature"),
    ("feature", 0, -2, "node 0 has a negative feature"),
    ("feature", 0, -1, "has no leaf value|no parent"),
    ("feature", 3, 0, "node 3 has a child outside its tree"),
    ("threshold", 1, np.nan, "node 1 has no threshold"),
    ("leaf", 3, 4, "node 3 has no leaf value"),
    ("leaf", 3, -1, "node 3 has no leaf value"),
    ("leaf", 3, 2**31 - 1, "node 3 has no leaf value"),
    ("output", 0, 3, "writes outside the 4 outputs"),
    ("output", 1, -1, "writes outside the 4 outputs"),
    ("output", 1, 2**31 - 1, "writes outside the 4 outputs"),
    ("first_node", 0, 1, "do not cover the node and leaf tables"),
    ("first_node", 4, 27, "do not cover the node and leaf tables"),
    ("first_node", 1, 0, "is empty or out of order"),
    ("first_node", 1, 10**12, "is empty or out of order"),
    ("first_node", 2, -3, "is empty or out of order"),
    ("first_leaf", 4, 17, "do not cover the node and leaf tables"),
    ("first_leaf", 1, 16, "is empty or out of order"),
    ("first_leaf", 1, -4, "is empty or out of order"),
]


@pytest.mark.parametrize(("name", "index", "value", "message"), ENTRIES)
def test_an_entry_out_of_range_is_refused(flat, name, index, value, message):
    broken = with_entry(flat, name, index, value)
    for use in (broken.predict, broken.apply):
        with pytest.raises(ValueError, match=message):
            use(X)


SET_ENTRIES = [
    ("category_set", 0, 3, "node 0 has no category set"),
    ("category_set", 0, -2, "node 0 has no category set"),
    ("category_set", 3, 2**31 - 1, "node 3 has no category set"),
    ("category_set", 0, -1, "feature 0 is split by thresholds and by categories"),
    ("missing_left", 0, 2, "node 0 has a category set that disagrees about missing values"),
    ("first_set", 0, 1, "do not cover the table of category sets"),
    ("first_set", 4, 13, "do not cover the table of category sets"),
    ("first_set", 1, -1, "has category sets out of order"),
    ("first_set", 1, 10**12, "has category sets out of order"),
]


@pytest.mark.parametrize(("name", "index", "value", "message"), SET_ENTRIES)
def test_a_category_set_out_of_range_is_refused(sets, name, index, value, message):
    assert not sets.missing_left[0]
    broken = with_entry(sets, name, index, value)
    for use in (broken.predict, broken.apply):
        with pytest.raises(ValueError, match=message):
            use(X)


def test_two_nodes_cannot_share_a_child(flat):
    assert {int(flat.left[1]), int(flat.left[2])} == {3, 5}
    with pytest.raises(ValueError, match="node 2 shares a child"):
        with_entry(flat, "left", 1, flat.left[2]).predict(X)


LENGTHS = (
    "first_node", "first_leaf", "output", "feature", "threshold", "bin", "missing_left", "left",
    "leaf", "values", "gain", "cover", "category_set", "first_set", "sets",
)  # fmt: skip


@pytest.mark.parametrize("name", LENGTHS)
def test_an_array_of_another_length_is_refused(flat, sets, name):
    flat = sets if name == "sets" else flat
    array = getattr(flat, name)
    for wrong in (array[:-1], np.concatenate([array, array[-1:]]), array[:0]):
        with pytest.raises(ValueError, match=r"length|cover the (node|table)|at least one"):
            replace(flat, **{name: wrong}).predict(X)


@pytest.mark.parametrize(
    "change",
    [{"n_features": 0}, {"n_features": -1}, {"shape": (0, 2)}, {"shape": (1, 1)},
     {"trees_per_round": 0}, {"trees_per_round": 3}, {"trees_per_round": -1}],
    ids=str,
)  # fmt: skip
def test_sizes_that_do_not_fit_the_arrays_are_refused(flat, change):
    broken = replace(flat, **change)
    with pytest.raises(ValueError, match=r"features?|outputs?|round|vector"):
        broken.predict(X[:, : max(1, broken.n_features)])


def test_leaf_values_of_more_outputs_than_there_are_refused(flat):
    with pytest.raises(ValueError, match="writes outside the 4 outputs"):
        replace(flat, values=np.zeros((16, 5), np.float32)).predict(X)
    with pytest.raises(ValueError, match="at least one feature and one output"):
        replace(flat, values=np.zeros((16, 0), np.float32)).predict(X)


INDICES = [
    "left", "leaf", "feature", "first_node", "first_leaf", "output", "bin", "missing_left",
    "category_set", "first_set", "sets",
]  # fmt: skip


@given(st.data())
def test_any_change_of_an_index_is_refused_or_harmless(flat, sets, data):
    name = data.draw(st.sampled_from(INDICES))
    flat = sets if name == "sets" else data.draw(st.sampled_from([flat, sets]))
    array = getattr(flat, name)
    limits = np.iinfo(array.dtype)
    near = st.integers(max(-2, int(limits.min)), 30)
    value = data.draw(near | st.integers(int(limits.min), int(limits.max)))
    index = np.unravel_index(data.draw(st.integers(0, array.size - 1)), array.shape)
    broken = with_entry(flat, name, index, value)
    try:
        predicted, leaves = broken.predict(X), broken.apply(X)
    except ValueError:
        return
    assert np.isfinite(predicted).all()
    assert leaves.min() >= 0
    assert (leaves.max(axis=0) < np.diff(broken.first_leaf)).all()
