"""init="auto": a smooth start and the flow are compared on held-out rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from wgboost import Gamma, Normal, WGBRegressor, censored, load, metrics
from wgboost.training.posterior_data import PosteriorData
from wgboost.training.target_data import TargetData

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (400, 2))
SMOOTH = np.sin(3 * X[:, 0]) * X[:, 1] + 0.05 * RNG.standard_normal(400)
STEPS = np.where(X[:, 0] > 0.1, 1.0, 0.0) + (X[:, 1] > 0.3) + 0.05 * RNG.standard_normal(400)
TRAIN, TEST = slice(0, 250), slice(250, 400)
FEW = {"n_particles": 4, "n_iter_no_change": 10, "random_state": 0, "n_jobs": 1}


def fitted(y=SMOOTH, rows=TRAIN, **settings):
    return WGBRegressor(**{"init": "auto", **FEW, **settings}).fit(X[rows], y[rows])


def chosen(model):
    [trial] = [one for one in model.search_ if one.get("chosen")]
    return trial


@pytest.mark.parametrize(("y", "init"), [(SMOOTH, "smooth"), (STEPS, "flow")])
def test_the_start_is_the_one_that_predicts_held_out_rows_better(y, init):
    model = fitted(y)
    assert chosen(model)["init"] == init
    assert {one["init"] for one in model.search_} == {"smooth", "flow"}
    other = fitted(y, init="flow" if init == "smooth" else "smooth")
    losses = [metrics.nll(one.predict_dist(X[TEST]), y[TEST]) for one in (model, other)]
    assert losses[0] < losses[1]


def test_a_chosen_flow_is_the_fit_from_the_flow():
    auto, flow = fitted(STEPS), fitted(STEPS, init="flow")
    assert auto.evidence_ == flow.evidence_
    assert_array_equal(auto.predict(X), flow.predict(X))


def test_with_a_given_evidence_both_starts_have_it():
    model = fitted(evidence=7.0, early_stopping=True)
    assert {(one["init"], one["evidence"]) for one in model.search_} == {
        ("smooth", 7.0), ("flow", 7.0),
    }  # fmt: skip
    assert model.evidence_ == 7.0


@pytest.mark.parametrize(
    "settings",
    [{"monotone_constraints": {0: 1}}, {"response": "gamma"}, {"n_estimators": 5, "evidence": 1.0}],
)
def test_auto_is_the_flow_where_nothing_can_be_compared(settings):
    y = np.exp(SMOOTH)
    auto, flow = (fitted(y, **settings, init=init) for init in ("auto", "flow"))
    assert_array_equal(auto.predict(X), flow.predict(X))
    assert all("init" not in one for one in getattr(auto, "search_", []))


def test_bounds_start_at_the_flow():
    y = censored(SMOOTH, np.where(X[:, 0] > 0.9, np.inf, SMOOTH))
    auto, flow = (WGBRegressor(init=init, **FEW).fit(X, y) for init in ("auto", "flow"))
    assert_array_equal(auto.predict(X), flow.predict(X))


def test_the_search_is_kept_in_the_file(tmp_path):
    model = fitted()
    model.save(tmp_path / "model.wgb")
    loaded = load(tmp_path / "model.wgb")
    assert loaded.search_ == model.search_
    assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize("stop", [3, 20, 45, 80])
def test_a_checkpoint_goes_on_to_the_same_model(tmp_path, stop):
    path, rounds = tmp_path / "half.wgb", []

    def pause(info):
        rounds.append(info["round"])
        if len(rounds) == stop:
            info["save"](path)
            raise RuntimeError("the machine goes down")

    pause.in_refit = True
    whole, model = fitted(), WGBRegressor(init="auto", **FEW)
    with pytest.raises(RuntimeError, match="goes down"):
        model.fit(X[TRAIN], SMOOTH[TRAIN], callbacks=[pause])
    again = model.fit(X[TRAIN], SMOOTH[TRAIN], resume_from=path)
    assert again.search_ == whole.search_
    assert_array_equal(again.predict(X), whole.predict(X))


def test_threads_and_copies_do_not_matter():
    one, two = fitted(), fitted(n_jobs=2)
    assert_array_equal(one.predict(X), two.predict(X))
    weighted = WGBRegressor(init="auto", **FEW).fit(X, SMOOTH, sample_weight=np.full(400, 2.0))
    twice = WGBRegressor(init="auto", **FEW).fit(np.repeat(X, 2, axis=0), np.repeat(SMOOTH, 2))
    np.testing.assert_allclose(weighted.predict(X), twice.predict(X), rtol=1e-6)


def test_a_warm_start_goes_on_from_the_chosen_start():
    settings = {"init": "auto", "early_stopping": True, "warm_start": True, **FEW}
    model, sets = WGBRegressor(**settings), {"X_val": X[TEST], "y_val": SMOOTH[TEST]}
    rounds = model.fit(X[TRAIN], SMOOTH[TRAIN], **sets).n_estimators_
    start = model.model_.start
    model.set_params(n_estimators=rounds + 3, early_stopping=False)
    assert model.fit(X[TRAIN], SMOOTH[TRAIN], **sets).n_estimators_ == rounds + 3
    assert model.model_.start is start


@pytest.mark.parametrize(
    ("data", "possible"),
    [
        (PosteriorData(X, None, SMOOTH, Normal()), True),
        (PosteriorData(X, None, censored(SMOOTH, SMOOTH), Normal()), True),
        (PosteriorData(X, None, censored(SMOOTH, SMOOTH + 1), Normal()), False),
        (PosteriorData(X, None, np.exp(SMOOTH), Gamma()), False),
        (TargetData.of(None, X, SMOOTH[:, None, None], None), False),
    ],
    ids=["numbers", "bounds that are equal", "bounds", "no scale", "samples"],
)
def test_rows_say_whether_a_smooth_start_is_possible(data, possible):
    assert data.can_start_smooth == possible
