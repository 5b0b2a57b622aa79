"""The xgboost package, where it is installed."""

from __future__ import annotations

from typing import Any

__all__ = ["library"]

_OLDEST = (3, 2)  # its model files hold the gains of splits in trees with vector leaves


def library() -> Any:
    """Return the module `xgboost`; raise ImportError with what to install if it is not there."""
    try:
        import xgboost
    except ImportError as error:
        raise ImportError(
            'engine="xgboost" needs xgboost: pip install wgboost[xgboost], or engine="native"'
        ) from error
    version = tuple(int(part) for part in xgboost.__version__.split(".")[:2])
    if version < _OLDEST:
        raise ImportError(
            f'engine="xgboost" needs xgboost {_OLDEST[0]}.{_OLDEST[1]} or later, '
            f"{xgboost.__version__} is installed: "
            "pip install --upgrade wgboost[xgboost]"
        )
    return xgboost
