"""A response for those who do not want to choose one."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.responses.observations import Observations, is_censored
from wgboost.responses.outcomes import check_outcomes
from wgboost.typing import Array

__all__ = ["propose_response"]


def propose_response(y: Any) -> tuple[str, str]:
    """Return the name of a response for y, and why.

    By the type and the range of y, and by how its values are spread: columns, counts, shares,
    positive numbers, any numbers. What y is given x may still be of another kind; compare a few
    responses by their NLL on validation rows.
    """
    if is_censored(y):
        seen = Observations.of(y)
        if (seen.lower[np.isfinite(seen.lower)] >= 0).all() and (seen.upper >= 0).all():
            return "weibull", "y is censored and not negative, as times are"
        return "normal", "y is censored and has both signs"
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        return "multivariate_normal", f"y has {np.shape(y)[1]} columns"
    values = check_outcomes(np.ravel(y) if np.ndim(y) == 2 else y)
    whole = bool((values == np.floor(values)).all())
    low, high = float(values.min()), float(values.max())
    if whole and low >= 0 and high <= 1 and low < high:
        raise ValueError("y consists of 0 and 1; WGBClassifier is for classes")
    if whole and low >= 0 and high > 1 and (low < 10 or np.asarray(y).dtype.kind in "iu"):
        return _of_counts(values)
    if low > 0 and high < 1:
        return "beta", f"y lies strictly between 0 and 1 ({low:.3g} to {high:.3g})"
    if low > 0:
        lean, log_lean = _skewness(values), _skewness(np.log(values))
        if lean > 1:
            name = "lognormal" if abs(log_lean) < 0.25 * lean else "gamma"
            return name, (
                f"y is positive and leans to the right (skewness {lean:.2g}, of log y "
                f"{log_lean:.2g})"
            )
    if low == 0 and _skewness(values) > 1:
        return "exponential", "y is not negative, has zeros and leans to the right"
    tails = _kurtosis(values)
    if tails > 3:
        return "student_t", f"y has heavy tails (excess kurtosis {tails:.2g})"
    return "normal", "y is numeric with nothing unusual about its range or tails"


def _of_counts(values: Array) -> tuple[str, str]:
    mean, variance, zeros = values.mean(), values.var(), (values == 0).mean()
    facts = f"y are counts (mean {mean:.3g}, variance {variance:.3g}, {100 * zeros:.0f} % zeros)"
    spread = variance > 1.5 * mean
    size = mean * mean / max(variance - mean, 1e-9)
    expected = np.exp(-mean) if not spread else (size / (size + mean)) ** size
    if zeros > 0.02 and zeros > expected + 0.1:
        name = "zero_inflated_negative_binomial" if spread else "zero_inflated_poisson"
        return name, f"{facts}, more zeros than the {100 * expected:.0f} % to expect"
    if spread:
        return "negative_binomial", f"{facts}, spread wider than Poisson counts"
    return "poisson", facts


def _skewness(values: Array) -> float:
    deviation = values - values.mean()
    scale = deviation.std()
    return float(np.mean((deviation / scale) ** 3)) if scale > 0 else 0.0


def _kurtosis(values: Array) -> float:
    deviation = values - values.mean()
    scale = deviation.std()
    return float(np.mean((deviation / scale) ** 4)) - 3 if scale > 0 else 0.0
