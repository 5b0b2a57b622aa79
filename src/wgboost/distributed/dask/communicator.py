"""How a worker joins the others, and how it gives that up."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from wgboost.distributed.dask.library import libraries
from wgboost.trees.xgboost.library import library

__all__ = ["joined", "still_wanted"]

_LOG = logging.getLogger("wgboost.dask")
_PAUSE = 0.5  # seconds between two looks whether anybody waits
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def still_wanted() -> Callable[[], bool]:
    """Return a function that says whether somebody waits for the task that asks for it here."""
    _, distributed = libraries()
    worker = distributed.get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    return wanted


@contextmanager
def joined(address: dict[str, Any], number: str) -> Iterator[None]:
    """Connect with the other workers of a tracker.

    XGBoost waits without end for a neighbour that died before it came. When nobody waits for this
    task any more, it is called instead of that neighbour, and raises.
    """
    wanted, before, inside = still_wanted(), _listening(), threading.Event()

    def watch() -> None:
        while not inside.wait(_PAUSE):
            if not wanted():
                for one in _listening() - before:
                    _call(one)

    threading.Thread(target=watch, daemon=True).start()
    with ExitStack() as stack:
        try:
            context = library().collective.CommunicatorContext(**address, dmlc_task_id=number)
            stack.enter_context(context)
        finally:
            inside.set()
        yield


def _listening() -> set[tuple[str, int]]:
    """Return where this process can be called: addresses and ports."""
    import psutil  # which distributed needs

    process = psutil.Process()
    find = getattr(process, "net_connections", None) or process.connections  # before psutil 6
    return {tuple(one.laddr) for one in find("tcp") if one.status == psutil.CONN_LISTEN}


def _call(place: tuple[str, int]) -> None:
    """Connect, and hang up."""
    host, port = place
    with suppress(OSError), socket.create_connection((_ANY.get(host, host), port), timeout=1):
        _LOG.debug("a worker gives up on its neighbours")
