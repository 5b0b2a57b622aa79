"""Linear algebra on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]


@cache
def _controller() -> Any:
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold BLAS to one thread in here: the same bits whatever its number of threads is.

    It costs little, and on a busy machine it gains a lot: BLAS threads wait by spinning.
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield
