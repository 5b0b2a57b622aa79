"""Credible bands of what a model predicts.

The function with a `self` is a method of `BaseModel`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from wgboost.predictive.bands import Quantity, check_band
from wgboost.responses import Categorical, Ordinal, Response, Units
from wgboost.typing import Array
from wgboost.validation import format_value

if TYPE_CHECKING:
    from wgboost.estimators.base import BaseModel

__all__ = ["band_columns", "predict_band"]

_LABELS = 10  # labels that an error lists


def predict_band(
    self: BaseModel, X: Any, of: Quantity = "mean", coverage: float = 0.9, *, offset: Any = None,
    exposure: Any = None, prior: Any = None,
) -> Array:  # fmt: skip
    """Predict credible bands: where the mean of y, or another quantity, is.

    The quantity itself is inside with this probability, as far as the model knows, and the band
    becomes narrow with many rows. y scatters more: `predict_interval` of a regressor is for y.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    of : str, float or callable, default="mean"
        "mean" or "median" of y; "scale", the standard deviation of the noise; a number between 0
        and 1, that quantile of y; the name of a parameter of the response, a key of
        `predict_particles`; or a function of a dict as `predict_particles` returns it, that
        returns an array of the shape of its values. For classes "mean" is the probability of each.
    coverage : float, default=0.9
        Probability that the quantity is inside.
    offset : number, array (n,) or str, optional
        The known part of the location, as in `fit`; a str names a column of X.
    exposure : number, array (n,) or str, optional
        The exposure of each row, as in `fit`; 1 by default.
    prior : dict, optional
        Another prior than that of the fit; see `predict_dist`.

    Returns
    -------
    array (n, 2)
        Lower and upper ends; (n, k, 2) for the probabilities of k classes, in the order of
        `classes_`, and (n, q, 2) for q columns of y.

    Raises
    ------
    ValueError
        If there is no such quantity, or the coverage is not between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    >>> model.predict_band(X).shape
    (60, 2)
    >>> low, high = model.predict_band(X, of=0.95, coverage=0.5).T
    >>> band = model.predict_band(X, of=lambda params: params["scale"] / params["mean"])
    """
    check_is_fitted(self)
    band_columns(self, of, coverage)  # an error comes before predictions
    dist = self.predict_dist(X, offset=offset, exposure=exposure, prior=prior)
    ends = np.stack(dist.band(of, coverage), axis=-1)
    if ends.ndim == 3 and dist.classes is not None:
        return ends[:, : len(dist.classes)]
    return ends


def _predicted_response(model: Any) -> Response:
    """Return the response of what `predict_dist` returns."""
    response: Response = model.response_
    if isinstance(response, Ordinal) and is_classifier(model):
        return Categorical(n_classes=max(2, len(model.classes_)))
    return response


def band_columns(model: Any, of: Quantity, coverage: float) -> tuple[int, ...]:
    """Return the shape of a band for one row; raise an error where there is none.

    Parameters
    ----------
    model : estimator
        A fitted model.
    of, coverage
        As in `predict_band`.

    Returns
    -------
    tuple of int
        (2,), or (k, 2) for k classes, or (q, 2) for q columns of y.
    """
    response = _predicted_response(model)
    if response.nominal and np.isscalar(of):
        _check_of_classes(response, model.classes_, of)
    check_band(response, of, coverage)
    if callable(of):
        return (2,)
    if response.nominal:
        return (len(model.classes_), 2) if of == "mean" else (2,)
    of_y = of in ("mean", "median", "scale") or not isinstance(of, str)
    return (*response.y_shape, 2) if of_y else (2,)


def _check_of_classes(response: Response, classes: Array, of: Any) -> None:
    """Raise ValueError, with the labels, unless a classifier has a band of a quantity."""
    units: Any = Units()
    names = list(response.natural(np.zeros((1, 1, response.n_params)), units))
    if of in ("mean", *names):
        return
    each = [
        f"{name!r} for that of {format_value(label)}"
        for name, label in zip(names, classes.tolist(), strict=False)
    ]
    if len(each) > _LABELS:
        each[_LABELS:] = [f"... ({len(each)} classes)"]
    raise ValueError(
        f"of={format_value(of)} is not for classes; use 'mean' for the probabilities of all, "
        f"{', '.join(each)}, or a function of the dict of their probabilities"
    )
