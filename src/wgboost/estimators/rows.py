"""The rows of a fit: which to train on, which to watch, and what belongs to each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from wgboost.data import without_column
from wgboost.metrics import Metric, nll
from wgboost.predictive import mixture_of
from wgboost.responses import Observations, Response, Seen, Units, is_censored, lowered
from wgboost.typing import Array, Directions

__all__ = ["Rows", "WatchedRows", "beside_y", "given_sets", "split_rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Training rows."""

    X: Array  # (n, p)
    y: Array  # (n,) or (n, q), in the user's units; `censored` perhaps
    weight: Array | None  # (n,)
    response: Response  # its prior may hold one value per row
    evidence: Any  # a number, or (n,)
    offset: Array | None = None  # (n,)
    noise: Array | None = None  # (n,)

    @cached_property
    def seen(self) -> Seen:
        """What is known of y, as it would be without its offset."""
        seen: Seen = self.y
        if is_censored(self.y) or self.noise is not None:
            bounded = Observations.of(self.y, noise=self.noise)
            seen = bounded.lower if bounded.plain else bounded
        return seen if self.offset is None else lowered(seen, self.response, self.offset)

    def units(self) -> Units:
        """Return the units to see y in."""
        value = self.seen.value if isinstance(self.seen, Observations) else self.seen
        return self.response.units(value, self.weight)

    def __len__(self) -> int:
        return len(self.y)

    def take(self, index: Array) -> Rows:
        """Return some of the rows, with all that belongs to them."""
        return Rows(
            self.X[index],
            self.y[index],
            None if self.weight is None else self.weight[index],
            self.response.take(index),
            self.evidence[index] if np.ndim(self.evidence) else self.evidence,
            None if self.offset is None else self.offset[index],
            None if self.noise is None else self.noise[index],
        )

    @property
    def counted(self) -> Array:
        """Indices of the rows that count: those of weight zero do not."""
        return np.arange(len(self)) if self.weight is None else np.flatnonzero(self.weight)


@dataclass(frozen=True, eq=False)
class WatchedRows:
    """A validation set."""

    name: str
    X: Array  # (n, p)
    y: Array  # (n,) or (n, q), in the user's units
    weight: Array | None = None
    offset: Array | None = None
    noise: Array | None = None

    def scorer(
        self, metric: Metric, response: Response, units: Units
    ) -> Callable[[Directions], float]:
        """Return the metric as a function of the set's particles."""
        y: Any = self.y
        if self.noise is not None and metric.function is nll:
            y = Observations.of(self.y, noise=self.noise)

        def score(particles: Directions) -> float:
            if self.offset is not None:
                particles = response.with_offset(particles, self.offset, units)
            return metric(mixture_of(response, particles, units), y, self.weight)

        return score


def split_rows(rows: Rows, given: Any, fraction: float, seed: int) -> tuple[Array, Array]:
    """Return indices of the rows to train on and to hold out; rows of weight zero are in neither.

    `given` is a mask or indices of the rows to hold out, or None: then a random share, stratified
    by class where every class has two rows.
    """
    counted = rows.counted
    if given is not None:
        held = _as_mask(given, len(rows))
        inside, outside = counted[~held[counted]], counted[held[counted]]
    else:
        if counted.size < 2:
            raise ValueError(
                f"early stopping has {counted.size} rows to split; two are needed, or "
                "early_stopping=False"
            )
        n_held = min(int(np.ceil(fraction * counted.size)), counted.size - 1)
        classes = rows.y[counted] if rows.response.nominal else None
        if classes is not None:
            counts = np.unique(classes, return_counts=True)[1]
            if counts.min() < 2 or min(n_held, counted.size - n_held) < counts.size:
                classes = None
        inside, outside = train_test_split(
            counted, test_size=n_held, random_state=seed % 2**31, stratify=classes
        )
    if inside.size == 0 or outside.size == 0:
        raise ValueError(
            f"{inside.size} rows to train on and {outside.size} to validate; both are needed"
        )
    return np.sort(inside), np.sort(outside)


def _as_mask(given: Any, n: int) -> Array:
    held, index = np.zeros(n, dtype=bool), np.asarray(given)
    try:
        held[index] = True
    except IndexError as error:
        raise ValueError(f"validation_rows does not index {n} rows: {error}") from error
    if index.dtype.kind != "b" and held.sum() < index.size:
        raise ValueError(
            f"validation_rows has {index.size} indices of {held.sum()} rows; a mask has to be of "
            "True and False, indices have to differ"
        )
    return held


def given_sets(
    estimator: Any, response: Response, X_val: Any, y_val: Any, beside: dict[str, Any]
) -> list[WatchedRows]:
    """Return the user's validation sets, checked like the training data.

    `beside` holds offset_val and y_std_val: what belongs to each set, or None.
    """
    if X_val is None and y_val is None:
        for name, value in beside.items():
            if value is not None:
                raise ValueError(f"{name} belongs to X_val and y_val; give all three")
        return []
    if X_val is None or y_val is None:
        raise ValueError("X_val and y_val belong together; give both")
    several = isinstance(X_val, (list, tuple)) and (not X_val or np.ndim(X_val[0]) == 2)
    tables = list(X_val) if several else [X_val]
    lists = {"y_val": y_val, **beside}
    for name, value in lists.items():
        if not several or value is None:
            lists[name] = [value] * len(tables)
        elif not isinstance(value, (list, tuple)) or len(value) != len(tables) or not tables:
            answered = f"of {len(value)}" if isinstance(value, (list, tuple)) else "is none"
            raise ValueError(
                f"X_val is a list of {len(tables)} sets, {name} {answered}; "
                "as many of both are needed"
            )
    if not tables:
        raise ValueError("X_val is a list of 0 sets; leave it out, or give some")
    sets = []
    for i, (table, answer, *others) in enumerate(zip(tables, *lists.values(), strict=True)):
        which = f"set {i + 1} of " if len(tables) > 1 else ""
        try:
            if isinstance(answer, str):
                table, answer = without_column(table, answer)
            X = estimator._matrix(table, reset=False)
            y = response.check(estimator._encode(answer, fitting=False))
            offset, noise = beside_y(response, y, *others)
        except ValueError as error:
            raise ValueError(f"{which}X_val, y_val: {error}") from error
        if len(y) != X.shape[0]:
            raise ValueError(f"{which}X_val has {X.shape[0]} rows, y_val has {len(y)}")
        name = "validation" if i == 0 else f"validation_{i + 1}"
        sets.append(WatchedRows(name, X, y, offset=offset, noise=noise))
    return sets


def beside_y(
    response: Response, y: Array, offset: Any, y_std: Any
) -> tuple[Array | None, Array | None]:
    """Return the offset and the measurement error (n,) of rows, checked; None where not given."""
    n = len(y)
    known = None if offset is None else response.check_offset(offset, n)
    if y_std is None:
        return known, None
    if response.y_shape:
        raise ValueError(f"the response {response.name!r} takes no measurement error y_std")
    if is_censored(y):
        raise ValueError("bounds and a measurement error of y together are not supported")
    noise = np.asarray(y_std, dtype=np.float64)
    if noise.shape not in ((), (n,)):
        raise ValueError(f"y_std has shape {noise.shape}; a number or ({n},) is needed")
    noise = np.broadcast_to(noise, n)
    good = np.isfinite(noise) & (noise >= 0)
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(f"y_std is {noise[row]} at row {row}; it must be finite and >= 0")
    return known, noise
