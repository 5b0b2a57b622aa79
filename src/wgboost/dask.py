"""Estimators for data that are spread over the workers of a Dask cluster.

    from dask.distributed import Client
    from wgboost.dask import WGBRegressor

    client = Client("tcp://scheduler:8786")
    model = WGBRegressor(n_estimators=500, evidence=1).fit(X, y)  # Dask arrays or frames
    model.predict(X)  # lazy, one partition after the other
    model.save("model.safetensors")  # an ordinary model; it needs neither Dask nor XGBoost

Dask is imported when a model is fitted or predicts.
"""

from wgboost.distributed.dask import Distributions, WGBClassifier, WGBRegressor

__all__ = ["Distributions", "WGBClassifier", "WGBRegressor"]
