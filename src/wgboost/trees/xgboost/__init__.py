"""Engines that grow trees in place of the compiled core. xgboost is imported here alone."""

from __future__ import annotations

from wgboost.trees import Grower
from wgboost.trees.xgboost.grower import XGBoostGrower
from wgboost.trees.xgboost.library import library

__all__ = ["ENGINES", "XGBoostGrower", "as_grower", "require"]

ENGINES = ("native", "xgboost")


def as_grower(engine: str, device: str) -> Grower | None:
    """Return what grows the trees of an engine; None is the compiled core."""
    return None if engine == "native" else XGBoostGrower(device)


def require(engine: str) -> None:
    """Raise ImportError, with what to install, unless an engine is there."""
    if engine == "xgboost":
        library()
