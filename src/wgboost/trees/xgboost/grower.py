"""XGBoost as the grower that finds splits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from wgboost import _core
from wgboost.data.binning import Binned, Cuts
from wgboost.trees import Constraints, TreeSettings
from wgboost.trees.flat import FlatTrees
from wgboost.trees.growth import RoundData
from wgboost.trees.sampling import draw_features, draw_projection, draw_rows
from wgboost.trees.xgboost.collective import allreduce, broadcast
from wgboost.trees.xgboost.leaf_sums import leaf_counts, leaf_values
from wgboost.trees.xgboost.library import import_xgboost
from wgboost.trees.xgboost.projection import OutputProjection
from wgboost.trees.xgboost.quantile_matrix import quantile_matrix
from wgboost.trees.xgboost.row_ranges import ranges_of_rows
from wgboost.trees.xgboost.structure import TreeStructure
from wgboost.typing import Array, Directions
from wgboost.validation import check_finite

__all__ = ["XGBoostGrower"]

_MIN_PARALLEL_ROWS = 2**14  # with fewer rows XGBoost's threads mostly wait for each other
_MIN_MASS = 1e-3  # the smallest mass of a leaf, relative to that of an average row


@dataclass(frozen=True, eq=False)
class _RoundInputs:
    """What the trees of a round have in common."""

    binned: Binned
    weight: Array | None  # zero for rows that were not drawn
    settings: TreeSettings
    constraints: Constraints | None
    features: Array  # the columns that were drawn
    projection: OutputProjection
    n_threads: int


@dataclass(eq=False)
class XGBoostGrower:
    """Lets XGBoost find the splits of a round; leaf values are sums over rows, as in the core.

    XGBoost's histograms see the codes and the projection of the outputs that `split_on` asks for.
    The cost of a tree grows with the number of projections, while its leaves have all outputs.

    The rows may be those of one worker of several. Histograms, leaf sums and counts are then added
    up over all workers (see `collective`), and every worker gets the same trees.

    XGBoost cannot count the rows of a leaf if there are several outputs, curvatures or weights. A
    split that leaves fewer than `min_samples_leaf` rows on a side is then pruned afterwards.

    Parameters
    ----------
    device : str, default "cpu"
        The device of XGBoost: "cpu", "cuda", ...

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data import Features
    >>> from wgboost.learners.hist_tree import HistTree
    >>> X = np.arange(8.0)[:, None]
    >>> directions = np.sign(X - 3.5)[:, :, None].astype(np.float32)
    >>> trees = HistTree(grower=XGBoostGrower()).fit(Features.from_raw(X), directions)
    >>> trees.predict(X).ravel().round().astype(int)
    array([-1, -1, -1, -1,  1,  1,  1,  1])
    """

    device: str = "cpu"
    _matrix: tuple[Binned, Any] | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {"device": self.device, "_matrix": None}

    def __call__(
        self,
        data: RoundData,
        settings: TreeSettings,
        rng: np.random.Generator,
        n_threads: int,
        constraints: Constraints | None,
    ) -> tuple[FlatTrees, Array]:
        """Return the trees of one round and the leaf (trees, n) of every row; see `Grower`."""
        binned, cuts, weight = data.binned, data.cuts, data.weight
        direction, curvature = data.direction, data.curvature
        _check(direction, curvature, cuts)
        n, m, d = direction.shape
        n_threads = n_threads if n >= _MIN_PARALLEL_ROWS else 1
        size = m // settings.n_trees(m)
        blocks = [slice(i, i + size) for i in range(0, m, size)]
        # Rows are drawn first, as in the core. Workers take the other draws of the first worker.
        drawn = draw_rows(n, weight, settings.subsample, rng)
        features, kind, matrix = broadcast(
            (
                draw_features(binned.shape[1], settings.colsample, rng),
                *draw_projection(settings.split_on, m * d // len(blocks), rng),
            )
        )
        if drawn is not None:
            drawn_weight = np.zeros(n, dtype=np.float32)
            drawn_weight[drawn] = 1.0 if weight is None else weight[drawn]
            weight = drawn_weight
        inputs = _RoundInputs(
            binned, weight, settings, constraints, features, OutputProjection(kind, matrix),
            n_threads,
        )  # fmt: skip
        trees, leaves = [], []
        for block in blocks:
            g, c = direction[:, block], None if curvature is None else curvature[:, block]
            grown = self._grow(inputs, g, c)
            leaf = grown.leaf_index(binned, cuts, n_threads)
            counts = grown.node_counts(leaf_counts(leaf, grown.n_leaves, drawn))
            grown, new_leaf = grown.pruned(counts, settings.min_samples_leaf)
            leaf = new_leaf[leaf]
            values = leaf_values(
                leaf, grown.n_leaves, g.reshape(n, -1), None if c is None else c.reshape(n, -1),
                weight, settings.l2,
            )  # fmt: skip
            counts = grown.node_counts(leaf_counts(leaf, grown.n_leaves, drawn))
            trees.append(grown.to_flat(cuts, (m, d), block.start * d, values, counts))
            leaves.append(leaf)
        joined = replace(FlatTrees.join(trees), trees_per_round=len(trees))
        ranges = ranges_of_rows(joined, binned, data.weight, n_threads)
        return replace(joined, ranges=ranges), np.stack(leaves)

    def _grow(self, inputs: _RoundInputs, g: Directions, c: Directions | None) -> TreeStructure:
        """Grow one tree on the directions and curvatures (n, particles, d) of its outputs."""
        binned, weight, settings = inputs.binned, inputs.weight, inputs.settings
        if self._matrix is None or self._matrix[0] is not binned:
            self._matrix = binned, quantile_matrix(binned, inputs.n_threads)
        matrix, p, n_features = self._matrix[1], binned.shape[1], len(inputs.features)
        if n_features < p:
            # XGBoost samples columns by weight, and so takes those that were drawn.
            feature_weights = np.zeros(p, dtype=np.float32)
            feature_weights[inputs.features] = 1.0
            matrix.set_info(feature_weights=feature_weights)
        gradient = inputs.projection.gradient(g)
        n, k = gradient.shape
        mass = inputs.projection.mass(c, k, n, weight)
        if weight is not None:
            gradient = gradient * weight[:, None]
        min_mass = float(settings.min_samples_leaf)
        if c is not None or weight is not None:  # mass is not a number of rows
            min_mass = _average_mass(mass, weight) * (min_mass if min_mass > 1 else _MIN_MASS)
        booster = import_xgboost().Booster(
            {
                **_parameters(settings, inputs.constraints, k),
                # Slightly more than the fraction, since XGBoost rounds down.
                "colsample_bytree": min(1.0, (n_features + 1e-3) / p),
                "min_child_weight": min_mass, "nthread": inputs.n_threads, "device": self.device,
            },
            [matrix],
        )  # fmt: skip
        booster.boost(matrix, 0, grad=np.ascontiguousarray(gradient), hess=mass)
        model = json.loads(bytes(booster.save_raw("json")))
        [tree] = model["learner"]["gradient_booster"]["model"]["trees"]
        return TreeStructure.from_json(tree, binned.n_bins)


def _average_mass(mass: Array, weight: Array | None) -> float:
    """Return the mean mass of the rows with a weight, over rows and projections."""
    counted = len(mass) if weight is None else np.count_nonzero(weight)
    summed = float(mass.sum(dtype=np.float64)) / mass.shape[1]
    total, n_rows = allreduce(np.array([summed, counted], dtype=np.float64))
    return float(total / n_rows) if n_rows else 0.0


def _parameters(settings: TreeSettings, constraints: Constraints | None, k: int) -> dict[str, Any]:
    """Return the settings by XGBoost's names, for k outputs."""
    found: dict[str, Any] = {
        "tree_method": "hist",
        "multi_strategy": "multi_output_tree" if k > 1 else "one_output_per_tree",
        "num_target": k,
        "base_score": [0.0] * k if k > 1 else 0.0,
        "disable_default_eval_metric": 1,
        "learning_rate": 1.0,
        "reg_lambda": settings.l2,
        "gamma": settings.min_gain,
        "max_bin": 256,
        "max_depth": settings.max_depth or 0,
        "max_leaves": settings.max_leaves or 0,
        "grow_policy": "lossguide" if settings.growth == "best_first" else "depthwise",
    }
    if constraints is not None and constraints.groups:
        found["interaction_constraints"] = json.dumps([list(one) for one in constraints.groups])
    return found


def _check(direction: Directions, curvature: Directions | None, cuts: Cuts) -> None:
    """Raise ValueError for inputs that XGBoost cannot grow trees on."""
    if cuts.categorical.any():
        raise ValueError(f"feature {int(np.argmax(cuts.categorical))} is categorical")
    if not _core.all_finite(direction):
        check_finite("targets", direction)
    if curvature is not None and not (_core.all_finite(curvature) and curvature.min() >= 0):
        check_finite("curvature", curvature, nonnegative=True)
