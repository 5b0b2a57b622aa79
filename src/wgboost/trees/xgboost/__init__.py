"""XGBoost as a grower of trees beside the native one. Only this package imports xgboost."""

from __future__ import annotations

from wgboost.trees.growth import Grower
from wgboost.trees.xgboost.grower import XGBoostGrower
from wgboost.trees.xgboost.library import import_xgboost

__all__ = ["ENGINES", "XGBoostGrower", "as_grower", "check_installed"]

ENGINES = ("native", "xgboost")
"""The values of the parameter `engine`."""


def as_grower(engine: str, device: str) -> Grower | None:
    """Return the grower of an engine.

    Parameters
    ----------
    engine : {"native", "xgboost"}
        The name of the engine.
    device : str
        The device of XGBoost: "cpu", "cuda", ...

    Returns
    -------
    grower : Grower or None
        None stands for the compiled core.

    Examples
    --------
    >>> as_grower("xgboost", "cpu")
    XGBoostGrower(device='cpu')
    >>> as_grower("native", "cpu") is None
    True
    """
    return None if engine == "native" else XGBoostGrower(device)


def check_installed(engine: str) -> None:
    """Check that the package of an engine is installed.

    Parameters
    ----------
    engine : {"native", "xgboost"}
        The name of the engine.

    Raises
    ------
    ImportError
        If it is not; the message says what to install.

    Examples
    --------
    >>> check_installed("native")
    """
    if engine == "xgboost":
        import_xgboost()
