"""Functions of x that are fitted to the movement of a round."""

from wgboost.learners.base import FittedLearner, Learner
from wgboost.learners.regressor import RegressorLearner, as_learner
from wgboost.learners.tree_learner import TreeLearner

__all__ = ["FittedLearner", "Learner", "RegressorLearner", "TreeLearner", "as_learner"]
