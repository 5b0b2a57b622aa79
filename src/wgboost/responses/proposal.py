"""A response for those who do not want to choose one."""

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
_FEW = 10  # values that may be ratings
_BETTER = 0.01  # nats per row by which a response has to be better than a simpler one
_NARROW = 0.7  # variance over mean below which numbers are no counts
_LEAN = 0.5  # skewness from which on responses of positive numbers are tried
_AMOUNT = 50  # positive numbers of this mean and more among zeros may be amounts
_EXACT = 2.0**53
_LUMP = 0.02  # share of rows with the same value that no continuous response explains


def propose_response(y: Any, X: Any = None) -> tuple[str, str]:
    """Return the name of a response for y, and why.

    The range of y says which responses are possible, whatever its dtype. Each of them is fitted to
    y without features, and the one of the least negative log likelihood on other rows is proposed;
    a simpler one if that is as good. Whole numbers are counts only if they vary as counts do, also
    given X. What y is given X may still be of another kind: compare a few responses by their NLL on
    validation rows.

    Parameters
    ----------
    y : array (n,) or (n, q)
        Numbers, or what `wgboost.censored` returns.
    X : array or frame (n, p), optional
        Features. Whole numbers that vary less than counts given X are no counts.

    Returns
    -------
    name, why : str
        A response that can have every value of y, and the reason, with caveats.

    Examples
    --------
    >>> import numpy as np
    >>> years = np.arange(1990, 2020)
    >>> propose_response(years)[0]
    'normal'
    """
    if not is_censored(y) and np.ndim(y) == 2 and np.shape(y)[1] > 1:
        return "multivariate_normal", _of_columns(y)
    if not is_censored(y):
        return _of_numbers(check_y(np.ravel(y) if np.ndim(y) == 2 else y), X)
    refused = ""
    for name, why in _of_bounds(Observations.of(y)):
        try:
            _PROPOSED[name]().check(y)
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
            name, _ = _best(np.floor(seen.value), _COUNTS, whole=True)
            why = _of_counts(seen.value, name)
            yield name, f"y is censored with whole bounds from 0 on, as of counts: {why}"
        yield "weibull", "y is censored and not negative, as times are"
        yield "exponential", "y is censored and not negative, as times are, with zeros"
    yield "normal", "y is censored and has both signs"


def _of_numbers(values: Array, X: Any) -> tuple[str, str]:
    whole = bool((values == np.floor(values)).all())
    low, high = float(values.min()), float(values.max())
    if low == high:
        return "normal", f"y is {low:g} throughout, which says nothing about its distribution"
    if whole and low >= 0 and high <= 1:
        raise ValueError("y consists of 0 and 1; WGBClassifier is for classes")
    if low >= 0 and high <= 1:
        return _of_shares(values)
    if whole and low >= 0:
        return _of_whole_numbers(values, X)
    name, _ = _best(values, _continuous(values))
    return name, _facts(values) + _reason(name, values) + _of_lumps(values)


def _of_shares(values: Array) -> tuple[str, str]:
    ends = int(((values == 0) | (values == 1)).sum())
    if ends == 0:
        return "beta", f"y lies strictly between 0 and 1 ({values.min():.3g} to {values.max():.3g})"
    return "normal", (
        f"y lies between 0 and 1, but {ends} values are exactly 0 or 1, which 'beta' cannot have: "
        "move them inside, (y * (n - 1) + 0.5) / n, to use it"
    )


def _of_whole_numbers(values: Array, X: Any) -> tuple[str, str]:
    """Counts, if they vary like counts; otherwise numbers that happen to be whole."""
    mean, low = values.mean(), values.min()
    step = int(np.gcd.reduce(values.astype(np.int64))) if values.max() < _EXACT else 0
    number, logs = _best(values, _continuous(values), whole=True)
    about = f"{_reason(number, values)}{_of_lumps(values)}"
    if mean >= _LARGE:
        return number, f"{_facts(values)}; whole numbers as large as these are no counts{about}"
    if step != 1:
        return number, f"{_facts(values)}, all multiples of {step}: no counts{about}"
    count, of_counts = _best(values, _COUNTS, whole=True)
    about += _of_ratings(values)
    # Where neither is better, numbers that are far from 0, vary more than Poisson counts and are
    # not skewed are none: a count response could not be narrower than Poisson counts given x.
    far = low > 1 and count != "poisson" and number in ("normal", "student_t")
    other = _gain(of_counts, logs) <= _BETTER if far else _gain(logs, of_counts) > _BETTER
    if other or values.var() < _NARROW * mean:
        varied = "less than counts do" if values.var() < mean else f"as {count!r} counts do not"
        if far and values.var() > mean:
            varied = f"as numbers do; if they are counts, {count!r} may suit them as well"
        return number, f"{_facts(values)}: whole numbers that vary {varied}{about}"
    given = np.nan if X is None else conditional_dispersion(_matrix(X), values)
    if given < _NARROW:
        return number, (
            f"{_facts(values)}: whole numbers that vary less than counts given X (variance "
            f"{given:.2g} times the mean){about}"
        )
    return count, _of_counts(values, count)


