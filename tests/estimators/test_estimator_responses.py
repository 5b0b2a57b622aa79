"""The regressor with every response of the registry."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import GammaRegressor, PoissonRegressor

from wgboost import WGBRegressor, censored, metrics, propose_response
from wgboost.responses import RESPONSES
from wgboost.training.flat_parameters import grouped_parameters

RNG = np.random.default_rng(7)
N = 250
X = RNG.uniform(-1, 1, size=(N, 3))
NAMES = [name for name in RESPONSES if name not in ("categorical", "multivariate_normal")]
LOG_LINK = [name for name in NAMES if RESPONSES[name].offset_link == "log"]


def draw(name, rng=RNG):
    """y of every kind, larger where x0 is."""
    level = 1.5 * np.sin(2 * X[:, 0])
    if RESPONSES[name].name != "ordinal" and RESPONSES[name]().support == (0, 1):
        mean = 1 / (1 + np.exp(-level))
        return rng.beta(8 * mean, 8 * (1 - mean))
    if name == "ordinal":
        return np.digitize(level + rng.logistic(size=N), [-1, 0, 1]).astype(float)
    if RESPONSES[name].discrete:
        extra = rng.random(N) < (0.3 if "zero" in name else 0.0)
        return np.where(extra, 0, rng.poisson(np.exp(1 + level))).astype(float)
    if RESPONSES[name]().support[0] == 0:
        return rng.gamma(4.0, np.exp(level) / 4)
    return level + 0.3 * rng.standard_t(5, size=N)


def model(name, **options):
    settings = {"n_estimators": 25, "n_particles": 5, "evidence": 5, "n_jobs": 1, "random_state": 0}
    return WGBRegressor(response=name, **grouped_parameters({**settings, **options}))


@pytest.mark.parametrize("name", NAMES)
def test_every_response_learns(name):
    y = draw(name)
    fitted = model(name).fit(X, y)
    dist, start = fitted.predict_dist(X), model(name, n_estimators=0).fit(X, y).predict_dist(X)
    assert metrics.nll(dist, y) < metrics.nll(start, y) - 0.03
    middle = dist.median()
    assert np.corrcoef(middle, X[:, 0])[0, 1] > 0.7
    low, high = dist.interval(0.9)
    assert 0.8 < np.mean((y >= low) & (y <= high)) <= 1.0
    again = pickle.loads(pickle.dumps(fitted))
    assert_allclose(again.predict_dist(X).median(), middle)
    assert clone(fitted).response == name
    assert np.isfinite(fitted.predict_dist(np.full((2, 3), np.nan)).median()).all()


@pytest.mark.parametrize("name", [n for n in NAMES if not RESPONSES[n].discrete and n != "beta"])
def test_the_unit_of_y_does_not_matter(name):
    y = draw(name)
    plain = metrics.nll(model(name, n_estimators=8).fit(X, y).predict_dist(X), y)
    for unit in (1e-6, 1e6):
        scaled = model(name, n_estimators=8).fit(X, unit * y).predict_dist(X)
        assert_allclose(metrics.nll(scaled, unit * y) - np.log(unit), plain, atol=0.05)


@pytest.mark.parametrize("name", LOG_LINK)
def test_an_exposure_is_an_offset_of_the_log(name):
    rng = np.random.default_rng(3)
    exposure = np.exp(rng.uniform(0, 3, size=N))
    if RESPONSES[name].discrete:
        y = rng.poisson(exposure * np.exp(0.5 * X[:, 0])).astype(float)
    else:
        y = exposure * draw(name, rng)
    fitted = model(name).fit(X, y, offset=np.log(exposure))
    with_it = metrics.nll(fitted.predict_dist(X, offset=np.log(exposure)), y)
    without = metrics.nll(model(name).fit(X, y).predict_dist(X), y)
    assert with_it < without - 0.1
    tenfold = fitted.predict(X[:5], offset=np.log(10.0))
    assert_allclose(tenfold, 10 * fitted.predict(X[:5]), rtol=1e-3)


@pytest.mark.parametrize("name", ["poisson", "gamma", "lognormal"])
def test_an_estimator_starts_a_log_mean(name):
    y = draw(name)
    first = PoissonRegressor() if name == "poisson" else GammaRegressor()
    started = model(name, n_estimators=0, init=first).fit(X, y)
    plain = model(name, n_estimators=0).fit(X, y)
    better, worse = (metrics.nll(m.predict_dist(X), y) for m in (started, plain))
    assert better < worse - 0.05


def test_an_estimator_that_predicts_nothing_positive_is_named():
    class Negative(DummyRegressor):
        def predict(self, X):
            return np.full(len(X), -1.0)

    with pytest.raises(ValueError, match="the start estimator predicts -1"):
        model("gamma", init=Negative()).fit(X, draw("gamma"))
    with pytest.raises(ValueError, match="the response 'beta' has no location to start at"):
        model("beta", init=DummyRegressor()).fit(X, draw("beta"))


@pytest.mark.parametrize("name", ["weibull", "lognormal", "poisson"])
def test_every_response_with_a_cdf_takes_bounds(name):
    y = draw(name)
    limit = np.quantile(y, 0.7)
    bounds = censored(np.minimum(y, limit), np.where(y < limit, y, np.inf))
    fitted = model(name, n_estimators=40, leaf="newton").fit(X, bounds)
    naive = model(name, n_estimators=40, leaf="newton").fit(X, np.minimum(y, limit))
    ours, theirs = (metrics.nll(m.predict_dist(X), y) for m in (fitted, naive))
    assert ours < theirs
    assert metrics.concordance(fitted.predict_dist(X), bounds) > 0.65


PROPOSALS = [
    (RNG.normal(size=N), "normal"),
    (RNG.standard_t(2, size=N), "student_t"),
    (np.exp(RNG.normal(size=N)), "lognormal"),
    (RNG.gamma(0.5, size=N), "gamma"),
    (RNG.uniform(0.1, 0.9, size=N), "beta"),
    (RNG.poisson(3, size=N), "poisson"),
    (RNG.negative_binomial(1, 0.1, size=N), "negative_binomial"),
    (RNG.poisson(6, size=N) * (RNG.random(N) < 0.6), "zero_inflated"),
    (RNG.normal(size=(N, 2)), "multivariate_normal"),
    (censored(RNG.gamma(2, size=N), np.inf), "weibull"),
    (censored(RNG.normal(size=N), np.inf), "normal"),
]


@pytest.mark.parametrize(("y", "expected"), PROPOSALS, ids=[name for _, name in PROPOSALS])
def test_a_response_is_proposed_by_the_looks_of_y(y, expected):
    name, why = propose_response(y)
    assert name.startswith(expected)
    assert len(why) > 10


def test_the_automatic_response_says_which_and_why(capsys):
    fitted = model("auto", n_estimators=3, verbose=1).fit(X, draw("poisson"))
    assert fitted.response_.name == fitted.proposal_[0]
    assert fitted.response_.discrete
    assert fitted.proposal_[1] in capsys.readouterr().out


SUPPORT = [("gamma", -1.0), ("beta", 1.5), ("poisson", 2.5), ("poisson", -1.0), ("lognormal", 0.0)]


@pytest.mark.parametrize(("name", "bad"), SUPPORT)
def test_y_outside_the_support_is_named_with_its_row(name, bad):
    y = draw(name)
    y[17] = bad
    with pytest.raises(ValueError, match=f"y is {bad:g} at row 17; the response {name!r} needs"):
        model(name).fit(X, y)


def test_classes_are_sent_to_the_classifier():
    with pytest.raises(ValueError, match="WGBClassifier is for classes"):
        propose_response(np.array([0, 1, 1]))
    assert propose_response(np.append(0.0, RNG.exponential(size=N)))[0] == "exponential"
