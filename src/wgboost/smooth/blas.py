"""Linear algebra on one thread."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]

_lock = Lock()
_inside = 0  # number of active contexts
_before: list[int] = []  # threads of the libraries of the process before the first context


@cache
def _libraries() -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the BLAS libraries with a number of threads for the process, and for each thread."""
    found = [one for one in ThreadpoolController().lib_controllers if one.user_api == "blas"]
    each = [one for one in found if getattr(one, "threading_layer", None) == "openmp"]
    return tuple(one for one in found if one not in each), tuple(each)


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS to one thread, for the same bits on any number of threads.

    It costs little, and gains a lot on a busy machine: BLAS threads wait by spinning. If the limit
    holds for the whole process, the last context to end restores it.
    """
    global _inside, _before
    shared, own = _libraries()
    with _lock:
        if not _inside:
            _before = _number(shared)
            _set(shared, [1] * len(shared))
        _inside += 1
    mine = _number(own)
    _set(own, [1] * len(own))
    try:
        yield
    finally:
        _set(own, mine)
        with _lock:
            _inside -= 1
            if not _inside:
                _set(shared, _before)


def _number(libraries: Sequence[Any]) -> list[int]:
    return [one.num_threads for one in libraries]


def _set(libraries: Sequence[Any], numbers: Sequence[int]) -> None:
    for one, number in zip(libraries, numbers, strict=True):
        # From threadpoolctl 3.8 on, only the first thread that sets a number may change it.
        release = getattr(one, "clear_controlling_thread", None)
        if release is not None:
            release(force=True)
        one.set_num_threads(number)
        if release is not None:
            release(force=True)


def _forked() -> None:
    """Reset the state in a child process, where other threads do not exist."""
    global _lock, _inside
    _lock = Lock()
    if _inside:
        _inside = 0
        _set(_libraries()[0], _before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
