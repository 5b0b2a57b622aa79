"""WGBoost finds its number of rounds like the other estimators, whatever describes its targets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats

from wgboost import Density, Interrupted, Target, TreeLearner, WGBoost

RNG = np.random.default_rng(3)
N = 60
X = RNG.uniform(-1, 1, size=(N, 2))
AT = np.sin(3 * X[:, 0])
SAMPLES = AT[:, None] + 0.5 * RNG.normal(size=(N, 8))
RAGGED = [row[: 2 + i % 7] for i, row in enumerate(SAMPLES)]
HELD = np.arange(N) % 4 == 1
NEW = RNG.uniform(-1, 1, size=(20, 2))
NORMAL = Target(lambda x, y: 4 * (y[:, None] - x), lambda x, _: np.full_like(x, 4.0))


def density(at):
    return Density(lambda x: 4 * (at - x), lambda x: np.full_like(x, 4.0))


def spread_and_mean(particles, y):
    """How far mean and spread of the particles are from those of the targets N(y, 0.5)."""
    off = particles.mean(axis=1)[:, 0] - np.asarray(y, dtype=float).ravel()
    return np.mean(off**2) + abs(particles.std(axis=1).mean() - 0.5)


def by_score(particles, y):
    """The same of densities, whose score is zero at their mean."""
    return spread_and_mean(particles, [one.score(np.zeros(1))[0] / 4 for one in y])


def model(target=None, **options):
    fixed = {"n_particles": 5, "n_estimators": 25, "learning_rate": 0.5, "random_state": 0}
    return WGBoost(target, **{**fixed, "n_jobs": 1, **options})


KINDS = {
    "samples": (None, SAMPLES, {"direction": "energy"}),
    "ragged": (None, RAGGED, {"direction": "energy"}),
    "columns": (None, np.stack([SAMPLES, -SAMPLES], axis=2), {"direction": "energy"}),
    "scipy": (None, [stats.norm(at, 0.5) for at in AT], {}),
    "densities": (None, [density(at) for at in AT], {"eval_metric": by_score}),
    "functions": (NORMAL, AT, {"eval_metric": spread_and_mean}),
}


def some(y, rows):
    return y[rows] if isinstance(y, np.ndarray) else [y[i] for i in np.flatnonzero(rows)]


def values(fitted):
    (metrics,) = fitted.history_.values()
    (history,) = metrics.values()
    return history


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_are_held_out_are_those_of_a_given_set(kind):
    target, y, options = KINDS[kind]
    init = np.linspace(-1, 1, 10).reshape(5, 2) if kind == "columns" else np.linspace(-1, 1, 5)
    options = {**options, "init": init, "early_stopping": True, "refit": False}
    masked = model(target, **options).fit(X, y, validation_rows=HELD)
    given = model(target, **options).fit(
        X[~HELD], some(y, ~HELD), X_val=X[HELD], y_val=some(y, HELD)
    )
    assert masked.history_ == given.history_
    assert masked.n_estimators_ == np.argmin(values(masked)) > 0
    assert_array_equal(masked.predict_particles(NEW), given.predict_particles(NEW))
    assert_array_equal(masked.validation_rows_, np.flatnonzero(HELD))
    assert given.validation_rows_ is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_refit_is_a_fit_of_as_many_rounds_on_all_rows(kind):
    target, y, options = KINDS[kind]
    found = model(target, early_stopping=True, **options).fit(X, y)
    alone = model(target, **options, n_estimators=found.n_estimators_).fit(X, y)
    assert (found.refitted_, alone.refitted_) == (True, False)
    assert_array_equal(found.predict_particles(NEW), alone.predict_particles(NEW))
    # A list of the rows' targets may be the parameter, too.
    if target is None:
        again = model(y, early_stopping=True, **options).fit(X)
        assert again.history_ == found.history_


@pytest.mark.parametrize("kind", KINDS)
def test_a_pause_changes_nothing(kind):
    target, y, options = KINDS[kind]
    options = {**options, "early_stopping": True, "refit": False, "subsample": 0.7}
    whole = model(target, **options).fit(X, y)
    paused = model(target, **options, warm_start=True)
    for n in (3, 25):
        paused.set_params(n_estimators=n).fit(X, y)
    assert paused.history_ == whole.history_
    assert_array_equal(paused.predict_particles(NEW), whole.predict_particles(NEW))


def test_rows_are_watched_by_the_energy_distance_to_their_samples():
    weight = np.arange(HELD.sum()) % 3
    for y in (SAMPLES, RAGGED):
        ours = model(direction="energy", learner=TreeLearner(support=False)).fit(
            X[~HELD], some(y, ~HELD), X_val=X[HELD], y_val=some(y, HELD), sample_weight_val=weight
        )
        particles = ours.predict_particles(X[HELD])[..., 0]
        each = [
            stats.energy_distance(a, b) ** 2 for a, b in zip(particles, some(y, HELD), strict=True)
        ]
        last = ours.history_["validation"]["energy_distance"][-1]
        assert_allclose(last, np.average(each, weights=weight), rtol=1e-5)


def test_distributions_of_scipy_are_measured_against_nearly_exactly():
    y = KINDS["scipy"][1]
    ours = model(n_particles=4).fit(X, y, X_val=X[:6], y_val=y[:6])
    grid = np.linspace(-6, 6, 24_001)
    exact = []
    for particles, one in zip(ours.predict_particles(X[:6])[..., 0], y[:6], strict=True):
        steps = (particles[:, None] <= grid).mean(axis=0)
        exact.append(2 * integrate.trapezoid((steps - one.cdf(grid)) ** 2, grid))
    assert_allclose(ours.history_["validation"]["energy_distance"][-1], np.mean(exact), atol=2e-3)


def test_targets_without_y_can_be_watched_without():
    target = Target(lambda x, _: 2.0 - x, lambda x, _: np.ones_like(x))
    given_y = []

    def off(particles, y):
        given_y.append(y)
        return abs(particles.mean() - 2)

    options = {"eval_metric": off, "early_stopping": True}
    given = model(target, **options).fit(X, X_val=[NEW, NEW[:3]])
    assert list(given.history_) == ["validation", "validation_2"]
    assert model(target, **options).fit(X).n_estimators_ > 0
    assert set(given_y) == {None}


def test_samples_of_rows_without_weight_are_no_start():
    weight = (AT > 0).astype(float)
    start = model(n_estimators=0).fit(X, SAMPLES, weight).predict_particles(NEW)
    assert np.isin(start, SAMPLES[AT > 0].astype(np.float32)).all()


@pytest.mark.parametrize("y", ["functions", "densities"])
def test_densities_ask_for_a_metric(y):
    target, y, options = KINDS[y]
    with pytest.raises(ValueError, match=r"eval_metric=None needs targets .* a function of \(part"):
        model(target, **{**options, "eval_metric": None}, early_stopping=True).fit(X, y)
    assert model(target, **{**options, "eval_metric": None}).fit(X, y).history_ == {}


WRONG = [
    ({"eval_metric": "nll"}, {}, ValueError, "'nll' is not for these targets; 'energy_distance'"),
    ({"eval_metric": "energy"}, {}, ValueError, "eval_metric='energy' must be one of 'nll', 'ene"),
    ({"early_stopping": 1}, {}, TypeError, "early_stopping=1 must be True or False"),
    ({}, {"X_val": NEW}, ValueError, "X_val and y_val belong together"),
    ({}, {"X_val": NEW, "y_val": SAMPLES}, ValueError, "X_val, y_val: X has 20 rows, there are 60"),
    ({}, {"X_val": NEW, "y_val": 3.0}, TypeError, r"X_val, y_val: target=3.0 must be"),
    ({}, {"sample_weight_val": [1.0]}, ValueError, "sample_weight_val belongs to X_val and y_val"),
    (
        {},
        {"X_val": NEW, "y_val": SAMPLES[:20], "sample_weight_val": np.zeros(20)},
        ValueError,
        "X_val, y_val: all sample weights are zero",
    ),
]


@pytest.mark.parametrize(("options", "data", "error", "message"), WRONG)
def test_what_cannot_be_watched_is_refused(options, data, error, message):
    with pytest.raises(error, match=message):
        model(**options).fit(X, SAMPLES, **data)


def test_what_the_rounds_rest_on_cannot_change_but_targets_may():
    fitted = model(warm_start=True).fit(X, SAMPLES)
    for changes, y, message in (
        ({"n_particles": 4}, SAMPLES, "n_particles=4 cannot go on from rounds with n_particles=5"),
        ({"init": np.zeros(5)}, SAMPLES, r"init=\[0.0, .* cannot go on from rounds with init=None"),
        ({}, np.stack([SAMPLES] * 2, axis=2), "n_params=2 cannot go on from rounds with n_params="),
    ):
        before = fitted.get_params()
        with pytest.raises(ValueError, match=message):
            fitted.set_params(n_estimators=30, **changes).fit(X, y)
        fitted.set_params(**before)
    assert fitted.set_params(n_estimators=30).fit(X, KINDS["scipy"][1]).n_estimators_ == 30


def test_ctrl_c_in_the_search_leaves_its_best_rounds_and_warns_where_fit_was_called():
    def stop(info):
        if info["round"] == 4:
            raise KeyboardInterrupt

    with pytest.warns(Interrupted, match="not refitted on all rows") as caught:
        fitted = model(early_stopping=True).fit(X, SAMPLES, callbacks=[stop])
    assert caught[0].filename == __file__
    assert fitted.interrupted_
    assert not fitted.refitted_
    assert fitted.n_estimators_ <= 4
