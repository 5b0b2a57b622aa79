"""Models and metrics of y that is only known between bounds, or with an error."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.model_selection import train_test_split

from wgboost import Mixture, Normal, TreeLearner, WGBClassifier, WGBRegressor, censored, metrics

RNG = np.random.default_rng(4)
N = 1500
X = RNG.uniform(-1, 1, size=(N, 2))
TRUE = X[:, 0]
Y = TRUE + 0.5 * RNG.normal(size=N)
LIMIT = 0.4 + 0.3 * RNG.normal(size=N)
RIGHT = censored(np.minimum(Y, LIMIT), np.where(Y < LIMIT, Y, np.inf))
ROUNDED = censored(np.floor(2 * Y) / 2, np.floor(2 * Y) / 2 + 0.5)


def model(**options):
    settings = {"n_estimators": 80, "evidence": 10, "max_leaves": 16, "random_state": 0}
    return WGBRegressor(**{**settings, "n_jobs": 1, **options})


def error(fitted):
    return np.sqrt(np.mean((fitted.predict(X) - TRUE) ** 2))


def test_bounds_that_say_y_give_the_model_of_y():
    exact, plain = model().fit(X, censored(Y, Y)), model().fit(X, Y)
    assert_allclose(exact.predict(X), plain.predict(X))
    almost = censored(Y, np.where(np.arange(N) == 0, Y + 1e-6, Y))
    assert np.abs(model().fit(X, almost).predict(X) - plain.predict(X)).mean() < 0.05


@pytest.mark.parametrize("y", [RIGHT, ROUNDED], ids=["right", "rounded"])
def test_bounds_are_worth_more_than_what_one_would_put_in_their_place(y):
    fitted = model().fit(X, y)
    place = np.where(np.isfinite(y["upper"]), (y["lower"] + np.minimum(y["upper"], 99)) / 2, LIMIT)
    naive = model().fit(X, place)
    assert error(fitted) < 0.17
    if y is RIGHT:
        assert error(fitted) < 0.6 * error(naive)
    assert_allclose(fitted.predict_dist(X).std().mean(), 0.5, atol=0.12)
    assert fitted.score(X, Y) > 0.4


def test_truncated_rows_do_not_mislead():
    observed = Y > -0.5
    cut = censored(Y[observed], Y[observed], above=-0.5)
    fitted = model(max_leaves=4).fit(X[observed], cut)
    naive = model(max_leaves=4).fit(X[observed], Y[observed])
    assert error(fitted) < 0.75 * error(naive)


def test_early_stopping_and_metrics_take_bounds():
    X_train, X_test, y_train, y_test = train_test_split(X, RIGHT, random_state=0)
    fitted = model(early_stopping=True, n_iter_no_change=20).fit(X_train, y_train)
    dist = fitted.predict_dist(X_test)
    plain = model(n_estimators=5, learner=TreeLearner(support=False))
    watched = plain.fit(X_train, y_train, X_val=X_test, y_val=y_test)
    last = watched.history_["validation"]["nll"][-1]
    assert_allclose(metrics.nll(watched.predict_dist(X_test), y_test), last, rtol=1e-6)
    assert metrics.nll(dist, y_test) < last
    with pytest.raises(ValueError, match="needs exact values of y"):
        metrics.rmse(dist, y_test)


def test_the_nll_of_bounds_is_their_probability_and_of_values_their_density():
    dist = model(n_estimators=3).fit(X, Y).predict_dist(X[:3])
    y = censored([0.1, 0.2, -np.inf], [0.1, np.inf, 0.3])
    expected = [dist.logpdf(0.1)[0], np.log(dist.sf(0.2)[1]), np.log(dist.cdf(0.3)[2])]
    assert_allclose(dist.log_likelihood(y), expected, rtol=1e-9)
    assert_allclose(metrics.nll(dist, y), -np.mean(expected), rtol=1e-9)


def test_truncation_bounds_what_is_observed_and_divides_the_mixture():
    theta = np.array([[[0.0, 0.0]]])
    for bounds, ends, observed in (
        ((-np.inf, 1.0), {"above": 0.0}, (0.0, 1.0, 0.0, np.inf)),
        ((0.0, np.inf), {"below": 1.0}, (0.0, 1.0, -np.inf, 1.0)),
    ):
        low, high, above, below = observed
        cdf = stats.norm.cdf
        expected = np.log((cdf(high) - cdf(low)) / (cdf(below) - cdf(above)))
        ours = Mixture(Normal(), theta).log_likelihood(censored(*bounds, **ends))
        assert_allclose(ours, expected, rtol=1e-9)
    two = Mixture(Normal(), np.array([[[0.0, 0.0], [3.0, 0.0]]]))
    expected = two.logpdf(2.5) - np.log(two.sf(2.0))
    assert_allclose(two.log_likelihood(censored(2.5, 2.5, above=2.0)), expected, rtol=1e-9)


def test_a_metric_of_ones_own_gets_y_as_it_was_given():
    observed = []

    def watched(dist, y):
        observed.append(np.asarray(y))
        return float(np.abs(dist.mean() - y).mean())

    rows = np.arange(N) >= 1000
    model(n_estimators=2, eval_metric=watched).fit(X, Y, y_std=0.1, validation_rows=rows)
    assert_allclose(observed[0], Y[rows])


def test_bounds_of_ranks_tell_their_number():
    rank = np.clip(np.round(2 + 2 * TRUE), 0, 4)
    y = censored(rank, np.where(rank > 2, np.inf, rank))  # 3 or more
    start = np.random.default_rng(0).normal(size=(10, 4))
    fitted = model(response="ordinal", n_estimators=20, init=start).fit(X, y)
    assert fitted.response_.n_classes == 5
    assert np.corrcoef(fitted.predict(X), TRUE)[0, 1] > 0.8


def test_no_noise_is_no_change():
    plain = model(n_estimators=10).fit(X, Y).predict(X)
    assert_allclose(model(n_estimators=10).fit(X, Y, y_std=0.0).predict(X), plain)


def test_concordance_counts_the_pairs_whose_order_is_known():
    fitted = model().fit(X, RIGHT)
    dist, few = fitted.predict_dist(X[:60]), RIGHT[:60]
    agreeing = pairs = 0.0
    middle = dist.median()
    for i in range(60):
        for j in range(60):
            if few["upper"][i] < few["lower"][j]:
                pairs += 1
                agreeing += (middle[i] < middle[j]) + 0.5 * (middle[i] == middle[j])
    assert_allclose(metrics.concordance(dist, few), agreeing / pairs)
    assert metrics.concordance(fitted.predict_dist(X), RIGHT) > 0.7
    with pytest.raises(ValueError, match="no two rows have a known order"):
        metrics.concordance(dist[:2], censored([0, 0], [1, np.inf]))


@pytest.mark.parametrize("kind", ["exact", "right", "left", "both"])
def test_the_calibration_curve_of_the_truth_is_the_diagonal(kind):
    n = 4000
    rng = np.random.default_rng(1)
    truth = model(n_estimators=0).fit(X, Y).predict_dist(np.zeros((n, 2)))
    y, limit = truth.rvs(random_state=rng), truth.rvs(random_state=rng)
    first = truth.ppf(rng.uniform(0, 0.4, n))  # what happens before is only known to have
    lower, upper = y.copy(), y.copy()
    if kind in ("right", "both"):
        limit = np.maximum(limit, first)
        lower[y > limit], upper[y > limit] = limit[y > limit], np.inf
    if kind in ("left", "both"):
        lower[y < first], upper[y < first] = -np.inf, first[y < first]
    level, reached = metrics.calibration_curve(truth, censored(lower, upper))
    assert np.abs(reached - level)[1:-2].max() < 0.05
    off = model(n_estimators=0).fit(X, Y + 0.5).predict_dist(np.zeros((n, 2)))
    _, wrong = metrics.calibration_curve(off, censored(lower, upper), [0.25, 0.5])
    assert (wrong > np.array([0.25, 0.5]) + 0.1).all()


def test_the_curve_of_right_censored_rows_is_kaplan_and_meiers():
    truth = model(n_estimators=0).fit(X, Y).predict_dist(X)
    level, ours = metrics.calibration_curve(truth, RIGHT, np.linspace(0.1, 0.6, 6))
    event = RIGHT["upper"] < np.inf
    sample = stats.CensoredData.right_censored(truth.cdf(RIGHT["lower"]), ~event)
    theirs = stats.ecdf(sample).cdf.evaluate(level)
    assert_allclose(ours, theirs, atol=0.02)


def test_noise_of_y_is_taken_off_the_prediction():
    noise = RNG.choice([0.0, 2.0], size=N)
    y = Y + noise * RNG.normal(size=N)
    fitted = model().fit(X, y, y_std=noise)
    plain = model().fit(X, y)
    assert error(fitted) < 0.9 * error(plain)
    assert_allclose(fitted.predict_dist(X).std().mean(), 0.5, atol=0.12)
    rows = np.arange(N) >= 1000
    held = model(refit=False).fit(X, y, y_std=noise, validation_rows=rows)
    given = model(n_estimators=held.n_estimators_).fit(
        X[~rows], y[~rows], y_std=noise[~rows], X_val=X[rows], y_val=y[rows], y_std_val=noise[rows]
    )
    history = held.history_["validation"]["nll"][: held.n_estimators_ + 1]
    assert_allclose(given.history_["validation"]["nll"], history, rtol=1e-6)


WRONG = [
    (WGBRegressor, Y, {"y_std": np.ones(3)}, r"y_std has shape \(3,\)"),
    (WGBRegressor, Y, {"y_std": np.where(TRUE > 0, 1, -1)}, "y_std is -1.0 at row"),
    (WGBRegressor, RIGHT, {"y_std": 1.0}, "censored y with a measurement error"),
    (WGBClassifier, RIGHT, {}, "cannot be censored"),
]


@pytest.mark.parametrize(("kind", "y", "options", "message"), WRONG)
def test_what_makes_no_sense_is_refused(kind, y, options, message):
    with pytest.raises(ValueError, match=message):
        kind(n_estimators=1).fit(X, y, **options)
