"""The choice between regression and classification, and labels of classes."""

from __future__ import annotations

from typing import Any

import polars as pl

from wgboost.cli.roles import ColumnRoles
from wgboost.cli.screen import CommandError, quoted
from wgboost.estimators.base import BaseModel
from wgboost.validation import nearest_name

__all__ = ["as_labels", "column_kind", "is_classification", "target_kind"]

_MANY = 50  # more distinct texts than this, in most rows, are not classes


def is_classification(y: Any, task: str | None, roles: ColumnRoles) -> bool:
    """Return whether y consists of classes; raise CommandError if it contradicts the task."""
    if not isinstance(y, pl.Series):
        if task == "classification":
            raise CommandError("--task classification takes one --target, without bounds")
        return False
    (name,) = roles.target
    text = not (y.dtype.is_numeric() or y.dtype == pl.Boolean)
    if text and y.dtype not in (pl.String, pl.Categorical, pl.Enum):
        raise CommandError(f"--target {name}: a column of type {y.dtype} cannot be predicted")
    if task == "regression":
        if text:
            raise CommandError(
                f"--task regression: column {name!r} is text, such as {quoted(y[0])}"
            )
        return False
    kinds = y.n_unique()
    if text and kinds > _MANY and 2 * kinds > len(y):
        raise CommandError(
            f"--target {name}: {kinds} different texts in {len(y)} rows, such as "
            f"{quoted(y[0])}, are not classes"
        )
    if text or y.dtype == pl.Boolean or task == "classification":
        return True
    return y.dtype.is_integer() and set(y.unique().to_list()) == {0, 1}


def as_labels(y: pl.Series, order: str | None) -> pl.Series:
    """Return labels for a classifier; `order` makes them ordered."""
    if y.dtype.is_float():
        if not (y == y.round(0)).all():
            raise CommandError(
                f"--task classification: column {y.name!r} has numbers such as "
                f"{y.filter(y != y.round(0))[0]}, which are not classes"
            )
        y = y.cast(pl.Int64)
    if order is None:
        return y
    words = [word.strip() for word in order.split(",")]
    text = y.cast(pl.String)
    unknown = sorted({*text.unique().to_list()} - {*words})
    if unknown:
        raise CommandError(
            f"--order {order}: column {y.name!r} has {quoted(unknown[0])}, too"
            f"{nearest_name(unknown[0], words)}"
        )
    if len(set(words)) < len(words):
        raise CommandError(f"--order {order}: a class is named twice")
    return text.cast(pl.Enum(words))


def column_kind(y: Any) -> str:
    """Return the kind of a column of training data: "text", "numbers" or "any"."""
    kind = y.dtype if isinstance(y, pl.Series) else pl.Float64()
    if kind in (pl.String, pl.Categorical, pl.Enum):
        return "any" if y.null_count() == len(y) else "text"
    return "numbers"


def target_kind(model: BaseModel) -> str:
    """Return the kind of the target of a model."""
    classes = model.model_.models[0].classes
    return "text" if classes is not None and classes.dtype.kind in "OU" else "numbers"
