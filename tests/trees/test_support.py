"""The support of rows against a slow twin, and what it must not depend on."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from plain_support import plain_asked, plain_lost, plain_support
from wgboost import TreeLearner, WGBClassifier, WGBoost, WGBRegressor, WGBRegressorCV
from wgboost.model.unsupported import add_lost


def make_rows(seed, n=60, missing=True, categories=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(1)
    if categories:
        X[:, 2] = rng.integers(0, 5, n)
    if missing:
        X[rng.random(n) < 0.15, 0] = np.nan
    y = np.nan_to_num(X[:, 0]) + X[:, 1] * (X[:, 2] > 1) + 0.1 * rng.normal(size=n)
    return X, y


def far_rows(X, seed):
    """Training rows, rows beside them, rows far away, missing values and new categories."""
    rng = np.random.default_rng(seed)
    near, far = X[:10] + 0.05, X[10:20] * 4
    near[:, 2], far[:, 2] = X[:10, 2], rng.integers(0, 7, 10)
    holes = np.where(rng.random((10, 3)) < 0.4, np.nan, X[20:30])
    return np.concatenate([X[:10], near, far, holes])


def fitted(X, y, **given):
    few = {"n_estimators": 4, "early_stopping": False, "n_particles": 3, "evidence": 3}
    kind = {"categorical_features": [2], "random_state": 0, "n_jobs": 1}
    return WGBRegressor(**{**few, **kind, **given}).fit(X, y).model_


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    tree=st.sampled_from(["shared", "per_particle"]),
    subsample=st.sampled_from([1.0, 0.6]),
    missing=st.booleans(),
    leaves=st.integers(2, 9),
)
def test_support_is_that_of_the_formula(seed, tree, subsample, missing, leaves):
    X, y = make_rows(seed, missing=missing)
    model = fitted(X, y, tree=tree, subsample=subsample, max_leaves=leaves)
    trees, known, rows = model.ensemble, model.known_support, far_rows(X, seed)
    if subsample == 1.0:
        assert known.asked == pytest.approx(plain_asked(trees, X))
    support = plain_support(trees, known, X, rows)
    found = model.support(rows)
    assert found.support == pytest.approx(support.mean(axis=1), abs=1e-6)
    assert found.lost == pytest.approx(plain_lost(trees, known, support), abs=1e-5)
    assert model.explain_support(rows).sum(axis=1) == pytest.approx(1 - found.support, abs=1e-9)
    out = plain_support(trees, known, X, X, left_out=True).mean(axis=1)
    assert known.left_out(trees, X) == pytest.approx(out, abs=1e-6)
    assert known.reference[:, 0] == pytest.approx(out, abs=1e-6)


def test_training_rows_have_full_support():
    X, y = make_rows(1)
    for weight in (None, np.random.default_rng(0).integers(0, 3, len(X)).astype(float)):
        few = {"n_estimators": 5, "early_stopping": False, "random_state": 0, "subsample": 0.5}
        model = WGBRegressor(**few).fit(X, y, sample_weight=weight).model_
        counted = slice(None) if weight is None else weight > 0
        result = model.support(X[counted])
        assert (result.support == 1).all()
        assert not result.lost.any()


def test_rows_of_weight_zero_are_not_there():
    X, y = make_rows(2, missing=False, categories=False)
    far = np.concatenate([X, X[:5] + 50])
    weight = np.r_[np.ones(len(X)), np.zeros(5)]
    few = {"n_estimators": 5, "early_stopping": False, "random_state": 0}
    with_far = WGBRegressor(**few).fit(far, np.r_[y, y[:5]], sample_weight=weight)
    without = WGBRegressor(**few).fit(X, y, sample_weight=weight[:-5])
    rows = far_rows(X, 0)
    a, b = (one.model_.support(rows) for one in (with_far, without))
    assert np.array_equal(a.support, b.support)
    assert np.array_equal(a.lost, b.lost)
    assert (with_far.model_.support(far[-5:]).support < 0.1).all()


@pytest.mark.parametrize("leaves", [6, 400])
def test_particles_threads_and_stages_are_the_same(leaves):
    X, y = make_rows(3, n=900)
    model = fitted(X, y, max_leaves=leaves, n_estimators=6)
    rows = np.tile(far_rows(X, 3), (40, 1))
    one, _, result = model.predict_supported(rows)
    many, _, other = model.predict_supported(rows, n_threads=3)
    assert np.array_equal(many, one)
    assert np.array_equal(one, model.ensemble.predict(rows, start=model.start.at(rows)))
    assert np.array_equal(result.lost, other.lost)
    assert np.array_equal(result.support, other.support)
    alone = model.support(rows[7:8])  # few rows go down the trees one by one
    assert alone.support == result.support[7]
    assert np.array_equal(alone.lost[0], result.lost[7])
    known = model.predict_particles(rows)
    assert np.array_equal(known.particles, add_lost(model.response, one, result.lost))
    assert not np.array_equal(known.particles, one)
    assert np.array_equal(known.support, result.support)
    staged = list(model.staged_supported(rows))
    for r, (theta, _, stage) in enumerate(staged, start=1):
        first, _, expected = model.predict_supported(rows, n_rounds=r)
        assert np.array_equal(theta, first)
        assert np.array_equal(stage.lost, expected.lost)
        assert stage.support == pytest.approx(expected.support, abs=1e-12)
    assert np.array_equal(staged[-1][2].lost, result.lost)
    *_, last = model.staged_particles(rows)
    assert np.array_equal(last.particles, known.particles)


def test_features_of_the_loss_are_named():
    X, y = make_rows(4, missing=False, categories=False)
    model = WGBRegressor(n_estimators=20, random_state=0).fit(X, y).model_
    moved = np.repeat(X[:1], 2, axis=0)
    moved[0, 0] += 30
    moved[1, 1] -= 30
    shares = model.explain_support(moved)
    assert shares[0].argmax() == 0
    assert shares[1].argmax() == 1


def test_classes_have_support_too():
    X, y = make_rows(5)
    model = WGBClassifier(n_estimators=5, random_state=0).fit(X, y > 0).model_
    assert model.support(X).support == pytest.approx(1)
    assert model.support(X * 20 + 40).support.max() < 0.5


def test_a_model_without_ranges_says_why():
    X, y = make_rows(6)
    model = fitted(X, y, learner=TreeLearner(support=False))
    assert model.ensemble.ranges is None
    assert not model.knows_support
    with pytest.raises(ValueError, match=r"support=False.*fit it again"):
        model.support(X)
    old = replace(fitted(X, y), known_support=None)
    with pytest.raises(ValueError, match="fit it again"):
        old.explain_support(X)


@pytest.mark.parametrize("reach", [0, -1.0, np.nan, "far"])
def test_a_reach_that_makes_no_sense_is_named(reach):
    X, y = make_rows(7)
    with pytest.raises((ValueError, TypeError), match=r"support=.*True is 0.3"):
        fitted(X, y, learner=TreeLearner(support=reach))


def test_support_fades_over_the_reach():
    X, y = make_rows(8, categories=False)
    row = X.max(axis=0, where=~np.isnan(X), initial=-9)[None] + 1
    near, far = (fitted(X, y, learner=TreeLearner(support=reach)) for reach in (0.1, 2.0))
    assert near.support(row).support < far.support(row).support


@pytest.mark.parametrize("kind", [WGBRegressor, WGBClassifier, WGBRegressorCV, WGBoost])
@pytest.mark.parametrize("method", ["predict_support", "explain_support"])
def test_support_needs_a_fit(kind, method):
    with pytest.raises(NotFittedError, match=f"This {kind.__name__} instance is not fitted yet"):
        getattr(kind(), method)([[0.0]])


def test_a_model_without_splits_has_support():
    """There is no node that a row could leave."""
    X = np.arange(4.0)[:, None]
    model = WGBRegressor(n_estimators=3, evidence=1.0, early_stopping=False, n_jobs=1)
    model = model.set_params(min_samples_leaf=4).fit(X, X[:, 0])
    np.testing.assert_array_equal(model.predict_support([[2.0], [1e6]]), 1)


@pytest.mark.parametrize("kind", [WGBRegressor, WGBClassifier])
def test_a_supported_row_is_predicted_alone_as_together_with_rows_without_support(kind):
    X, y = make_rows(8, n=300)
    target = y if kind is WGBRegressor else y > 0
    model = kind(n_estimators=6, random_state=0, n_jobs=1).fit(X, target)
    inside, far = X[:5], np.concatenate([X[:5], X[:5] + 50])
    assert model.predict_support(far)[5:].max() < 1
    together, alone = model.predict_dist(far), [model.predict_dist(row[None]) for row in inside]
    assert not model.model_.support(inside).lost.any()
    for name in ("aleatoric", "epistemic", "posterior_particles", "var"):
        each = np.concatenate([getattr(one, name)() for one in alone])
        np.testing.assert_allclose(each, getattr(together, name)()[:5], rtol=1e-12)
