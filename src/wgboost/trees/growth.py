"""Growing the trees of one round on binned features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from wgboost import _core
from wgboost.data.binning import Binned, Cuts
from wgboost.trees.constraints import Constraints
from wgboost.trees.flat import FlatTrees
from wgboost.trees.ranges import NodeRanges
from wgboost.trees.sampling import PROJECTIONS, draw_features, draw_projection, draw_rows
from wgboost.typing import Array, Directions
from wgboost.validation import check_choice, check_finite, check_integer, check_number

__all__ = ["GROUPINGS", "GROWTHS", "Grower", "RoundData", "TreeSettings", "grow_trees"]

GROUPINGS = ("shared", "per_particle")
GROWTHS = ("depth_wise", "best_first")
_LARGEST_SUM = 2.0**39
_SYNONYMS = {
    "leaf": "'best_first'",
    "leaf_wise": "'best_first'",
    "lossguide": "'best_first'",
    "level": "'depth_wise'",
    "level_wise": "'depth_wise'",
}


@dataclass(frozen=True)
class TreeSettings:
    """Say how trees are grown.

    Parameters
    ----------
    tree : {"shared", "per_particle"} or int, default="shared"
        One tree a round whose leaves hold all K = m * d outputs, or m trees with d outputs each. A
        number of trees divides the particles into as many groups, each with a tree of its own.
    split_on : {"all", "sum", "particle_mean"} or int, default="all"
        What the split search reads of a tree's outputs: all of them, their sum, their mean over
        particles, or that many random projections. Leaves always hold every output.
    growth : {"depth_wise", "best_first"}, default="depth_wise"
        Order in which nodes are split. It matters when `max_leaves` ends the growth.
    max_depth : int or None, default=3
        Largest depth; None sets no limit. Give this or `max_leaves`.
    max_leaves : int or None, default=None
        Largest number of leaves; None sets no limit.
    min_samples_leaf : int, default=1
        Training rows of positive weight that a leaf needs. Where directions are averaged, these
        rows also need a thousandth of the weight of as many average rows.
    l2 : float, default=0.0
        Added to the sum of weights, or of curvatures, that a leaf value is divided by.
    min_gain : float, default=0.0
        A split needs a larger gain. The gain is the sum over outputs of G^2 / (C + l2), left plus
        right minus unsplit, where G sums the directions and C the curvatures (or weights) of the
        rows.
    cat_smooth : float, default=10.0
        Categories are ordered by their mean direction as if this many more rows had the mean of the
        node. Rare ones stay in the middle.
    cat_penalty : float, default=1.0
        Share of what chance explains of the differences between categories that is subtracted from
        the gain of a split by them. Without it, categories without information would win over
        informative numbers. 0 subtracts nothing. Nodes with up to 5 categories are never penalised,
        and categories that matter before the first round less; see `level_signal`.
    subsample : float, default=1.0
        Share of rows drawn without replacement for every round.
    colsample : float, default=1.0
        Share of features drawn without replacement for every round, rounded up.

    Examples
    --------
    >>> from wgboost.trees import TreeSettings
    >>> TreeSettings(max_depth=None, max_leaves=31).max_leaves
    31
    """

    tree: Literal["shared", "per_particle"] | int = "shared"
    split_on: str | int = "all"
    growth: Literal["depth_wise", "best_first"] = "depth_wise"
    max_depth: int | None = 3
    max_leaves: int | None = None
    min_samples_leaf: int = 1
    l2: float = 0.0
    min_gain: float = 0.0
    cat_smooth: float = 10.0
    cat_penalty: float = 1.0
    subsample: float = 1.0
    colsample: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.tree, (int, np.integer)):
            names = " or ".join(map(repr, GROUPINGS))
            check_integer("tree", self.tree, low=1, hint=f"or give {names}")
        else:
            check_choice("tree", self.tree, GROUPINGS)
        if isinstance(self.split_on, str):
            check_choice("split_on", self.split_on, PROJECTIONS)
        else:
            names = ", ".join(map(repr, PROJECTIONS))
            check_integer("split_on", self.split_on, low=1, hint=f"or give one of {names}")
        check_choice("growth", self.growth, GROWTHS, _SYNONYMS)
        if self.max_depth is not None:
            check_integer("max_depth", self.max_depth, low=1, hint="None sets no limit")
        if self.max_leaves is not None:
            check_integer("max_leaves", self.max_leaves, low=2, hint="None sets no limit")
        if self.max_depth is None and self.max_leaves is None:
            raise ValueError("max_depth=None and max_leaves=None set no limit at all; give one")
        check_integer("min_samples_leaf", self.min_samples_leaf, low=1)
        check_number("l2", self.l2, low=0)
        check_number("min_gain", self.min_gain, low=0)
        check_number("cat_smooth", self.cat_smooth, low=0)
        check_number("cat_penalty", self.cat_penalty, low=0)
        check_number("subsample", self.subsample, above=0, high=1)
        check_number("colsample", self.colsample, above=0, high=1)

    def n_trees(self, n_particles: int) -> int:
        """Return the number of trees of a round.

        Parameters
        ----------
        n_particles : int
            Number m of particles of a row.

        Returns
        -------
        int
            A divisor of `n_particles`.

        Raises
        ------
        ValueError
            If `tree` is a number that does not divide the particles into equal groups.

        Examples
        --------
        >>> from wgboost.trees import TreeSettings
        >>> TreeSettings(tree=5).n_trees(10)
        5
        """
        if isinstance(self.tree, str):
            return n_particles if self.tree == "per_particle" else 1
        if n_particles % self.tree:
            divisors = [k for k in range(1, n_particles + 1) if n_particles % k == 0]
            raise ValueError(
                f"tree={self.tree} does not divide n_particles={n_particles} into equal groups; "
                f"give one of {divisors}"
            )
        return int(self.tree)


@dataclass(frozen=True, eq=False)
class RoundData:
    """Hold the training rows of one round. Shapes and types are not checked.

    Parameters
    ----------
    binned : Binned
        Codes (n, p) of the features.
    cuts : Cuts
        Bins of the features.
    direction : array of shape (n, m, d)
        Directions of the rows, float32.
    curvature : array of shape (n, m, d) or None, default=None
        Curvatures to divide by, float32.
    weight : array of shape (n,) or None, default=None
        Sample weights, float32.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data.binning import Cuts
    >>> from wgboost.trees.growth import RoundData
    >>> X = np.arange(4.0)[:, None]
    >>> cuts = Cuts.find(X)
    >>> RoundData(cuts.apply(X), cuts, np.ones((4, 1, 1), np.float32)).direction.shape
    (4, 1, 1)
    """

    binned: Binned
    cuts: Cuts
    direction: Directions  # (n, m, d)
    curvature: Directions | None = None  # (n, m, d)
    weight: Array | None = None  # (n,)


class Grower(Protocol):
    """Grow the trees of a round in place of the compiled core.

    Any function with the parameters of `__call__` is a grower. `wgboost.trees.xgboost` has one.

    Examples
    --------
    >>> from wgboost.trees.growth import Grower
    >>> from wgboost.trees.xgboost import XGBoostGrower
    >>> grower: Grower = XGBoostGrower(device="cpu")
    """

    def __call__(
        self,
        data: RoundData,
        settings: TreeSettings,
        rng: np.random.Generator,
        n_threads: int,
        constraints: Constraints | None,
    ) -> tuple[FlatTrees, Array]:
        """Return one round of trees, and the leaf (trees, n) of every training row."""
        ...


def _least_weight(weight: Array | None, min_samples_leaf: int) -> float:
    if weight is None:
        return 0.0
    return (
        1e-3 * min(min_samples_leaf, len(weight)) * float(weight.sum() / np.count_nonzero(weight))
    )


def _unit(direction: Directions, curvature: Directions | None, weight: Array | None) -> float:
    """Return a power of two that directions and curvatures are divided by, 1 unless they are huge.

    The search for splits multiplies three sums over rows: in float32 they must not reach 2^42.
    """
    if curvature is None or curvature.size == 0:
        return 1.0
    largest = max(float(curvature.max()), float(direction.max()), -float(direction.min()))
    heaviest = 1.0 if weight is None else float(weight.max())
    total = largest * len(curvature) * heaviest
    if not _LARGEST_SUM < total < np.inf:
        return 1.0
    return 2.0 ** math.ceil(math.log2(total / _LARGEST_SUM))


def _raise_cause(direction: Directions, curvature: Directions | None, values: Array) -> None:
    """Raise ValueError for inputs that are not finite; the core also reports a harmless -0.0."""
    check_finite("targets", direction)
    if curvature is not None:
        check_finite("curvature", curvature, nonnegative=True)
    if not np.isfinite(values).all():
        raise ValueError(
            "a leaf value overflows float32: the curvature is too small for the targets; "
            "a larger l2 bounds it"
        )


def grow_trees(
    data: RoundData,
    settings: TreeSettings,
    rng: np.random.Generator,
    workspace: _core.Workspace,
    *,
    n_threads: int = 1,
    constraints: Constraints | None = None,
    cat_signal: Array | None = None,
) -> tuple[FlatTrees, Array]:
    """Grow the trees of one round.

    Leaf values are sum(w g) / (sum(w) + l2) of the directions g, or with a curvature c sum(w g) /
    (sum(w c) + l2), output by output.

    Parameters
    ----------
    data : RoundData
        Features and directions of the training rows.
    settings : TreeSettings
        How trees are grown.
    rng : numpy.random.Generator
        Source of randomness.
    workspace : Workspace
        Memory of the core, kept from round to round.
    n_threads : int, default=1
        Number of threads.
    constraints : Constraints, optional
        Constraints on the trees.
    cat_signal : array of shape (p,), optional
        What `level_signal` found before the first round, float32.

    Returns
    -------
    trees : FlatTrees
        One round: a shared tree, or one per particle.
    leaf : array of shape (trees, n)
        Leaf of every training row, drawn or not, int32.

    Raises
    ------
    ValueError
        If a drawn row has directions that are not finite or a negative curvature.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import _core
    >>> from wgboost.data.binning import Cuts
    >>> from wgboost.trees import TreeSettings
    >>> from wgboost.trees.growth import RoundData, grow_trees
    >>> X, rng = np.arange(4.0)[:, None], np.random.default_rng(0)
    >>> cuts, g = Cuts.find(X), (X[:, :, None] // 2).astype(np.float32)
    >>> data = RoundData(cuts.apply(X), cuts, g)
    >>> grow_trees(data, TreeSettings(), rng, _core.Workspace())[1]
    array([[0, 0, 1, 1]], dtype=int32)
    """
    binned, cuts, weight = data.binned, data.cuts, data.weight
    direction, curvature = data.direction, data.curvature
    n, m, d = direction.shape
    p = binned.shape[1]
    if settings.subsample < 1.0 and weight is None and not _core.all_finite(direction):
        check_finite("targets", direction)  # rows that are not drawn now are drawn later
    constraints = constraints or Constraints()
    rows = draw_rows(n, weight, settings.subsample, rng)
    features = draw_features(p, settings.colsample, rng)
    n_trees = settings.n_trees(m)
    unit = _unit(direction, curvature, weight)
    if curvature is not None and unit != 1:  # exact: leaf values and the order of gains stay
        direction, curvature = direction / np.float32(unit), curvature / np.float32(unit)
    projection, matrix = draw_projection(settings.split_on, m // n_trees * d, rng)
    arrays, leaf, clean = _core.grow(
        workspace=workspace,
        codes=binned.codes.T,
        n_bins=binned.n_bins,
        categorical=cuts.categorical.astype(np.uint8),
        features=features,
        rows=rows,
        direction=direction,
        curvature=curvature,
        weight=weight,
        trees=n_trees,
        projection=projection,
        random_matrix=matrix,
        best_first=settings.growth == "best_first",
        max_depth=min(settings.max_depth or 0, n),  # 0: no limit, like anything beyond the rows
        max_leaves=min(settings.max_leaves or 0, n + 1),
        min_samples_leaf=float(min(settings.min_samples_leaf, n + 1)),
        min_weight_leaf=_least_weight(weight, settings.min_samples_leaf),
        l2=settings.l2 / unit,
        min_gain=settings.min_gain / unit,
        cat_smooth=settings.cat_smooth,
        cat_penalty=settings.cat_penalty,
        cat_signal=np.zeros(p, np.float32) if cat_signal is None else cat_signal,
        monotone=constraints.monotone_for(cuts, d),
        parameter=constraints.parameter,
        groups=constraints.groups_for(p),
        n_threads=n_threads,
    )
    if not clean:
        _raise_cause(direction, curvature, arrays["values"])
    feature = arrays["feature"]
    threshold = cuts.thresholds[feature, arrays["bin"]]
    threshold[(feature < 0) | (arrays["category_set"] >= 0)] = np.inf  # no split by a number
    codes, missing, categories = (
        arrays.pop(f"range_{name}") for name in ("codes", "missing", "categories")
    )
    ranges = NodeRanges.of_round(codes, missing, categories, len(arrays["output"]))
    trees = FlatTrees(p, (m, d), n_trees, threshold=threshold, ranges=ranges, **arrays)
    return trees, leaf
