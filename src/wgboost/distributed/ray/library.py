"""The package ray, where it is installed."""

from __future__ import annotations

from typing import Any

__all__ = ["connected", "got", "is_dataset", "library", "scaling"]


def library() -> Any:
    """Return the module `ray`; raise ImportError with what to install."""
    try:
        import ray
        import ray.data
        import ray.train.xgboost
        import ray.util.scheduling_strategies
    except ImportError as error:
        raise ImportError("wgboost.ray needs Ray: pip install wgboost[ray]") from error
    return ray


def connected() -> Any:
    """Return the module `ray`; raise ValueError if it is connected to no cluster."""
    ray = library()
    if not ray.is_initialized():
        raise ValueError(
            "Ray is not running: ray.init() before fit starts it on this machine, "
            'ray.init("auto") finds a cluster'
        )
    return ray


def is_dataset(value: Any) -> bool:
    """Whether something is a Ray Dataset; of others Ray is not imported for it."""
    return type(value).__module__.startswith("ray.data") and hasattr(value, "iter_batches")


def scaling(given: Any) -> Any:
    """Return the workers that are asked for as a ScalingConfig: a number of them, or one as is."""
    kind = library().train.ScalingConfig
    if given is None:
        return kind()
    if isinstance(given, bool) or not isinstance(given, (int, kind)):
        raise TypeError(
            f"scaling_config={given!r} must be a number of workers or a ray.train.ScalingConfig"
        )
    config = kind(num_workers=given) if isinstance(given, int) else given
    if not isinstance(config.num_workers, int) or config.num_workers < 1:
        raise ValueError(
            f"scaling_config has num_workers={config.num_workers!r}; it must be a number of at "
            "least 1"
        )
    return config


def got(references: Any) -> Any:
    """Return what tasks answered; raise what they raised as it was there."""
    ray = library()
    try:
        return ray.get(references)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
