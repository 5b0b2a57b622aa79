"""A response for those who do not want to choose one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from wgboost.responses.base import Response
from wgboost.responses.beta import Beta
from wgboost.responses.exponential import Exponential
from wgboost.responses.gamma import Gamma
from wgboost.responses.lognormal import LogNormal
from wgboost.responses.negative_binomial import NegativeBinomial
from wgboost.responses.normal import Normal
from wgboost.responses.observations import Observations, is_censored
from wgboost.responses.outcomes import check_outcomes
from wgboost.responses.poisson import Poisson
from wgboost.responses.student_t import StudentT
from wgboost.responses.weibull import Weibull
from wgboost.responses.zero_inflated_negative_binomial import ZeroInflatedNegativeBinomial
from wgboost.responses.zero_inflated_poisson import ZeroInflatedPoisson
from wgboost.typing import Array

__all__ = ["propose_response"]

_PROPOSED: dict[str, type[Response]] = {
    kind.name: kind
    for kind in (
        Beta, Exponential, Gamma, LogNormal, NegativeBinomial, Normal, Poisson, StudentT, Weibull,
        ZeroInflatedNegativeBinomial, ZeroInflatedPoisson,
    )
}  # fmt: skip
_LARGE = 1e4  # whole numbers of this mean and more are amounts, not counts
_FEW = 10  # values that may be ratings


def propose_response(y: Any) -> tuple[str, str]:
    """Return the name of a response for y, and why.

    By the type and the range of y, and by how its values are spread: columns, counts, shares,
    positive numbers, any numbers. The response can have every value of y. What y is given x may
    still be of another kind; compare a few responses by their NLL on validation rows.
    """
    if not is_censored(y) and np.ndim(y) == 2 and np.shape(y)[1] > 1:
        return "multivariate_normal", _of_columns(y)
    if is_censored(y):
        seen, proposals = y, _of_bounds(Observations.of(y))
    else:
        seen = check_outcomes(np.ravel(y) if np.ndim(y) == 2 else y)
        proposals = _of_numbers(seen, integers=np.asarray(y).dtype.kind in "iu")
    refused = ""
    for name, why in proposals:
        try:
            _PROPOSED[name]().check(seen)
        except ValueError as error:
            refused += f"; not {name!r}: {error}"
        else:
            return name, why + refused
    raise ValueError(f"no response can have every value of y{refused}")


def _of_columns(y: Any) -> str:
    why = f"y has {np.shape(y)[1]} columns"
    table = np.asarray(y)
    if table.shape[1] == 2 and (table[:, 0] <= table[:, 1]).all():
        why += "; if they are bounds of one number: wgboost.censored(lower, upper)"
    return why


def _of_bounds(seen: Observations) -> Iterator[tuple[str, str]]:
    bounds = np.concatenate([seen.lower, seen.upper])
    bounds = bounds[np.isfinite(bounds)]
    if bounds.size and bounds.min() >= 0:
        if (bounds == np.floor(bounds)).all() and 1 < bounds.max() <= 100:
            name, why = _of_counts(seen.value)
            yield name, f"y is censored with whole bounds from 0 on, as of counts: {why}"
        yield "weibull", "y is censored and not negative, as times are"
        yield "exponential", "y is censored and not negative, as times are, with zeros"
    yield "normal", "y is censored and has both signs"


def _of_numbers(values: Array, *, integers: bool) -> Iterator[tuple[str, str]]:
    whole = bool((values == np.floor(values)).all())
    low, high, note = float(values.min()), float(values.max()), ""
    if whole and low >= 0 and high <= 1 and low < high:
        raise ValueError("y consists of 0 and 1; WGBClassifier is for classes")
    if whole and low >= 0 and high > 1 and (low < 10 or integers):
        if values.mean() < _LARGE:
            yield _of_counts(values)
        note = f"; whole numbers as large as these (mean {values.mean():.3g}) are no counts"
    if low >= 0 and high <= 1 and low < high:
        ends = int(((values == 0) | (values == 1)).sum())
        if ends == 0:
            yield "beta", f"y lies strictly between 0 and 1 ({low:.3g} to {high:.3g})"
        yield (
            "normal",
            (
                f"y lies between 0 and 1, but {ends} values are exactly 0 or 1, which 'beta' "
                "cannot have: move them inside, (y * (n - 1) + 0.5) / n, to use it"
            ),
        )
    if low > 0:
        lean, log_lean = _skewness(values), _skewness(np.log(values))
        if lean > 1:
            name = "lognormal" if abs(log_lean) < 0.25 * lean else "gamma"
            yield (
                name,
                (
                    f"y is positive and leans to the right (skewness {lean:.2g}, of log y "
                    f"{log_lean:.2g}){note}"
                ),
            )
    if low == 0 and _skewness(values) > 1:
        yield "exponential", f"y is not negative, has zeros and leans to the right{note}"
    tails = _kurtosis(values)
    if tails > 3:
        yield "student_t", f"y has heavy tails (excess kurtosis {tails:.2g}){note}"
    yield "normal", f"y is numeric with nothing unusual about its range or tails{note}"


def _of_counts(values: Array) -> tuple[str, str]:
    mean, variance, zeros = values.mean(), values.var(), (values == 0).mean()
    facts = f"y are counts (mean {mean:.3g}, variance {variance:.3g}, {100 * zeros:.0f} % zeros)"
    ratings = ""
    if values.max() <= _FEW and np.unique(values).size <= _FEW:
        ratings = (
            "; if they are ratings or grades, take response='ordinal' with ranks from 0, or "
            "WGBClassifier(response='ordinal') with any labels"
        )
    spread = variance > 1.5 * mean
    size = mean * mean / max(variance - mean, 1e-9)
    expected = np.exp(-mean) if not spread else (size / (size + mean)) ** size
    if zeros > 0.02 and zeros > expected + 0.1:
        name = "zero_inflated_negative_binomial" if spread else "zero_inflated_poisson"
        return name, f"{facts}, more zeros than the {100 * expected:.0f} % to expect{ratings}"
    if spread:
        return "negative_binomial", f"{facts}, spread wider than Poisson counts{ratings}"
    return "poisson", facts + ratings


def _skewness(values: Array) -> float:
    deviation = values - values.mean()
    scale = deviation.std()
    return float(np.mean((deviation / scale) ** 3)) if scale > 0 else 0.0


def _kurtosis(values: Array) -> float:
    deviation = values - values.mean()
    scale = deviation.std()
    return float(np.mean((deviation / scale) ** 4)) - 3 if scale > 0 else 0.0
