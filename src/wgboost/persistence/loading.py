"""Checks of a model that was read from a file."""

from __future__ import annotations

from wgboost.model import FittedModel
from wgboost.persistence.model_checks import check_learned, check_model
from wgboost.persistence.models import SavedModel
from wgboost.training.settings import resolve_settings

__all__ = ["check_saved"]


def check_saved(saved: SavedModel, model: FittedModel) -> None:
    """Raise ValueError unless the parts of a saved model are consistent.

    Parameters
    ----------
    saved : SavedModel
        Contents of the file.
    model : FittedModel
        The model of the file.
    """
    resolve_settings(saved.params)
    check_model(
        model,
        n_rounds=saved.fitted.get("n_estimators_"),
        classes="class_weight" in saved.params,
        evidence=saved.params.get("evidence"),
    )
    check_learned(saved.fitted)
