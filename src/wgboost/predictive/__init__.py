"""Predictive distributions: for each row a mixture over its particles."""

from wgboost.predictive.joint import JointMixture, make_mixture
from wgboost.predictive.mixture import Mixture

__all__ = ["JointMixture", "Mixture", "make_mixture"]
