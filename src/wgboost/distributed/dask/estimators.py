"""The estimators of the package for Dask arrays and frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost import estimators
from wgboost.distributed.dask import fitting, prediction
from wgboost.distributed.dask.prediction import lazy_for_collections
from wgboost.distributed.defaults import document_parameters_of
from wgboost.estimators.base import BaseModel
from wgboost.estimators.base_classifier import BaseClassifier
from wgboost.estimators.base_regressor import BaseRegressor
from wgboost.estimators.credible_bands import band_columns
from wgboost.model import FittedModel

__all__ = ["WGBClassifier", "WGBRegressor"]

_predict_band = lazy_for_collections(
    BaseModel.predict_band, lambda self, given: band_columns(self, given["of"], given["coverage"])
)


@document_parameters_of(estimators.WGBRegressor)
class WGBRegressor(BaseRegressor):
    """`wgboost.WGBRegressor` for Dask arrays and frames.

    It has the parameters and the fitted attributes of `wgboost.WGBRegressor`. XGBoost finds the
    splits, which is the only engine that runs on a cluster. `fit` has parameters of its own.
    Predictions for Dask collections are lazy.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from wgboost.dask import WGBRegressor
    >>> X = da.random.default_rng(0).normal(size=(100, 2), chunks=(50, 2))
    >>> client = Client(processes=False, n_workers=1, dashboard_address=None)
    >>> model = WGBRegressor(n_estimators=5, evidence=1.0, n_jobs=1, random_state=0)
    >>> model = model.fit(X, X[:, 0], tracker_host="127.0.0.1")
    >>> model.predict(X).compute().shape
    (100,)
    >>> client.close()
    """

    model_: FittedModel
    __init__ = estimators.WGBRegressor.__init__
    paper = vars(estimators.WGBRegressor)["paper"]
    fit = fitting.fit
    apply = estimators.WGBRegressor.apply
    _matrix = prediction.matrix_in_memory

    predict_dist: Any = prediction.predict_dist
    ood_score = lazy_for_collections(BaseRegressor.ood_score)
    predict = lazy_for_collections(
        BaseRegressor.predict,
        lambda self, _: (self.n_outputs_,) if self.n_outputs_ > 1 else (),
    )
    predict_quantiles = lazy_for_collections(
        BaseRegressor.predict_quantiles, lambda _, given: (np.atleast_1d(given["alpha"]).size,)
    )
    predict_interval = lazy_for_collections(BaseRegressor.predict_interval, lambda *_: (2,))
    predict_band = _predict_band


@document_parameters_of(estimators.WGBClassifier)
class WGBClassifier(BaseClassifier):
    """`wgboost.WGBClassifier` for Dask arrays and frames.

    It has the parameters and the fitted attributes of `wgboost.WGBClassifier`. XGBoost finds the
    splits, which is the only engine that runs on a cluster. `fit` has parameters of its own.
    Predictions for Dask collections are lazy.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from wgboost.dask import WGBClassifier
    >>> X = da.random.default_rng(0).normal(size=(100, 2), chunks=(50, 2))
    >>> client = Client(processes=False, n_workers=1, dashboard_address=None)
    >>> model = WGBClassifier(n_estimators=5, evidence=1.0, n_jobs=1, random_state=0)
    >>> model = model.fit(X, X[:, 0] > 0, tracker_host="127.0.0.1")
    >>> model.predict(X).compute().shape
    (100,)
    >>> client.close()
    """

    model_: FittedModel
    __init__ = estimators.WGBClassifier.__init__
    paper = vars(estimators.WGBClassifier)["paper"]
    fit = fitting.fit
    apply = estimators.WGBClassifier.apply
    _matrix = prediction.matrix_in_memory

    predict_dist: Any = prediction.predict_dist
    ood_score = lazy_for_collections(BaseClassifier.ood_score)
    predict = lazy_for_collections(BaseClassifier.predict, dtype=lambda self: self.classes_.dtype)
    predict_proba = lazy_for_collections(
        BaseClassifier.predict_proba, lambda self, _: (len(self.classes_),)
    )
    predict_band = _predict_band
