"""Histogram trees with vector leaves."""

from wgboost.trees.constraints import Constraints
from wgboost.trees.flat import FlatTrees
from wgboost.trees.growth import GROUPINGS, GROWTHS, PROJECTIONS, TreeSettings, grow_trees
from wgboost.trees.tree import Tree

__all__ = [
    "GROUPINGS",
    "GROWTHS",
    "PROJECTIONS",
    "Constraints",
    "FlatTrees",
    "Tree",
    "TreeSettings",
    "grow_trees",
]
