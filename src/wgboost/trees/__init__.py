"""Histogram trees with vector leaves."""

from wgboost.trees.constraints import Constraints
from wgboost.trees.flat import FlatTrees
from wgboost.trees.growth import GROUPINGS, GROWTHS, Grower, TreeSettings, grow_trees
from wgboost.trees.levels import level_signal
from wgboost.trees.sampling import PROJECTIONS
from wgboost.trees.tree import Tree

__all__ = [
    "GROUPINGS",
    "GROWTHS",
    "PROJECTIONS",
    "Constraints",
    "FlatTrees",
    "Grower",
    "Tree",
    "TreeSettings",
    "grow_trees",
    "level_signal",
]
