"""Responses that are proposed: they can have y, suit it, and say why."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from wgboost import WGBRegressor, censored, propose_response
from wgboost.responses import as_response
from wgboost.responses.marginal import conditional_dispersion, held_out_logs

RNG = np.random.default_rng(8)
N = 500
TIMES = RNG.gamma(2, size=N)
COUNTS = RNG.poisson(3, size=N)
SHARES = np.where(RNG.random(N) < 0.1, 1.0, RNG.uniform(size=N))
ZEROS = np.where(np.arange(N) < 5, 0.0, TIMES)
SOME = RNG.random(N)

# Kind of y: values, what is proposed, and what the reason has to say.
KINDS = {
    # counts
    "counts": (COUNTS, "poisson", "y are counts"),
    "rare events": (RNG.poisson(0.2, N), "poisson", "y are counts"),
    "many events": (RNG.poisson(50, N), "poisson", "y are counts"),
    "overdispersed counts": (
        RNG.negative_binomial(1, 0.1, N),
        "negative_binomial",
        "larger variance than",
    ),
    "large counts": (RNG.negative_binomial(5, 0.1, N), "negative_binomial", "larger variance than"),
    "zero-inflated": (RNG.poisson(6, N) * (SOME < 0.6), "zero_inflated_poisson", "more zeros"),
    "zero-inflated, overdispersed": (
        RNG.negative_binomial(2, 0.2, N) * (SOME < 0.5),
        "zero_inflated_negative_binomial",
        "more zeros than 'negative_binomial' expects",
    ),
    # numbers that happen to be whole
    "years": (RNG.integers(1990, 2020, N), "normal", "vary less than counts"),
    "kelvin": (RNG.normal(290, 5, N).round(), "normal", "vary less than counts"),
    "celsius": (RNG.normal(12, 8, N).round(), "normal", "nothing unusual"),
    "fahrenheit": (RNG.normal(60, 15, N).round(), "normal", "if they are counts, 'negative_bin"),
    "ages": (RNG.integers(18, 91, N), "normal", "whole numbers that vary"),
    "heights": (RNG.normal(170, 10, N).round(), "normal", "vary less than counts"),
    "ratings": (RNG.integers(1, 6, N), "normal", r"WGBClassifier\(response='ordinal'\)"),
    "grades": (RNG.normal(7, 1.5, N).round().clip(0, 10), "normal", "'ordinal' with ranks"),
    "differences": (RNG.poisson(5, N) - RNG.poisson(5, N), "normal", "nothing unusual"),
    # money
    "prices": (np.exp(RNG.normal(15, 1, N)).round(), "lognormal", "not counts"),
    "small prices": (np.exp(RNG.normal(5, 1, N)).round() + 1, "lognormal", "vary unlike"),
    "round prices": (100 * np.exp(RNG.normal(3, 1, N)).round() + 100, "lognormal", "multiples of"),
    "budgets": (RNG.normal(5e6, 1e5, N).round(), "normal", "not counts"),
    "prices in cents": (np.exp(RNG.normal(5, 1, N)), "lognormal", "skewed as 'lognormal' is"),
    # amounts with zeros
    "rain": (np.where(SOME < 0.8, 0, RNG.gamma(1, 5, N)), "exponential", "Better in two parts"),
    "claims": (
        np.where(SOME < 0.8, 0, RNG.gamma(2, 500, N).round()),
        "zero_inflated_negative_binomial",
        "better in two parts",
    ),
    # positive numbers
    "durations": (5 * TIMES, "gamma", "skewed as 'gamma' is"),
    "proportions": (RNG.beta(2, 5, N), "beta", "strictly between 0 and 1"),
    "rates": (RNG.gamma(2, 0.01, N), "beta", "strictly between 0 and 1"),
    "proportions with ends": (SHARES, "normal", r"exactly 0 or 1, which 'beta' cannot have: move"),
    "lengths": (RNG.normal(170, 10, N), "normal", "nothing unusual"),
    # shifted, heavy tails, cut off
    "shifted": (1000 + 5 * TIMES, ("normal", "student_t"), r"far from 0.*y - 1e\+03 suits"),
    "shifted far": (1e6 + RNG.normal(size=N), "normal", "nothing unusual"),
    "heavy tails": (RNG.standard_t(2, N), "student_t", "heavy tails"),
    "returns": (0.01 * RNG.standard_t(3, N), "student_t", "heavy tails"),
    "cut off": (np.minimum(RNG.normal(size=N), 1), "normal", r"exactly 1,.*wgboost.censored"),
    "constant": (np.full(N, 3.5), "normal", "all y are 3.5"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_proposal_for_a_kind_of_y_does_not_depend_on_its_dtype(kind):
    y, expected, why = KINDS[kind]
    found, reason = propose_response(y)
    assert found in expected if isinstance(expected, tuple) else found == expected
    assert re.search(why, reason)
    as_response(found).check(y)
    if (y == np.floor(y)).all():
        other = int if y.dtype.kind == "f" else float
        assert propose_response(y.astype(other)) == (found, reason)


CENSORED = {
    "whole bounds": (censored(COUNTS, COUNTS + 2), "poisson", "whole bounds"),
    "days": (censored(np.ceil(500 * TIMES), np.inf), "weibull", "as times are"),
    "zero times": (
        censored(ZEROS, np.where(RNG.random(N) < 0.5, ZEROS, np.inf) + 0 * ZEROS),
        "exponential",
        r"not 'weibull': y is between 0 and 0",
    ),
    "bounds in columns": (
        np.column_stack([TIMES, TIMES + 1]),
        "multivariate_normal",
        r"wgboost.censored\(lower, upper\)",
    ),
}


@pytest.mark.parametrize("name", CENSORED)
def test_bounds_and_columns_are_proposed_for(name):
    y, expected, why = CENSORED[name]
    found, reason = propose_response(y)
    assert found == expected
    assert re.search(why, reason)
    if np.ndim(y) == 1:
        as_response(found).check(y)


@pytest.mark.parametrize("n", [1, 3, 12])
def test_a_few_rows_are_enough_for_a_proposal(n):
    for y in (RNG.poisson(3, n) + 2, RNG.normal(size=n), TIMES[:n]):
        as_response(propose_response(y)[0]).check(y)


def test_features_distinguish_counts_from_whole_numbers():
    X = RNG.uniform(0, 1, size=(N, 3))
    warmth = np.maximum(0, 20 * X[:, 0] ** 2 + RNG.normal(0, 0.5, N)).round()
    events = RNG.poisson(20 * X[:, 0] ** 2)
    for y in (warmth, events):
        assert as_response(propose_response(y)[0]).discrete
    name, why = propose_response(warmth, X)
    assert not as_response(name).discrete
    assert "vary less than counts given X" in why
    assert propose_response(events, X) == propose_response(events)
    model = WGBRegressor(response="auto", n_estimators=2, n_jobs=1, random_state=0)
    assert model.fit(X, warmth).response_.name == name
    assert model.fit(pd.DataFrame(X), warmth.astype(int)).response_.name == name
    assert model.fit(X, events).response_.discrete


def test_the_dispersion_given_features_is_about_that_of_the_noise():
    X = RNG.uniform(size=(1000, 2))
    counts = RNG.poisson(5 + 20 * X[:, 0])
    assert 0.9 < conditional_dispersion(X, counts) < 1.4
    assert counts.var() / counts.mean() > 2.5
    assert np.isnan(conditional_dispersion(X[:20], counts[:20]))


def test_held_out_logs_are_those_of_scipy():
    fitted = np.empty(N)
    order = np.random.default_rng(0).permutation(N)
    y = 10 + 3 * TIMES[order]
    for k in range(5):
        part = np.arange(N) % 5 == k
        fitted[part] = stats.norm.logpdf(y[part], y[~part].mean(), y[~part].std())
    assert_allclose(held_out_logs(as_response("normal"), 10 + 3 * TIMES), fitted, atol=1e-4)
    whole = np.round(10 + 3 * TIMES)
    y = whole[order]
    for k in range(5):
        part = np.arange(N) % 5 == k
        norm = stats.norm(y[~part].mean(), y[~part].std())
        fitted[part] = np.log(norm.cdf(y[part] + 0.5) - norm.cdf(y[part] - 0.5))
    logs = held_out_logs(as_response("normal"), whole, whole=True)
    assert_allclose(logs, fitted, atol=1e-3)


def test_y_that_fit_refuses_has_no_proposal():
    days = pd.Series(pd.to_timedelta(np.arange(N), unit="D"))
    for call in (propose_response, WGBRegressor(response="auto").fit):
        given = (days,) if call is propose_response else (np.zeros((N, 1)), days)
        with pytest.raises(TypeError, match="give numbers, such as days"):
            call(*given)
    with pytest.raises(ValueError, match=r"not numeric.*WGBClassifier"):
        propose_response(np.array(["a", "b"]))
