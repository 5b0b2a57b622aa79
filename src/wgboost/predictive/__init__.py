"""What a model predicts: for each row a mixture over its particles."""

from wgboost.predictive.joint import JointMixture, mixture_of
from wgboost.predictive.mixture import Mixture

__all__ = ["JointMixture", "Mixture", "mixture_of"]
