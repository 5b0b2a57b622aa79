"""The responses by name."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from wgboost.responses.base import Response
from wgboost.validation import check_choice, nearest_name

# One line for each response, in the order of the table in docs/responses.md.
# isort: off
from wgboost.responses.normal import Normal as Normal
from wgboost.responses.categorical import Categorical as Categorical
from wgboost.responses.student_t import StudentT as StudentT
from wgboost.responses.laplace import Laplace as Laplace
from wgboost.responses.logistic import Logistic as Logistic
from wgboost.responses.gumbel import Gumbel as Gumbel
from wgboost.responses.cauchy import Cauchy as Cauchy
from wgboost.responses.lognormal import LogNormal as LogNormal
from wgboost.responses.gamma import Gamma as Gamma
from wgboost.responses.weibull import Weibull as Weibull
from wgboost.responses.exponential import Exponential as Exponential
from wgboost.responses.inverse_gaussian import InverseGaussian as InverseGaussian
from wgboost.responses.beta import Beta as Beta
from wgboost.responses.poisson import Poisson as Poisson
from wgboost.responses.negative_binomial import NegativeBinomial as NegativeBinomial
from wgboost.responses.zero_inflated_poisson import ZeroInflatedPoisson as ZeroInflatedPoisson
from wgboost.responses.zero_inflated_negative_binomial import (
    ZeroInflatedNegativeBinomial as ZeroInflatedNegativeBinomial,
)
from wgboost.responses.ordinal import Ordinal as Ordinal
from wgboost.responses.multivariate_normal import MultivariateNormal as MultivariateNormal
# isort: on

__all__ = ["RESPONSES", "RESPONSE_SYNONYMS", "as_response", "prior_settings"]

RESPONSES: dict[str, type[Response]] = {
    kind.name: kind
    for kind in [*vars().values()]
    if isinstance(kind, type) and issubclass(kind, Response) and kind is not Response
}
"""The responses of this package by name."""

RESPONSE_SYNONYMS = {
    "gaussian": "'normal'",
    "t": "'student_t'",
    "wald": "'inverse_gaussian'",
    "bernoulli": "'categorical'? WGBClassifier has it",
    "binomial": "'categorical'? WGBClassifier has it",
    "multinomial": "'categorical'? WGBClassifier has it",
    "logit": "'categorical'? WGBClassifier has it",
    "survival": "'weibull' with y of wgboost.censored",
    "cumulative": "'ordinal'",
}
"""Suggestions for names that responses have in other libraries."""


def as_response(response: Any, **settings: Any) -> Response:
    """Return the response given by a name, a class or an object.

    Parameters
    ----------
    response : str, type or Response
        A key of `RESPONSES`, a class such as `Normal`, or an object such as
        ``Normal(prior_scale=5)``.
    **settings : float or array
        Prior parameters to set, by name.

    Returns
    -------
    Response
        The response with these settings.

    Raises
    ------
    ValueError
        If the name is unknown. The message suggests the nearest valid name.
    TypeError
        If `response` is anything else, or does not have a setting.

    Examples
    --------
    >>> from wgboost.responses import as_response
    >>> as_response("normal", prior_scale=5.0)
    Normal(prior_mean=0.0, prior_scale=5.0, prior_shape=0.01, prior_rate=0.01)
    """
    if isinstance(response, str):
        chosen_name = check_choice("response", response, RESPONSES, RESPONSE_SYNONYMS)
        response = RESPONSES[chosen_name]
    elif not isinstance(response, Response) and not _is_response_class(response):
        raise TypeError(
            f"response={response!r} must be a Response such as Normal(), or one of the names "
            + ", ".join(repr(name) for name in RESPONSES)
        )
    valid = [entry.name for entry in fields(response)]
    for name in settings:
        if name not in valid:
            raise TypeError(
                f"the response {response.name!r} has no setting {name!r}, only "
                f"{', '.join(valid)}{nearest_name(name, valid)}"
            )
    chosen: Response = (
        response(**settings) if isinstance(response, type) else replace(response, **settings)
    )
    return chosen


def _is_response_class(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Response)


def prior_settings(prior: Any) -> dict[str, Any]:
    """Return prior parameters by their names in the response.

    Parameters
    ----------
    prior : dict
        Values by name; "scale" is short for "prior_scale".

    Returns
    -------
    dict
        Values by full name.

    Raises
    ------
    TypeError
        If `prior` is not a dict.

    Examples
    --------
    >>> from wgboost.responses.registry import prior_settings
    >>> prior_settings({"scale": 5.0})
    {'prior_scale': 5.0}
    """
    if not isinstance(prior, dict):
        raise TypeError(f"prior={prior!r} must be a dict of prior parameters by name")
    return {name if name.startswith("prior_") else f"prior_{name}": v for name, v in prior.items()}
