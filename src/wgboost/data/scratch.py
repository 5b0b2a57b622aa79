"""Temporary folders."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from typing import Any

__all__ = ["Scratch"]


class Scratch:
    """A new folder that is removed with the object, or at the end of the process."""

    def __init__(self, within: Any = None) -> None:
        self.name = tempfile.mkdtemp(prefix="wgboost-", dir=within)
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)
