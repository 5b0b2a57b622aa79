"""Binned features as a matrix of XGBoost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from wgboost.data import MAX_BINS, Binned
from wgboost.data.scratch import Scratch
from wgboost.trees.xgboost.library import library
from wgboost.typing import Array

__all__ = ["code_matrix"]

_BLOCK = 2**22  # codes handed over at a time
_MISSING = MAX_BINS  # beyond the code of any value


def code_matrix(binned: Binned, n_threads: int) -> Any:
    """Return the codes as a quantile matrix whose bins they are.

    A feature has at most 255 codes, and 256 bins hold each of them by itself: XGBoost cuts where
    the codes were cut. Codes that lie in a file stay in files: XGBoost keeps its pages beside them
    and reads one after the other.
    """
    xgboost = library()
    settings = {"missing": _MISSING, "max_bin": MAX_BINS + 1, "nthread": n_threads}
    if not isinstance(binned.codes, np.memmap):
        return xgboost.QuantileDMatrix(_blocks(xgboost, binned), **settings)
    beside = Path(str(binned.codes.filename)).parent
    folder = Scratch(beside)
    matrix = xgboost.ExtMemQuantileDMatrix(
        _blocks(xgboost, binned, cache_prefix=f"{folder.name}/pages"), **settings
    )
    matrix.folder = folder  # removed together with the matrix
    return matrix


def _blocks(xgboost: Any, binned: Binned, **cache: Any) -> Any:
    """Return an iterator, as XGBoost wants it, over some rows after the other."""

    class Blocks(xgboost.DataIter):  # type: ignore[misc]
        def __init__(self) -> None:
            self.begin = 0
            super().__init__(**cache)

        def reset(self) -> None:
            self.begin = 0

        def next(self, input_data: Any) -> bool:
            n, p = binned.shape
            if self.begin >= n:
                return False
            size = max(1, _BLOCK // p)
            input_data(data=_recoded(binned, slice(self.begin, self.begin + size)))
            self.begin += size
            return True

    return Blocks()


def _recoded(binned: Binned, rows: slice) -> Array:
    """Return codes (rows, p), row after row, with one code for missing values of any feature."""
    codes = np.array(binned.codes[rows], order="C")
    codes[codes == binned.n_bins] = _MISSING
    return codes
