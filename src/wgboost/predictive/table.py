"""Predictive distributions as a table with one line per row."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np

from wgboost.predictive.bands import Banded, check_band, middle_name
from wgboost.typing import Array
from wgboost.validation import check_levels

__all__ = ["QUANTILES", "Tabled", "as_table", "names_of"]

QUANTILES = (0.05, 0.5, 0.95)
"""Default levels of the quantiles in a table."""


def _number_columns(dist: Any, quantiles: Any, band: float | None) -> dict[str, Array]:
    """Return the columns of a numeric y by name: moments, their parts and quantiles."""
    levels = np.zeros(0)
    if quantiles is not None and np.size(quantiles):
        levels = np.atleast_1d(check_levels("quantiles", quantiles))
    if np.unique(levels).size < levels.size:
        raise ValueError(f"quantiles={quantiles!r} has a level twice")
    name = middle_name(dist.response)
    found: dict[str, Array] = {name: dist.mean() if name == "mean" else dist.median()}
    if band is not None:
        found[f"{name}_low"], found[f"{name}_high"] = dist.band(name, band)
    if name == "mean":
        aleatoric, epistemic = dist.aleatoric(), dist.epistemic()
        found["std"] = np.sqrt(aleatoric + epistemic)
        found["std_aleatoric"] = np.sqrt(aleatoric)
        found["std_epistemic"] = np.sqrt(epistemic)
    if levels.size:
        values = dist.ppf(levels[None])
        found |= {f"q{level:g}": values[:, j] for j, level in enumerate(levels)}
    return found


def _class_columns(dist: Any, band: float | None) -> dict[str, Array]:
    """Return the columns of classes by name: the prediction, probabilities and entropies."""
    shares = dist.probabilities()
    labels = np.arange(shares.shape[1]) if dist.classes is None else dist.classes
    shares = shares[:, : len(labels)]
    found = {f"p_{label}": shares[:, j] for j, label in enumerate(labels.tolist())}
    if band is not None:
        low, high = dist.band("mean", band)
        names = [f"{name}_{end}" for name in found for end in ("low", "high")]
        taken = [name for name in names if name in found]
        if taken:
            raise ValueError(f"{taken[0]!r} is the probability of a class and the end of a band")
        ends = np.stack([low, high], axis=2)[:, : len(labels)].reshape(len(low), -1)
        found |= {name: ends[:, j] for j, name in enumerate(names)}
    aleatoric, epistemic = dist.aleatoric(), dist.epistemic()
    return {
        "prediction": labels[shares.argmax(axis=1)],
        **found,
        "entropy": aleatoric + epistemic,
        "entropy_aleatoric": aleatoric,
        "entropy_epistemic": epistemic,
    }


def as_table(columns: dict[str, Array], like: Any = None) -> Any:
    """Return columns as a data frame.

    If `like` is a data frame, the result is of the same library and has its index. Otherwise it is
    of pandas with `like` as its index, or of polars if pandas is not installed.
    """
    frame = nw.from_native(like, pass_through=True)
    is_frame = isinstance(frame, nw.DataFrame)
    space = frame.__native_namespace__() if is_frame else _installed()
    table = nw.from_dict(columns, backend=space).to_native()
    index = getattr(like, "index", None) if is_frame else like
    if index is not None and hasattr(table, "index"):
        table.index = index
    return table


def _installed() -> Any:
    for name in ("pandas", "polars"):
        if find_spec(name) is not None:
            return import_module(name)
    raise ImportError("a table needs pandas or polars: pip install pandas")


def names_of(names: Sequence[str] | None, n_columns: int) -> list[str]:
    """Return the names of the columns of y, by default their numbers."""
    given = [] if names is None else [str(name) for name in names]
    if given and len(given) != n_columns:
        raise ValueError(f"names has {len(given)} names, y has {n_columns} columns")
    return given or [str(j) for j in range(n_columns)]


class Tabled(Banded):
    """Mixtures that can be converted to a table."""

    def columns(
        self, quantiles: Any = QUANTILES, names: Sequence[str] | None = None,
        band: float | None = None,
    ) -> dict[str, Array]:  # fmt: skip
        """Compute the columns of `to_frame`.

        Parameters
        ----------
        quantiles : float, list of floats or None, default=(0.05, 0.5, 0.95)
            Levels of the quantiles of a numeric y.
        names : list of str, optional
            Names of the columns of y if it has several.
        band : float, optional
            Coverage of a credible band of the mean, as in `band`; none by default.

        Returns
        -------
        dict of str to ndarray of shape (n,)
            The columns by name.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> list(dist.columns([0.5]))
        ['mean', 'std', 'std_aleatoric', 'std_epistemic', 'q0.5']
        """
        del names
        if band is not None:
            check_band(self.response, middle_name(self.response), band)
        if self.response.nominal:
            return _class_columns(self, band)
        return _number_columns(self, quantiles, band)

    def to_frame(
        self, quantiles: Any = QUANTILES, *, index: Any = None, names: Sequence[str] | None = None,
        band: float | None = None,
    ) -> Any:  # fmt: skip
        """Convert the distributions to a table with one line per row.

        Parameters
        ----------
        quantiles : float, list of floats or None, default=(0.05, 0.5, 0.95)
            Levels of the quantiles of a numeric y.
        index : array-like of shape (n,), pandas index or data frame, optional
            The index of the table, or a data frame whose index and library are used.
        names : list of str, optional
            Names of the columns of y if it has several; their numbers by default.
        band : float, optional
            Coverage of a credible band of the mean, as in `band`; none by default.

        Returns
        -------
        DataFrame
            Columns of numbers are "mean", "std", "std_aleatoric" and "std_epistemic" (or "median"
            if the response has no mean), and "q0.05", ... Columns of classes are "prediction", the
            probabilities "p_LABEL", "entropy", "entropy_aleatoric" and "entropy_epistemic". With a
            band there are "mean_low" and "mean_high", or "median_low" and "median_high", and for
            classes "p_LABEL_low" and "p_LABEL_high". If y has several columns, their names are
            prefixes. The frame is of pandas, or of polars if pandas is not installed.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> table = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]]).to_frame([0.5], index=["a"])
        >>> table.round(3)
           mean    std  std_aleatoric  std_epistemic  q0.5
        a   0.5  1.118            1.0            0.5   0.5
        """
        return as_table(self.columns(quantiles, names, band), index)
