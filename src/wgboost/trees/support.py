"""How far trees know the surroundings of a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from wgboost.data.nearest import NearestRows
from wgboost.trees.flat import FlatTrees
from wgboost.typing import Array, Directions

__all__ = ["Support", "SupportResult", "make_support"]

_LEAST_SHARE = 0.05  # of the lack of support of training rows that are left out


@dataclass(frozen=True, eq=False)
class SupportResult:
    """Hold what the trees know of some rows.

    Parameters
    ----------
    support : array of shape (n,)
        Mean support of the trees, from 0 to 1, float64.
    lost : array of shape (n, m, d)
        What the trees that lack support would have to add for the particles of a row to spread like
        those of all training rows, float32.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0]).model_
    >>> near, far = model.support(np.array([[30.0], [1000.0]])).support
    >>> bool(near > 0.9 > 0.1 > far)
    True
    """

    support: Array  # (n,)
    lost: Directions  # (n, m, d)


@dataclass(frozen=True, eq=False)
class Support:
    """Hold what a model knows of its training rows, in order to judge others.

    Parameters
    ----------
    reach : float
        Distance from training rows, in standard deviations of a feature, over which support fades.
    spread : array of shape (p,)
        Robust standard deviation of each feature.
    low, high : arrays of shape (p,)
        Smallest and largest training value; infinite for categories.
    asked : array of shape (p,)
        Share of the paths of training rows on which a tree asks for a feature.
    contrast : array of shape (trees, outputs per tree)
        Value of each tree at the donor of each particle less the mean of the tree, float32.
    rows : array of shape (r, p)
        Training rows that distances are measured to; see `NearestRows`.
    reference : array of shape (r, 2)
        Support of each of these rows and its distance to the nearest other, if it is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0]).model_
    >>> model.known_support.reach, model.known_support.low, model.known_support.high
    (0.3, array([0.]), array([59.]))
    """

    reach: float
    spread: Array  # (p,)
    low: Array  # (p,)
    high: Array  # (p,)
    asked: Array  # (p,)
    contrast: Array  # (trees, outputs)
    rows: Array  # (r, p)
    reference: Array  # (r, 2)

    def predict(
        self, trees: FlatTrees, X: Any, start: Array | float, *, n_rounds: int | None = None,
        n_threads: int = 1,
    ) -> tuple[Directions, SupportResult]:  # fmt: skip
        """Return the particles of rows, as `FlatTrees.predict`, and their support.

        Parameters
        ----------
        trees : FlatTrees
            The trees.
        X : array of shape (n, p)
            Raw features.
        start : float or array of shape (m, d) or (n, m, d)
            What the leaf values are added to.
        n_rounds : int, optional
            Number of rounds; None takes all.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        particles : array of shape (n, m, d)
            Particles of each row, float32.
        result : SupportResult
            Their support.
        """
        out = trees.filled(len(X), start)
        return out, self._run(trees, X, out, n_rounds, n_threads)

    def judge(
        self, trees: FlatTrees, X: Any, *, n_rounds: int | None = None, n_threads: int = 1
    ) -> SupportResult:
        """Return the support of rows without their particles."""
        return self._run(trees, X, None, n_rounds, n_threads)

    def _run(
        self, trees: FlatTrees, X: Any, out: Directions | None, n_rounds: int | None,
        n_threads: int,
    ) -> SupportResult:  # fmt: skip
        lack, lost = np.zeros(len(X)), trees.filled(len(X), 0.0)
        used = trees.add_supported(
            X, self._arguments(lost=lost, lack=lack), out=out, n_rounds=n_rounds,
            n_threads=n_threads,
        )  # fmt: skip
        return SupportResult(_mean_support(lack, used), lost)

    def staged(
        self, trees: FlatTrees, X: Any, start: Array | float, *, n_threads: int = 1
    ) -> Iterator[tuple[Directions, SupportResult]]:
        """Yield `predict` after 1, 2, ... rounds, each at the cost of one round."""
        lack, lost, out = np.zeros(len(X)), trees.filled(len(X), 0.0), trees.filled(len(X), start)
        rounds = trees.staged_supported(
            X, self._arguments(lost=lost, lack=lack), out, n_threads=n_threads
        )
        for used in rounds:
            yield out.copy(), SupportResult(_mean_support(lack, used), lost.copy())

    def explain(
        self, trees: FlatTrees, X: Any, *, n_rounds: int | None = None, n_threads: int = 1
    ) -> Array:
        """Return the lost support of rows by feature (n, p); sums over features are 1 - support."""
        lack, by_feature = np.zeros(len(X)), np.zeros((len(X), len(self.spread)))
        arguments = self._arguments(lost=None, lack=lack, by_feature=by_feature)
        used = trees.add_supported(X, arguments, n_rounds=n_rounds, n_threads=n_threads)
        return by_feature / max(1, used)

    def left_out(self, trees: FlatTrees, X: Any, *, n_threads: int = 1) -> Array:
        """Return the support (n,) of training rows by the others: each is left out of the trees."""
        lack = np.zeros(len(X))
        arguments = self._arguments(lost=None, lack=lack, left_out=True)
        used = trees.add_supported(X, arguments, n_threads=n_threads)
        return _mean_support(lack, used)

    def distance(self, X: Any, *, n_threads: int = 1) -> Array:
        """Return how far rows are from the nearest training row.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        array of shape (n,)
            Distance, relative to the usual one of training rows.
        """
        return self._nearest.distances(X, n_threads=n_threads) / self._usual_distance()

    def left_out_distance(self, X: Any, *, n_threads: int = 1) -> Array:
        """Return `distance` of training rows (n, p), each to the nearest other."""
        return self._nearest.left_out(X, n_threads=n_threads) / self._usual_distance()

    @cached_property
    def _nearest(self) -> NearestRows:
        return NearestRows(self.rows, self.low, self.high, self.spread)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is computed again."""
        return {name: value for name, value in vars(self).items() if name != "_nearest"}

    @property
    def left_out_rows(self) -> tuple[Array, Array]:
        """The supports (r,) and the distances (r,) of training rows, each left out."""
        return self.reference[:, 0], self.reference[:, 1] / self._usual_distance()

    def with_usual_lack(self, lack: float) -> Support:
        """Return the same with less lack in `reference`, if its root mean square is larger."""
        own = 1 - self.reference[:, 0]
        usual = float(np.sqrt(np.square(own).mean())) if own.size else 0.0
        share = max(_LEAST_SHARE, lack / usual) if usual > lack else 1.0
        return replace(self, reference=np.column_stack([1 - share * own, self.reference[:, 1]]))

    def _usual_distance(self) -> float:
        """Return the median distance of a training row to the nearest other."""
        known = self.reference[:, 1]
        for usual in (np.median(known), known.mean()) if known.size else ():
            if usual > 0:
                return float(usual)
        return 1.0

    def _arguments(self, **given: Any) -> dict[str, Any]:
        """Return the arguments of the core that all calls have in common, and the given ones."""
        return {
            "reach": self.reach * self.spread, "low": self.low, "high": self.high,
            "asked": self.asked, "contrast": self.contrast, "left_out": False, "by_feature": None,
            **given,
        }  # fmt: skip

    def check(self, trees: FlatTrees) -> None:
        """Raise ValueError unless the support fits the trees."""
        p, n_trees, outputs = trees.n_features, trees.output.size, trees.values.shape[1]
        shapes = dict.fromkeys(("spread", "low", "high", "asked"), (p,))
        for name, shape in {**shapes, "contrast": (n_trees, outputs)}.items():
            array = getattr(self, name)
            kind = np.float32 if name == "contrast" else np.float64
            if not isinstance(array, np.ndarray) or array.dtype != kind or array.shape != shape:
                raise ValueError(f"{name} of the support has to be a {np.dtype(kind)} {shape}")
        kept, rows = self.reference, self.rows
        for name, array, kind in (("reference", kept, np.float64), ("rows", rows, np.float32)):
            if not isinstance(array, np.ndarray) or array.dtype != kind or array.ndim != 2:
                raise ValueError(f"{name} of the support has to be a {np.dtype(kind)} table")
        if rows.shape[1] != p or kept.shape != (len(rows), 2):
            raise ValueError("rows and reference of the support have other shapes")
        if type(self.reach) is not float or not 0 < self.reach < np.inf:
            raise ValueError(f"reach={self.reach!r:.40} of the support is no number > 0")
        widest = np.finfo(np.float64).max / max(1.0, self.reach)
        good = (
            ((self.spread > 0) & (self.spread <= widest)).all(),
            (self.low <= self.high).all(),
            ((self.asked >= 0) & (self.asked <= 1)).all(),
            np.isfinite(self.contrast).all(),
            ((kept[:, 0] >= 0) & (kept[:, 0] <= 1)).all(),
            ((kept[:, 1] >= 0) & (kept[:, 1] < np.inf)).all() and not np.isinf(rows).any(),
            trees.knows_ranges,
        )
        if not all(good):
            raise ValueError("the support has numbers out of range or out of order")


