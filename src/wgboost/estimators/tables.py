"""Predictions as a table, for people and for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wgboost.estimators.conventions import stored_metadata
from wgboost.predictive.table import QUANTILES
from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.estimators.base import BaseModel

__all__ = ["predicted_columns"]


def predicted_columns(
    model: BaseModel, X: Any, quantiles: Any = QUANTILES, *, names: Sequence[str] | None = None,
    band: float | None = None, **known: Any,
) -> dict[str, Array]:  # fmt: skip
    """Return the columns of `predict_table` by name, as arrays (n,).

    Parameters
    ----------
    model
        A fitted model.
    X, quantiles, names, band
        As in `predict_table`.
    **known
        `offset` or `exposure` of the rows.
    """
    dist = model.predict_dist(X, **known)
    if names is None and dist.response.y_shape:
        targets = stored_metadata(model).get("columns", {}).get("target", ())
        names = list(targets) if len(targets) == dist.response.y_shape[0] else None
    found: dict[str, Array] = dist.columns(quantiles, names, band)
    found["ood_score"] = model.ood_score(X)
    if model.model_.knows_support or "ood_reference_" in vars(model):
        found["ood_pvalue"] = model.ood_pvalue(X)
    return found
