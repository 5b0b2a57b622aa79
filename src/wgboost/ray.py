"""Estimators for Ray Datasets, trained by Ray Train.

    import ray
    from wgboost.ray import WGBRegressor

    ray.init()
    dataset = ray.data.read_parquet("folder")
    model = WGBRegressor(n_estimators=500, evidence=1)
    model.fit(dataset, "price", scaling_config=4)  # 4 workers
    model.save("model.safetensors")  # an ordinary model; it needs neither Ray nor XGBoost

Ray is imported when a model is fitted.
"""

from wgboost.distributed.ray import WGBClassifier, WGBRegressor

__all__ = ["WGBClassifier", "WGBRegressor"]
