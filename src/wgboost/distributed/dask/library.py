"""The packages dask and distributed, where they are installed."""

from __future__ import annotations

from typing import Any

__all__ = ["connected", "is_collection", "libraries"]

_COLLECTIONS = ("dask.array.", "dask.dataframe.")  # bags and delayed objects are no tables


def libraries() -> tuple[Any, Any]:
    """Return the modules `dask` and `distributed`; raise ImportError with what to install."""
    try:
        import dask
        import distributed
    except ImportError as error:
        raise ImportError("wgboost.dask needs Dask: pip install wgboost[dask]") from error
    return dask, distributed


def is_collection(value: Any) -> bool:
    """Whether something is a Dask array or frame; of others Dask is not imported for it."""
    return type(value).__module__.startswith(_COLLECTIONS) and hasattr(value, "to_delayed")


def connected(client: Any) -> Any:
    """Return the client to work with: the one given, or the one there is.

    Raises ValueError if there is none, and ConnectionError if its scheduler does not answer.
    """
    _, distributed = libraries()
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError as error:
            raise ValueError(
                "there is no Dask client: make one, client = dask.distributed.Client(...), before "
                "fit, or give it, fit(X, y, client=client)"
            ) from error
    if not isinstance(client, distributed.Client):
        raise TypeError(f"client={client!r} must be a dask.distributed.Client")
    if client.asynchronous:
        raise ValueError("the client is asynchronous; fit needs Client(..., asynchronous=False)")
    if client.status != "running":
        raise ConnectionError(
            f"the Dask client is {client.status}: its scheduler does not answer; make a new client "
            "and build the data anew"
        )
    return client
