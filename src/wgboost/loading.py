"""Loading a saved estimator."""

from __future__ import annotations

import os
from typing import Any

from wgboost.estimators import WGBClassifier, WGBoost, WGBRegressor
from wgboost.persistence import ModelFileError, read_model
from wgboost.selection import WGBClassifierCV, WGBRegressorCV

__all__ = ["load"]

_ESTIMATORS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (WGBRegressor, WGBClassifier, WGBoost, WGBRegressorCV, WGBClassifierCV)
}


def load(
    path: Any, *, response: Any = None, target: Any = None, direction: Any = None,
    eval_metric: Any = None,
) -> Any:  # fmt: skip
    """Return the estimator that `save`, or a `callbacks.Checkpoint`, wrote to a file.

    A file is safe to open whoever wrote it: it holds numbers and names, no code, and every size and
    index in it is checked before use.

    Parameters
    ----------
    path : path
    response, target : optional
        The response or target of your own that the model was fitted with: a file has its name,
        settings and arrays, not its code. Needed if the model has one.
    direction, eval_metric : optional
        Such functions that the model was fitted with. Only further fits need them.

    Raises
    ------
    ModelFileError
        If the file is damaged, cut off, no model, or of a later version.
    TypeError
        If a response or target is needed and not given, or another one is.
    """
    given = {
        "response": response, "target": target, "direction": direction, "eval_metric": eval_metric,
    }  # fmt: skip
    saved = read_model(path, given)
    try:
        if saved.kind not in _ESTIMATORS:
            raise ValueError(f"the estimator {saved.kind!r:.40} is not one of {[*_ESTIMATORS]}")
        kind = _ESTIMATORS[saved.kind]
        if hasattr(kind, "member_type") != bool(saved.members):
            raise ValueError("a bag has members, and nothing else has")
        estimator = kind.from_saved(saved)
    except Exception as error:  # whatever does not fit together, and however it shows
        raise ModelFileError(f"{os.fspath(path)!r} is damaged: {error}") from error
    if saved.metadata is not None:
        estimator.metadata_ = saved.metadata
    return estimator
