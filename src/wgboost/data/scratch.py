"""A folder for as long as something refers to it."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from typing import Any

__all__ = ["Scratch"]


class Scratch:
    """A new folder, removed with all in it when the object goes, or at the end of the process."""

    def __init__(self, within: Any = None) -> None:
        self.name = tempfile.mkdtemp(prefix="wgboost-", dir=within)
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)
