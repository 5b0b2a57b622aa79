"""Bands in which observed frequencies fall by chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from wgboost.typing import Array
from wgboost.validation import check_number

__all__ = ["binomial_band", "effective_sample_size", "number_at_risk"]


def effective_sample_size(weight: Array) -> float:
    """Return the effective sample size of weighted rows."""
    return float(weight.sum() ** 2 / np.square(weight).sum())


def binomial_band(probability: Any, n: Any, confidence: float = 0.95) -> tuple[Array, Array]:
    """Return an interval of the share of n rows that have an event of this probability.

    It is the central interval of the binomial distribution with at least `confidence`, extended to
    the probability itself: the share of very few rows cannot be near it. n may be an effective
    sample size.
    """
    check_number("confidence", confidence, above=0, high=1)
    rows = np.maximum(np.round(n), 1)
    outside = (1 - confidence) / 2
    expected = np.clip(probability, 0, 1)
    binomial = stats.binom(rows, expected)
    low, high = binomial.ppf(outside) / rows, binomial.isf(outside) / rows
    return np.minimum(low, expected), np.maximum(high, expected)


def number_at_risk(levels: Array, low: Array, exact: Array, weight: Array) -> Array:
    """Return the effective sample size of the calibration curve of right-censored y by level.

    A row is at risk up to the probability `low` at which it was censored or observed. Under the
    true distribution the Kaplan-Meier estimate has the variance (1 - u)^2 times the integral up to
    u of 1 / ((1 - v) number at risk at v). The effective sample size is u (1 - u) divided by that
    variance. Without censoring it is the number of rows.
    """
    effective = effective_sample_size(weight)
    if exact.all():
        return np.full(len(levels), effective)
    fine = np.linspace(0, 1, 2001)
    middle = (fine[1:] + fine[:-1]) / 2
    # Under the true distribution uncensored rows leave at rate 1 / (1 - v).
    order = np.argsort(low)
    leaving = np.cumsum(weight[order]) / weight.sum()
    place = np.searchsorted(low[order], middle)
    risk = effective * (1 - np.where(place > 0, leaving[place - 1], 0.0))
    rate = 1 / ((1 - middle) * np.maximum(risk, 1e-12))
    total = np.concatenate([[0.0], np.cumsum(rate) * (fine[1] - fine[0])])
    inside = np.clip(levels, 1e-9, 1 - 1e-9)
    variance = np.square(1 - inside) * np.interp(inside, fine, total)
    n_effective: Array = inside * (1 - inside) / np.maximum(variance, 1e-300)
    return np.clip(n_effective, 1, effective)
