"""How close rows are to training rows, in the features of the splits.

The functions with a `self` are methods of `BaseModel` and of `WGBoost`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from wgboost.data.frames import as_frame
from wgboost.predictive.table import as_table
from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.estimators.base import BaseModel
    from wgboost.estimators.general import WGBoost

__all__ = ["explain_support", "predict_support"]


def predict_support(self: BaseModel | WGBoost, X: Any, *, n_rounds: int | None = None) -> Array:
    """Return how close each row is to training rows, in the features of the splits.

    The support of a row is 1 if its values are among those of training rows in all nodes on its way
    down the trees. It fades to 0 as the row moves away from them, beyond the training data or into
    a gap. The distance over which it fades is the reach, ``TreeLearner(support=0.3)``, in standard
    deviations of a feature. A model without splits has support 1.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    n_rounds : int, optional
        Use only the first rounds.

    Returns
    -------
    array (n,)
        Support from 0 to 1, the mean over trees.

    Raises
    ------
    TypeError
        If the model has no trees.
    ValueError
        If the model was fitted with ``TreeLearner(support=False)``, or by an earlier version.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.r_[np.arange(30.0), np.arange(60.0, 90.0)][:, None]
    >>> model = WGBRegressor(n_estimators=20, random_state=0).fit(X, np.sin(X[:, 0] / 9))
    >>> model.predict_support([[20.0], [200.0]]).round(1)
    array([1., 0.])
    """
    check_is_fitted(self)
    matrix = self._matrix(X)
    return self.model_.support(matrix, self._n_threads(), n_rounds).support


def explain_support(self: BaseModel | WGBoost, X: Any, *, n_rounds: int | None = None) -> Any:
    """Return the features that take the support of each row away.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    n_rounds : int, optional
        Use only the first rounds.

    Returns
    -------
    array (n, p) or DataFrame
        Lost support by feature; the sum over features is 1 - `predict_support`. If X is a data
        frame, a frame of the same library, with a column for each feature.

    Raises
    ------
    TypeError
        If the model has no trees.
    ValueError
        If the model was fitted with ``TreeLearner(support=False)``, or by an earlier version.

    Examples
    --------
    >>> import pandas as pd
    >>> from wgboost import WGBRegressor
    >>> X = pd.DataFrame({"age": range(60), "day": [i % 7 for i in range(60)]})
    >>> model = WGBRegressor(n_estimators=20, random_state=0).fit(X, X["age"] + X["day"])
    >>> lost = model.explain_support(pd.DataFrame({"age": [30, 300], "day": [3, 3]}))
    >>> bool(lost.loc[1, "age"] > 0.9), bool(lost.loc[1, "day"] < 0.1)
    (True, True)
    """
    check_is_fitted(self)
    shares = self.model_.explain_support(self._matrix(X), self._n_threads(), n_rounds)
    schema = self.model_.schema
    if as_frame(X) is None or schema is None or schema.names is None:
        return shares
    return as_table(dict(zip(schema.names, shares.T.copy(), strict=True)), X)
