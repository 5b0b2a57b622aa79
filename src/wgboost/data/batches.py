"""Data in batches, which may be larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wgboost.data.rows import count_rows
from wgboost.typing import Array
from wgboost.validation import check_integer, nearest_name

__all__ = ["Batch", "Batches", "ParquetBatches"]


@dataclass(frozen=True, eq=False)
class Batch:
    """Hold the rows of a batch.

    Parameters
    ----------
    X : array or frame
        Features.
    y : array of shape (n,) or (n, q)
        Values to predict.
    weight : array of shape (n,) or None
        Sample weights.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data import Batch
    >>> Batch(np.ones((2, 1)), np.zeros(2), None).y
    array([0., 0.])
    """

    X: Any
    y: Array
    weight: Array | None


class Batches:
    """Pass data to `fit` in batches, in place of X and y.

    Parameters
    ----------
    source : iterable, or callable that returns one
        Batches (X, y) or (X, y, sample_weight), with X an array or a frame. It is read twice and
        has to give the same rows in the same order. An iterator ends after one pass, so give a
        function that makes it.
    folder : path, optional
        Folder in which one byte per value of X is stored during the fit. The default is the folder
        for temporary files.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data import Batches
    >>> batches = Batches([(np.ones((2, 1)), np.zeros(2)), (np.ones((3, 1)), np.zeros(3))])
    >>> [len(batch.y) for batch in batches]
    [2, 3]
    """

    def __init__(
        self, source: Iterable[Any] | Callable[[], Iterable[Any]], *, folder: Any = None
    ) -> None:
        if isinstance(source, Iterator):
            raise TypeError(
                f"{type(source).__name__} is an iterator and ends after one pass, and a fit needs "
                "two; give a list of batches, or the function that makes the iterator"
            )
        if not callable(source) and not isinstance(source, Iterable):
            raise TypeError(f"source={source!r} must be batches (X, y), or a function of them")
        self.source, self.folder = source, folder

    def __iter__(self) -> Iterator[Batch]:
        found = self.source() if callable(self.source) else self.source
        n_rows = 0
        for i, given in enumerate(found):
            if not isinstance(given, tuple) or len(given) not in (2, 3):
                kind = type(given).__name__
                raise TypeError(f"batch {i} is a {kind}, not (X, y) or (X, y, sample_weight)")
            y = np.asarray(given[1])
            if y.ndim == 0:
                raise TypeError(f"batch {i} has y={given[1]!r}, and a value for each row is needed")
            weight = None if len(given) == 2 or given[2] is None else np.asarray(given[2])
            if len(y) == 0 and count_rows(given[0]) == 0:
                continue  # an empty batch
            yield Batch(given[0], y, weight)
            n_rows += len(y)
        if not n_rows:
            raise ValueError("there are no rows; the source has to give some in every pass")


class ParquetBatches(Batches):
    """Pass the rows of Parquet files to `fit` in batches, in place of X and y.

    Parameters
    ----------
    path : path
        A file, or a folder whose files ``*.parquet`` are read in order of their names.
    y : str or list of str
        Column, or columns, to predict.
    sample_weight : str, optional
        Column of weights.
    columns : list of str, optional
        Features; all other columns by default.
    batch_rows : int, default=65536
        Rows to read at a time.
    folder : path, optional
        As in `Batches`.

    Examples
    --------
    >>> from wgboost.data import ParquetBatches
    >>> ParquetBatches("sales", y="price", columns=["area", "rooms"]).batch_rows
    65536
    """

    def __init__(
        self, path: Any, y: Any, *, sample_weight: str | None = None,
        columns: list[str] | None = None, batch_rows: int = 65_536, folder: Any = None,
    ) -> None:  # fmt: skip
        check_integer("batch_rows", batch_rows, low=1)
        targets = [y] if isinstance(y, str) else y
        if not isinstance(targets, (list, tuple)) or not all(isinstance(t, str) for t in targets):
            raise TypeError(f"y={y!r} must be the name of a column, or a list of names")
        if not targets:
            raise ValueError("y=[] names no column; at least one is needed")
        both = [one for one in targets if columns is not None and one in columns]
        if both:
            raise ValueError(f"columns has {both[0]!r}, which is y; leave it out of the features")
        self.path, self.y, self.sample_weight = Path(path), y, sample_weight
        self.columns, self.batch_rows = columns, batch_rows
        super().__init__(self._read, folder=folder)

    def _files(self) -> list[Path]:
        found = sorted(self.path.glob("*.parquet")) if self.path.is_dir() else [self.path]
        if not found or not found[0].exists():
            raise FileNotFoundError(f"there is no Parquet file at {str(self.path)!r}")
        return found

    def _read(self) -> Iterator[tuple[Any, ...]]:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise ImportError(
                "ParquetBatches needs pyarrow: pip install wgboost[parquet]"
            ) from error
        targets = [self.y] if isinstance(self.y, str) else list(self.y)
        others = [*targets, *([] if self.sample_weight is None else [self.sample_weight])]
        for path in self._files():
            try:
                file = parquet.ParquetFile(path)
            except pyarrow.ArrowInvalid as error:
                raise ValueError(
                    f"{str(path)!r} is no Parquet file, or damaged: {error}"
                ) from error
            names = file.schema_arrow.names
            features = self.columns
            if features is None:
                features = [name for name in names if name not in others]
            for name in (*others, *features):
                if name not in names:
                    suggestion = nearest_name(name, names)
                    raise ValueError(f"{path.name} has no column {name!r}{suggestion}")
            if not features:
                raise ValueError(f"{path.name} has no columns other than {others}")
            for some in file.iter_batches(self.batch_rows, columns=[*features, *others]):
                columns = [some.column(one).to_numpy(zero_copy_only=False) for one in targets]
                y = columns[0] if isinstance(self.y, str) else np.stack(columns, axis=1)
                weight = None
                if self.sample_weight is not None:
                    weight = some.column(self.sample_weight).to_numpy(zero_copy_only=False)
                yield pyarrow.Table.from_batches([some]).select(features), y, weight
