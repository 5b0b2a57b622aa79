"""The codes of categories with more levels than there are codes."""

import numpy as np
import pytest

from wgboost.data.level_groups import _FOLDS, _boxes, _effects, _folds, group_levels


def directions(level, seed, strength=1.0):
    rng = np.random.default_rng(seed)
    effect = strength * np.random.default_rng(0).normal(size=level.max() + 1)
    return (effect[level] + rng.normal(size=len(level))).astype(np.float32)[:, None, None]


def test_codes_say_as_much_of_new_rows_as_of_training_rows():
    rng = np.random.default_rng(1)
    level, later = rng.integers(0, 4000, 12_000), rng.integers(0, 4000, 200_000)
    g, g_later = directions(level, 2), directions(later, 3)
    X, n_levels = level[:, None].astype(float), np.array([4000])
    groups, coded = group_levels(X, n_levels, g, None, None, np.random.default_rng(0))
    new = groups.apply(later[:, None].astype(float))
    effects = []
    for code in np.unique(coded):
        mine, theirs = g[coded[:, 0] == code, 0, 0], g_later[new[:, 0] == code, 0, 0]
        error = np.hypot(mine.std() / np.sqrt(len(mine)), theirs.std() / np.sqrt(len(theirs)))
        assert abs(mine.mean() - theirs.mean()) < 4 * error
        effects.append(theirs.mean())
    assert np.ptp(effects) > 1.5
    assert len(effects) == groups.n_codes[0] == 16


def test_effects_follow_from_their_formula():
    rng = np.random.default_rng(4)
    level = np.repeat(np.arange(60), 6)[rng.permutation(360)]
    g = directions(level, 5)[:, 0].astype(float)
    w, one = np.ones(360), np.ones((360, 1))
    effects, elsewhere = _effects(level, np.bincount(level), g, one, w, np.random.default_rng(7))
    fold = _folds(level, np.random.default_rng(7))
    y = g[:, 0] - g.mean()
    means = np.array([y[level == k].mean() for k in range(60)])
    within = np.square(y - means[level]).sum() / 300
    chance = 59 + np.sqrt(2 * 59 * (1 + 59 / 300))
    between = (6 * np.square(means).sum() - chance * within) / (360 - 6)
    for k in range(60):
        # The prediction of a random effect: its covariance with y by the inverse covariance of y.
        mine = y[level == k]
        covariance = within * np.eye(6) + between
        predicted = between * np.linalg.solve(covariance, mine).sum()
        assert effects[k, 0] == pytest.approx(predicted / np.sqrt(within))
    for i in range(0, 360, 17):
        others = y[(level == level[i]) & (fold != fold[i])]
        covariance = within * np.eye(len(others)) + between
        predicted = between * np.linalg.solve(covariance, others).sum()
        assert elsewhere[i, 0] == pytest.approx(predicted / np.sqrt(within))


def test_the_rows_of_a_level_are_spread_over_folds():
    level = np.random.default_rng(0).integers(0, 50, 400)
    fold = _folds(level, np.random.default_rng(1))
    counts = np.array([np.bincount(fold[level == k], minlength=_FOLDS) for k in range(50)])
    assert np.ptp(counts, axis=1).max() <= 1


def test_boxes_part_both_sets_of_points_alike():
    rng = np.random.default_rng(0)
    points, others = rng.normal(size=(300, 2)) * [1, 3], rng.normal(size=(200, 2)) * [1, 3]
    boxes, boxes_of_others = _boxes(points, np.ones(300), others)
    assert np.unique(boxes).tolist() == list(range(16))
    for box in range(16):
        inside, there = points[boxes == box], others[boxes_of_others == box]
        outside = points[boxes != box]
        low, high = inside.min(axis=0), inside.max(axis=0)
        assert not ((outside >= low) & (outside <= high)).all(axis=1).any()
        near = ((others >= low) & (others <= high)).all(axis=1)
        assert (boxes_of_others[near] == box).all()
        assert len(there) >= near.sum()


def test_frequent_levels_have_codes_of_their_own_and_missing_ones_none():
    rng = np.random.default_rng(2)
    level = np.r_[np.repeat(np.arange(3), 200), rng.integers(3, 400, 800)].astype(float)
    g = directions(level.astype(int), 3)
    X = np.r_[level, np.nan][:, None]
    g = np.concatenate([g, g[:1]])
    groups, coded = group_levels(X, np.array([400]), g, None, None, np.random.default_rng(0))
    codes = groups.codes_of(0)
    assert len(set(codes[:3])) == 3
    assert not set(codes[:3]) & set(codes[3:])
    assert (coded[:600, 0] == np.repeat(codes[:3], 200)).all()
    assert np.isnan(coded[-1, 0])
    odd = np.array([400.0, -1.0, 0.5, np.inf, -np.inf, np.nan, 1e300])[:, None]
    assert np.isnan(groups.apply(odd)).all()


def test_levels_of_noise_share_one_code_unless_they_are_frequent():
    shared = 0
    for seed in range(20):
        level = np.random.default_rng(seed).integers(0, 1000, 3000)
        g = directions(level, seed + 100, strength=0.0)
        X = level[:, None].astype(float)
        groups, _ = group_levels(X, np.array([1000]), g, None, None, np.random.default_rng(0))
        shared += groups.n_codes[0] == 1
    assert shared >= 12  # a variance above zero by a standard deviation has a chance of 0.16
