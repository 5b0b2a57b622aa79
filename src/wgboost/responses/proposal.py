"""Proposal of a response for y."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from wgboost.data.schema import Schema
from wgboost.responses.base import Response
from wgboost.responses.beta import Beta
from wgboost.responses.censoring import is_censored
from wgboost.responses.exponential import Exponential
from wgboost.responses.gamma import Gamma
from wgboost.responses.lognormal import LogNormal
from wgboost.responses.marginal import conditional_dispersion, held_out_logs
from wgboost.responses.negative_binomial import NegativeBinomial
from wgboost.responses.normal import Normal
from wgboost.responses.observations import Observations
from wgboost.responses.poisson import Poisson
from wgboost.responses.student_t import StudentT
from wgboost.responses.weibull import Weibull
from wgboost.responses.y_checks import check_y
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
_MAX_RATINGS = 10  # values that may be ratings
_MIN_GAIN = 0.01  # nats per row by which a response must be better than a simpler one
_UNDERDISPERSED = 0.7  # variance over mean below which numbers are not counts
_SKEWED = 0.5  # skewness above which responses of positive numbers are tried
_LARGE_AMOUNT = 50  # positive numbers of this mean and more among zeros may be amounts
_EXACT = 2.0**53
_TIES = 0.02  # largest share of equal values under a continuous response


def propose_response(y: Any, X: Any = None) -> tuple[str, str]:
    """Return the name of a response for y, and the reason.

    The range of y determines which responses are possible, whatever its dtype. Each of them is
    fitted to y without features, and the one with the largest likelihood on other rows is proposed,
    or a simpler one that is as good. Whole numbers are counts only if they vary like counts, also
    given X. The distribution of y given X may be of another kind: compare a few responses by their
    NLL on validation rows.

    Parameters
    ----------
    y : array (n,) or (n, q)
        Numbers, or what `wgboost.censored` returns.
    X : array or frame (n, p), optional
        Features. Whole numbers that vary less than counts given X are not counts.

    Returns
    -------
    name : str
        A response that allows every value of y.
    why : str
        The reason, with caveats.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import propose_response
    >>> years = np.arange(1990, 2020)
    >>> propose_response(years)[0]
    'normal'
    """
    if not is_censored(y) and np.ndim(y) == 2 and np.shape(y)[1] > 1:
        return "multivariate_normal", _describe_columns(y)
    if not is_censored(y):
        return _propose_for_numbers(check_y(np.ravel(y) if np.ndim(y) == 2 else y), X)
    refused = ""
    for name, why in _propose_for_bounds(Observations.of(y)):
        try:
            _PROPOSED[name]().check(y)
        except ValueError as error:
            refused += f"; not {name!r}: {error}"
        else:
            return name, why + refused
    raise ValueError(f"no response allows every value of y{refused}")


def _describe_columns(y: Any) -> str:
    why = f"y has {np.shape(y)[1]} columns"
    table = np.asarray(y)
    if table.shape[1] == 2 and (table[:, 0] <= table[:, 1]).all():
        why += "; if they are bounds of one number: wgboost.censored(lower, upper)"
    return why


def _propose_for_bounds(observations: Observations) -> Iterator[tuple[str, str]]:
    bounds = np.concatenate([observations.lower, observations.upper])
    bounds = bounds[np.isfinite(bounds)]
    if bounds.size and bounds.min() >= 0:
        if (bounds == np.floor(bounds)).all() and 1 < bounds.max() <= 100:
            name, _ = _best(np.floor(observations.value), _COUNTS, whole=True)
            why = _describe_counts(observations.value, name)
            yield name, f"y is censored with whole bounds from 0 on, as of counts: {why}"
        yield "weibull", "y is censored and not negative, as times are"
        yield "exponential", "y is censored and not negative, as times are, with zeros"
    yield "normal", "y is censored and has both signs"


def _propose_for_numbers(values: Array, X: Any) -> tuple[str, str]:
    whole = bool((values == np.floor(values)).all())
    low, high = float(values.min()), float(values.max())
    if low == high:
        return "normal", f"all y are {low:g}, which does not determine a distribution"
    if whole and low >= 0 and high <= 1:
        raise ValueError("y consists of 0 and 1; WGBClassifier is for classes")
    if low >= 0 and high <= 1:
        return _propose_for_shares(values)
    if whole and low >= 0:
        return _propose_for_whole_numbers(values, X)
    name, _ = _best(values, _continuous(values))
    return name, _describe_range(values) + _describe_shape(name, values) + _describe_ties(values)


def _propose_for_shares(values: Array) -> tuple[str, str]:
    ends = int(((values == 0) | (values == 1)).sum())
    if ends == 0:
        return "beta", f"y lies strictly between 0 and 1 ({values.min():.3g} to {values.max():.3g})"
    return "normal", (
        f"y lies between 0 and 1, but {ends} values are exactly 0 or 1, which 'beta' cannot have: "
        "move them inside, (y * (n - 1) + 0.5) / n, to use it"
    )


def _propose_for_whole_numbers(values: Array, X: Any) -> tuple[str, str]:
    """Propose a response of counts if y varies like counts, otherwise a continuous one."""
    mean, low = values.mean(), values.min()
    step = int(np.gcd.reduce(values.astype(np.int64))) if values.max() < _EXACT else 0
    number, logs = _best(values, _continuous(values), whole=True)
    about = f"{_describe_shape(number, values)}{_describe_ties(values)}"
    if mean >= _LARGE:
        return number, f"{_describe_range(values)}; whole numbers this large are not counts{about}"
    if step != 1:
        return number, f"{_describe_range(values)}, all multiples of {step}: not counts{about}"
    count, of_counts = _best(values, _COUNTS, whole=True)
    about += _describe_ratings(values)
    # If neither is better, numbers are not counts if they are far from 0, not skewed, and vary
    # more than Poisson counts: given x, counts cannot vary less than Poisson counts.
    far = low > 1 and count != "poisson" and number in ("normal", "student_t")
    other = _gain(of_counts, logs) <= _MIN_GAIN if far else _gain(logs, of_counts) > _MIN_GAIN
    if other or values.var() < _UNDERDISPERSED * mean:
        varied = "less than counts" if values.var() < mean else f"unlike {count!r} counts"
        if far and values.var() > mean:
            varied = f"like numbers; if they are counts, {count!r} may suit them as well"
        return number, f"{_describe_range(values)}: whole numbers that vary {varied}{about}"
    given = np.nan if X is None else conditional_dispersion(_numeric_matrix(X), values)
    if given < _UNDERDISPERSED:
        return number, (
            f"{_describe_range(values)}: whole numbers that vary less than counts given X "
            f"(variance {given:.2g} times the mean){about}"
        )
    return count, _describe_counts(values, count)


def _numeric_matrix(X: Any) -> Array:
    return Schema.fit(X)[1]


_COUNTS = ("poisson", "negative_binomial", "zero_inflated_poisson",
           "zero_inflated_negative_binomial")  # fmt: skip


def _continuous(values: Array) -> tuple[str, ...]:
    """Return continuous responses with these values in their support, the usual ones first."""
    low, lean = values.min(), _skewness(values)
    if low > 0 and lean > _SKEWED:
        return "normal", "gamma", "lognormal", "weibull", "student_t"
    zeros = ("exponential",) if low == 0 and lean > _SKEWED else ()
    # Many equal values are not the peak of a distribution with heavy tails.
    tails = ("student_t",) if _most_frequent(values)[1] <= _TIES else ()
    return "normal", *zeros, *tails


def _best(values: Array, names: Iterable[str], *, whole: bool = False) -> tuple[str, Array]:
    """Return the response of the largest held-out likelihood, and the log likelihoods of rows.

    The first one, or one with fewer parameters, is taken unless another is clearly better.
    """
    known = {name: held_out_logs(_PROPOSED[name](), values, whole=whole) for name in names}
    first = next(iter(known))
    if not known[first].size:
        return first, known[first]
    best = max(known, key=lambda name: float(known[name].mean()))
    for name, logs in known.items():
        simpler = name == first or _PROPOSED[name]().n_params < _PROPOSED[best]().n_params
        if simpler and _gain(known[best], logs) <= _MIN_GAIN:
            return name, logs
    return best, known[best]


def _gain(logs: Array, others: Array) -> float:
    """Return the mean gain of one response over another minus its error, in nats per row."""
    if not logs.size:
        return 0.0
    gains = logs - others
    return float(gains.mean() - gains.std() / np.sqrt(gains.size))


def _describe_range(values: Array) -> str:
    zeros = 100 * (values == 0).mean()
    without = f", {zeros:.0f} % zeros" if zeros else ""
    return (
        f"y is {values.min():.4g} to {values.max():.4g}, mean {values.mean():.4g}, variance "
        f"{values.var():.3g}{without}"
    )


def _describe_shape(name: str, values: Array) -> str:
    """Describe the shape of y that suits a continuous response."""
    lean = _skewness(values)
    if name not in ("normal", "student_t"):
        return f", not negative, and skewed as {name!r} is (skewness {lean:.2g})"
    shifted = ""
    if lean > 1 and values.min() > 0:
        shifted = (
            f"; skewed (skewness {lean:.2g}) but far from 0, where 'gamma' and 'lognormal' begin: "
            f"perhaps y - {values.min():.3g} suits them"
        )
    if name == "student_t":
        excess = _standardised_moment(values, 4) - 3
        return f", with heavy tails (excess kurtosis {excess:.2g}){shifted}"
    return shifted or ", nothing unusual about its tails"


def _most_frequent(values: Array) -> tuple[float, float]:
    """Return the most frequent value and its share of the rows."""
    each, times = np.unique(values, return_counts=True)
    most = int(np.argmax(times))
    return float(each[most]), float(times[most] / len(values)) if times[most] > 1 else 0.0


def _describe_ties(values: Array) -> str:
    """Describe many equal values, which no continuous response has."""
    value, share = _most_frequent(values)
    ends = value in (values.min(), values.max())
    if share <= _TIES or not ends or (value != 0 and (values == np.floor(values)).all()):
        return ""
    lump = f"; {100 * share:.0f} % of y are exactly {value:.4g}, which no continuous response has"
    if value == 0 and values.min() == 0:
        return (
            f"{lump}. Better in two parts: WGBClassifier for y > 0, and WGBRegressor (gamma, "
            "lognormal) for the rows with y > 0"
        )
    return f"{lump}; if y was cut off there, use wgboost.censored"


def _describe_ratings(values: Array) -> str:
    if values.max() > _MAX_RATINGS or np.unique(values).size > _MAX_RATINGS:
        return ""
    return (
        "; if they are ratings or grades, take response='ordinal' with ranks from 0, or "
        "WGBClassifier(response='ordinal') with any labels"
    )


def _describe_counts(values: Array, name: str) -> str:
    mean, variance, zeros = values.mean(), values.var(), (values == 0).mean()
    facts = f"y are counts (mean {mean:.3g}, variance {variance:.3g}, {100 * zeros:.0f} % zeros)"
    if name.startswith("zero_inflated"):
        facts += f", more zeros than {name.removeprefix('zero_inflated_')!r} expects"
        if values[values > 0].mean() > _LARGE_AMOUNT:
            facts += (
                "; if they are amounts, better in two parts: WGBClassifier for y > 0, and "
                "WGBRegressor for the rows with y > 0"
            )
    elif name == "negative_binomial":
        facts += ", with a larger variance than Poisson counts"
    return facts + _describe_ratings(values)


def _skewness(values: Array) -> float:
    return _standardised_moment(values, 3)


def _standardised_moment(values: Array, power: int) -> float:
    deviation = values - values.mean()
    scale = deviation.std()
    return float(np.mean((deviation / scale) ** power)) if scale > 0 else 0.0
