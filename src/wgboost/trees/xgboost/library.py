"""The package xgboost, if it is installed."""

from __future__ import annotations

from typing import Any

__all__ = ["import_xgboost"]

_MIN_VERSION = (3, 2)  # the first whose model files hold the gains of trees with vector leaves


def import_xgboost() -> Any:
    """Import the module `xgboost`.

    Returns
    -------
    xgboost : module

    Raises
    ------
    ImportError
        If it is not installed, or too old.

    Examples
    --------
    >>> import_xgboost().__name__
    'xgboost'
    """
    try:
        import xgboost
    except ImportError as error:
        raise ImportError(
            'TreeLearner(engine="xgboost") needs xgboost: pip install wgboost[xgboost], or '
            'TreeLearner(engine="native")'
        ) from error
    version = tuple(int(part) for part in xgboost.__version__.split(".")[:2])
    if version < _MIN_VERSION:
        raise ImportError(
            'TreeLearner(engine="xgboost") needs xgboost '
            f"{_MIN_VERSION[0]}.{_MIN_VERSION[1]} or later, "
            f"{xgboost.__version__} is installed: "
            "pip install --upgrade wgboost[xgboost]"
        )
    return xgboost
