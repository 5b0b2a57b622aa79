"""The boosting loop: what a round does, what it depends on, and where it ends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from plain_directions import plain_newton_step, plain_normal
from wgboost import AveragedFlow, Interrupted, WGBClassifier, WGBRegressor, metrics

RNG = np.random.default_rng(7)
X = RNG.normal(size=(150, 3))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.2 * RNG.normal(size=150)
START = np.random.default_rng(8).normal(size=(4, 2))
NEW = np.random.default_rng(9).normal(size=(60, 3))
NEW_Y = np.sin(2 * NEW[:, 0]) + 0.3 * NEW[:, 1]
SLOPES = np.array([3.0, -2.0, 1.0])


def model(**options):
    return WGBRegressor(**{"n_estimators": 10, "random_state": 3, "n_jobs": 1, **options})


def particles(fitted, at=NEW):
    return fitted.predict_dist(at).particles


def test_rounds_are_those_of_a_plain_loop():
    rounds, rate = 6, 0.3
    y = (Y - Y.mean()) / Y.std()
    theta = np.tile(START, (len(X), 1, 1))
    ours = model(
        n_particles=4, n_estimators=rounds, learning_rate=rate, init=START, split_on="all",
        min_samples_leaf=5,
    ).fit(X, Y)  # fmt: skip
    for staged in ours.staged_predict_dist(X):
        steps = [
            plain_newton_step(t, *plain_normal(one, t)) for t, one in zip(theta, y, strict=True)
        ]
        flat = np.reshape(steps, (len(X), -1))
        tree = DecisionTreeRegressor(max_depth=3, min_samples_leaf=5, random_state=0).fit(X, flat)
        theta = theta + rate * tree.predict(X).reshape(theta.shape)
        assert_allclose(staged.particles, theta, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"subsample": 0.6, "colsample": 0.7},
        {"direction": "langevin", "split_on": 2},
        {"tree": "per_particle", "leaf": "newton", "l2": 1.0},
        {"learner": DecisionTreeRegressor(max_depth=2, max_features=1)},
    ],
)
def test_a_pause_changes_nothing(options):
    whole = model(**options).fit(X, Y)
    paused = model(**{**options, "n_estimators": 4, "warm_start": True}).fit(X, Y)
    assert paused.n_estimators_ == 4
    paused.set_params(n_estimators=10).fit(X, Y)
    assert paused.n_estimators_ == 10
    assert particles(whole).tobytes() == particles(paused).tobytes()


def test_warm_start_cannot_take_rounds_away():
    paused = model(warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match="n_estimators=4 below the 10 rounds there are"):
        paused.set_params(n_estimators=4).fit(X, Y)


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


def stop_after(rounds, how=True):
    def callback(state):
        assert state["particles"].shape[0] == len(X)
        if state["round"] == rounds:
            if how is not True:
                raise how
            return True
        return None

    return callback


def test_a_callback_ends_the_loop():
    fitted = model().fit(X, Y, callbacks=[stop_after(3)])
    assert fitted.n_estimators_ == 3
    assert not fitted.interrupted_
    assert_array_equal(particles(fitted), particles(model(n_estimators=3).fit(X, Y)))


@pytest.mark.parametrize("options", [{}, {"early_stopping": True}])
def test_an_interrupted_fit_keeps_the_rounds_so_far(options):
    def callback(state):
        if state["round"] == 4:
            raise KeyboardInterrupt

    with pytest.warns(Interrupted, match="consists of the 4 rounds so far"):
        fitted = model(**options).fit(X, Y, callbacks=[callback])
    assert fitted.interrupted_
    assert fitted.n_estimators_ == 4 if not options else fitted.n_estimators_ <= 4
    assert np.isfinite(fitted.predict(NEW)).all()


def test_an_interrupted_fit_can_go_on():
    with pytest.warns(Interrupted):
        fitted = model(warm_start=True).fit(X, Y, callbacks=[stop_after(4, KeyboardInterrupt())])
    fitted.fit(X, Y)
    assert fitted.n_estimators_ == 10
    assert_array_equal(particles(fitted), particles(model().fit(X, Y)))


def test_early_stopping_keeps_the_best_round_and_patience_ends_the_search():
    options = {"early_stopping": True, "learning_rate": 0.5, "n_estimators": 60}
    whole = model(refit=False, **options).fit(X, Y)
    history = whole.history_["validation"]["nll"]
    assert len(history) == 61  # before the first round, and after each
    assert whole.n_estimators_ == np.argmin(history) < 50
    patient = model(refit=False, n_iter_no_change=5, **options).fit(X, Y)
    short = patient.history_["validation"]["nll"]
    assert short == history[: len(short)]
    assert len(short) == np.argmin(short) + 6
    assert patient.n_estimators_ == np.argmin(short)
    again = model(n_iter_no_change=5, **options).fit(X, Y)
    assert again.history_ == patient.history_
    assert again.n_estimators_ == patient.n_estimators_
    all_rows = model(learning_rate=0.5, n_estimators=again.n_estimators_).fit(X, Y)
    assert_array_equal(particles(again), particles(all_rows))


def test_rows_held_out_by_hand_are_those_of_a_given_validation_set():
    held = np.arange(150) >= 110
    options = {"early_stopping": True, "n_estimators": 30, "learning_rate": 0.5, "refit": False}
    given = model(**options).fit(X[~held], Y[~held], X_val=X[held], y_val=Y[held])
    for rows in (held, np.flatnonzero(held)):
        masked = model(**options).fit(X, Y, validation_rows=rows)
        assert masked.history_ == given.history_
        assert_array_equal(particles(masked), particles(given))


def test_several_sets_are_watched_and_the_first_decides():
    sets = {"X_val": [NEW[:30], NEW[30:]], "y_val": [NEW_Y[:30], NEW_Y[30:]]}
    options = {"n_estimators": 30, "learning_rate": 0.5, "eval_metric": "rmse"}
    fitted = model(early_stopping=True, **options).fit(X, Y, **sets)
    first, second = (fitted.history_[name]["rmse"] for name in ("validation", "validation_2"))
    assert len(first) == len(second) == 31
    assert fitted.n_estimators_ == np.argmin(first)
    watched = model(**options).fit(X, Y, **sets)
    assert watched.n_estimators_ == 30
    assert len(watched.history_["validation"]["rmse"]) == 31
    final = metrics.rmse(watched.predict_dist(NEW[:30]), NEW_Y[:30])
    assert_allclose(watched.history_["validation"]["rmse"][-1], final, rtol=1e-6)
