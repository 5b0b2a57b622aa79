"""Responses that are proposed: they can have y, and say why others cannot."""

import re

import numpy as np
import pandas as pd
import pytest

from wgboost import WGBRegressor, censored, propose_response
from wgboost.responses import as_response

RNG = np.random.default_rng(8)
N = 400
TIMES = RNG.gamma(2, size=N)
COUNTS = RNG.poisson(3, size=N)
SHARES = np.where(RNG.random(N) < 0.1, 1.0, RNG.uniform(size=N))
ZEROS = np.where(np.arange(N) < 5, 0.0, TIMES)

CASES = {
    "whole bounds": (censored(COUNTS, COUNTS + 2), "poisson", "whole bounds"),
    "days": (censored(np.ceil(500 * TIMES), np.inf), "weibull", "as times are"),
    "zero times": (
        censored(ZEROS, np.where(RNG.random(N) < 0.5, ZEROS, np.inf) + 0 * ZEROS),
        "exponential",
        r"not 'weibull': y is between 0 and 0",
    ),
    "prices": (np.exp(RNG.normal(15, 1, size=N)).astype(int), "lognormal", "no counts"),
    "price integers": (RNG.normal(5e6, 1e5, size=N).astype(int), "normal", "no counts"),
    "shares": (SHARES, "normal", r"exactly 0 or 1, which 'beta' cannot have: move them inside"),
    "ratings": (RNG.integers(1, 6, size=N), "poisson", r"WGBClassifier\(response='ordinal'\)"),
    "bounds in columns": (
        np.column_stack([TIMES, TIMES + 1]),
        "multivariate_normal",
        r"wgboost.censored\(lower, upper\)",
    ),
    "constant": (np.full(N, 3.5), "normal", "nothing unusual"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_proposal_can_have_y_and_says_why(name):
    y, expected, why = CASES[name]
    found, reason = propose_response(y)
    assert found == expected
    assert re.search(why, reason)
    if np.ndim(y) == 1:
        as_response(found).check(y)


def test_what_fit_refuses_is_not_proposed_for():
    days = pd.Series(pd.to_timedelta(np.arange(N), unit="D"))
    for call in (propose_response, WGBRegressor(response="auto").fit):
        given = (days,) if call is propose_response else (np.zeros((N, 1)), days)
        with pytest.raises(TypeError, match="give numbers, such as days"):
            call(*given)
    with pytest.raises(ValueError, match=r"not numeric.*WGBClassifier"):
        propose_response(np.array(["a", "b"]))
