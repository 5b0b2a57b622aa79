"""Flat ensembles: one function of x, from raw values, codes and the training partition."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from making import grow, made
from wgboost.data import Features
from wgboost.ensemble import join_rounds
from wgboost.learners.hist_tree import HistTree
from wgboost.trees import TreeSettings
from wgboost.trees.flat import FlatTrees

GROUPS = pytest.mark.parametrize("tree", ["shared", "per_particle"])


def boosted(X, g, *, rounds=5, rate=0.3, n_threads=1, dtype=np.float64, **settings):
    """Particles moved round by round by `add_to`, and the rounds as flat trees."""
    features = Features.from_raw(X.astype(dtype), n_threads=n_threads)
    learner = HistTree(TreeSettings(**settings), n_threads=n_threads)
    rng = np.random.default_rng(0)
    particles = np.full(g.shape, 0.1, dtype=np.float32)
    fitted, path = [], []
    for _ in range(rounds):
        fitted.append(learner.fit(features, g - particles, rng=rng).scaled(rate))
        fitted[-1].add_to(particles)
        path.append(particles.copy())
    return features, join_rounds(fitted, X.shape[1], g.shape[1:]), path


def wild(n=500, p=4, m=3, d=2):
    """Features with missing values, infinities, ties and huge and tiny numbers."""
    X, g = made(1, n, p, m, d, missing=0.1)
    X[::17, 0], X[1::17, 0], X[2::17, 1], X[3::17, 1] = np.inf, -np.inf, 1e30, -1e-30
    X[:, 2] = np.round(X[:, 2])
    return X, g


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@GROUPS
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("settings", [{}, {"subsample": 0.5, "colsample": 0.5}], ids=str)
def test_raw_values_codes_and_training_partition_agree_to_the_bit(tree, dtype, settings):
    X, g = wild()
    features, flat, path = boosted(X, g, dtype=dtype, tree=tree, max_depth=5, **settings)
    assert same_bits(flat.predict(features.raw, start=0.1), path[-1])
    assert same_bits(flat.predict_binned(features.binned, start=0.1), path[-1])
    for r, (stage, expected) in enumerate(
        zip(flat.staged_predict(features.raw, start=0.1), path, strict=True)
    ):
        assert same_bits(stage, expected)
        assert same_bits(flat.predict(features.raw, start=0.1, n_rounds=r + 1), expected)
        assert same_bits(flat.predict_binned(features.binned, start=0.1, n_rounds=r + 1), expected)


@pytest.fixture(scope="module")
def grown():
    return boosted(*wild(), tree="per_particle", max_depth=6, rounds=3)


cells = st.one_of(
    st.floats(width=32),
    st.floats(-3, 3, width=32),
    st.sampled_from([np.nan, np.inf, -np.inf, 0.0, -0.0]),
)


@given(hnp.arrays(np.float32, (7, 4), elements=cells))
def test_new_values_take_the_same_path_raw_and_as_codes(grown, X):
    features, flat, _ = grown
    binned = features.cuts.apply(X)
    expected = flat.predict_binned(binned)
    assert same_bits(flat.predict(X), expected)
    assert same_bits(flat.predict(X.astype(np.float64)), expected)
    assert same_bits(flat.predict(np.asfortranarray(X)), expected)
    assert same_bits(flat.predict(X[::-1])[::-1].copy(), expected)


def test_values_at_and_near_a_threshold_take_the_same_path_raw_and_as_codes(grown):
    features, flat, _ = grown
    inner = np.flatnonzero(flat.feature >= 0)
    X = np.zeros((3 * len(inner), 4))
    for i, node in enumerate(inner):
        edge = flat.threshold[node]
        X[3 * i : 3 * i + 3, flat.feature[node]] = (
            np.nextafter(edge, -np.inf), edge, np.nextafter(edge, np.inf),
        )  # fmt: skip
    with np.errstate(over="ignore"):
        narrow = X.astype(np.float32)
    for values in (X, narrow):
        expected = flat.predict_binned(features.cuts.apply(values))
        assert same_bits(flat.predict(values), expected)


@GROUPS
@pytest.mark.parametrize("depth", [3, 30], ids=["small trees", "large trees"])
def test_a_row_is_predicted_alike_in_any_company(tree, depth):
    X, g = wild(n=1500)
    features, flat, path = boosted(X, g, tree=tree, max_depth=depth, rounds=2)
    assert (np.diff(flat.first_node).max() > 1000) == (depth == 30)
    assert same_bits(flat.predict_binned(features.binned, start=0.1), path[-1])
    for n in (1, 2, 7, 11, 12, 13, 63, 64, 65, 127, 1023, 1024, 1025, 1500):
        assert same_bits(flat.predict(X[:n], start=0.1), path[-1][:n])
        assert same_bits(flat.apply(X[-n:]), flat.apply(X)[-n:])
        *_, last = flat.staged_predict(X[-n:], start=0.1)
        assert same_bits(last, path[-1][-n:])


def test_trees_without_a_split_predict_one_value():
    X, g = wild()
    _, flat, path = boosted(X, np.ones_like(g), rounds=2)
    assert flat.feature.tolist() == [-1, -1]
    assert same_bits(flat.predict(X, start=0.1), path[-1])
    assert len(np.unique(path[-1])) == 1


def test_no_rounds_leave_the_start_as_it_is():
    X, g = wild()
    start = np.random.default_rng(0).normal(size=g.shape).astype(np.float32)
    empty = join_rounds([], 4, (3, 2))
    assert isinstance(empty, FlatTrees)
    assert empty.n_rounds == 0
    assert same_bits(empty.predict(X, start=start), start)
    assert same_bits(empty.predict_binned(Features.from_raw(X).binned, start=start), start)
    assert list(empty.staged_predict(X)) == []
    assert empty.apply(X).shape == (500, 0)
    assert empty.feature_gains().tolist() == [0, 0, 0, 0]
    _, flat, _ = boosted(X, g)
    assert same_bits(flat.predict(X, start=start, n_rounds=0), start)


def test_start_may_be_a_number_a_particle_or_one_of_each_row():
    X, g = wild()
    _, flat, _ = boosted(X, g)
    particle = np.arange(6, dtype=np.float32).reshape(3, 2)
    rows = np.broadcast_to(particle, g.shape)
    assert same_bits(flat.predict(X, start=particle), flat.predict(X, start=rows.copy()))
    assert same_bits(flat.predict(X), flat.predict(X, start=0.0))


@GROUPS
def test_apply_gives_the_leaf_whose_values_are_added(tree):
    X, g = wild()
    _, flat, _ = boosted(X, g, tree=tree, rounds=2)
    leaves = flat.apply(X)
    assert leaves.shape == (500, flat.output.size)
    total = np.zeros((500, 6), np.float32)
    for t, first in enumerate(flat.output):
        width = flat.values.shape[1]
        total[:, first : first + width] += flat.values[flat.first_leaf[t] + leaves[:, t]]
    assert same_bits(total.reshape(g.shape), flat.predict(X))
    assert same_bits(flat.apply(X, n_rounds=1), leaves[:, : flat.trees_per_round].copy())


@GROUPS
def test_a_pickled_ensemble_predicts_the_same(tree):
    X, g = wild()
    _, flat, _ = boosted(X, g, tree=tree)
    expected = flat.predict(X)
    again = pickle.loads(pickle.dumps(flat))
    assert same_bits(again.predict(X), expected)
    _, fitted = grow(X, g, tree=tree)
    assert same_bits(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))


def test_feature_gains_add_up_the_gains_of_each_features_splits():
    X, g = wild()
    X[:, 3] = 0
    _, flat, _ = boosted(X, g)
    expected = [flat.gain[flat.feature == f].sum(dtype=float) for f in range(4)]
    np.testing.assert_allclose(flat.feature_gains(), expected)
    assert flat.feature_gains()[3] == 0
    assert flat.feature_gains()[0] > 0


@GROUPS
def test_threads_do_not_change_predictions_of_many_rows(tree):
    X, g = made(3, 200_000, 3, 2, 2, missing=0.05)
    _, flat, _ = boosted(X[:3000], g[:3000], tree=tree, max_depth=6, rounds=8)
    for values in (X, X.astype(np.float32)):
        one, two = (flat.predict(values, n_threads=threads) for threads in (1, 2))
        assert same_bits(one, two)
    assert same_bits(flat.apply(X, n_threads=1), flat.apply(X, n_threads=2))


@GROUPS
def test_many_rows_agree_with_their_training_partition_to_the_bit(tree):
    X, g = made(4, 200_000, 3, 2, 1, missing=0.05)
    features, flat, path = boosted(X, g, tree=tree, rounds=2, n_threads=2, max_depth=6)
    assert same_bits(flat.predict(X, start=0.1, n_threads=2), path[-1])
    assert same_bits(flat.predict_binned(features.binned, start=0.1, n_threads=2), path[-1])


def test_predictions_refuse_what_does_not_fit():
    X, g = wild()
    features, flat, _ = boosted(X, g)
    with pytest.raises(ValueError, match="X has 3 features, the trees were grown on 4"):
        flat.predict(X[:, :3])
    with pytest.raises(ValueError, match="the codes have 3 features, the trees 4"):
        flat.predict_binned(Features.from_raw(X[:, :3]).binned)
    with pytest.raises(ValueError, match="n_rounds=6 must be between 0 and 5; None takes all"):
        flat.predict(X, n_rounds=6)
    with pytest.raises(TypeError, match="n_rounds=True must be an integer"):
        flat.predict_binned(features.binned, n_rounds=True)


@GROUPS
def test_predictions_in_several_calls_are_those_of_one(tree, monkeypatch):
    X, g = made(3, 10_000, 3, 2, 2, missing=0.05)
    _, flat, _ = boosted(X[:1000], g[:1000], tree=tree)
    start = g.astype(np.float32)
    for values in (X, np.asfortranarray(X), X[::-1].astype(np.float32)):
        whole = flat.predict(values, start=start)
        monkeypatch.setattr("wgboost.trees.flat._CALL", 1)  # 4,096 rows at a time
        assert same_bits(flat.predict(values, start=start, n_threads=2), whole)
        monkeypatch.undo()