def _mean_support(lack: Array, n_trees: int) -> Array:
    return np.clip(1.0 - lack / max(1, n_trees), 0.0, 1.0)


def make_support(
    trees: FlatTrees, X: Array, start: Array, reach: float, *, reference: bool = True,
    n_threads: int = 1,
) -> Support:  # fmt: skip
    """Return what trees know of training rows.

    Parameters
    ----------
    trees : FlatTrees
        All trees of a model, with the ranges of their nodes.
    X : array of shape (n, p)
        Raw features of training rows, or of a sample of them.
    start : array of shape (m, d)
        Start particles.
    reach : float
        Distance over which support fades.
    reference : bool, default=True
        Whether to leave out training rows, as p-values need it.
    n_threads : int, default=1
        Number of threads.

    Returns
    -------
    Support
        Spreads of features, donors of particles, and the supports and distances of training rows,
        each left out.
    """
    matrix = X if trees.level_groups is None else trees.level_groups.apply(X)
    low, high = trees.feature_ends()
    spread, contrast = _spreads(matrix, low), _contrast(trees, X, start, n_threads)
    some = NearestRows.choose(X)
    nearest = NearestRows.of(some, low, high, spread)
    known = Support(
        reach, spread, low, high, trees.asked(), contrast, nearest.rows, np.zeros((0, 2))
    )
    if not reference:
        return known
    supports = known.left_out(trees, some, n_threads=n_threads)
    distances = nearest.left_out(some, n_threads=n_threads)
    distances[np.isinf(distances)] = 0.0  # of a single row
    return replace(known, reference=np.column_stack([supports, distances]))


