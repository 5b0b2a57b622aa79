"""The package ray, if it is installed."""

from __future__ import annotations

from typing import Any

__all__ = ["as_scaling_config", "connected_ray", "get_results", "import_ray", "is_dataset"]


def import_ray() -> Any:
    """Import the module `ray`.

    Returns
    -------
    ray : module

    Raises
    ------
    ImportError
        If it is not installed.
    """
    try:
        import ray
        import ray.data
        import ray.train.xgboost
        import ray.util.scheduling_strategies
    except ImportError as error:
        raise ImportError("wgboost.ray needs Ray: pip install wgboost[ray]") from error
    return ray


def connected_ray() -> Any:
    """Import the module `ray`, and check that it is connected to a cluster.

    Returns
    -------
    ray : module

    Raises
    ------
    ValueError
        If it is not connected.
    """
    ray = import_ray()
    if not ray.is_initialized():
        raise ValueError(
            "Ray is not running: ray.init() before fit starts it on this machine, "
            'ray.init("auto") finds a cluster'
        )
    return ray


def is_dataset(value: Any) -> bool:
    """Return whether a value is a Ray Dataset, without importing Ray.

    Parameters
    ----------
    value : object
        Any value.

    Returns
    -------
    answer : bool

    Examples
    --------
    >>> is_dataset([1.0, 2.0])
    False
    """
    return type(value).__module__.startswith("ray.data") and hasattr(value, "iter_batches")


def as_scaling_config(scaling_config: Any) -> Any:
    """Return the workers to train on as a ScalingConfig.

    Parameters
    ----------
    scaling_config : int, ray.train.ScalingConfig or None
        The number of workers, or a configuration of them. None is one worker.

    Returns
    -------
    config : ray.train.ScalingConfig

    Raises
    ------
    TypeError
        If it is something else.
    ValueError
        If the number of workers is below 1.
    """
    kind = import_ray().train.ScalingConfig
    if scaling_config is None:
        return kind()
    if isinstance(scaling_config, bool) or not isinstance(scaling_config, (int, kind)):
        raise TypeError(
            f"scaling_config={scaling_config!r} must be a number of workers or a "
            "ray.train.ScalingConfig"
        )
    number = isinstance(scaling_config, int)
    config: Any = kind(num_workers=scaling_config) if number else scaling_config
    if not isinstance(config.num_workers, int) or config.num_workers < 1:
        raise ValueError(
            f"scaling_config has num_workers={config.num_workers!r}; it must be a number of at "
            "least 1"
        )
    return config


def get_results(references: Any) -> Any:
    """Return the results of tasks; raise their errors as the tasks raised them.

    Parameters
    ----------
    references : ObjectRef or list of ObjectRef
        The tasks.

    Returns
    -------
    results : object or list
    """
    ray = import_ray()
    try:
        return ray.get(references)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
