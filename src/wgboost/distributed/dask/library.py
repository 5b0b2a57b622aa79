"""The packages dask and distributed, if they are installed."""

from __future__ import annotations

from typing import Any

__all__ = ["connected_client", "import_dask", "is_collection"]

_COLLECTIONS = ("dask.array.", "dask.dataframe.")  # no bags and delayed objects


def import_dask() -> tuple[Any, Any]:
    """Import and return the modules `dask` and `distributed`; raise ImportError without them."""
    try:
        import dask
        import distributed
    except ImportError as error:
        raise ImportError("wgboost.dask needs Dask: pip install wgboost[dask]") from error
    return dask, distributed


def is_collection(value: Any) -> bool:
    """Return whether a value is a Dask array or frame, without importing Dask."""
    return type(value).__module__.startswith(_COLLECTIONS) and hasattr(value, "to_delayed")


def connected_client(client: Any) -> Any:
    """Return the given client, or the current one of Dask if it is None.

    Raises
    ------
    ValueError
        If there is no client, or it is asynchronous.
    ConnectionError
        If its scheduler does not answer.
    """
    _, distributed = import_dask()
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
            "and build the data again"
        )
    return client
