"""Fewer rows than can be held out: folds say how many rounds, and little data look uncertain."""

import numpy as np
import pytest

from wgboost import WGBRegressor
from wgboost.callbacks import Checkpoint


def noise(n, seed):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 4)), rng.standard_normal(n)


@pytest.mark.parametrize("n", [12, 20, 30, 45])
def test_pure_noise_is_predicted_about_as_well_as_by_a_constant(n):
    gaps, inside = [], []
    for seed in range(12):
        X, y = noise(n, seed)
        new, truth = noise(500, 1000 + seed)
        dist = WGBRegressor(random_state=seed, n_jobs=1).fit(X, y).predict_dist(new)
        constant = 0.5 * np.log(2 * np.pi * y.var()) + (truth - y.mean()) ** 2 / (2 * y.var())
        gaps.append(np.mean(-dist.logpdf(truth) - constant))
        low, high = dist.interval(0.9)
        inside.append(np.mean((low <= truth) & (truth <= high)))
    assert np.mean(gaps) < 0.05
    assert np.mean(inside) > 0.87


def test_a_function_without_noise_takes_more_rounds_than_noise():
    X, y = noise(40, 0)
    of_noise = WGBRegressor(random_state=0, n_jobs=1).fit(X, y)
    exact = WGBRegressor(random_state=0, n_jobs=1).fit(X, 3 * np.sign(X[:, 0]))
    assert of_noise.n_estimators_ < exact.n_estimators_ <= 40
    [trial] = exact.search_
    assert trial["chosen"]
    assert trial["evidence"] == exact.evidence_
    assert trial["rounds"] == exact.n_estimators_
    assert exact.validation_rows_ is None
    assert not exact.refitted_


def test_the_model_is_the_one_with_these_rounds_and_this_evidence():
    X, y = noise(30, 1)
    found = WGBRegressor(random_state=0, n_jobs=1).fit(X, y)
    given = {"evidence": found.evidence_, "n_estimators": found.n_estimators_}
    plain = WGBRegressor(**given, early_stopping=False, random_state=0, n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(found.predict(X), plain.predict(X))


def test_a_weight_of_two_is_the_row_twice():
    X, y = noise(20, 2)
    weight = np.where(np.arange(20) % 3 == 0, 2, 1)
    twice = np.repeat(np.arange(20), weight)
    one = WGBRegressor(random_state=0, n_jobs=1).fit(X, y, sample_weight=weight)
    other = WGBRegressor(random_state=0, n_jobs=1).fit(X[twice], y[twice])
    assert one.n_estimators_ == other.n_estimators_
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_a_checkpoint_and_a_warm_start_keep_the_rounds(tmp_path):
    X, y = noise(40, 0)
    y = y + 3 * np.sign(X[:, 0])
    whole = WGBRegressor(random_state=0, n_jobs=1, warm_start=True)
    whole.fit(X, y, callbacks=[Checkpoint(tmp_path / "half.wgb", every_rounds=4)])
    before = whole.predict(X)
    again = WGBRegressor(random_state=0, n_jobs=1, warm_start=True)
    again.fit(X, y, resume_from=tmp_path / "half.wgb")
    np.testing.assert_array_equal(again.predict(X), before)
    np.testing.assert_array_equal(whole.fit(X, y).predict(X), before)


@pytest.mark.parametrize("given", [{"n_estimators": 5}, {"evidence": 2.0}, {"eval_metric": "crps"}])
def test_what_is_given_is_not_sought(given):
    X, y = noise(20, 0)
    model = WGBRegressor(**{"early_stopping": None, **given}, random_state=0, n_jobs=1)
    if "n_estimators" in given:
        with pytest.warns(UserWarning, match="sets evidence to 1"):
            model.fit(X, y)
    else:
        model.fit(X, y)
    assert not hasattr(model, "search_")
    assert model.n_estimators_ == given.get("n_estimators", 20)
    assert model.evidence_ == given.get("evidence", 1.0)
