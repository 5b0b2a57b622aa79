"""Estimators with engine="xgboost"."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import xgboost

from wgboost import TreeLearner, WGBClassifier, WGBoost, WGBRegressor, callbacks, load
from wgboost.boosting.round import RoundTargets
from wgboost.directions import DiagonalNewton
from wgboost.estimators.paper import PAPER_TREES
from wgboost.responses import RESPONSES, Normal
from wgboost.targets.posterior import PosteriorTarget
from wgboost.training.flat_parameters import grouped_parameters

rng = np.random.default_rng(0)
X = np.round(rng.uniform(-1, 1, size=(400, 3)), 1)  # few values: every bin is one of them
Y = np.sin(2 * X[:, 0]) + np.exp(X[:, 1]) * 0.3 * rng.normal(size=400)


def regressor(**settings):
    fixed = {**PAPER_TREES, "n_estimators": 12, "n_particles": 5, "evidence": 1.0}
    return WGBRegressor(**grouped_parameters({**fixed, "random_state": 0, "n_jobs": 1, **settings}))


def same(a, b):
    a, b = (one.predict_particles(X) for one in (a, b))
    return all(np.allclose(a[name], b[name], atol=1e-4) for name in a)


def test_a_model_is_that_of_xgboost_with_the_directions_as_its_objective():
    model = regressor(engine="xgboost", split_on="all", n_particles=4, learning_rate=0.1).fit(X, Y)
    target = PosteriorTarget(Normal(), model.model_.units.standardise(Y))
    movement = RoundTargets(target, DiagonalNewton(), "mean")

    def objective(predicted, _):
        particles = np.ascontiguousarray(predicted.reshape(400, 4, 2), dtype=np.float32)
        targets, _ = movement(particles, 0.1, np.random.default_rng(0))
        return -targets.reshape(400, 8), np.ones((400, 8), np.float32)

    data = xgboost.DMatrix(X, label=np.zeros((400, 8)))
    settings = {
        "tree_method": "hist", "multi_strategy": "multi_output_tree", "num_target": 8,
        "base_score": model.model_.start.particles.ravel().tolist(), "reg_lambda": 0,
        "max_depth": 3,
        "min_child_weight": 1e-6, "learning_rate": 0.1, "disable_default_eval_metric": 1,
        "nthread": 1,
    }  # fmt: skip
    booster = xgboost.train(settings, data, 12, obj=objective)
    ours = model.model_.predict_particles(X).particles
    np.testing.assert_allclose(ours.reshape(400, 8), booster.predict(data), atol=1e-4)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"tree": "per_particle", "n_particles": 3},
        {"leaf": "newton", "l2": 1.0, "evidence": 10.0, "split_on": "particle_mean"},
        {"early_stopping": True, "n_iter_no_change": 5, "n_estimators": 40},
        {"early_stopping": True, "evidence": "auto", "leaf": "newton", "refit": False},
        {"direction": "langevin"},
        {"subsample": 0.6, "colsample": 0.6, "split_on": 2, "n_particles": 4},
        {"tree": "per_particle", "growth": "best_first", "max_leaves": 6, "colsample": 0.6},
    ],
    ids=lambda settings: " ".join(map(str, settings)),
)
def test_a_model_is_that_of_the_native_engine(settings):
    native, other = (regressor(engine=e, **settings).fit(X, Y) for e in ("native", "xgboost"))
    assert native.n_estimators_ == other.n_estimators_
    assert native.evidence_ == pytest.approx(other.evidence_, rel=0.05)
    assert native.history_.keys() == other.history_.keys()
    if settings.get("evidence") != "auto":  # support is counted with noise, tie by tie
        assert same(native, other)
    gap = native.predict_dist(X).logpdf(Y).mean() - other.predict_dist(X).logpdf(Y).mean()
    assert abs(gap) < 0.02


@pytest.mark.parametrize("name", [*RESPONSES])
def test_every_response_is_fitted(name):
    # Whole numbers between 1 and 4 are what all responses of one column take; but shares.
    y = 1.0 + np.digitize(X[:, 0] + 0.3 * Y, [-0.7, 0.0, 0.7])
    if name == "ordinal":
        y = y - 1
    elif RESPONSES[name]().support == (0, 1) and not RESPONSES[name].discrete:
        y = y / 5
    if name == "multivariate_normal":
        y = np.stack([Y, -Y + X[:, 1]], axis=1)
    if name == "categorical":
        native, other = (
            WGBClassifier(
                **grouped_parameters(
                    {**PAPER_TREES, "n_estimators": 4, "random_state": 0, "engine": e}
                )
            ).fit(X, y)
            for e in ("native", "xgboost")
        )
        np.testing.assert_allclose(native.predict_proba(X), other.predict_proba(X), atol=1e-5)
        return
    fits = [regressor(response=name, n_estimators=4, engine=e) for e in ("native", "xgboost")]
    native, other = (fit.fit(X, y) for fit in fits)
    assert same(native, other)
    np.testing.assert_allclose(native.feature_importances_, other.feature_importances_, atol=1e-4)


def test_weights_offsets_and_validation_sets_count_as_natively():
    weight = np.random.default_rng(1).integers(0, 3, 400)
    given = {
        "sample_weight": weight, "offset": X[:, 2], "X_val": X[::3], "y_val": Y[::3],
        "offset_val": X[::3, 2],
    }  # fmt: skip
    native, other = (
        regressor(engine=e, min_samples_leaf=1).fit(X, Y, **given) for e in ("native", "xgboost")
    )
    assert same(native, other)
    measured = [one.history_["validation"]["nll"] for one in (native, other)]
    assert len(measured[0]) == 13
    np.testing.assert_allclose(*measured, rtol=1e-4)


def test_the_general_algorithm_has_the_engine_too():
    samples = X[:, :1, None] + np.linspace(-1, 1, 20)[None, :, None]
    native, other = (
        WGBoost(n_estimators=5, random_state=0, learner=TreeLearner(engine=e), n_jobs=1).fit(
            X, samples
        )
        for e in ("native", "xgboost")
    )
    np.testing.assert_allclose(native.predict(X), other.predict(X), atol=1e-5)


def test_the_same_seed_gives_the_same_model_on_any_number_of_threads():
    settings = {"engine": "xgboost", "subsample": 0.6, "colsample": 0.7}
    one, two, again = (regressor(**settings, n_jobs=n).fit(X, Y) for n in (1, 2, 2))
    for name, values in one.predict_particles(X).items():
        np.testing.assert_array_equal(values, two.predict_particles(X)[name])
        np.testing.assert_array_equal(values, again.predict_particles(X)[name])
    other = regressor(**{**settings, "random_state": 1}).fit(X, Y)
    assert not same(one, other)


def test_rounds_are_added_as_if_there_had_been_no_pause(tmp_path):
    settings = {"engine": "xgboost", "subsample": 0.7, "learning_rate": 0.3}
    whole = regressor(**settings).fit(X, Y)
    part = regressor(**settings, warm_start=True).set_params(n_estimators=5).fit(X, Y)
    part.set_params(n_estimators=12).fit(X, Y)
    np.testing.assert_array_equal(part.predict(X), whole.predict(X))
    path = tmp_path / "half.wgb"
    stop = [callbacks.Checkpoint(path, every_rounds=5), lambda info: info["round"] == 5]
    regressor(**settings).fit(X, Y, callbacks=stop)
    resumed = regressor(**settings).fit(X, Y, resume_from=path)
    np.testing.assert_array_equal(resumed.predict(X), whole.predict(X))


def test_ctrl_c_leaves_the_rounds_so_far():
    def interrupt(info):
        if info["round"] == 3:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="3 rounds"):
        model = regressor(engine="xgboost").fit(X, Y, callbacks=[interrupt])
    assert model.interrupted_
    assert model.n_estimators_ == 3


def test_a_fitted_model_needs_no_xgboost(tmp_path):
    model = regressor(engine="xgboost", split_on="particle_mean").fit(X, Y)
    model.save(tmp_path / "model.wgb")
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "mean.npy", model.predict(X))
    np.testing.assert_array_equal(load(tmp_path / "model.wgb").predict(X), model.predict(X))
    script = f"""
