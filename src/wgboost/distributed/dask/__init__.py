"""Dask clusters: estimators, workers and partitions. The public names are in `wgboost.dask`."""

from wgboost.distributed.dask.distributions import Distributions
from wgboost.distributed.dask.estimators import WGBClassifier, WGBRegressor

__all__ = ["Distributions", "WGBClassifier", "WGBRegressor"]
