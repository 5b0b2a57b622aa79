"""The estimators of the package for Ray Datasets."""

from __future__ import annotations

from wgboost import estimators
from wgboost.distributed.defaults import document_parameters_of
from wgboost.distributed.ray import fitting
from wgboost.estimators.base_classifier import BaseClassifier
from wgboost.estimators.base_regressor import BaseRegressor
from wgboost.model import FittedModel

__all__ = ["WGBClassifier", "WGBRegressor"]


@document_parameters_of(estimators.WGBRegressor)
class WGBRegressor(BaseRegressor):
    """`wgboost.WGBRegressor` for Ray Datasets.

    It has the parameters and the fitted attributes of `wgboost.WGBRegressor`. XGBoost finds the
    splits, which is the only engine that runs on a cluster. `fit` has parameters of its own.

    Examples
    --------
    >>> import ray  # doctest: +SKIP
    >>> from wgboost.ray import WGBRegressor
    >>> dataset = ray.data.read_parquet("folder")  # doctest: +SKIP
    >>> model = WGBRegressor(n_estimators=500, evidence=1.0)
    >>> model.fit(dataset, "price", scaling_config=4)  # doctest: +SKIP
    """

    model_: FittedModel
    __init__ = estimators.WGBRegressor.__init__
    paper = vars(estimators.WGBRegressor)["paper"]
    fit = fitting.fit
    apply = estimators.WGBRegressor.apply
    _matrix = fitting.matrix_in_memory


@document_parameters_of(estimators.WGBClassifier)
class WGBClassifier(BaseClassifier):
    """`wgboost.WGBClassifier` for Ray Datasets.

    It has the parameters and the fitted attributes of `wgboost.WGBClassifier`. XGBoost finds the
    splits, which is the only engine that runs on a cluster. `fit` has parameters of its own.

    Examples
    --------
    >>> import ray  # doctest: +SKIP
    >>> from wgboost.ray import WGBClassifier
    >>> dataset = ray.data.read_parquet("folder")  # doctest: +SKIP
    >>> model = WGBClassifier(n_estimators=500, evidence=1.0)
    >>> model.fit(dataset, "label", scaling_config=4)  # doctest: +SKIP
    """

    model_: FittedModel
    __init__ = estimators.WGBClassifier.__init__
    paper = vars(estimators.WGBClassifier)["paper"]
    fit = fitting.fit
    apply = estimators.WGBClassifier.apply
    _matrix = fitting.matrix_in_memory
