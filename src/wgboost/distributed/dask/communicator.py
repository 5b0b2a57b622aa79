"""How a worker connects to the other workers, and how it stops waiting for them."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from wgboost.distributed.dask.library import import_dask
from wgboost.trees.xgboost.library import import_xgboost

__all__ = ["cancellation_check", "join_communicator"]

_LOG = logging.getLogger("wgboost.dask")
_POLL_SECONDS = 0.5
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def cancellation_check() -> Callable[[], bool]:
    """Return a function that says whether the current task of Dask was cancelled."""
    _, distributed = import_dask()
    worker = distributed.get_worker()
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return is_cancelled


@contextmanager
def join_communicator(tracker_args: dict[str, Any], task_id: str) -> Iterator[None]:
    """Connect to the other workers, and stop waiting for them when this task is cancelled.

    XGBoost accepts the connection of its neighbour without a time limit: `dmlc_timeout` covers the
    tracker and outgoing connections only. If the neighbour died first, the call never returns. So
    a thread connects to the waiting socket when the task is cancelled, and XGBoost raises.

    Parameters
    ----------
    tracker_args : dict
        How to reach the tracker.
    task_id : str
        The name of this worker; ranks follow from the order of names.
    """
    is_cancelled, before, connected = cancellation_check(), _listening(), threading.Event()

    def watch() -> None:
        while not connected.wait(_POLL_SECONDS):
            if is_cancelled():
                for address in _listening() - before:
                    _connect_once(address)

    threading.Thread(target=watch, daemon=True).start()
    with ExitStack() as stack:
        try:
            communicator = import_xgboost().collective.CommunicatorContext
            stack.enter_context(communicator(**tracker_args, dmlc_task_id=task_id))
        finally:
            connected.set()
        yield


def _listening() -> set[tuple[str, int]]:
    """Return the addresses and ports that this process listens on."""
    import psutil  # a dependency of distributed

    process = psutil.Process()
    find = getattr(process, "net_connections", None) or process.connections  # before psutil 6
    return {tuple(one.laddr) for one in find("tcp") if one.status == psutil.CONN_LISTEN}


def _connect_once(address: tuple[str, int]) -> None:
    """Connect, and close the connection."""
    host, port = address
    with suppress(OSError), socket.create_connection((_LOOPBACK.get(host, host), port), timeout=1):
        _LOG.debug("a cancelled worker stops waiting for its neighbours")
