"""Categories with many levels: those without information cost little, others are used."""

import numpy as np
import pytest

from making import grow, same_partition
from wgboost import WGBClassifier, WGBRegressor
from wgboost.data import Features
from wgboost.metrics import nll
from wgboost.training.flat_parameters import grouped_parameters
from wgboost.trees.levels import level_signal

LEVELS = 150
SETTINGS = {"n_particles": 3, "n_estimators": 30, "evidence": 10.0, "random_state": 0, "n_jobs": 1}


def made(seed, n, strength):
    """A category, three numbers, and y; levels shift y by `strength` standard deviations."""
    rng = np.random.default_rng(seed)
    level, x = rng.integers(0, LEVELS, n), rng.normal(size=(n, 3))
    effect = strength * np.random.default_rng(0).normal(size=LEVELS)
    mean = x[:, 0] + np.sin(2 * x[:, 1]) + effect[level]
    return np.column_stack([level, x]), mean + rng.normal(size=n)


def loss(estimator, strength, *, classes=False, columns=slice(None), **changes):
    """The NLL of 3,000 new rows after a fit to 1,500."""
    (X, y), (X_new, y_new) = made(1, 1500, strength), made(2, 3000, strength)
    if classes:
        y, y_new = y > 0, y_new > 0
    category = [0] if columns == slice(None) else None
    model = estimator(categorical_features=category, **grouped_parameters({**SETTINGS, **changes}))
    return nll(model.fit(X[:, columns], y).predict_dist(X_new[:, columns]), y_new * 1)


@pytest.mark.parametrize(
    ("estimator", "classes"), [(WGBRegressor, False), (WGBClassifier, True)], ids=["y", "classes"]
)
def test_many_levels_of_noise_cost_little(estimator, classes):
    without = loss(estimator, 0.0, classes=classes, columns=slice(1, None))
    penalised, as_they_are = (
        loss(estimator, 0.0, classes=classes, cat_penalty=penalty) for penalty in (1.0, 0.0)
    )
    assert penalised - without < 0.3 * (as_they_are - without)
    assert as_they_are - without > 0.05


def test_many_levels_that_matter_are_used():
    without = loss(WGBRegressor, 1.0, columns=slice(1, None))
    assert loss(WGBRegressor, 1.0) < without - 0.05


def test_few_levels_are_never_penalised():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, 5, 400), rng.normal(size=(400, 2))])
    g = (0.2 * X[:, 0] + rng.normal(size=400)).astype(np.float32)
    features = Features.from_raw(X, n_levels=np.array([5, 0, 0]))
    free, penalised = (
        grow(features, g, max_depth=6, cat_penalty=penalty)[1] for penalty in (0.0, 1.0)
    )
    assert same_partition(free.leaf[0], penalised.leaf[0])
    assert free.trees[0].gain.tobytes() == penalised.trees[0].gain.tobytes()


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_levels_of_noise_are_rarely_split_at_the_root(offset):
    wins = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.integers(0, 100, 1000), rng.normal(size=1000)])
        g = (offset + rng.normal(size=1000)).astype(np.float32)
        features = Features.from_raw(X, n_levels=np.array([100, 0]))
        wins += grow(features, g, max_depth=1)[1].trees[0].feature[0] == 0
    assert wins <= 20  # a noisy number beside another wins half of the time


def signal_of(effects, n, *, weight=None, scale=1.0, seed=0):
    """The signal of a category whose levels shift the direction by `effects`, and of a number."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, len(effects), n)
    X = np.column_stack([level, rng.normal(size=n)])
    g = scale * (effects[level] + rng.normal(size=n))
    features = Features.from_raw(X, n_levels=np.array([len(effects), 0]))
    g = np.repeat(g[:, None, None], 3, axis=1).astype(np.float32)
    return level_signal(features.binned, features.cuts.categorical, g, weight=weight)


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
def test_the_signal_is_the_variance_of_the_effects(spread):
    effects = spread * np.random.default_rng(1).normal(size=100)
    signal = signal_of(effects, 20_000, scale=7.0)
    # A row differs from the mean of all by its level's effect too.
    assert signal[0] == pytest.approx(effects.var() / (1 + effects.var()), rel=0.2)
    assert signal[1] == 0


def test_levels_of_noise_have_next_to_no_signal():
    signals = [signal_of(np.zeros(100), 2000, seed=seed)[0] for seed in range(20)]
    assert np.median(signals) == 0
    assert max(signals) < 0.02


def test_a_weight_of_two_is_a_row_twice():
    rng = np.random.default_rng(0)
    level, weight = rng.integers(0, 30, 500), rng.integers(0, 3, 500)
    g = (0.1 * level + rng.normal(size=500)).astype(np.float32)[:, None, None]
    c = rng.uniform(1, 2, size=g.shape).astype(np.float32)

    def signal(rows, weight=None):
        X = level[rows, None].astype(float)
        binned = Features.from_raw(X, n_levels=np.array([30])).binned
        return level_signal(binned, np.array([True]), g[rows], c[rows], weight)

    once, copies = np.arange(500), np.arange(500).repeat(weight)
    np.testing.assert_allclose(signal(once, weight), signal(copies), rtol=1e-6)


def test_to_continue_with_levels_that_matter_gives_the_model_of_one_run():
    X, y = made(1, 600, 2.0)
    options = {**SETTINGS, "categorical_features": [0], "early_stopping": False}
    whole = WGBRegressor(**{**options, "n_estimators": 8}).fit(X, y)
    paused = WGBRegressor(**{**options, "n_estimators": 3}, warm_start=True).fit(X, y)
    paused.set_params(n_estimators=8).fit(X, y)
    assert whole.predict_dist(X).mean().tobytes() == paused.predict_dist(X).mean().tobytes()
