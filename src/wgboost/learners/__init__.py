"""What fits a function of x to one round's directions."""

from wgboost.learners.base import FittedLearner, Learner
from wgboost.learners.hist_tree import FittedTrees, HistTree
from wgboost.learners.regressor import FittedRegressor, RegressorLearner, as_learner, weight_options
from wgboost.learners.tree_learner import TreeLearner

__all__ = [
    "FittedLearner",
    "FittedRegressor",
    "FittedTrees",
    "HistTree",
    "Learner",
    "RegressorLearner",
    "TreeLearner",
    "as_learner",
    "weight_options",
]
