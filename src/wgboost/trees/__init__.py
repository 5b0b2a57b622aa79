"""Histogram trees with vector leaves."""

from wgboost.trees.constraints import Constraints
from wgboost.trees.growth import GROUPINGS, GROWTHS, TreeSettings
from wgboost.trees.sampling import PROJECTIONS
from wgboost.trees.tree import Tree

__all__ = ["GROUPINGS", "GROWTHS", "PROJECTIONS", "Constraints", "Tree", "TreeSettings"]