def _spreads(X: Array, low: Array) -> Array:
    """Return a robust standard deviation (p,) of each feature; 1 where there is none."""
    found = np.ones(X.shape[1])
    for f in np.flatnonzero(low > -np.inf):
        x = X[:, f].astype(np.float64)
        x = x[np.isfinite(x)]
        if not x.size:
            continue
        bottom, top = np.quantile(x, [0.05, 0.95])
        spread = top / 3.29 - bottom / 3.29
        if not spread > 1e-9 * max(abs(bottom), abs(top)):
            spread = x.std()
        found[f] = spread if 0 < spread < np.inf else 1.0
    return found


def _contrast(trees: FlatTrees, X: Array, start: Array, n_threads: int) -> Array:
    """Return what each tree says of the donors of its particles less what it says on average."""
    d = trees.shape[1]
    theta = trees.predict(X, n_threads=n_threads).mean(axis=1, dtype=np.float64)  # (n, d)
    donors = _donors(theta, start)
    n_trees, outputs = trees.output.size, trees.values.shape[1]
    if not n_trees:
        return np.zeros((0, outputs), np.float32)
    leaf = trees.apply(X[donors], n_threads=n_threads) + trees.first_leaf[:-1]  # (m, trees)
    size, tree = outputs // d, np.arange(n_trees)[:, None]  # particles of a tree
    particle = trees.output[:, None] // d + np.arange(size)  # (trees, size)
    own = trees.values[leaf[particle, tree]].reshape(n_trees, size, size, d)
    said = own[:, np.arange(size), np.arange(size)].reshape(n_trees, outputs)
    contrast: Array = said - trees.tree_means()
    return contrast.astype(np.float32)


def _donors(theta: Array, start: Array) -> Array:
    """Return the row (m,) whose values each particle is given where trees lack support.

    Rows are cut into m groups of equal size by theta (n, d), in halves along the widest axis again
    and again. The row next to the middle of a group is a donor. Particles and donors are matched in
    the order of their first coordinates.
    """
    m = len(start)
    unit = theta.std(axis=0) + 1e-12
    z, rows = theta / unit, np.arange(max(len(theta), m)) % len(theta)
    groups: list[Array] = []
    _halve(z, np.sort(rows), m, groups)
    middle = [g[np.argmin(np.square(z[g] - z[g].mean(axis=0)).sum(axis=1))] for g in groups]
    order = np.empty(m, dtype=np.intp)
    order[np.argsort(start[:, 0], kind="stable")] = np.argsort(theta[middle, 0], kind="stable")
    return np.array(middle)[order]


def _halve(z: Array, rows: Array, m: int, groups: list[Array]) -> None:
    if m == 1:
        groups.append(rows)
        return
    centred = z[rows] - z[rows].mean(axis=0)
    axis = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    axis = axis * np.sign(axis[np.argmax(np.abs(axis))])
    order = rows[np.argsort(centred @ axis, kind="stable")]
    cut = round(len(rows) * (m // 2) / m)
    _halve(z, order[:cut], m // 2, groups)
    _halve(z, order[cut:], m - m // 2, groups)