def _matrix(X: Any) -> Array:
    return Schema.fit(X)[1]


_COUNTS = ("poisson", "negative_binomial", "zero_inflated_poisson",
           "zero_inflated_negative_binomial")  # fmt: skip


def _continuous(values: Array) -> tuple[str, ...]:
    """Responses that can have these values, the usual ones first."""
    low, lean = values.min(), _skewness(values)
    if low > 0 and lean > _LEAN:
        return "normal", "gamma", "lognormal", "weibull", "student_t"
    zeros = ("exponential",) if low == 0 and lean > _LEAN else ()
    # The peak of a distribution with heavy tails is not that many rows have the very same value.
    tails = ("student_t",) if _largest_lump(values)[1] <= _LUMP else ()
    return "normal", *zeros, *tails


def _best(values: Array, names: Iterable[str], *, whole: bool = False) -> tuple[str, Array]:
    """Return the response of the greatest held-out likelihood, and the log likelihoods of rows.

    The first one, or one of fewer parameters, is taken if it is as good as far as the rows tell.
    """
    known = {name: held_out_logs(_PROPOSED[name](), values, whole=whole) for name in names}
    first = next(iter(known))
    if not known[first].size:
        return first, known[first]
    best = max(known, key=lambda name: float(known[name].mean()))
    for name, logs in known.items():
        simpler = name == first or _PROPOSED[name]().n_params < _PROPOSED[best]().n_params
        if simpler and _gain(known[best], logs) <= _BETTER:
            return name, logs
    return best, known[best]


def _gain(logs: Array, others: Array) -> float:
    """Return by how much one response is better than another for certain, in nats per row."""
    if not logs.size:
        return 0.0
    gains = logs - others
    return float(gains.mean() - gains.std() / np.sqrt(gains.size))


def _facts(values: Array) -> str:
    zeros = 100 * (values == 0).mean()
    without = f", {zeros:.0f} % zeros" if zeros else ""
    return (
        f"y is {values.min():.4g} to {values.max():.4g}, mean {values.mean():.4g}, variance "
        f"{values.var():.3g}{without}"
    )


def _reason(name: str, values: Array) -> str:
    """Say what speaks for a continuous response."""
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
        return f", with heavy tails (excess kurtosis {_kurtosis(values):.2g}){shifted}"
    return shifted or ", nothing unusual about its tails"


def _largest_lump(values: Array) -> tuple[float, float]:
    """Return the most frequent value and its share of the rows."""
    each, times = np.unique(values, return_counts=True)
    most = int(np.argmax(times))
    return float(each[most]), float(times[most] / len(values)) if times[most] > 1 else 0.0


def _of_lumps(values: Array) -> str:
    """Say what a continuous response cannot: many rows with one and the same value."""
    value, share = _largest_lump(values)
    ends = value in (values.min(), values.max())
    if share <= _LUMP or not ends or (value != 0 and (values == np.floor(values)).all()):
        return ""
    lump = f"; {100 * share:.0f} % of y are exactly {value:.4g}, which no continuous response has"
    if value == 0 and values.min() == 0:
        return (
            f"{lump}. Better in two parts: WGBClassifier for y > 0, and WGBRegressor (gamma, "
            "lognormal) for the rows with y > 0"
        )
    return f"{lump}; if y was cut off there, say so with wgboost.censored"


def _of_ratings(values: Array) -> str:
    if values.max() > _FEW or np.unique(values).size > _FEW:
        return ""
    return (
        "; if they are ratings or grades, take response='ordinal' with ranks from 0, or "
        "WGBClassifier(response='ordinal') with any labels"
    )


def _of_counts(values: Array, name: str) -> str:
    mean, variance, zeros = values.mean(), values.var(), (values == 0).mean()
    facts = f"y are counts (mean {mean:.3g}, variance {variance:.3g}, {100 * zeros:.0f} % zeros)"
    if name.startswith("zero_inflated"):
        facts += f", more zeros than {name.removeprefix('zero_inflated_')!r} expects"
        if values[values > 0].mean() > _AMOUNT:
            facts += (
                "; if they are amounts, better in two parts: WGBClassifier for y > 0, and "
                "WGBRegressor for the rows with y > 0"
            )
    elif name == "negative_binomial":
        facts += ", spread wider than Poisson counts"
    return facts + _of_ratings(values)


def _skewness(values: Array) -> float:
    deviation = values - values.mean()
    scale = deviation.std()
    return float(np.mean((deviation / scale) ** 3)) if scale > 0 else 0.0


def _kurtosis(values: Array) -> float:
    deviation = values - values.mean()
    scale = deviation.std()
    return float(np.mean((deviation / scale) ** 4)) - 3 if scale > 0 else 0.0
