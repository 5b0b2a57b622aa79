"""WGBoost: rows whose targets are distributions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_ridge import KernelRidge

from wgboost import Density, Target, WGBoost
from wgboost.training.flat_parameters import grouped_parameters

SD = 0.5
X = np.linspace(0, 2 * np.pi, 200)[:, None]
CENTRES = np.sin(X[:, 0])
TARGET = Target(
    score=lambda x, y: -(x - y[:, :, None]) / SD**2,
    curvature=lambda x, _: np.full_like(x, 1 / SD**2),
)


def model(**options):
    options = {"n_particles": 20, "n_jobs": 1, "random_state": 0, **options}
    return WGBoost(options.pop("target", TARGET), **grouped_parameters(options))


def spread(particles):
    return particles.std(axis=1).mean() / SD


DETERMINISTIC = [("smoothed", 0.05, 1500), ("diagonal_newton", 0.1, 500), ("full_newton", 0.1, 500)]


@pytest.mark.parametrize(("direction", "rate", "rounds"), DETERMINISTIC)
def test_particles_follow_normal_targets(direction, rate, rounds):
    fitted = model(direction=direction, learning_rate=rate, n_estimators=rounds).fit(X, CENTRES)
    particles = fitted.predict_particles(X)
    assert particles.shape == (200, 20, 1)
    assert np.abs(fitted.predict(X) - CENTRES).mean() < 0.1
    assert 0.85 < spread(particles) < 1.05


def test_langevin_particles_spread_where_trees_isolate_rows():
    fitted = model(
        direction="langevin", learning_rate=0.05, n_estimators=150, max_depth=None,
        max_leaves=200, min_samples_leaf=1,
    ).fit(X, CENTRES)  # fmt: skip
    assert 0.7 < spread(fitted.predict_particles(X)) < 1.3
    assert np.abs(fitted.predict(X) - CENTRES).mean() < 0.15


def test_leaves_that_average_rows_average_langevin_noise_away():
    fitted = model(direction="langevin", learning_rate=0.05, n_estimators=150, max_depth=1)
    assert spread(fitted.fit(X, CENTRES).predict_particles(X)) < 0.5


def test_any_regressor_is_a_learner():
    smooth = KernelRidge(alpha=0.1, kernel="rbf")
    fitted = model(learner=smooth, n_estimators=60, bandwidth=0.1).fit(X, CENTRES)
    assert np.abs(fitted.predict(X) - CENTRES).mean() < 0.1
    assert 0.85 < spread(fitted.predict_particles(X)) < 1.05


def test_particles_start_where_they_are_told_to():
    start = np.linspace(-1, 1, 7)
    for init in (start, start[:, None]):
        fitted = model(init=init, n_particles=7, n_estimators=0).fit(X, CENTRES)
        assert_array_equal(
            fitted.predict_particles(X), np.tile(start[:, None].astype(np.float32), (200, 1, 1))
        )


def test_start_particles_say_how_many_parameters_there_are():
    y = np.column_stack([CENTRES, -CENTRES])
    target = Target(lambda x, y: y[:, None] - x, lambda x, _: np.ones_like(x))
    fitted = model(target=target, init=np.zeros((20, 2)), n_estimators=3).fit(X, y)
    assert fitted.predict(X).shape == (200, 2)
    with pytest.raises(ValueError, match="n_params=2, but the target has 1 parameters; leave n_p"):
        model(target=None, n_params=2, direction="energy").fit(X, y)


def test_stages_are_models_of_fewer_rounds():
    fitted = model(n_estimators=9).fit(X, CENTRES)
    stages = list(fitted.staged_predict_particles(X))
    assert len(stages) == fitted.n_estimators_ == 9
    assert_array_equal(stages[3], fitted.predict_particles(X, n_rounds=4))
    assert_array_equal(stages[3], model(n_estimators=4).fit(X, CENTRES).predict_particles(X))


def test_threads_and_repeats_change_nothing():
    options = {"n_estimators": 9, "subsample": 0.5, "direction": "langevin"}
    one, again, two = (model(n_jobs=n, **options).fit(X, CENTRES) for n in (1, 1, 2))
    assert_array_equal(one.predict_particles(X), again.predict_particles(X))
    assert_array_equal(one.predict_particles(X), two.predict_particles(X))


def correlated(x, y):
    return -(x - y[:, None, :]) @ np.array([[4.0, -3.0], [-3.0, 4.0]], dtype=np.float32)


@pytest.mark.parametrize("direction", ["diagonal_newton", "full_newton"])
def test_targets_in_two_dimensions_keep_their_correlation(direction):
    precision = np.array([[4.0, -3.0], [-3.0, 4.0]])
    target = Target(
        score=correlated,
        curvature=lambda x, _: np.full_like(x, 4.0),
        hessian=lambda x, _: np.broadcast_to(-precision, (*x.shape, 2)),
    )
    here = X[::8]
    y = np.column_stack([np.sin(here[:, 0]), np.cos(here[:, 0])])
    fitted = model(target=target, n_params=2, direction=direction, n_particles=12, n_estimators=200)
    fitted.fit(here, y)
    assert fitted.predict(here).shape == (25, 2)
    assert np.abs(fitted.predict(here) - y).mean() < 0.12
    assert np.corrcoef(fitted.predict_particles(here)[13].T)[0, 1] > 0.4


def test_weights_decide_which_rows_count():
    weight = (X[:, 0] < np.pi).astype(float)
    fitted = model(n_estimators=200).fit(X, CENTRES, sample_weight=weight)
    error = np.abs(fitted.predict(X) - CENTRES)
    assert error[weight > 0].mean() < 0.1
    assert error[weight == 0].mean() > 0.3


def test_targets_without_y_are_the_same_for_every_row():
    target = Target(score=lambda x, _: 2.0 - x, curvature=lambda x, _: np.ones_like(x))
    fitted = model(target=target, n_estimators=800).fit(X[:20])
    assert_allclose(fitted.predict(X), 2.0, atol=0.05)


def densities(n=200):
    return [
        Density(lambda x, c=c: -(x - c) / SD**2, lambda x: np.full_like(x, 1 / SD**2))
        for c in CENTRES[:n]
    ]


def test_a_list_of_densities_is_the_target_of_the_rows_one_by_one():
    options = {"n_estimators": 30, "direction": "full_newton"}
    together = model(**options).fit(X, CENTRES).predict_particles(X)
    for fitted in (
        model(target=densities(), **options).fit(X),
        model(target=None, **options).fit(X, densities()),
    ):
        assert_allclose(fitted.predict_particles(X), together, rtol=1e-4, atol=1e-5)


LISTS = [
    (densities(3), None, ValueError, "X has 200 rows, there are 3 densities"),
    (densities(), CENTRES, ValueError, "leave y out"),
    ([1.0] * 200, None, TypeError, "the target of row 0, 1.0, is neither a Density"),
    ("normal", None, TypeError, "target='normal' must be"),
    ([Density(lambda x: x[:1])] * 200, None, ValueError, r"score returned shape \(200, 1, 1\)"),
    (
        [*densities(199), Density(lambda x: x[:1])],
        None,
        ValueError,
        r"score did not return \(200, 20, 1\)",
    ),
    (
        [*densities(199), Density(lambda x: x * np.nan)],
        None,
        ValueError,
        "not finite, row 199",
    ),
]


@pytest.mark.parametrize(("target", "y", "error", "message"), LISTS)
def test_lists_that_are_no_targets_are_refused(target, y, error, message):
    with pytest.raises(error, match=message):
        model(target=target, direction="smoothed", n_estimators=2).fit(X, y)


WRONG = [
    ({"target": None}, TypeError, r"target=array.* must be a wgboost.Target\(score="),
    ({"target": Target(score=lambda x, _: -x)}, ValueError, "needs the target's curvature"),
    (
        {"target": Target(score=lambda x, _: -x), "direction": "full_newton"},
        ValueError,
        "needs the target's curvature",
    ),
    (
        {"target": Target(score=lambda x, _: x[:, :, 0]), "direction": "smoothed"},
        ValueError,
        r"target's score returned shape \(200, 20\); \(200, 20, 1\) is needed",
    ),
    (
        {"target": Target(score=lambda x, _: x * np.nan), "direction": "smoothed"},
        ValueError,
        "target's score returned a value that is not finite",
    ),
    ({"kernel": "scaled"}, ValueError, r'Kernel\("scaled"\) needs a Fisher information'),
    ({"init": np.zeros((2, 2, 2))}, ValueError, r"init has shape \(2, 2, 2\)"),
    ({"init": [np.inf]}, ValueError, "finite start particles"),
    (
        {"init": np.zeros(7)},
        ValueError,
        "init has 7 start particles, n_particles=20; set n_particle",
    ),
    (
        {"init": np.zeros((20, 2)), "n_params": 1},
        ValueError,
        "start particles have 2 parameters, not 1 as n_params says",
    ),
    ({"init": object()}, TypeError, "init=<object .* must be start particles"),
    ({"n_params": 0}, ValueError, "n_params=0 must be >= 1"),
    ({"n_particles": 0}, ValueError, "n_particles=0 must be >= 1"),
    ({"learning_rate": 0}, ValueError, "learning_rate=0 must be > 0"),
    ({"direction": "newton"}, ValueError, "direction='newton' must be one of"),
    ({"init": "flow"}, (TypeError, ValueError), "init='flow'"),
]


@pytest.mark.parametrize(("options", "error", "message"), WRONG)
def test_what_makes_no_sense_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        model(n_estimators=2, **options).fit(X, CENTRES)


def test_rows_of_x_and_y_have_to_match():
    with pytest.raises(ValueError, match="X has 200 rows, y has 3"):
        model().fit(X, CENTRES[:3])


def test_no_prediction_without_a_fit():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        model().predict_particles(X)
