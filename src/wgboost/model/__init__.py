"""Fitted models as values: what training returns and everything else reads."""

from wgboost.model.bag import FittedBag
from wgboost.model.error_model import ErrorModel
from wgboost.model.fitted import FittedModel, History

__all__ = ["ErrorModel", "FittedBag", "FittedModel", "History"]
