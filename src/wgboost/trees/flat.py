"""The trees of a fitted model as flat arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from wgboost import _core
from wgboost.data.bin_ends import BinEnds
from wgboost.data.binning import Binned
from wgboost.data.level_groups import LevelGroups
from wgboost.data.matrix import as_matrix
from wgboost.slicing import row_slices
from wgboost.trees.ranges import NodeRanges
from wgboost.trees.tree import Tree
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer, check_threads

__all__ = ["FlatTrees"]

_OF_ROWS = ("lack", "lost", "by_feature")  # arguments with an entry for each row

_NODE_ARRAYS = {
    "feature": np.int32, "threshold": np.float64, "bin": np.uint8, "missing_left": np.uint8,
    "category_set": np.int32, "left": np.int32, "leaf": np.int32, "gain": np.float32,
    "cover": np.int64,
}  # fmt: skip
_CALL = 2**25  # rows times trees of one native call; signals are handled between calls
_ARRAYS = {**_NODE_ARRAYS, "output": np.int32, "values": np.float32, "sets": np.uint32}
_OFFSETS = ("first_node", "first_leaf", "first_set")
_CORE_ARRAYS = [name for name in (*_OFFSETS, *_ARRAYS) if name not in ("gain", "cover")]


@dataclass(frozen=True, eq=False)
class FlatTrees:
    """Hold all trees of a model, round by round, in flat arrays.

    Indices of nodes, leaves and category sets count from the first of their tree. The arrays of
    nodes are those of `Tree`.

    Parameters
    ----------
    n_features : int
        Number p of features.
    shape : tuple (m, d)
        Particles and parameters.
    trees_per_round : int
        1, or m for trees per particle.
    first_node, first_leaf, first_set : arrays of shape (trees + 1,)
        First node, leaf and category set of each tree, int64.
    output : array of shape (trees,)
        First of the K outputs that a tree adds to, int32.
    feature, threshold, bin, missing_left, category_set, left, leaf, gain, cover : arrays
        One value per node, as in `Tree`.
    values : array of shape (leaves, outputs per tree)
        Leaf values, float32.
    sets : array of shape (sets, 8)
        Bits of 256 codes as uint32.
    level_groups : LevelGroups, optional
        Codes of categories with more levels than codes.
    ranges : NodeRanges, optional
        Ranges of the training rows of the nodes. None: they are not known.

    Examples
    --------
    >>> from wgboost.trees.flat import FlatTrees
    >>> FlatTrees.empty(n_features=2, shape=(1, 1)).predict([[0.0, 1.0]], start=3.0)
    array([[[3.]]], dtype=float32)
    """

    n_features: int
    shape: tuple[int, int]  # (m, d)
    trees_per_round: int
    first_node: Array  # (trees + 1,) int64
    first_leaf: Array  # (trees + 1,) int64
    first_set: Array  # (trees + 1,) int64
    output: Array  # (trees,) int32, first of the K outputs that a tree adds to
    feature: Array  # (nodes,), and so on as in Tree
    threshold: Array
    bin: Array
    missing_left: Array
    category_set: Array
    left: Array
    leaf: Array
    gain: Array
    cover: Array
    values: Array  # (leaves, outputs per tree) float32
    sets: Array  # (sets, 8) uint32, as in Tree
    level_groups: LevelGroups | None = None  # of categories with more levels than codes
    ranges: NodeRanges | None = None  # of the training rows of nodes

    @classmethod
    def join(cls, parts: Sequence[FlatTrees]) -> FlatTrees:
        """Concatenate ensembles; raise ValueError if they differ in features, shape or kind."""
        if not parts:
            raise ValueError("nothing to join; FlatTrees.empty makes an ensemble without rounds")
        for other in parts[1:]:
            for name in ("n_features", "shape", "trees_per_round"):
                a, b = getattr(parts[0], name), getattr(other, name)
                if a != b:
                    raise ValueError(f"ensembles with {name}={a} and {name}={b} cannot be joined")
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(p, name) for p in parts]) for name in _ARRAYS
        }
        for name in _OFFSETS:
            sizes = [np.diff(getattr(p, name)) for p in parts]
            arrays[name] = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
        known = [p.ranges for p in parts if p.ranges is not None]
        arrays["ranges"] = NodeRanges.join(known) if len(known) == len(parts) else None
        return replace(parts[0], **arrays)

    @classmethod
    def empty(cls, n_features: int, shape: tuple[int, int]) -> FlatTrees:
        """Return an ensemble without rounds, for particles of shape (m, d)."""
        arrays: dict[str, Any] = {name: np.zeros(0, kind) for name, kind in _ARRAYS.items()}
        arrays["values"] = np.zeros((0, shape[0] * shape[1]), np.float32)
        arrays["sets"] = np.zeros((0, 8), np.uint32)
        arrays.update(dict.fromkeys(_OFFSETS, np.zeros(1, np.int64)))
        return cls(n_features, shape, 1, **arrays, ranges=NodeRanges.empty())

    def head(self, n_rounds: int) -> FlatTrees:
        """Return the first rounds."""
        check_integer("n_rounds", n_rounds, low=0, high=self.n_rounds)
        trees = n_rounds * self.trees_per_round
        arrays = {name: getattr(self, name)[: self.first_node[trees]] for name in _NODE_ARRAYS}
        arrays.update({name: getattr(self, name)[: trees + 1] for name in _OFFSETS})
        arrays["values"] = self.values[: self.first_leaf[trees]]
        arrays["sets"] = self.sets[: self.first_set[trees]]
        if self.ranges is not None:
            nodes, sets = slice(self.first_node[trees]), slice(self.first_set[trees])
            arrays["ranges"] = self.ranges.part(nodes, slice(trees), sets)
        return replace(self, **arrays, output=self.output[:trees])

    def with_ends(self, ends: BinEnds | None) -> FlatTrees:
        """Return the trees with the ends of the bins of the fit that grew them."""
        if self.ranges is None or ends is None:
            return replace(self, ranges=None)
        return replace(self, ranges=self.ranges.with_table(ends))

    def scaled(self, rate: float) -> FlatTrees:
        """Return the trees with leaf values multiplied by a rate."""
        return replace(self, values=self.values * np.float32(rate))

    def clipped(self, longest: float) -> FlatTrees:
        """Return the trees with leaf values clipped to [-longest, longest]."""
        return replace(self, values=np.clip(self.values, -longest, longest))

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The trees one by one, as views."""
        views = []
        for i, output in enumerate(self.output):
            nodes = slice(self.first_node[i], self.first_node[i + 1])
            leaves = slice(self.first_leaf[i], self.first_leaf[i + 1])
            sets = slice(self.first_set[i], self.first_set[i + 1])
            arrays = {name: getattr(self, name)[nodes] for name in _NODE_ARRAYS}
            arrays.update(values=self.values[leaves], sets=self.sets[sets])
            views.append(Tree(**arrays, output=int(output)))
        return tuple(views)

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return int(self.output.size) // self.trees_per_round

    @property
    def knows_ranges(self) -> bool:
        """Whether the ranges of training rows are known, in units of the features."""
        return self.ranges is not None and self.ranges.complete

    @cached_property
    def _forest(self) -> _core.Forest:
        """The native predictor. Making it checks every index, size and bound of the arrays."""
        if not self.gain.size == self.cover.size == self.feature.size:
            raise ValueError("the ensemble's arrays differ in length")
        m, d = self.shape
        ranges = self.ranges if self.knows_ranges else None
        forest = _core.make_forest(
            **{name: getattr(self, name) for name in _CORE_ARRAYS},
            n_features=self.n_features, n_outputs=m * d,
            ranges=None if ranges is None else ranges.for_core(self.cover),
        )  # fmt: skip
        if self.trees_per_round < 1 or self.output.size % self.trees_per_round:
            raise ValueError(
                f"trees_per_round={self.trees_per_round} does not divide {self.output.size} trees"
            )
        return forest

    def check_arrays(self) -> None:
        """Raise ValueError unless types, indices, sizes and bounds of all arrays are valid."""
        for name, kind in {**_ARRAYS, **dict.fromkeys(_OFFSETS, np.int64)}.items():
            array, dimensions = getattr(self, name), 2 if name in ("values", "sets") else 1
            if not isinstance(array, np.ndarray) or array.dtype != kind or array.ndim != dimensions:
                raise ValueError(f"{name} has to be a {np.dtype(kind)} array, {dimensions}-d")
        sizes = [self.n_features, *self.shape, self.trees_per_round]
        if len(sizes) != 4 or not all(type(size) is int for size in sizes):
            raise ValueError(f"the sizes {sizes} of an ensemble have to be integers")
        if self.ranges is not None:
            if not isinstance(self.ranges, NodeRanges):
                raise ValueError("the ranges of nodes are none")
            self.ranges.check()
            if not self.ranges.complete:
                raise ValueError("the ranges of nodes have no table of bins")
        _ = self._forest

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_forest"}

    def _checked(self, X: Any, n_rounds: int | None, n_threads: int) -> tuple[Array, int]:
        X = as_matrix(X)
        check_threads(n_threads)
        if X.shape[1] != self.n_features:
            raise ValueError(
                f"X has {X.shape[1]} features, the trees were grown on {self.n_features}"
            )
        if self.level_groups is not None:
            X = self.level_groups.apply(X)
        return X, self._rounds(n_rounds)

    def _rounds(self, n_rounds: int | None) -> int:
        _ = self._forest  # check the arrays before anything is read from them
        if n_rounds is None:
            return self.n_rounds
        return check_integer(
            "n_rounds", n_rounds, low=0, high=self.n_rounds, hint="None takes all rounds"
        )

    def filled(self, n: int, start: Array | float) -> Directions:
        """Return particles (n, m, d) of n rows at their start, float32."""
        out = np.empty((n, *self.shape), dtype=np.float32)
        out[...] = start
        return out

    def predict(
        self, X: Any, *, start: Array | float = 0.0, n_rounds: int | None = None,
        n_threads: int = 1,
    ) -> Directions:  # fmt: skip
        """Return start plus the leaf values of the first rounds.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features.
        start : float or array of shape (m, d) or (n, m, d), default=0.0
            What the leaf values are added to.
        n_rounds : int, optional
            Number of rounds; None takes all.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        array of shape (n, m, d)
            Particles of each row, float32.
        """
        X, rounds = self._checked(X, n_rounds, n_threads)
        out = self.filled(X.shape[0], start)
        flat, trees = out.reshape(X.shape[0], -1), rounds * self.trees_per_round
        step = max(4096, _CALL // max(1, trees))
        for rows in row_slices(X.shape[0], step):
            self._forest.predict(
                x=X[rows], out=flat[rows], first=0, last=trees, n_threads=n_threads
            )
        return out

    def staged_predict(
        self, X: Any, *, start: Array | float = 0.0, n_threads: int = 1
    ) -> Iterator[Directions]:
        """Yield `predict` after 1, 2, ... rounds, each at the cost of one round."""
        X, rounds = self._checked(X, None, n_threads)
        out = self.filled(X.shape[0], start)
        flat, per_round = out.reshape(X.shape[0], -1), self.trees_per_round
        ranks = self._forest.rank(x=X, n_threads=n_threads)
        for r in range(rounds):
            self._forest.predict_ranks(
                ranks=ranks, out=flat, first=r * per_round, last=(r + 1) * per_round,
                n_threads=n_threads,
            )  # fmt: skip
            yield out.copy()

    def add_supported(
        self, X: Any, task: dict[str, Any], *, out: Directions | None = None,
        n_rounds: int | None = None, n_threads: int = 1,
    ) -> int:  # fmt: skip
        """Add what the trees do not support of rows to arrays, and return the number of trees.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features.
        task : dict
            Arguments of `_core.Forest.predict_supported`. The arrays of rows in it are added to.
        out : array of shape (n, m, d), optional
            Particles that leaf values are added to.
        n_rounds : int, optional
            Number of rounds; None takes all.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        int
            Number of trees.
        """
        X, rounds = self._checked(X, n_rounds, n_threads)
        trees = rounds * self.trees_per_round
        for rows in row_slices(X.shape[0], max(4096, _CALL // max(1, trees))):
            self._forest.predict_supported(
                x=X[rows], ranks=None, out=_rows_of(out, rows), **_slices(task, rows), first=0,
                last=trees, n_threads=n_threads,
            )  # fmt: skip
        return trees

    def staged_supported(
        self, X: Any, task: dict[str, Any], out: Directions, *, n_threads: int = 1
    ) -> Iterator[int]:
        """Add one round after another as `add_supported` does, and yield the number of trees."""
        X, rounds = self._checked(X, None, n_threads)
        per_round, everything = self.trees_per_round, slice(None)
        ranks = self._forest.rank(x=X, n_threads=n_threads)
        for r in range(rounds):
            self._forest.predict_supported(
                x=X, ranks=ranks, out=_rows_of(out, everything), **_slices(task, everything),
                first=r * per_round, last=(r + 1) * per_round, n_threads=n_threads,
            )  # fmt: skip
            yield (r + 1) * per_round

    def asked(self) -> Array:
        """Return the share (p,) of training rows' paths that ask for each feature, over trees."""
        asked: Array = self._forest.asked(self.cover) / max(1, self.output.size)
        return np.minimum(asked, 1.0)

    def tree_means(self) -> Array:
        """Return the mean (trees, outputs) of each tree's values over drawn rows, float64."""
        leaves = np.flatnonzero(self.feature < 0)
        tree = np.repeat(np.arange(self.output.size), np.diff(self.first_node))[leaves]
        row = self.leaf[leaves] + self.first_leaf[tree]
        first = np.searchsorted(tree, np.arange(self.output.size))
        cover = self.cover[leaves].astype(np.float64)
        sums = np.add.reduceat(cover[:, None] * self.values[row], first)
        return sums / np.maximum(np.add.reduceat(cover, first), 1)[:, None]

    def feature_ends(self) -> tuple[Array, Array]:
        """Return the smallest and largest training value (p,); infinite for categories."""
        if self.ranges is None:
            raise ValueError("the trees do not know the ranges of training rows")
        return self.ranges.feature_ends(self.n_features)

    def predict_binned(
        self, binned: Binned, *, start: Array | float = 0.0, n_rounds: int | None = None,
        n_threads: int = 1,
    ) -> Directions:  # fmt: skip
        """Return `predict` of binned features."""
        n, p = binned.shape
        check_threads(n_threads)
        if p != self.n_features:
            raise ValueError(f"the codes have {p} features, the trees {self.n_features}")
        out = self.filled(n, start)
        self._forest.predict_codes(
            codes=binned.codes, n_bins=binned.n_bins, out=out.reshape(n, -1), first=0,
            last=self._rounds(n_rounds) * self.trees_per_round, n_threads=n_threads,
        )  # fmt: skip
        return out

    def add_binned(self, binned: Binned, particles: Directions, *, n_threads: int = 1) -> None:
        """Add the leaf values of all rounds to particles (n, m, d) of binned rows, in place."""
        flat = particles.reshape(particles.shape[0], -1)
        trees = self._rounds(None) * self.trees_per_round
        self._forest.predict_codes(
            codes=binned.codes, n_bins=binned.n_bins, out=flat, first=0, last=trees,
            n_threads=n_threads,
        )  # fmt: skip

    def apply(self, X: Any, *, n_rounds: int | None = None, n_threads: int = 1) -> Array:
        """Return the leaf (n, trees) that each row reaches in each tree, int32."""
        X, rounds = self._checked(X, n_rounds, n_threads)
        last = rounds * self.trees_per_round
        return self._forest.apply(x=X, first=0, last=last, n_threads=n_threads)

    def feature_gains(self) -> Array:
        """Return the total gain (p,) of the splits on each feature, float64."""
        inner = self.feature >= 0
        return np.bincount(self.feature[inner], weights=self.gain[inner], minlength=self.n_features)


def _rows_of(particles: Directions | None, rows: slice) -> Array | None:
    return None if particles is None else particles[rows].reshape(len(particles[rows]), -1)


def _slices(task: dict[str, Any], rows: slice) -> dict[str, Any]:
    """Return the arguments for some rows; what is added to them is added to the whole."""
    some = {name: task[name] for name in _OF_ROWS if task.get(name) is not None}
    parts = {name: one[rows].reshape(len(one[rows]), -1) for name, one in some.items()}
    if "lack" in parts:
        parts["lack"] = some["lack"][rows]
    return {**task, **parts}
