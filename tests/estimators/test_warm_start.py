"""Warm starts: a pause changes nothing, and what cannot go on says so."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.tree import DecisionTreeRegressor

from wgboost import AveragedFlow, Normal, WGBRegressor
from wgboost.training.flat_parameters import grouped_parameters

RNG = np.random.default_rng(7)
X = RNG.normal(size=(150, 3))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.2 * RNG.normal(size=150)
NEW = np.random.default_rng(9).normal(size=(60, 3))
NEW_Y = np.sin(2 * NEW[:, 0]) + 0.3 * NEW[:, 1]


def model(**options):
    return WGBRegressor(
        **grouped_parameters({"n_estimators": 10, "random_state": 3, "n_jobs": 1, **options})
    )


def particles(fitted):
    return fitted.predict_dist(NEW).particles


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


SETS = {"X_val": [NEW[:30], NEW[30:]], "y_val": [NEW_Y[:30], NEW_Y[30:]]}
HELD = np.arange(150) % 4 == 0


def paused_and_whole(options, data, rounds=(4, 40), weight=None):
    whole = model(**{**options, "n_estimators": rounds[-1]}).fit(X, Y, weight, **data)
    paused = model(**options, warm_start=True)
    for n in rounds:
        paused.set_params(n_estimators=n).fit(X, Y, weight, **data)
        paused = pickle.loads(pickle.dumps(paused))
    return paused, whole


STOPPING = {"early_stopping": True, "learning_rate": 0.5, "refit": False}


@pytest.mark.parametrize(
    ("options", "data"),
    [
        ({}, SETS),
        ({**STOPPING}, SETS),
        ({**STOPPING, "n_iter_no_change": 5}, SETS),
        ({**STOPPING}, {}),
        ({**STOPPING, "n_iter_no_change": 5, "subsample": 0.5}, {"validation_rows": HELD}),
        ({**STOPPING, "init": LinearRegression()}, {}),
    ],
)
@pytest.mark.parametrize("rounds", [(4, 40), (0, 9, 40), (39, 40), (40, 40)])
@pytest.mark.parametrize("weight", [None, np.arange(150) % 3], ids=["plain", "weighted"])
def test_what_is_watched_goes_on_over_a_pause(options, data, rounds, weight):
    per_row = {"evidence": np.linspace(0.5, 2, 150), "prior": {"mean": np.linspace(0, 1, 150)}}
    options = {**options, **per_row, "n_particles": 3}
    if not isinstance(options.get("init"), LinearRegression):
        options["init"] = np.eye(3, 2)
    paused, whole = paused_and_whole(options, data, rounds, weight)
    assert paused.n_estimators_ == whole.n_estimators_
    assert_array_equal(particles(paused), particles(whole))
    assert paused.history_ == whole.history_
    assert_array_equal(paused.validation_rows_, whole.validation_rows_)


def test_a_set_that_joins_late_has_no_values_for_earlier_rounds():
    paused = model(n_estimators=4, warm_start=True, evidence=1.0).fit(X, Y)
    assert paused.history_ == {}
    paused.set_params(n_estimators=6).fit(X, Y, X_val=NEW, y_val=NEW_Y)
    values = paused.history_["validation"]["nll"]
    assert_array_equal(np.isnan(values), np.arange(7) < 4)
    whole = model(n_estimators=6, evidence=1.0).fit(X, Y, X_val=NEW, y_val=NEW_Y)
    assert_allclose(values[4:], whole.history_["validation"]["nll"][4:], rtol=1e-5)
    paused.set_params(n_estimators=8).fit(X, Y)
    assert_array_equal(paused.history_["validation"]["nll"], values)


def test_rows_that_a_model_was_trained_on_do_not_stop_it():
    refitted = model(early_stopping=True, warm_start=True).fit(X, Y)
    assert refitted.validation_rows_ is None
    before = particles(refitted)
    refitted.set_params(n_estimators=20)
    with pytest.raises(ValueError, match=r"may have seen, in a refit .* fit with refit=False from"):
        refitted.fit(X, Y)
    with pytest.raises(ValueError, match="may have seen"):
        refitted.fit(X, Y, validation_rows=HELD)
    assert_array_equal(particles(refitted), before)
    refitted.fit(X, Y, X_val=NEW, y_val=NEW_Y)
    assert refitted.set_params(early_stopping=False).fit(X, Y).n_estimators_ == 20


def test_other_rows_than_before_cannot_be_held_out():
    paused = model(**STOPPING, warm_start=True).fit(X, Y, validation_rows=HELD)
    paused.set_params(n_estimators=20)
    with pytest.raises(ValueError, match="because other rows were held out before: give X_val"):
        paused.fit(X, Y, validation_rows=~HELD)
    with pytest.raises(ValueError, match="other rows were held out before"):
        paused.fit(X, Y)
    paused.fit(X, Y, validation_rows=np.flatnonzero(HELD))
    assert_array_equal(paused.validation_rows_, np.flatnonzero(HELD))


CHANGES = [
    ({}, {"n_particles": 4}, "n_particles=4 cannot go on from rounds with n_particles=10"),
    ({}, {"response": Normal(prior_scale=3.0)}, r"response=Normal\(.*3.0.* cannot go on from"),
    (
        {"response": Normal(prior_scale=2.0)},
        {"response": "normal"},
        r"response=.*with response=.*2",
    ),
    ({}, {"response": Normal(prior_mean=np.zeros(150))}, "response=.* cannot go on from"),
    ({}, {"init": AveragedFlow(steps=3)}, r"init=AveragedFlow\(steps=3.* with init='auto'"),
    ({}, {"init": np.zeros((10, 2))}, r"init=\[\[0.0, 0.0\].* with init='auto'"),
    ({"init": Ridge(2.0)}, {"init__alpha": 3.0}, r"init=Ridge\(alpha=3.0\) .* init=Ridge\(alpha=2"),
    ({}, {"n_estimators": 2}, "n_estimators=2 below the 5 rounds there are; raise n_estimators"),
    ({}, {"learner": KernelRidge()}, "cannot continue trees with another kind of learner"),
]


@pytest.mark.parametrize(("options", "changes", "message"), CHANGES)
def test_what_the_rounds_so_far_rest_on_cannot_change(options, changes, message):
    paused = model(**{"n_estimators": 5, "warm_start": True, **options}).fit(X, Y)
    before = particles(paused)
    with pytest.raises(ValueError, match=message):
        paused.set_params(**{"n_estimators": 9, **changes}).fit(X, Y)
    assert_array_equal(particles(paused), before)
    assert paused.set_params(warm_start=False).fit(X, Y).n_estimators_ in (2, 9)


def test_settings_of_the_trees_and_per_row_values_may_change():
    paused = model(warm_start=True, prior={"mean": np.zeros(150)}, init=np.zeros((10, 2)))
    paused.fit(X, Y)
    paused.set_params(n_estimators=15, max_depth=1, learning_rate=0.01, init=[[0, 0]] * 10)
    paused.set_params(response=Normal(prior_mean=np.ones(100)))
    assert paused.fit(X[:100], Y[:100]).n_estimators_ == 15


def test_a_model_without_rounds_can_go_on_with_any_learner():
    paused = model(n_estimators=0, warm_start=True, learner=KernelRidge()).fit(X, Y)
    paused.set_params(n_estimators=3).fit(X, Y)
    assert_array_equal(
        particles(paused), particles(model(n_estimators=3, learner=KernelRidge()).fit(X, Y))
    )
