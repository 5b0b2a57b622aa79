"""Predictions as a table, for people and for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wgboost.predictive.table import QUANTILES
from wgboost.typing import Array

__all__ = ["predicted_columns"]


def predicted_columns(
    model: Any, X: Any, quantiles: Any = QUANTILES, *, names: Sequence[str] | None = None,
    band: float | None = None, **known: Any,
) -> dict[str, Array]:  # fmt: skip
    """Return the columns of `predict_table` by name, as arrays (n,).

    Parameters
    ----------
    model
        A fitted model with `predict_dist` and `ood_score`.
    X, quantiles, names, band
        As in `predict_table`.
    **known
        `offset` or `exposure` of the rows.
    """
    dist = model.predict_dist(X, **known)
    if names is None and dist.response.y_shape:
        targets = getattr(model, "metadata_", {}).get("columns", {}).get("target", ())
        names = list(targets) if len(targets) == dist.response.y_shape[0] else None
    found: dict[str, Array] = dist.columns(quantiles, names, band)
    found["ood_score"] = model.ood_score(X)
    fitted = getattr(model, "model_", None)
    knows = fitted is not None and fitted.knows_support
    if knows or getattr(model, "ood_reference_", None) is not None:
        found["ood_pvalue"] = model.ood_pvalue(X)
    return found
