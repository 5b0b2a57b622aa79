"""What a model predicts: for each row a mixture over its particles."""

from wgboost.predictive.mixture import Mixture

__all__ = ["Mixture"]
