"""The boosting loop: what a round does, what it depends on, and where it ends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from plain_directions import plain_newton_step, plain_normal
from wgboost import AveragedFlow, WGBClassifier, WGBRegressor, metrics
from wgboost.estimators.paper import PAPER_TREES
from wgboost.training.flat_parameters import grouped_parameters

RNG = np.random.default_rng(7)
X = RNG.normal(size=(150, 3))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.2 * RNG.normal(size=150)
START = np.random.default_rng(8).normal(size=(4, 2))
NEW = np.random.default_rng(9).normal(size=(60, 3))
NEW_Y = np.sin(2 * NEW[:, 0]) + 0.3 * NEW[:, 1]
SLOPES = np.array([3.0, -2.0, 1.0])


def model(**options):
    return WGBRegressor(
        **grouped_parameters({"n_estimators": 10, "random_state": 3, "n_jobs": 1, **options})
    )


def particles(fitted, at=NEW):
    return fitted.predict_dist(at).particles


def test_rounds_are_those_of_a_plain_loop():
    rounds, rate = 6, 0.3
    y = (Y - Y.mean()) / Y.std()
    theta = np.tile(START, (len(X), 1, 1))
    trees = {**PAPER_TREES, "split_on": "all", "min_samples_leaf": 5}
    ours = model(
        n_particles=4, n_estimators=rounds, learning_rate=rate, init=START, bandwidth=0.1, **trees
    ).fit(X, Y)  # fmt: skip
    for staged in ours.staged_predict_dist(X):
        steps = [
            plain_newton_step(t, *plain_normal(one, t)) for t, one in zip(theta, y, strict=True)
        ]
        flat = np.reshape(steps, (len(X), -1))
        tree = DecisionTreeRegressor(max_depth=3, min_samples_leaf=5, random_state=0).fit(X, flat)
        theta = theta + rate * tree.predict(X).reshape(theta.shape)
        assert_allclose(staged.particles, theta, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("options", [{}, {"subsample": 0.5, "tree": "per_particle"}])
def test_the_model_does_not_depend_on_the_number_of_threads(options):
    one, two = (model(n_jobs=n, **options).fit(X, Y) for n in (1, 2))
    assert particles(one).tobytes() == particles(two).tobytes()
    again = model(**options).fit(X, Y)
    assert particles(one).tobytes() == particles(again).tobytes()


def test_another_seed_is_another_model():
    one, other = (model(subsample=0.5, random_state=seed).fit(X, Y) for seed in (0, 1))
    assert np.abs(particles(one) - particles(other)).max() > 1e-3


def test_newton_leaves_divide_sums_of_gradients_by_sums_of_curvature():
    options = {"n_particles": 4, "n_estimators": 1, "learning_rate": 1.0, "init": START}
    free = model(leaf="newton", **options).fit(X, Y)
    held = model(leaf="newton", l2=1e6, **options).fit(X, Y)
    assert np.abs(particles(held) - START).max() < 1e-2
    assert np.abs(particles(free) - START).max() > 0.1
    many = model(leaf="newton", l2=1.0, n_estimators=100).fit(X, Y)
    assert metrics.rmse(many.predict_dist(NEW), NEW_Y) < 0.6 * Y.std()


@pytest.mark.parametrize(
    "options",
    [
        {"tree": "per_particle"},
        {"learner": KernelRidge(alpha=1.0, kernel="rbf")},
        {"learner": DecisionTreeRegressor(max_depth=3)},
        {"direction": "smoothed", "learning_rate": 0.05},
        {"direction": "full_newton"},
        {"kernel": "scaled"},
        {"bandwidth": "median"},
        {"init": AveragedFlow(steps=30, of="directions")},
        {"split_on": "particle_mean", "growth": "best_first", "max_leaves": 6},
    ],
)
def test_every_way_to_boost_learns(options):
    fitted = model(n_estimators=40, **options).fit(X, Y)
    empty = model(n_estimators=0, **options).fit(X, Y)
    after, before = (metrics.nll(m.predict_dist(NEW), NEW_Y) for m in (fitted, empty))
    assert after < before - 0.1


def test_full_newton_learns_as_much_as_diagonal_newton_and_stays_there():
    rng = np.random.default_rng(11)
    x = rng.normal(size=(900, 3))
    y = np.sin(2 * x[:, 0]) + 0.3 * x[:, 1] + 0.2 * rng.normal(size=900)
    nll = {}
    for direction in ("full_newton", "diagonal_newton"):
        fitted = model(n_estimators=200, direction=direction)
        fitted.fit(x[:400], y[:400], X_val=x[400:], y_val=y[400:])
        nll[direction] = np.array(fitted.history_["validation"]["nll"])
    full, diagonal = nll["full_newton"], nll["diagonal_newton"]
    assert full.min() < full[0] - 1
    assert full.min() < diagonal.min() + 0.05
    assert full[-1] < full.min() + 0.1


def test_a_function_as_direction_goes_where_it_says():
    def to_one(x, score, *_):
        del score
        return 1.0 - x

    fitted = model(direction=to_one, n_estimators=30, learning_rate=0.5).fit(X, Y)
    assert_allclose(particles(fitted), 1.0, atol=1e-3)


def test_an_estimator_as_start_brings_its_location_along():
    y = X @ SLOPES + 0.1 * RNG.normal(size=150)
    plain, started = (
        model(n_estimators=5, init=init).fit(X, y) for init in ("flow", LinearRegression())
    )
    truth = NEW @ SLOPES
    nll = [metrics.nll(m.predict_dist(NEW), truth) for m in (plain, started)]
    assert nll[1] < nll[0] - 1
    assert_allclose(started.predict(NEW), truth, atol=0.3)


def test_the_training_rows_of_an_estimator_start_are_predicted_out_of_fold():
    noise = np.random.default_rng(1).normal(size=150)
    # The tree fits every row exactly; out of fold it predicts nothing, and the spread shows it.
    started = model(n_estimators=0, init=DecisionTreeRegressor(random_state=0)).fit(X, noise)
    assert np.mean(started.predict_particles(NEW)["scale"]) > 0.8 * noise.std()


def test_an_estimator_start_goes_with_pauses_and_rows_of_weight_zero():
    options = {"init": LinearRegression(), "n_particles": 4}
    whole = model(**options).fit(X, Y)
    paused = model(**{**options, "n_estimators": 4, "warm_start": True}).fit(X, Y)
    assert_array_equal(particles(paused.set_params(n_estimators=10).fit(X, Y)), particles(whole))
    weight = np.repeat([1.0, 0.0], [110, 40])
    zeros = model(**options).fit(X, Y, sample_weight=weight)
    assert_allclose(particles(zeros), particles(model(**options).fit(X[:110], Y[:110])), atol=1e-3)


def test_a_classifier_as_start_brings_its_log_ratios_along():
    labels = np.digitize(X @ SLOPES, [-1, 1])
    options = {"n_estimators": 0, "random_state": 0, "n_jobs": 1}
    plain = WGBClassifier(**options).fit(X, labels)
    started = WGBClassifier(init=LogisticRegression(), **options).fit(X, labels)
    assert started.score(X, labels) > plain.score(X, labels) + 0.2


def test_given_start_particles_are_where_rows_start():
    fitted = model(n_particles=4, n_estimators=0, init=START).fit(X, Y)
    assert_array_equal(particles(fitted), np.tile(START.astype(np.float32), (60, 1, 1)))
    with pytest.raises(ValueError, match=r"init has shape \(4, 2\); .*\(10, 2\)"):
        model(init=START).fit(X, Y)
