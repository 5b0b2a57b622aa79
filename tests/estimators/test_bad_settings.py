"""Settings that make no sense are refused, and nothing a user can pass ends the process."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from making import assert_same_tree, grow, made
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.trees import TreeSettings

X, G = made(1, 60, 3, 2, 2)

WRONG = [
    ({"tree": "sharde"}, ValueError, "tree='sharde' must be one of .*; did you mean 'shared'?"),
    ({"tree": None}, ValueError, "tree=None must be one of 'shared', 'per_particle'"),
    ({"growth": "depthwise"}, ValueError, "did you mean 'depth_wise'?"),
    ({"split_on": "particle-mean"}, ValueError, "did you mean 'particle_mean'?"),
    ({"split_on": "xyz"}, ValueError, "split_on='xyz' must be one of 'all', 'sum', 'particle"),
    ({"split_on": 0}, ValueError, "split_on=0 must be >= 1; or give one of 'all'"),
    ({"split_on": 2.0}, TypeError, "split_on=2.0 must be an integer"),
    ({"split_on": True}, TypeError, "split_on=True must be an integer"),
    ({"max_depth": 0}, ValueError, "max_depth=0 must be >= 1; None sets no limit"),
    ({"max_depth": -1}, ValueError, "max_depth=-1 must be >= 1"),
    ({"max_depth": 3.0}, TypeError, "max_depth=3.0 must be an integer"),
    ({"max_leaves": 1}, ValueError, "max_leaves=1 must be >= 2; None sets no limit"),
    ({"max_depth": None}, ValueError, "set no limit at all; give one"),
    ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf=0 must be >= 1"),
    ({"min_samples_leaf": 0.1}, TypeError, "min_samples_leaf=0.1 must be an integer"),
    ({"l2": -1}, ValueError, "l2=-1 must be >= 0"),
    ({"l2": np.nan}, ValueError, "l2=nan must be >= 0"),
    ({"l2": "1"}, TypeError, "l2='1' must be a number >= 0"),
    ({"l2": True}, TypeError, "l2=True must be a number"),
    ({"min_gain": np.inf}, ValueError, "min_gain=inf must be >= 0"),
    ({"subsample": 0.0}, ValueError, "subsample=0.0 must be > 0 and <= 1"),
    ({"subsample": 1.01}, ValueError, "subsample=1.01 must be > 0 and <= 1"),
    ({"colsample": -0.5}, ValueError, "colsample=-0.5 must be > 0 and <= 1"),
    ({"colsample": None}, TypeError, "colsample=None must be a number"),
]


@pytest.mark.parametrize(("options", "error", "message"), WRONG, ids=lambda x: str(x)[:40])
def test_a_setting_that_makes_no_sense_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        grow(X, G, **options)


def test_numpy_numbers_are_numbers():
    numpy_numbers = {
        "max_depth": np.int64(2), "max_leaves": np.int32(3), "split_on": np.int8(1),
        "l2": np.float32(0.5), "subsample": np.float64(0.5), "min_samples_leaf": np.uint16(2),
    }  # fmt: skip
    plain = {name: value.item() for name, value in numpy_numbers.items()}
    assert_same_tree(
        grow(X, G, **numpy_numbers)[1].trees[0], grow(X, G, **plain)[1].trees[0]
    )  # fmt: skip


@pytest.mark.parametrize("limit", ["max_depth", "max_leaves"])
@pytest.mark.parametrize("size", [2**31 - 1, 2**40])
def test_a_limit_beyond_all_data_is_no_limit(limit, size):
    free = grow(X, G, max_depth=100, max_leaves=1000)[1].trees[0]
    settings = {"max_depth": None, "max_leaves": None, limit: size}
    assert_same_tree(grow(X, G, **settings)[1].trees[0], free)


@pytest.mark.parametrize("size", [31, 61, 2**31, 2**70])
def test_a_leaf_size_beyond_half_the_data_leaves_one_leaf(size):
    tree = grow(X, G, min_samples_leaf=size)[1].trees[0]
    assert tree.n_leaves == 1
    np.testing.assert_allclose(tree.values[0], G.mean(axis=0, dtype=float).ravel(), rtol=1e-6)


@pytest.mark.parametrize("n_threads", ["2", None, 1.0, 2**40])
def test_a_number_of_threads_that_makes_no_sense_is_named(n_threads):
    with pytest.raises((TypeError, ValueError), match=f"n_threads={n_threads!r}"):
        HistTree(n_threads=n_threads).fit(Features.from_raw(X), G)


def test_huge_targets_are_split_or_refused_but_give_numbers():
    huge = (G / np.abs(G).max() * 3e38).astype(np.float32)
    values = grow(X, huge)[1].flat.values
    assert np.isfinite(values).all()


numbers = st.one_of(
    st.floats(width=32),
    st.integers(-4, 4).map(float),
    st.sampled_from([np.nan, np.inf, -np.inf, 1e38, -1e38, 1e-38]).map(
        lambda one: float(np.float32(one))
    ),
)
kinds = st.sampled_from([np.float32, np.float64, np.float16, np.int8, np.uint64, bool, "U2", "c8"])
wild_arrays = st.one_of(
    kinds.flatmap(lambda kind: hnp.arrays(kind, hnp.array_shapes(min_dims=0, max_side=6))),
    hnp.arrays(np.float32, hnp.array_shapes(max_dims=3), elements=numbers),
)


def numbers_of(shape, elements=numbers):
    return hnp.arrays(np.float32, shape, elements=elements)


SOUND = {
    "tree": st.sampled_from(["shared", "per_particle"]),
    "split_on": st.sampled_from(["all", "sum", "particle_mean", 1, 2, 9]),
    "growth": st.sampled_from(["depth_wise", "best_first"]),
    "max_depth": st.integers(1, 9),
    "max_leaves": st.none() | st.integers(2, 9),
    "min_samples_leaf": st.integers(1, 9),
    "l2": st.floats(0, 1e300),
    "min_gain": st.just(0.0) | st.floats(0, 1e300),
    "subsample": st.just(1.0) | st.floats(0.001, 1.0),
    "colsample": st.floats(0.001, 1.0),
}
anything = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3))
ARRAYS = ("features", "targets", "curvature", "weight")


@settings(max_examples=400)
@given(st.data())
def test_any_input_is_fitted_or_refused(data):
    n, p, m, d = (data.draw(st.integers(1, high)) for high in (8, 3, 3, 3))
    odd = data.draw(st.sampled_from([None, None, *ARRAYS, *ARRAYS, *SOUND]))
    small = st.floats(-9, 9, width=32)
    sound = {
        "features": numbers_of((n, p)),
        "targets": numbers_of((n, m, d), small),
        "curvature": st.none() | numbers_of((n, m, d), small.map(abs)),
        "weight": st.none() | numbers_of(n, st.floats(0, 4, width=32)).map(lambda w: w + 0.5),
    }
    odd_values = {"features": wild_arrays, "weight": wild_arrays | numbers_of(n)}
    odd_values["targets"] = odd_values["curvature"] = wild_arrays | numbers_of((n, m, d))
    features, targets, curvature, weight = (
        data.draw(odd_values[name] if name == odd else sound[name]) for name in ARRAYS
    )
    chosen = data.draw(st.fixed_dictionaries({}, optional=SOUND))
    if odd in SOUND:
        chosen[odd] = data.draw(anything)
    refusal = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            binned = Features.from_raw(features, bins=data.draw(st.integers(2, 255)), weight=weight)
            learner = HistTree(TreeSettings(**chosen))
            values = learner.fit(binned, targets, curvature, weight).predict(features)
        except (TypeError, ValueError) as error:
            refusal = str(error)
    if refusal is not None:
        assert refusal
        assert "incompatible function arguments" not in refusal
        return
    assert np.isfinite(values).all()
    assert values.shape == targets.shape
    if weight is None and learner.settings.subsample == 1:
        assert np.isfinite(targets).all()
        assert curvature is None or np.isfinite(curvature).all()


@pytest.mark.parametrize("n_threads", [0, -1, 2**40, True, 1.5, None])
def test_a_number_of_threads_is_checked_everywhere(n_threads):
    flat = grow(X, G)[1].flat
    for call in (Features.from_raw, flat.predict, flat.apply):
        with pytest.raises((TypeError, ValueError), match=f"n_threads={n_threads!r}"):
            call(X, n_threads=n_threads)
