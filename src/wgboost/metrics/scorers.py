"""Scorers for scikit-learn's model selection, of which larger is better.

A scorer is called with (estimator, X, y), as by ``cross_val_score(model, X, y,
scoring=get_scorer("crps"))``. It takes metadata of the rows, such as an exposure, by keyword or by
scikit-learn's metadata routing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import MetadataRequest

from wgboost.metrics.metadata import PREDICT_METADATA, score_metadata
from wgboost.metrics.metric import Metric
from wgboost.metrics.registry import METRICS
from wgboost.metrics.unwrapping import inverse_transform_dist, predict_dist, unwrap
from wgboost.validation import accepts, accepts_sample_weight, check_choice, nearest_name

__all__ = ["Scorer", "get_scorer", "make_scorer"]

# Default requests of metadata routing: a model cannot be scored without its exposure, while weights
# are optional.
_REQUESTS = {"sample_weight": None, "offset": True, "exposure": True, "y_std": True}


@dataclass
class Scorer:
    """Score an estimator by a metric of its predictive distributions; larger is better.

    Parameters
    ----------
    name : str
        The name in messages.
    function : callable
        A metric of (dist, y), which may take `sample_weight` and `y_std`.
    greater_is_better : bool, default=False
        Whether larger values of the metric are better. Otherwise the scorer returns minus its
        value.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor, metrics
    >>> rng = np.random.default_rng(0)
    >>> X, years = rng.uniform(size=(50, 2)), rng.uniform(1, 9, size=50)
    >>> claims = rng.poisson(years)
    >>> model = WGBRegressor(response="poisson", n_estimators=5, evidence=1)
    >>> model = model.fit(X, claims, exposure=years)
    >>> score = metrics.get_scorer("nll")(model, X, claims, exposure=years)
    >>> score < 0
    True
    """

    name: str
    function: Callable[..., Any]
    greater_is_better: bool = False
    _requests: dict[str, Any] = field(
        default_factory=lambda: dict(_REQUESTS), init=False, repr=False, compare=False
    )

    def __call__(
        self, estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any = None, *,
        offset: Any = None, exposure: Any = None, y_std: Any = None,
    ) -> float:  # fmt: skip
        """Compute the score of a fitted estimator on some rows.

        Parameters
        ----------
        estimator : BaseEstimator
            A fitted estimator with `predict_dist`, or a pipeline that ends with one.
        X : array-like or data frame of shape (n, p)
            The rows.
        y : array-like of shape (n,) or str
            The observations, or the name of a column if X is a frame.
        sample_weight : array-like of shape (n,) or str, optional
            Weights of the rows, or the name of a column.
        offset : float, array-like of shape (n,) or str, optional
            The offset of the rows, or the name of a column. By default it is the column that `fit`
            took by name. A model that was fitted with other values raises an error without it.
        exposure : float, array-like of shape (n,) or str, optional
            The exposure of the rows; as the offset.
        y_std : float, array-like of shape (n,) or str, optional
            The known error of y, for the NLL. Other metrics ignore it.

        Returns
        -------
        float
            Larger is better.
        """
        if sample_weight is not None and not accepts_sample_weight(self.function):
            raise TypeError(f"the metric {self.name!r} takes no sample_weight")
        last, X, transformers = unwrap(estimator, X)
        given = {"sample_weight": sample_weight, "offset": offset, "exposure": exposure}
        X, y, metadata = score_metadata(last, X, y, y_std=y_std, **given)
        function = self.function
        if metadata["y_std"] is not None and accepts(function, "y_std"):
            function = partial(function, y_std=metadata["y_std"])
        known = {name: metadata[name] for name in PREDICT_METADATA if metadata[name] is not None}
        dist = inverse_transform_dist(predict_dist(last, X, **known), transformers)
        value = Metric(self.name, function)(dist, y, metadata["sample_weight"])
        return value if self.greater_is_better else -value

    # --- scikit-learn's metadata routing ------------------------------------------------------

    def set_score_request(self, **requests: Any) -> Scorer:
        """Choose which metadata the scorer requests in metadata routing.

        `offset`, `exposure` and `y_std` are requested by default, `sample_weight` is not.

        Parameters
        ----------
        **requests : bool, None or str
            For each parameter: whether it is requested, None if giving it is an error, or the name
            under which it is given.

        Returns
        -------
        Scorer
            The scorer itself.

        Examples
        --------
        >>> import sklearn
        >>> from wgboost import metrics
        >>> with sklearn.config_context(enable_metadata_routing=True):
        ...     scorer = metrics.get_scorer("crps").set_score_request(sample_weight=True)
        >>> scorer.name
        'crps'
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request is for metadata routing, which is off; turn it on by "
                "sklearn.set_config(enable_metadata_routing=True)"
            )
        for name in requests:
            if name not in _REQUESTS:
                suggestion = nearest_name(name, _REQUESTS)
                raise TypeError(f"the scorer {self.name!r} takes no {name!r}{suggestion}")
        self._requests |= requests
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata that the scorer requests, for scikit-learn's metadata routing.

        Returns
        -------
        MetadataRequest

        Examples
        --------
        >>> from wgboost import metrics
        >>> metrics.get_scorer("crps").get_metadata_routing().score.requests["exposure"]
        True
        """
        request = MetadataRequest(owner=self)
        for parameter, alias in self._requests.items():
            request.score.add_request(param=parameter, alias=alias)
        return request

    def _accept_sample_weight(self) -> bool:
        """Whether searches without metadata routing may pass weights."""
        return accepts_sample_weight(self.function)


def make_scorer(function: Any, *, greater_is_better: bool = False, **settings: Any) -> Scorer:
    """Make a scorer from a metric of your own.

    Parameters
    ----------
    function : callable
        A function of (dist, y), which may take `sample_weight`. Classes are given by labels;
        `dist.encode_labels(y)` returns their codes.
    greater_is_better : bool, default=False
        Whether a larger value of the function is better.
    **settings : Any
        Further arguments of the function.

    Returns
    -------
    Scorer

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import metrics
    >>> def largest_error(dist, y):
    ...     return np.abs(dist.mean() - y).max()
    >>> metrics.make_scorer(largest_error).name
    'largest_error'
    """
    if not callable(function):
        raise TypeError(f"{function!r} must be a function of (dist, y); get_scorer takes names")
    name = getattr(function, "__name__", type(function).__name__)
    with_settings = partial(function, **settings) if settings else function
    return Scorer(name, with_settings, greater_is_better)


def get_scorer(metric: str | Metric, **settings: Any) -> Scorer:
    """Make the scorer of a metric of this package.

    Parameters
    ----------
    metric : str or Metric
        A key of `METRICS`, or a metric of your own. Metrics of which smaller is better are
        negated; "coverage" is minus the distance of the coverage from the confidence.
    **settings : Any
        Further arguments of the metric.

    Returns
    -------
    Scorer

    Raises
    ------
    ValueError
        If there is no such metric.
    TypeError
        If the metric has no such argument.

    Examples
    --------
    >>> from wgboost import metrics
    >>> metrics.get_scorer("interval_score", confidence=0.8).greater_is_better
    False
    """
    row = metric if isinstance(metric, Metric) else METRICS[check_choice("scorer", metric, METRICS)]
    function = row.function if row.greater_is_better or row.loss is None else row.loss
    valid = list(inspect.signature(function).parameters)[2:]
    for setting in settings:
        if setting not in valid or setting in _REQUESTS:
            raise TypeError(
                f"the metric {row.name!r} has no setting {setting!r}{nearest_name(setting, valid)}"
            )
    with_settings = partial(function, **settings) if settings else function
    return Scorer(row.name, with_settings, row.greater_is_better)
