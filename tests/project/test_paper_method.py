"""The paper's experiments: their own algorithms against oracles and against wgboost."""

import numpy as np
import pytest
from scipy import stats

from paper import plain, toy
from paper.data import repeats_of
from paper.exact import ExactTree
from paper.faithful import normal_posterior, trained
from paper.regression import METRICS, estimator, held_out, two_stoppings
from wgboost import metrics


def made(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    return X, np.sin(3 * X[:, 0]) + (0.1 + 0.2 * (X[:, 1] > 0)) * rng.standard_normal(n)


@pytest.mark.parametrize("criterion", METRICS)
def test_both_stoppings_are_prefixes_of_one_refitted_model(criterion):
    X, y = made()
    held = held_out(len(y))
    model, rounds = two_stoppings(X, y, held, n_estimators=60)
    protocol = estimator(y, n_estimators=60, eval_metric=criterion)
    protocol.fit(X, y, validation_rows=held)
    assert protocol.n_estimators_ == rounds[criterion]
    np.testing.assert_array_equal(
        protocol.predict_dist(X).particles,
        model.predict_dist(X, n_rounds=rounds[criterion]).particles,
    )


def test_the_plain_derivatives_are_those_of_the_posterior():
    rng = np.random.default_rng(0)
    theta, y, step = rng.normal(0, 1, (4, 3, 2)), rng.normal(0, 1, (4, 1)), 1e-4

    def log_posterior(t):
        mean, log_scale = t[..., 0], t[..., 1]
        square = (y - mean) ** 2 * np.exp(-2 * log_scale)
        prior = -(mean**2) / 200 - 1.01 * log_scale - 0.01 * np.exp(-log_scale)
        return -square / 2 + prior

    score, curvature = plain.score_and_curvature(theta, y)
    for j in range(2):
        move = step * np.eye(2)[j]
        up, here, down = (log_posterior(theta + s * move) for s in (1, 0, -1))
        np.testing.assert_allclose(score[..., j], (up - down) / (2 * step), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(
            curvature[..., j], (2 * here - up - down) / step**2, rtol=1e-4, atol=1e-4
        )


def test_the_plain_program_is_the_library_with_exact_trees():
    X, y = made()
    z = (y - y.mean()) / y.std()
    model = trained(X, z, 25)
    *_, theta = plain.Plain().rounds(X, z, X, 25)
    np.testing.assert_allclose(model.predict_particles(X), theta, atol=2e-4)
    again = estimator(y, learner="exact", init="author", early_stopping=False, n_estimators=25).fit(
        X, y
    )
    dist = again.predict_dist(X)
    assert metrics.nll(dist, y) == pytest.approx(plain.nll(theta, z) + np.log(y.std()), abs=1e-3)
    assert metrics.rmse(dist, y) == pytest.approx(plain.rmse(theta, z) * y.std(), rel=1e-3)


def test_an_exact_tree_makes_the_best_first_split_of_all_thresholds():
    X, _ = made(40)
    rng = np.random.default_rng(1)
    targets = rng.standard_normal((40, 4, 2)).astype(np.float32)
    total = targets.reshape(40, -1).astype(float).sum(axis=1)

    def gain(mask):
        return total[mask].sum() ** 2 / mask.sum() + total[~mask].sum() ** 2 / (~mask).sum()

    best = max(gain(X[:, j] <= value) for j in range(3) for value in np.sort(X[:, j])[:-1])

    class Features:
        raw = X

    fitted = ExactTree(max_depth=1).fit(Features, targets, None, None, rng)
    left = fitted.leaf == fitted.leaf[0]
    assert gain(left) == pytest.approx(best)
    np.testing.assert_allclose(fitted.predict(X)[left][0], targets[left].mean(axis=0), atol=1e-6)
    np.testing.assert_array_equal(fitted.scaled(0.5).values, fitted.values * np.float32(0.5))


def test_the_start_settles_where_the_averaged_direction_vanishes():
    y = made()[1]
    z = (y - y.mean()) / y.std()
    theta = plain.averaged_start(z)
    n = np.broadcast_to(theta, (len(z), *theta.shape))
    score, curvature = (part.mean(axis=0) for part in plain.score_and_curvature(n, z[:, None]))
    moved = plain.movement(theta[None], score[None], curvature[None])[0]
    # The flow of Newton steps swings about where it settles; a draw away it moves by units.
    assert np.median(np.abs(moved)) < 0.05
    assert np.abs(0.1 * moved).max() < 0.05


def test_the_class_start_predicts_the_class_frequencies():
    y = np.repeat([0, 1, 2], [50, 30, 20])
    theta = np.concatenate([plain.averaged_class_start(y), np.zeros((10, 1))], axis=1)
    shares = np.exp(theta) / np.exp(theta).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares.mean(axis=0), [0.5, 0.3, 0.2], atol=0.05)


def test_the_mmd_is_that_of_many_quantiles():
    rng = np.random.default_rng(0)
    particles, centre = rng.normal(0.3, 0.4, (2, 6)), np.array([0.2, -0.1])
    levels = (np.arange(3000) + 0.5) / 3000
    samples = stats.norm.ppf(levels, centre[:, None], toy.SCALE)
    sampled = metrics.mmd(particles[..., None], samples[..., None], bandwidth=0.025)
    np.testing.assert_allclose(toy.squared_mmd(particles, centre), sampled, atol=1e-5)


def test_figure_1_moves_particles_into_the_targets():
    found = toy.figure1((0, 15, 100))
    x = np.linspace(-3.5, 3.5, 200)
    off = {r: np.abs(p.mean(axis=1) - np.sin(x)).mean() for r, p in found.items()}
    assert off[100] < off[15] / 3 < off[0] / 3
    assert np.abs(found[100].std(axis=1) - toy.SCALE).max() < 0.15


def test_four_algorithms_compare_as_the_paper_says():
    words = toy.compared_in_words(toy.compare(100, repeats=1))
    reached = {name: w["rounds_to_0.05"] for name, w in words.items()}
    assert max(reached["diagonal_newton"], reached["full_newton"]) < reached["smoothed"]
    assert reached["smoothed"] < reached["langevin"] == np.inf
    assert words["langevin"]["jumps"] > 10 * max(
        w["jumps"] for name, w in words.items() if name != "langevin"
    )


def test_repeats_hold_out_a_tenth_and_the_draws_are_those_of_the_benchmark():
    first = repeats_of(20, 2)
    np.random.seed(1)  # noqa: NPY002 - how the benchmark draws
    for train, test in first:
        order = np.random.choice(range(20), 20, replace=False)  # noqa: NPY002
        np.testing.assert_array_equal(np.concatenate([train, test]), order)
        assert len(test) == 2
    given = repeats_of(20, 1, np.array([[3, 4]]))
    np.testing.assert_array_equal(given[0][0], np.delete(np.arange(20), [3, 4]))


def test_the_posterior_as_a_target_is_float64_inside():
    theta = np.full((2, 1, 2), 0.25, dtype=np.float32)
    score = normal_posterior().score(theta, np.ones((2, 1)))
    assert score.dtype == np.float64
