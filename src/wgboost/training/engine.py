"""What an engine cannot do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wgboost.data.schema import Schema
from wgboost.trees.xgboost import ENGINES
from wgboost.validation import check_choice

__all__ = ["check_columns", "check_engine"]

_SYNONYMS = {"xgb": "'xgboost'", "core": "'native'", "lightgbm": "'xgboost'"}


def check_engine(params: Mapping[str, Any]) -> None:
    """Raise for an engine that there is not, and for parameters that it has nothing for."""
    engine, device = params["engine"], params["device"]
    check_choice("engine", engine, ENGINES, _SYNONYMS)
    if not isinstance(device, str):
        raise TypeError(f'device={device!r} must be text, such as "cpu" or "cuda"')
    if engine == "native":
        if device != "cpu":
            raise ValueError(
                f'device={device!r} needs TreeLearner(engine="xgboost"); '
                'TreeLearner(engine="native") has "cpu"'
            )
        return
    if params["monotone_constraints"] is not None:
        raise ValueError(
            "monotone_constraints hold every particle, which XGBoost does not; "
            'TreeLearner(engine="native") does'
        )
    if params["interaction_constraints"] is not None and params["split_on"] != "sum":
        raise ValueError(
            f"interaction_constraints with split_on={params['split_on']!r}: XGBoost has them for "
            'trees of one output; set TreeLearner(split_on="sum") or TreeLearner(engine="native")'
        )


def check_columns(engine: str, schema: Schema) -> None:
    """Raise ValueError for a column that the engine cannot split."""
    for column, levels in enumerate(schema.levels):
        if levels is not None and engine != "native":
            label = repr(schema.names[column]) if schema.names else column
            raise ValueError(
                f"column {label} is categorical, and engine={engine!r} only splits numbers; "
                'TreeLearner(engine="native") has sets of categories, or encode the column as '
                "numbers and set categorical_features=None"
            )
