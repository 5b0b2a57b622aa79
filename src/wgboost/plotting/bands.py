"""How far shares of rows stray from their probabilities by chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from wgboost.typing import Array
from wgboost.validation import check_number

__all__ = ["binomial_band", "rows_at_risk"]


def binomial_band(probability: Any, n: Any, confidence: float = 0.95) -> tuple[Array, Array]:
    """Return between which shares a count of n rows falls, each of which hits with a probability.

    The central interval of the binomial distribution, with at least `confidence`, and with the
    probability itself, which a share of very few rows cannot be near. n may be an effective number
    of rows.
    """
    check_number("confidence", confidence, above=0, high=1)
    rows = np.maximum(np.round(n), 1)
    outside = (1 - confidence) / 2
    expected = np.clip(probability, 0, 1)
    binomial = stats.binom(rows, expected)
    low, high = binomial.ppf(outside) / rows, binomial.isf(outside) / rows
    return np.minimum(low, expected), np.maximum(high, expected)


def rows_at_risk(levels: Array, low: Array, exact: Array, weight: Array) -> Array:
    """Return how many rows the calibration curve is worth at each level, y censored on the right.

    A row counts up to the probability `low` at which it was last seen. The variance of Kaplan
    and Meier's estimate under the right distribution is (1 - u)^2 times the integral up to u of
    1 / ((1 - v) rows at risk at v); the number is u (1 - u) over that variance. Without censoring
    it is the number of rows.
    """
    effective = weight.sum() ** 2 / np.square(weight).sum()
    if exact.all():
        return np.full(len(levels), effective)
    fine = np.linspace(0, 1, 2001)
    middle = (fine[1:] + fine[:-1]) / 2
    # Under the right distribution the rows seen to the end leave at rate 1 / (1 - v).
    order = np.argsort(low)
    leaving = np.cumsum(weight[order]) / weight.sum()
    place = np.searchsorted(low[order], middle)
    risk = effective * (1 - np.where(place > 0, leaving[place - 1], 0.0))
    rate = 1 / ((1 - middle) * np.maximum(risk, 1e-12))
    total = np.concatenate([[0.0], np.cumsum(rate) * (fine[1] - fine[0])])
    inside = np.clip(levels, 1e-9, 1 - 1e-9)
    variance = np.square(1 - inside) * np.interp(inside, fine, total)
    worth: Array = inside * (1 - inside) / np.maximum(variance, 1e-300)
    return np.clip(worth, 1, effective)
