"""The package ray, if it is installed."""

from __future__ import annotations

from typing import Any

__all__ = ["as_scaling_config", "connected_ray", "get_results", "import_ray", "is_dataset"]


def import_ray() -> Any:
    """Import and return the module `ray`; raise ImportError if it is not installed."""
    try:
        import ray
        import ray.data
        import ray.train.xgboost
        import ray.util.scheduling_strategies
    except ImportError as error:
        raise ImportError("wgboost.ray needs Ray: pip install wgboost[ray]") from error
    return ray


def connected_ray() -> Any:
    """Import and return the module `ray`; raise ValueError if it is not connected to a cluster."""
    ray = import_ray()
    if not ray.is_initialized():
        raise ValueError(
            "Ray is not running: ray.init() before fit starts it on this machine, "
            'ray.init("auto") finds a cluster'
        )
    return ray


def is_dataset(value: Any) -> bool:
    """Return whether a value is a Ray Dataset, without importing Ray."""
    return type(value).__module__.startswith("ray.data") and hasattr(value, "iter_batches")


def as_scaling_config(scaling_config: Any) -> Any:
    """Return a number of workers as a ScalingConfig; None is one worker.

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
    """Return the results of tasks; raise their errors as the tasks raised them."""
    ray = import_ray()
    try:
        return ray.get(references)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
