"""Conventions of scikit-learn that all estimators of the package keep."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Self

from sklearn.base import BaseEstimator

from wgboost.persistence.model_checks import BAG, FITTED, SHARED
from wgboost.persistence.models import SKOPS, SavedModel, write_model
from wgboost.training.flat_parameters import place_of
from wgboost.validation import nearest_name

__all__ = [
    "CheckedParameters",
    "check_parameter_names",
    "save_estimator",
    "store_parameters",
    "stored_metadata",
    "table_tags",
]

_KNOWN = {*FITTED, *BAG, *SHARED, "members_", "metadata_", "model_"}


def check_parameter_names(kind: type[Any], names: Iterable[str], error: type[Exception]) -> None:
    """Raise for a name that is no parameter of a class, and say which one is nearest."""
    valid = kind._get_param_names()
    for name in names:
        if name.split("__")[0] not in valid:
            place = place_of(name, valid)
            suggestion = f"; {place}" if place else nearest_name(name, valid)
            raise error(f"{kind.__name__} has no parameter {name!r}{suggestion}")


class CheckedParameters(BaseEstimator):  # type: ignore[misc]
    """An estimator that answers a misspelled parameter with the nearest valid one."""

    def __new__(cls, *_: Any, **params: Any) -> Self:
        """Raise TypeError for a parameter that there is not."""
        check_parameter_names(cls, params, TypeError)
        made: Self = super().__new__(cls)
        return made

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator.

        Parameters
        ----------
        **params : object
            New values by name, as in scikit-learn. The error for an unknown name suggests the
            nearest valid one.

        Returns
        -------
        self : estimator
            The estimator.

        Examples
        --------
        >>> from wgboost import WGBoost
        >>> WGBoost().set_params(max_depth=2)
        WGBoost(max_depth=2)
        """
        check_parameter_names(type(self), params, ValueError)
        super().set_params(**params)
        return self

    def __sklearn_tags__(self) -> Any:
        return table_tags(super().__sklearn_tags__())


def store_parameters(estimator: BaseEstimator, given: dict[str, Any]) -> None:
    """Keep the arguments of `__init__`, its `locals()`, as attributes, and nothing else."""
    for name in type(estimator)._get_param_names():
        setattr(estimator, name, given[name])


def table_tags(tags: Any) -> Any:
    """Return scikit-learn's tags of an estimator that takes missing values, text and categories."""
    tags.input_tags.allow_nan = True
    tags.input_tags.sparse = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    return tags


def stored_metadata(estimator: BaseEstimator) -> dict[str, Any]:
    """Return the metadata of a loaded model; empty if it has none."""
    metadata: dict[str, Any] = vars(estimator).get("metadata_", {})
    return metadata


def save_estimator(
    estimator: BaseEstimator, saved: SavedModel, path: Any, metadata: dict[str, Any] | None
) -> None:
    """Write an estimator to a file; see `BaseModel.save`."""
    kind = type(estimator)
    if not kind.__module__.startswith("wgboost."):
        raise TypeError(f"{kind.__name__} is a class of your own; {SKOPS}")
    for name in vars(estimator):
        if name.endswith("_") and name not in _KNOWN and name not in saved.params:
            raise TypeError(f"a model file has no place for the attribute {name}; delete it")
    known = vars(estimator).get("metadata_") if metadata is None else metadata
    if known is not None:
        _check_metadata(known)
    write_model(path, SavedModel(
        saved.kind, saved.params, saved.fitted, saved.schema, saved.members, known
    ))  # fmt: skip


def _check_metadata(metadata: Any) -> None:
    named = isinstance(metadata, dict) and all(isinstance(name, str) for name in metadata)
    try:
        json.dumps(metadata, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"metadata={metadata!r} must be what JSON can say: {error}; give texts, numbers, lists "
            "and dicts of them"
        ) from error
    if not named:
        raise TypeError(f"metadata={metadata!r} must be a dict with texts as names")
