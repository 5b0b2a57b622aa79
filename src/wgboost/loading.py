"""Loading a saved estimator."""

from __future__ import annotations

import os
from typing import Any

from wgboost.estimators import WGBClassifier, WGBoost, WGBRegressor
from wgboost.persistence import ModelFileError
from wgboost.persistence.models import read_model
from wgboost.selection import WGBClassifierCV, WGBRegressorCV

__all__ = ["load"]

_BAGS = (WGBRegressorCV, WGBClassifierCV)
_ESTIMATORS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (WGBRegressor, WGBClassifier, WGBoost, *_BAGS)
}


def load(
    path: Any, *, response: Any = None, target: Any = None, direction: Any = None,
    eval_metric: Any = None,
) -> Any:  # fmt: skip
    """Load an estimator from a file of `save` or of a `callbacks.Checkpoint`.

    Files from unknown sources are safe to load: they hold numbers and names, no code, and every
    size and index is checked before use.

    Parameters
    ----------
    path : str or path
        The file.
    response : Response, optional
        The response, if the model was fitted with one that is not part of wgboost. The file has its
        name, settings and arrays, not its code.
    target : Target or LogDensity, optional
        The target, likewise.
    direction : callable, optional
        The direction, if it was a function. Only further fits need it.
    eval_metric : callable, optional
        The metric, if it was a function. Only further fits need it.

    Returns
    -------
    estimator
        A fitted `WGBRegressor`, `WGBClassifier`, `WGBoost`, `WGBRegressorCV` or `WGBClassifierCV`.

    Raises
    ------
    ModelFileError
        If the file is damaged, truncated, not a model, or of another format.
    TypeError
        If a response or target is needed and not given, or another one is given.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from wgboost import WGBRegressor, load
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> model = WGBRegressor(n_estimators=5, evidence=10, random_state=0).fit(X, X[:, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.wgb"
    ...     model.save(path)
    ...     again = load(path)
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    given = {
        "response": response, "target": target, "direction": direction, "eval_metric": eval_metric,
    }  # fmt: skip
    saved = read_model(path, given)
    try:
        if saved.kind not in _ESTIMATORS:
            raise ValueError(f"the estimator {saved.kind!r:.40} is not one of {[*_ESTIMATORS]}")
        kind = _ESTIMATORS[saved.kind]
        if (kind in _BAGS) != bool(saved.members):
            raise ValueError("a bag has members, and nothing else has")
        estimator = kind.from_saved(saved)
    except Exception as error:  # a file may be inconsistent in any way
        raise ModelFileError(f"{os.fspath(path)!r} is damaged: {error}") from error
    if saved.metadata is not None:
        estimator.metadata_ = saved.metadata
    return estimator
