"""Credible bands of fitted models: coverage of known truth, every kind of model, and errors."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

import wgboost
from wgboost import WGBClassifier, WGBRegressor
from wgboost.predictive import Mixture

N = 400
SETTINGS = {"early_stopping": False, "n_estimators": 60, "learning_rate": 0.2, "n_jobs": 1}
GRID = np.linspace(0.02, 0.98, 100)


def mean(x):
    return np.sin(6 * x)


def scale(x):
    return np.exp(-1.5 + 1.2 * x)


def regressor(seed, **settings):
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=N)
    y = mean(x) + scale(x) * rng.normal(size=N)
    return WGBRegressor(evidence=5.0, random_state=seed, **SETTINGS, **settings).fit(x[:, None], y)


def classifier(seed, **settings):
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=N)
    y = np.where(rng.random(N) < special.expit(3 * mean(x)), "yes", "no")
    return WGBClassifier(random_state=seed, **SETTINGS, **settings).fit(x[:, None], y)


MODELS = [regressor(seed) for seed in range(3)]
CLASSES = [classifier(seed) for seed in range(3)]


def coverage_of(bands, truth):
    return np.mean([(low <= truth) & (truth <= high) for low, high in bands])


@pytest.mark.parametrize(
    ("of", "truth"),
    [
        ("mean", mean(GRID)),
        ("scale", scale(GRID)),
        (0.9, mean(GRID) + stats.norm.ppf(0.9) * scale(GRID)),
    ],
)
def test_bands_cover_the_truth_of_numbers(of, truth):
    bands = [model.predict_band(GRID[:, None], of).T for model in MODELS]
    assert 0.75 < coverage_of(bands, truth) < 0.99
    narrow = [model.predict_band(GRID[:, None], of, 0.3).T for model in MODELS]
    assert coverage_of(narrow, truth) < 0.6


def test_bands_cover_the_truth_of_probabilities():
    bands = [model.predict_band(GRID[:, None])[:, 1].T for model in CLASSES]
    assert coverage_of(bands, special.expit(3 * mean(GRID))) > 0.75
    narrow = [model.predict_band(GRID[:, None], coverage=0.2)[:, 1].T for model in CLASSES]
    assert coverage_of(narrow, special.expit(3 * mean(GRID))) < 0.5


def test_the_band_of_the_mean_follows_the_epistemic_variance():
    X = GRID[:, None]
    half = stats.norm.ppf(0.9) * np.sqrt(MODELS[0].predict_uncertainty(X)["epistemic"])
    expected = MODELS[0].predict(X)[:, None] + np.outer(half, [-1, 1])
    assert_allclose(MODELS[0].predict_band(X, coverage=0.8), expected, rtol=1e-6)
    width = np.diff(MODELS[0].predict_interval(X, 0.8)).mean()
    assert np.diff(expected).mean() < 0.8 * width


def test_what_belongs_to_rows_is_passed_on(tmp_path):
    X = GRID[:, None]
    plain = MODELS[0].predict_band(X)
    assert_allclose(MODELS[0].predict_band(X, offset=np.full(100, 5.0)), plain + 5, atol=1e-5)
    other = MODELS[0].predict_band(X, prior={"scale": 0.5})
    assert not np.allclose(other, plain)
    MODELS[0].save(tmp_path / "model.wgb")
    assert_array_equal(wgboost.load(tmp_path / "model.wgb").predict_band(X), plain)
    rng = np.random.default_rng(0)
    counts = WGBRegressor(response="poisson", evidence=2.0, random_state=0, **SETTINGS)
    counts.fit(X, rng.poisson(np.exp(X[:, 0])).astype(float))
    ratio = counts.predict_band(X, exposure=2.0) / counts.predict_band(X)
    assert np.median(ratio) == pytest.approx(2)  # an error above the variance of y is cut


def test_classes_and_columns_have_bands_each():
    X = GRID[:, None]
    assert CLASSES[0].predict_band(X).shape == (100, 2, 2)
    assert CLASSES[0].predict_band(X, "probability_1").shape == (100, 2)
    only = WGBClassifier(n_estimators=2, n_jobs=1).fit(X, np.repeat("a", 100))
    assert_array_equal(only.predict_band(X), np.ones((100, 1, 2)))


def test_the_error_of_ranks_is_that_of_probabilities():
    """The error of an ordinal model is found for its location, a logit."""
    x = np.random.default_rng(0).uniform(size=N)
    y = np.digitize(mean(x) + 0.3 * np.random.default_rng(1).normal(size=N), [-0.5, 0.5])
    model = WGBClassifier(response="ordinal", random_state=0, **SETTINGS).fit(x[:, None], y)
    dist = model.predict_dist(GRID[:, None])
    rows = model.model_.predict_particles(GRID[:, None])
    ranks = Mixture(model.response_, rows.particles, error=rows.error)
    each = model.response_.probabilities(ranks.posterior_particles())
    assert_allclose(dist.error[:, 0], each.var(axis=1).sum(axis=1), rtol=1e-6)
    low, high = model.predict_band(GRID[:, None])[:, 0].T
    assert (high - low).max() < 0.7


@pytest.mark.parametrize(
    ("settings", "of", "coverage", "said"),
    [
        ({}, "mean", 1.5, "coverage=1.5 must be between 0 and 1"),
        ({}, "meen", 0.9, "did you mean 'mean'?"),
        ({"response": "cauchy"}, "mean", 0.9, "has no mean; use of='median'"),
    ],
)
def test_errors_come_before_predictions(settings, of, coverage, said):
    x = GRID[:, None]
    model = WGBRegressor(n_estimators=2, evidence=1.0, n_jobs=1, **settings).fit(x, mean(GRID))
    with pytest.raises(ValueError, match=re.escape(said)):
        model.predict_band("no rows at all", of, coverage)


@pytest.mark.parametrize("of", ["meen", "median", 0.9, "yes", 5])
def test_what_a_classifier_has_no_band_of_is_answered_with_its_labels(of):
    said = (
        f"of={of!r} is not for classes; use 'mean' for the probabilities of all, "
        "'probability_0' for that of 'no', 'probability_1' for that of 'yes', or a function of "
        "the dict of their probabilities"
    )
    with pytest.raises(ValueError, match=re.escape(said)):
        CLASSES[0].predict_band("no rows at all", of)
    with pytest.raises(TypeError, match="of=None must be a str, a number or a function"):
        CLASSES[0].predict_band("no rows at all", None)


def test_many_labels_are_not_all_named():
    x = np.arange(120.0)
    model = WGBClassifier(n_estimators=1, early_stopping=False, n_jobs=1)
    with pytest.raises(ValueError, match=r"'probability_9' for that of 9, \.\.\. \(40 classes\)"):
        model.fit(x[:, None], x.astype(int) % 40).predict_band(x[:, None], "shape")


def test_tables_have_the_ends_of_bands():
    X = GRID[:, None]
    table = MODELS[0].predict_table(X, [], band=0.8)
    assert list(table.columns)[:4] == ["mean", "mean_low", "mean_high", "std"]
    ends = MODELS[0].predict_band(X, coverage=0.8)
    assert_array_equal(table[["mean_low", "mean_high"]], ends)
    table = CLASSES[0].predict_table(X, band=0.8)
    names = ["p_no_low", "p_no_high", "p_yes_low", "p_yes_high"]
    assert list(table.columns)[:7] == ["prediction", "p_no", "p_yes", *names]
    assert_array_equal(table[names], CLASSES[0].predict_band(X, coverage=0.8).reshape(100, 4))
    cauchy = Mixture(wgboost.Cauchy(), np.zeros((2, 3, 2)), error=[[1.0], [1.0]])
    assert list(cauchy.to_frame([], band=0.9)) == ["median", "median_low", "median_high"]
    joint = wgboost.predictive.make_mixture(wgboost.MultivariateNormal(2), np.zeros((1, 3, 5)))
    assert {"0_mean_low", "1_mean_high"} <= set(joint.to_frame(band=0.9))
    with pytest.raises(ValueError, match="coverage=2 must be between 0 and 1"):
        cauchy.to_frame(band=2)


def test_a_class_named_like_the_end_of_a_band_is_refused():
    dist = Mixture(wgboost.Categorical(), np.zeros((1, 2, 1)))
    dist.classes = np.array(["a", "a_low"])
    with pytest.raises(ValueError, match="'p_a_low' is the probability of a class and the end"):
        dist.to_frame(band=0.9)
