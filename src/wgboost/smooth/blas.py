"""Linear algebra on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]

_lock = Lock()
_inside = 0  # how many are in `one_thread`
_limit: Any = None  # what the last of them lifts


@cache
def _controller() -> Any:
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold BLAS to one thread in here: the same bits whatever its number of threads is.

    It costs little, and on a busy machine it gains a lot: BLAS threads wait by spinning. The number
    is that of the process: of those in here at a time the last restores it.
    """
    global _inside, _limit
    with _lock:
        if not _inside:
            _limit = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limit.restore_original_limits()
                _limit = None
