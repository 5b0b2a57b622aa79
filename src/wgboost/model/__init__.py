"""Fitted models as values: what training returns and everything else reads."""

from wgboost.model.bag import FittedBag
from wgboost.model.fitted import FittedModel, History

__all__ = ["FittedBag", "FittedModel", "History"]
