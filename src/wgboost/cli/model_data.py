"""Read the rows of a table for a fitted model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from wgboost.cli.features import new_features
from wgboost.cli.reading import ReadOptions, read_table
from wgboost.cli.roles import ColumnRoles, Data, read_row_parameters, split_target
from wgboost.cli.screen import CommandError, Screen
from wgboost.cli.table import FileTable
from wgboost.cli.tasks import target_kind
from wgboost.estimators import WGBoost
from wgboost.estimators.conventions import stored_metadata

__all__ = ["read_model_data"]


def read_model_data(
    source: str, model: Any, reading: ReadOptions, roles: ColumnRoles, screen: Screen, *,
    y: str = "required", known: tuple[str, ...] = (),
) -> tuple[FileTable, Data]:  # fmt: skip
    """Return a table, and its rows as the model takes them.

    `reading` and `roles` default to those in the model file. y is "required", "optional" or
    "omitted". `known` are columns that are used otherwise, so no note is needed.
    """
    if isinstance(model, WGBoost):
        raise CommandError(
            "the model is a WGBoost, whose targets are distributions; open it in Python with "
            "wgboost.load"
        )
    about = stored_metadata(model)
    table = read_table(source, reading.with_defaults(about.get("reading")), screen)
    roles = roles.with_defaults(about.get("columns"))
    present = all(name in table.names for name in roles.y_names) and bool(roles.y_names)
    if y == "required" and not roles.y_names:
        raise CommandError("the model file does not name the target: give --target COLUMN")
    found = None
    if y == "required" or (y == "optional" and present):
        table, found = split_target(table, roles, screen, target_kind(model))
    missing = [n for n in (roles.weight, roles.exposure) if n and n not in table.names]
    if roles.exposure in missing:
        screen.note(f"{table.source} has no exposure {roles.exposure!r}: 1 is used")
    usable = replace(
        roles,
        weight=None if found is None or roles.weight in missing else roles.weight,
        exposure=None if roles.exposure in missing else roles.exposure,
    )
    X = new_features(table, model.model_.schema, roles, screen, {*known, *about.get("ignored", ())})
    fit_params = read_row_parameters(table, usable)
    if roles.exposure in missing:
        fit_params["exposure"] = np.ones(len(table))
    return table, Data(X, found, **fit_params, name=roles.display_name)
