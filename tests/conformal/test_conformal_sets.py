"""Sets of classes that hold the right one as often as they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mixture_examples import categorical_mixture, normal_mixture
from plain_conformal import cross_set, mass_before, rank
from wgboost.conformal import (
    class_scores,
    conformal_sets,
    cross_conformal_sets,
    scores_of_classes,
    sets_at,
)

both = pytest.mark.parametrize("conformity", ["adaptive", "threshold"])
DECIMALS = ["0.5", "0.8", "0.9"]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32), st.booleans())
def test_the_adaptive_score_is_the_mass_of_more_probable_classes(n, k, seed, tied):
    shares = np.random.default_rng(seed).dirichlet(np.ones(k), n)
    if tied:
        shares = np.round(shares * 4) / 4
    plain = [[mass_before(row, code) for code in range(k)] for row in shares]
    assert_allclose(scores_of_classes(shares), plain, atol=1e-12)


@both
@given(
    st.integers(2, 25), st.sampled_from(["0.5", "0.8", "0.9"]), st.booleans(), st.integers(0, 99)
)
def test_enough_of_any_rows_are_held_when_each_is_left_out(conformity, n, confidence, tied, seed):
    """Of n + 1 rows at least ceil((n + 1) confidence); the model knows nothing of the classes."""
    dist, rng = categorical_mixture(n + 1, seed=seed), np.random.default_rng(seed)
    y = rng.integers(0, 4, n + 1)
    if tied:
        rows = rng.integers(0, 3, n + 1)
        dist, y = dist[rows], y[rows]
    if rank(n, confidence) > n:
        return
    hits = 0
    for row in range(n + 1):
        others = np.arange(n + 1) != row
        inside = conformal_sets(
            dist[others], y[others], dist[row], float(confidence), conformity=conformity
        )
        hits += inside[0, y[row]]
    assert hits >= rank(n, confidence)


@both
def test_no_set_is_empty_and_larger_levels_have_larger_sets(conformity):
    shares = categorical_mixture(40, k=5).probabilities()
    before = np.zeros((40, 5), dtype=bool)
    for level in (-1.0, 0.0, 0.2, 0.7, 0.95, 1.0):
        inside = sets_at(shares, level, conformity)
        assert (inside | ~before).all()
        assert inside[np.arange(40), shares.argmax(axis=1)].all()
        before = inside
    assert inside.all()


def test_sets_grow_where_the_model_is_in_doubt():
    dist = categorical_mixture(3000, m=1, k=4, seed=1)
    y = dist.rvs(random_state=1)
    inside = conformal_sets(dist[:1500], y[:1500], dist[1500:], 0.9)
    assert abs(inside[np.arange(1500), y[1500:]].mean() - 0.9) < 0.03
    size, doubt = inside.sum(axis=1), dist[1500:].entropy()
    assert doubt[size == 1].mean() < doubt[size == 2].mean() < doubt[size >= 3].mean()


def test_thresholds_give_the_smaller_sets_where_probabilities_are_right():
    dist = categorical_mixture(60_000, m=1, k=6, seed=2)
    y = dist.rvs(random_state=2)
    old, new = slice(30_000), slice(30_000, None)
    size = {
        by: conformal_sets(dist[old], y[old], dist[new], 0.9, conformity=by).sum()
        for by in ("threshold", "adaptive")
    }
    assert size["threshold"] < size["adaptive"]


def test_a_sure_and_right_model_has_sets_of_one():
    dist = categorical_mixture(200, m=1, k=3, seed=3)
    dist = dist.with_particles(200 * dist.theta())
    inside = conformal_sets(dist, dist.mode(), dist, 0.9)
    assert_array_equal(inside.sum(axis=1), 1)


@both
def test_sets_of_folds_follow_the_definition(conformity):
    dists = [categorical_mixture(8, seed=seed) for seed in range(3)]
    own = [categorical_mixture(5 + k, seed=10 + k) for k in range(3)]
    scores = [class_scores(d, d.rvs(random_state=k), conformity) for k, d in enumerate(own)]
    tables = [dist.probabilities() for dist in dists]
    best = np.mean(tables, axis=0).argmax(axis=1)
    for confidence in (0.3, 0.6, 0.8, 0.9):
        found = cross_conformal_sets(tables, scores, confidence, conformity=conformity)
        for row in range(8):
            odd = [scores_of_classes(table, conformity)[row] for table in tables]
            plain = cross_set(odd, scores, confidence)
            plain[best[row]] = True
            assert_array_equal(found[row], plain)


def test_too_few_rows_and_what_has_no_classes():
    dist = categorical_mixture(8)
    with pytest.warns(UserWarning, match="9 rows are needed"):
        assert conformal_sets(dist, np.zeros(8, int), dist, 0.9).all()
    with pytest.raises(NotImplementedError, match="no classes"):
        class_scores(normal_mixture(), np.zeros(5))
    with pytest.raises(ValueError, match="must be one of 'adaptive', 'threshold'"):
        scores_of_classes(dist.probabilities(), "aps")
    with pytest.raises(ValueError, match="probabilities have shape"):
        scores_of_classes([0.5, 0.5])
    with pytest.raises(ValueError, match="1 tables with 2 arrays"):
        cross_conformal_sets([dist.probabilities()], [[0.1], [0.2]])
