"""XGBoost as the engine that finds splits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from wgboost import _core
from wgboost.data import Binned, Cuts
from wgboost.trees import Constraints, FlatTrees, TreeSettings
from wgboost.trees.sampling import draw_features, draw_projection, draw_rows
from wgboost.trees.xgboost.collective import common, total
from wgboost.trees.xgboost.leaf_sums import leaf_counts, leaf_values
from wgboost.trees.xgboost.library import library
from wgboost.trees.xgboost.projection import View
from wgboost.trees.xgboost.quantile_matrix import code_matrix
from wgboost.trees.xgboost.structure import Structure
from wgboost.typing import Array, Directions
from wgboost.validation import check_finite

__all__ = ["XGBoostGrower"]

_SMALL = 2**14  # rows: below it the threads of XGBoost wait for each other more than they work
_LEAST = 1e-3  # of an average row's mass: what counts for next to nothing makes no leaf


@dataclass(eq=False)
class XGBoostGrower:
    """Lets XGBoost find the splits of a round; leaf values are sums over rows, as always.

    XGBoost's histograms see the codes and what `split_on` shows of the movement, so a tree costs as
    many outputs as the search looks at, and leaves hold all of them. Particles stay what
    the boosting loop keeps. Rows can be those of one worker of many: histograms,
    leaf sums and counts are then added up over all (see `collective`), and every worker
    gets the same trees.

    Where XGBoost cannot count the rows of a leaf, a split that leaves fewer than
    `min_samples_leaf` of them on a side is undone after the tree is grown.
    """

    device: str = "cpu"
    _matrix: tuple[Binned, Any] | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {"device": self.device, "_matrix": None}

    def __call__(
        self, binned: Binned, cuts: Cuts, direction: Directions, curvature: Directions | None,
        weight: Array | None, settings: TreeSettings, rng: np.random.Generator,
        n_threads: int, constraints: Constraints | None,
    ) -> tuple[FlatTrees, Array]:  # fmt: skip
        """Return the trees of one round and the leaf (trees, n) of every row; see `Grower`."""
        _check(direction, curvature, cuts)
        n, m, d = direction.shape
        n_threads = n_threads if n >= _SMALL else 1
        blocks = [slice(i, i + 1) for i in range(m)]
        if settings.tree == "shared":
            blocks = [slice(0, m)]
        # As the core draws: rows first, and of all workers the first says what else.
        drawn = draw_rows(n, weight, settings.subsample, rng)
        features, projection, matrix = common(
            (
                draw_features(binned.shape[1], settings.colsample, rng),
                *draw_projection(settings.split_on, m * d // len(blocks), rng),
            )
        )
        if drawn is not None:
            share = np.zeros(n, dtype=np.float32)
            share[drawn] = 1.0 if weight is None else weight[drawn]
            weight = share
        view = View(projection, matrix)
        trees, leaves = [], []
        for block in blocks:
            g, c = direction[:, block], None if curvature is None else curvature[:, block]
            grown = self._grow(
                binned, view, g, c, weight, settings, features, n_threads, constraints
            )
            leaf = grown.leaf_of(binned, cuts, n_threads)
            reached = grown.reached(leaf_counts(leaf, int((grown.left < 0).sum()), drawn))
            grown, which = grown.undone(reached, settings.min_samples_leaf)
            leaf = which[leaf]
            n_leaves = int((grown.left < 0).sum())
            values = leaf_values(
                leaf, n_leaves, g.reshape(n, -1), None if c is None else c.reshape(n, -1), weight,
                settings.l2,
            )  # fmt: skip
            reached = grown.reached(leaf_counts(leaf, n_leaves, drawn))
            trees.append(grown.trees(cuts, (m, d), block.start * d, values, reached))
            leaves.append(leaf)
        return replace(FlatTrees.join(trees), trees_per_round=len(trees)), np.stack(leaves)

    def _grow(
        self, binned: Binned, view: View, g: Directions, c: Directions | None,
        weight: Array | None, settings: TreeSettings, features: Array, n_threads: int,
        constraints: Constraints | None,
    ) -> Structure:  # fmt: skip
        """Grow one tree on the movement (n, particles, d) of its outputs."""
        if self._matrix is None or self._matrix[0] is not binned:
            self._matrix = binned, code_matrix(binned, n_threads)
        matrix, p = self._matrix[1], binned.shape[1]
        if len(features) < p:
            # Of so many columns XGBoost draws those that weigh something.
            asked = np.zeros(p, dtype=np.float32)
            asked[features] = 1.0
            matrix.set_info(feature_weights=asked)
        gradient = view.gradient(g)
        n, k = gradient.shape
        mass = view.mass(c, k, n, weight)
        if weight is not None:
            gradient = gradient * weight[:, None]
        least = float(settings.min_samples_leaf)
        if c is not None or weight is not None:  # mass is not a number of rows
            least = _average(mass, weight) * (least if least > 1 else _LEAST)
        booster = library().Booster(
            {
                **_parameters(settings, constraints, k),
                # A hair more than the share: XGBoost rounds down.
                "colsample_bytree": min(1.0, (len(features) + 1e-3) / p),
                "min_child_weight": least, "nthread": n_threads, "device": self.device,
            },
            [matrix],
        )  # fmt: skip
        booster.boost(matrix, 0, grad=np.ascontiguousarray(gradient), hess=mass)
        model = json.loads(bytes(booster.save_raw("json")))
        [tree] = model["learner"]["gradient_booster"]["model"]["trees"]
        return Structure.parsed(tree, binned.n_bins)


def _average(mass: Array, weight: Array | None) -> float:
    """Return the mean mass of a row that counts, over the outputs seen."""
    counted = len(mass) if weight is None else np.count_nonzero(weight)
    summed = float(mass.sum(dtype=np.float64)) / mass.shape[1]
    everywhere, rows = total(np.array([summed, counted], dtype=np.float64))
    return float(everywhere / rows) if rows else 0.0


def _parameters(settings: TreeSettings, constraints: Constraints | None, k: int) -> dict[str, Any]:
    """The settings in XGBoost's words, for k outputs."""
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
    """Raise ValueError for what XGBoost cannot grow on."""
    if cuts.categorical.any():
        raise ValueError(f"feature {int(np.argmax(cuts.categorical))} is categorical")
    if not _core.all_finite(direction):
        check_finite("targets", direction)
    if curvature is not None and not (_core.all_finite(curvature) and curvature.min() >= 0):
        check_finite("curvature", curvature, nonnegative=True)
