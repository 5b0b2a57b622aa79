"""What y is, given the parameters that particles stand for: one file per response."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from wgboost.responses.base import Response
from wgboost.responses.categorical import Categorical
from wgboost.responses.likelihood import Likelihood
from wgboost.responses.multivariate import Multivariate
from wgboost.responses.multivariate_normal import MultivariateNormal
from wgboost.responses.native import CompiledPosterior
from wgboost.responses.normal import Normal
from wgboost.responses.observations import (
    Observations,
    Seen,
    censored,
    is_censored,
    lowered,
    standardised,
)
from wgboost.responses.units import ColumnUnits, Units
from wgboost.validation import check_choice, nearest_name

__all__ = [
    "RESPONSES",
    "Categorical",
    "ColumnUnits",
    "CompiledPosterior",
    "Likelihood",
    "Multivariate",
    "MultivariateNormal",
    "Normal",
    "Observations",
    "Response",
    "Seen",
    "Units",
    "as_response",
    "censored",
    "is_censored",
    "lowered",
    "standardised",
]

RESPONSES: dict[str, type[Response]] = {
    "normal": Normal,
    "categorical": Categorical,
    "multivariate_normal": MultivariateNormal,
}


def as_response(response: Any, **settings: Any) -> Response:
    """Return the response that a name, a class or an object stands for.

    Parameters
    ----------
    response
        A key of `RESPONSES`, a class such as `Normal`, or an object such as
        ``Normal(prior_scale=5)``.
    **settings
        Parameters of the prior to set, by name.

    Raises
    ------
    ValueError
        For an unknown name, with the nearest valid one.
    TypeError
        For anything else, and for a setting that the response does not have.
    """
    if isinstance(response, str):
        response = RESPONSES[check_choice("response", response, RESPONSES)]
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
