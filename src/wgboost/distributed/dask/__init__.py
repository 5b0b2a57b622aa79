"""Estimators for data that are spread over the workers of a Dask cluster.

    from dask.distributed import Client
    from wgboost.dask import WGBRegressor

    client = Client("tcp://scheduler:8786")
    model = WGBRegressor(n_estimators=500, evidence=1).fit(X, y)  # Dask arrays or frames
    model.predict(X)  # lazily, partition by partition
    model.save("model.safetensors")  # an ordinary model: neither Dask nor XGBoost is needed

Dask is imported here alone, and only when something is fitted or predicted.
"""

from wgboost.distributed.dask.distributions import Distributions
from wgboost.distributed.dask.estimators import WGBClassifier, WGBRegressor

__all__ = ["Distributions", "WGBClassifier", "WGBRegressor"]
