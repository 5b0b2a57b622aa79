"""WGBRegressor: what a fitted model answers, and its place among scikit-learn's tools."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wgboost import DiagonalNewton, Kernel, Mixture, TreeLearner, WGBRegressor
from wgboost.training.flat_parameters import grouped_parameters

RNG = np.random.default_rng(11)
X = RNG.normal(size=(200, 3))
Y = 5 + 2 * np.sin(2 * X[:, 0]) + 0.4 * RNG.normal(size=200)
NEW = np.random.default_rng(12).normal(size=(40, 3))


def model(**options):
    return WGBRegressor(
        **grouped_parameters({"n_estimators": 20, "random_state": 1, "n_jobs": 1, **options})
    )


FITTED = model(n_estimators=60).fit(X, Y)


def test_predictions_are_those_of_the_mixture_over_particles():
    dist = FITTED.predict_dist(NEW)
    assert isinstance(dist, Mixture)
    theta = FITTED.predict_particles(NEW)
    assert theta["mean"].shape == theta["scale"].shape == (40, 10)
    assert_allclose(FITTED.predict(NEW), theta["mean"].mean(axis=1), rtol=1e-10)
    z = (6.0 - theta["mean"]) / theta["scale"]
    density = (np.exp(-0.5 * z**2) / theta["scale"] / np.sqrt(2 * np.pi)).mean(axis=1)
    assert_allclose(dist.pdf(6.0), density, rtol=1e-6)
    assert FITTED.score(NEW, FITTED.predict(NEW)) == 1.0
    assert_allclose(FITTED.score(X, Y), r2_score(Y, FITTED.predict(X)))
    assert FITTED.score(X, Y) > 0.8


def test_quantiles_and_intervals_have_their_probability():
    dist = FITTED.predict_dist(NEW)
    quantiles = FITTED.predict_quantiles(NEW, [0.1, 0.5, 0.99])
    assert quantiles.shape == (40, 3)
    for level, column in zip([0.1, 0.5, 0.99], quantiles.T, strict=True):
        assert_allclose(dist.cdf(column), level, atol=1e-7)
    assert FITTED.predict_quantiles(NEW, 0.5).shape == (40, 1)
    low, high = FITTED.predict_interval(NEW, 0.8).T
    assert_allclose(dist.cdf(high) - dist.cdf(low), 0.8, atol=1e-7)
    assert_allclose(dist.cdf(low), 0.1, atol=1e-7)
    with pytest.raises(ValueError, match=r"alpha=1.5 must be probabilities between 0 and 1"):
        FITTED.predict_quantiles(NEW, 1.5)
    with pytest.raises(ValueError, match="confidence=0 must be > 0"):
        FITTED.predict_interval(NEW, 0)


def test_samples_spread_like_the_distributions_they_are_drawn_from():
    draws = FITTED.sample(NEW, 4000, random_state=0)
    assert draws.shape == (40, 4000)
    dist = FITTED.predict_dist(NEW)
    assert_allclose(draws.mean(axis=1), dist.mean(), atol=0.1)
    assert_allclose(draws.std(axis=1) / dist.std(), 1, atol=0.1)
    assert_array_equal(draws, FITTED.sample(NEW, 4000, random_state=0))
    with pytest.raises(ValueError, match="n_samples=0 must be >= 1"):
        FITTED.sample(NEW, 0)


def test_the_parts_of_the_uncertainty_sum_to_the_variance():
    parts = FITTED.predict_uncertainty(NEW)
    dist = FITTED.predict_dist(NEW)
    theta = dist.with_particles(dist.posterior_particles()).params()
    assert_allclose(parts["aleatoric"], (theta["scale"] ** 2).mean(axis=1), rtol=1e-6)
    assert_allclose(parts["epistemic"], theta["mean"].var(axis=1), rtol=1e-5)
    assert_allclose(parts["total"], parts["aleatoric"] + parts["epistemic"])
    assert_allclose(parts["total"], dist.var(), rtol=1e-6)
    error = dist.error[:, 0] * FITTED.model_.units.scale**2
    assert_allclose(parts["epistemic"], np.minimum(error, 0.95 * parts["total"]), rtol=2e-3)


def test_the_parts_of_the_uncertainty_of_particles_are_their_spread_and_their_noise():
    dist, theta = FITTED.predict_dist(NEW), FITTED.predict_particles(NEW)
    assert_allclose(dist.disagreement(), theta["mean"].var(axis=1), rtol=1e-5)
    assert_allclose(FITTED.ood_score(NEW, method="epistemic"), dist.disagreement())
    first = FITTED.predict_dist(NEW, n_rounds=59)  # the error of fewer rounds is not known
    noise = (first.params()["scale"] ** 2).mean(axis=1)
    assert_allclose(first.aleatoric(), noise, rtol=1e-6)
    assert_array_equal(first.epistemic(), first.disagreement())
    assert_allclose(first.var(), first.aleatoric() + first.epistemic())


def test_stages_are_models_of_fewer_rounds():
    stages = list(FITTED.staged_predict(NEW))
    assert len(stages) == 60
    assert_array_equal(stages[-1], FITTED.predict(NEW))
    for r in (1, 17):
        assert_array_equal(stages[r - 1], FITTED.predict_dist(NEW, n_rounds=r).mean())
    # With support, particles of fewer rounds spread by what is known of all of them.
    plain = list(model(n_estimators=60, support=False).fit(X, Y).staged_predict(NEW))
    assert_allclose(stages, plain, rtol=1e-6)
    for r in (1, 17):
        few = model(n_estimators=r, support=False).fit(X, Y)
        assert_array_equal(plain[r - 1], few.predict(NEW))


def test_leaves_and_importances_come_from_the_trees():
    shared = model(tree="shared", max_leaves=8, n_estimators=60).fit(X, Y)
    leaves = shared.apply(NEW)
    assert leaves.shape == (40, 60)
    assert leaves.max() < 8
    assert leaves.min() >= 0
    shares = shared.feature_importances_
    assert_allclose(shares.sum(), 1)
    assert shares.argmax() == 0
    assert model(tree="per_particle", n_estimators=3).fit(X, Y).apply(NEW).shape == (40, 30)


def test_another_learner_has_neither_leaves_nor_importances():
    fitted = model(learner=KernelRidge(), n_estimators=3).fit(X, Y)
    assert fitted.predict(NEW).shape == (40,)
    with pytest.raises(TypeError, match="apply needs native trees"):
        fitted.apply(NEW)
    assert not hasattr(fitted, "feature_importances_")


def test_the_papers_settings_are_at_hand():
    paper = WGBRegressor.paper(n_estimators=30, random_state=0)
    expected = {
        "n_particles": 10, "direction": DiagonalNewton(Kernel("gaussian", 0.1)), "max_depth": 3,
        "learner": TreeLearner(split_on="sum", leaf="mean", growth="depth_wise"),
        "early_stopping": True, "validation_fraction": 0.2, "n_estimators": 30,
    }  # fmt: skip
    assert {name: getattr(paper, name) for name in expected} == expected
    assert WGBRegressor.paper().n_estimators == 4000
    assert paper.fit(X, Y).score(X, Y) > 0.5


def test_a_model_survives_pickling_and_cloning():
    thawed = pickle.loads(pickle.dumps(FITTED))
    assert_array_equal(thawed.predict(NEW), FITTED.predict(NEW))
    copy = clone(FITTED)
    assert not hasattr(copy, "ensemble_")
    assert_array_equal(copy.fit(X, Y).predict(NEW), FITTED.predict(NEW))


def test_the_regressor_works_among_the_tools_of_scikit_learn():
    pipeline = make_pipeline(StandardScaler(), model())
    assert pipeline.fit(X, Y).score(X, Y) > 0.5
    search = GridSearchCV(model(), {"max_depth": [1, 3], "direction": ["diagonal_newton"]}, cv=2)
    assert search.fit(X, Y).best_params_["max_depth"] in (1, 3)
    assert cross_val_score(model(n_estimators=60), X, Y, cv=3).min() > 0.5


START = np.random.default_rng(13).normal(size=(10, 2))


@pytest.mark.parametrize(("factor", "shift"), [(1e-8, 0.0), (1e8, 0.0), (1.0, 1e8), (1e-200, 0.0)])
@pytest.mark.parametrize("init", [START, "flow"], ids=["given", "flow"])
def test_predictions_follow_the_units_of_y(init, factor, shift):
    plain = model(init=init).fit(X, Y)
    moved = model(init=init).fit(X, shift + factor * Y)
    assert_allclose((moved.predict(NEW) - shift) / factor, plain.predict(NEW), rtol=1e-3)
    scale = moved.predict_particles(NEW)["scale"] / factor
    assert_allclose(scale, plain.predict_particles(NEW)["scale"], rtol=1e-3)
    interval = (moved.predict_interval(NEW) - shift) / factor
    assert_allclose(interval, plain.predict_interval(NEW), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("weight", [None, np.arange(200) % 3], ids=["plain", "weighted"])
@pytest.mark.parametrize("refit", [True, False])
def test_evidence_and_priors_per_row_go_with_their_rows_when_some_are_held_out(weight, refit):
    options = {"early_stopping": True, "refit": refit, "init": START}
    plain = model(evidence=0.5, **options).fit(X, Y, sample_weight=weight)
    rows = {"evidence": np.full(200, 0.5), "prior": {"mean": np.zeros(200)}}
    for init in (START, "flow"):
        per_row = model(**{**options, **rows, "init": init}).fit(X, Y, sample_weight=weight)
        if init is START:
            assert_allclose(per_row.predict(NEW), plain.predict(NEW), rtol=1e-5)


def test_progress_is_printed_on_request(capsys):
    model(verbose=5, early_stopping=True).fit(X, Y)
    assert "nll" in capsys.readouterr().out
