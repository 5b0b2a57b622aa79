"""Binned features as a matrix of XGBoost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from wgboost.data.binning import MAX_BINS, Binned
from wgboost.data.scratch import Scratch
from wgboost.trees.xgboost.library import import_xgboost
from wgboost.typing import Array

__all__ = ["quantile_matrix"]

_BLOCK_CODES = 2**22  # codes per block
_MISSING = MAX_BINS  # larger than the code of any value


def quantile_matrix(binned: Binned, n_threads: int) -> Any:
    """Return the codes as a quantile matrix with a bin for each code.

    A feature has at most 255 codes, and XGBoost gets 256 bins, so that it splits between codes.
    Codes in a file stay in files: XGBoost writes its pages beside them, and reads one at a time.

    Parameters
    ----------
    binned : Binned
        The codes of all rows.
    n_threads : int
        The number of threads.

    Returns
    -------
    matrix : xgboost.QuantileDMatrix or xgboost.ExtMemQuantileDMatrix

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data import Features
    >>> features = Features.from_raw(np.arange(6.0).reshape(3, 2))
    >>> quantile_matrix(features.binned, n_threads=1).num_row()
    3
    """
    xgboost = import_xgboost()
    settings = {"missing": _MISSING, "max_bin": MAX_BINS + 1, "nthread": n_threads}
    if not isinstance(binned.codes, np.memmap):
        return xgboost.QuantileDMatrix(_row_blocks(xgboost, binned), **settings)
    folder = Scratch(Path(str(binned.codes.filename)).parent)
    matrix = xgboost.ExtMemQuantileDMatrix(
        _row_blocks(xgboost, binned, cache_prefix=f"{folder.name}/pages"), **settings
    )
    matrix.folder = folder  # removed together with the matrix
    return matrix


def _row_blocks(xgboost: Any, binned: Binned, **cache: Any) -> Any:
    """Return an iterator of XGBoost over blocks of rows."""

    class RowBlocks(xgboost.DataIter):  # type: ignore[misc]
        def __init__(self) -> None:
            self.begin = 0
            super().__init__(**cache)

        def reset(self) -> None:
            self.begin = 0

        def next(self, input_data: Any) -> bool:
            n, p = binned.shape
            if self.begin >= n:
                return False
            size = max(1, _BLOCK_CODES // p)
            input_data(data=_dense_codes(binned, slice(self.begin, self.begin + size)))
            self.begin += size
            return True

    return RowBlocks()


def _dense_codes(binned: Binned, rows: slice) -> Array:
    """Return codes (rows, p) in C order, with the same code for all missing values."""
    codes = np.array(binned.codes[rows], order="C")
    codes[codes == binned.n_bins] = _MISSING
    return codes
