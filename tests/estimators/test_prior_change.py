"""Another prior at prediction time, without training."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from wgboost import Categorical, Normal, Ordinal, WGBClassifier, WGBRegressor

RNG = np.random.default_rng(1)
X = RNG.uniform(-1, 1, size=(200, 2))
Y = 50 + 10 * X[:, 0] + RNG.normal(size=200)
FITTED = WGBRegressor(n_estimators=30, random_state=0, n_jobs=1).fit(X, Y)


@pytest.mark.filterwarnings("ignore:under the new prior")
def test_weights_are_the_ratio_of_the_priors():
    dist = FITTED.predict_dist(X[:7], prior={"mean": 0.5, "scale": 0.2})
    theta = dist.particles.astype(float)
    new, old = Normal(prior_mean=0.5, prior_scale=0.2), Normal()
    ratio = np.exp(new.log_prior(theta) - old.log_prior(theta))
    assert_allclose(dist.weights, ratio / ratio.sum(axis=1, keepdims=True), rtol=1e-6)
    size = dist.effective_sample_size()
    assert (size <= 10).all()
    assert size.mean() < 10


@pytest.mark.filterwarnings("ignore:under the new prior")
def test_the_prediction_moves_towards_the_new_prior():
    means = np.where(np.arange(200) < 100, -3.0, 3.0)
    moved = FITTED.predict_dist(X, prior={"mean": means, "scale": 0.3}).mean()
    shift = moved - FITTED.predict(X)
    assert (shift[:100] <= 1e-9).all()
    assert (shift[100:] >= -1e-9).all()
    assert np.abs(shift).mean() > 0.01


def test_the_same_prior_changes_nothing():
    same = FITTED.predict_dist(X, prior={"scale": 10.0})
    assert_allclose(same.mean(), FITTED.predict(X), rtol=1e-6)
    assert_allclose(same.effective_sample_size(), 10, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:under the new prior")
def test_classes_take_it_too():
    model = WGBClassifier(n_estimators=10, random_state=0).fit(X, X[:, 0] > 0)
    tight = model.predict_dist(X, prior={"scale": 0.1}).probabilities()
    plain = model.predict_dist(X).probabilities()
    assert np.abs(tight - 0.5).mean() < np.abs(plain - 0.5).mean()


def test_what_makes_no_sense_is_refused():
    with pytest.raises(TypeError, match="no setting 'prior_scal'"):
        FITTED.predict_dist(X, prior={"scal": 1.0})
    with pytest.raises(ValueError, match="prior_mean has 3 values, there are 200 rows"):
        FITTED.predict_dist(X, prior={"mean": np.zeros(3)})
    per_row = WGBRegressor(n_estimators=1, response=Normal(prior_mean=np.zeros(200))).fit(X, Y)
    with pytest.raises(ValueError, match="fit with one prior for all rows"):
        per_row.predict_dist(X, prior={"mean": 0.0})


@pytest.mark.parametrize("kind", [Categorical, Ordinal])
def test_a_response_with_a_prior_takes_the_classes_of_y(kind):
    labels = np.digitize(X[:, 0], [-0.3, 0.3])
    model = WGBClassifier(n_estimators=5, response=kind(prior_scale=0.5), random_state=0)
    model.fit(X, labels)
    assert model.response_.n_classes == 3
    assert model.response_.prior_scale == 0.5
    plain = WGBClassifier(n_estimators=5, response=kind.name, random_state=0).fit(X, labels)
    assert np.abs(model.predict_proba(X) - plain.predict_proba(X)).max() > 1e-3
