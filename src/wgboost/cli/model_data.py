"""Rows of a table as a fitted model takes them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from wgboost.cli.features import new_features
from wgboost.cli.reading import ReadOptions, Table, read_table
from wgboost.cli.roles import ColumnRoles, Data, read_row_parameters, split_target
from wgboost.cli.screen import CommandError, Screen
from wgboost.cli.tasks import target_kind

__all__ = ["read_model_data"]


def read_model_data(
    source: str, model: Any, reading: ReadOptions, roles: ColumnRoles, screen: Screen, *,
    y: str = "needed", known: tuple[str, ...] = (),
) -> tuple[Table, Data]:  # fmt: skip
    """Return a table and its rows as a model of the command line, or of Python, takes them.

    Parameters
    ----------
    source, reading, roles
        The file, and what is said about it; what is not said is as the model file has it.
    y
        Whether y is "needed", taken "if there", or left "out".
    known
        Columns that have a use beside the model.
    """
    if not hasattr(model, "predict_dist"):
        raise CommandError(
            f"the model is a {type(model).__name__}, with targets that are distributions; "
            "wgboost.load opens it in Python"
        )
    about = getattr(model, "metadata_", {})
    table = read_table(source, reading.with_defaults(about.get("reading")), screen)
    roles = roles.with_defaults(about.get("columns"))
    there = all(name in table.frame.columns for name in roles.y_names) and bool(roles.y_names)
    if y == "needed" and not roles.y_names:
        raise CommandError("the model does not say what it predicts: --target COLUMN")
    found = None
    if y == "needed" or (y == "if there" and there):
        table, found = split_target(table, roles, screen, target_kind(model))
    lacking = [n for n in (roles.weight, roles.exposure) if n and n not in table.frame.columns]
    if roles.exposure in lacking:
        screen.note(f"{table.source} has no exposure {roles.exposure!r}: it is taken to be 1")
    present = replace(
        roles,
        weight=None if found is None or roles.weight in lacking else roles.weight,
        exposure=None if roles.exposure in lacking else roles.exposure,
    )
    X = new_features(table, model, roles, screen, {*known, *about.get("ignored", ())})
    fit_params = read_row_parameters(table, present)
    if roles.exposure in lacking:
        fit_params["exposure"] = np.ones(len(table))
    return table, Data(X, found, **fit_params, name=roles.display_name)