import sys
sys.modules["xgboost"] = None  # an import of it raises
import numpy as np, wgboost
X, mean = (np.load({str(tmp_path)!r} + name) for name in ("/x.npy", "/mean.npy"))
model = wgboost.load({str(tmp_path / "model.wgb")!r})
assert np.array_equal(model.predict(X), mean)
assert model.apply(X).shape == (400, 12) and model.feature_importances_.sum() > 0.99
model.save({str(tmp_path / "again.wgb")!r})
try:
    model.fit(X, mean)
except ImportError as error:
    print(error)
assert np.array_equal(model.predict(X), mean)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "pip install wgboost[xgboost]" in done.stdout


FRAME = {"a": X[:, 0], "colour": np.where(X[:, 1] > 0, "red", "blue")}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"engine": "xgb"}, r"engine='xgb' must be one of .*; did you mean 'xgboost'\?"),
        (
            {"engine": "native", "device": "cuda"},
            r"device='cuda' needs TreeLearner\(engine=\"xgboost\"\)",
        ),
        (
            {"monotone_constraints": [1, 0, 0]},
            r"monotone_constraints hold .*TreeLearner\(engine=\"native\"\)",
        ),
        (
            {"interaction_constraints": [[0, 1], [2]], "split_on": "all"},
            r"interaction_constraints with split_on='all'.*\(split_on=\"sum\"\) or .*\"native\"\)",
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_what_the_engine_cannot_do_is_said_with_what_can(settings, message):
    with pytest.raises(ValueError, match=message):
        regressor(**{"engine": "xgboost", **settings}).fit(X, Y)


def test_categories_are_the_native_engines():
    with pytest.raises(TypeError, match="device=0 must be text"):
        regressor(engine="xgboost", device=0).fit(X, Y)
    with pytest.raises(
        ValueError, match=r"column 'colour' is categorical.*TreeLearner\(engine=\"native\"\)"
    ):
        regressor(engine="xgboost").fit(pd.DataFrame(FRAME), Y)
