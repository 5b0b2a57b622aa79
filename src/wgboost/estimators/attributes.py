"""The fitted attributes of an estimator, from its fitted model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.model import FittedModel
from wgboost.persistence.model_checks import FITTED, check_saved
from wgboost.persistence.models import SavedModel, fitted_attributes, fitted_model
from wgboost.training.fit_warnings import warn_interrupted, warn_limit
from wgboost.training.request import FitRequest
from wgboost.training.settings import resolve_settings

__all__ = [
    "column_attributes",
    "fitted_values",
    "restored_model",
    "saved_model",
    "set_model",
    "warn_of_fit",
]


def column_attributes(model: FittedModel) -> dict[str, Any]:
    """Return `n_features_in_`, and `feature_names_in_` if columns have names."""
    found: dict[str, Any] = {"n_features_in_": model.n_features}
    if model.schema is not None and model.schema.names is not None:
        found["feature_names_in_"] = np.asarray(model.schema.names, dtype=object)
    return found


def fitted_values(model: FittedModel) -> dict[str, Any]:
    """Return the fitted attributes of an estimator by name."""
    found: dict[str, Any] = {
        "model_": model,
        **column_attributes(model),
        "n_estimators_": model.n_rounds,
        "history_": model.history,
        "validation_rows_": model.held_out,
        "refitted_": model.refitted,
        "interrupted_": model.interrupted,
        "seed_": model.seed,
        "row_parameters_": dict(model.row_parameters),
    }
    if model.response is None:
        return found
    found |= {"response_": model.response, "evidence_": model.evidence}
    if model.search_trials is not None:
        found["search_"] = model.search_trials
    if model.classes is not None:
        return found | {"classes_": model.classes, "ranks_": model.ranks}
    found["n_outputs_"] = model.n_outputs
    if model.proposal is not None:
        found["proposal_"] = model.proposal
    return found


def set_model(estimator: BaseEstimator, model: FittedModel) -> None:
    """Set the fitted attributes of an estimator; what was known of an earlier model is gone."""
    for name in (*FITTED, "metadata_", "feature_names_in_"):
        vars(estimator).pop(name, None)
    for name, value in fitted_values(model).items():
        setattr(estimator, name, value)


def warn_of_fit(request: FitRequest, model: FittedModel, stacklevel: int) -> None:
    """Warn of a fit that ran out of rounds or was interrupted."""
    warn_limit(request.settings, model, stacklevel + 1)
    unfinished = request.settings.refit and model.held_out is not None
    note = ", not refitted on all rows" if unfinished else ""
    warn_interrupted(model, note, stacklevel + 1)


def saved_model(
    estimator: BaseEstimator, model: FittedModel, learned: dict[str, Any]
) -> SavedModel:
    """Return an estimator of one model as a file holds it."""
    params = estimator.get_params(deep=False)
    resolve_settings(params)  # raises for what could not be loaded again
    fitted = {**fitted_attributes(model), **learned}
    return SavedModel(type(estimator).__name__, params, fitted, model.schema)


def restored_model(estimator: BaseEstimator, saved: SavedModel) -> FittedModel:
    """Return the model that a file holds of an estimator, checked.

    The estimator has the parameters that the file says, and defaults of those that are newer.
    """
    saved = replace(saved, params=estimator.get_params(deep=False))
    model = fitted_model(saved)
    check_saved(saved, model)
    return model
