"""Ray clusters: estimators, workers and blocks. The public names are in `wgboost.ray`."""

from wgboost.distributed.ray.estimators import WGBClassifier, WGBRegressor

__all__ = ["WGBClassifier", "WGBRegressor"]
