"""The method `fit` of `WGBRegressorCV` and `WGBClassifierCV`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from wgboost.data.naming import named_columns
from wgboost.metrics.metadata import describe_metadata
from wgboost.selection.attributes import set_bag
from wgboost.selection.bag import BagData, check_bag_parameters, fit_bag, warn_of_bag

if TYPE_CHECKING:
    from wgboost.selection.classifier import WGBClassifierCV
    from wgboost.selection.regressor import WGBRegressorCV

__all__ = ["fit"]

_Bag = TypeVar("_Bag", "WGBRegressorCV", "WGBClassifierCV")


def fit(
    self: _Bag, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None,
    offset: Any = None, exposure: Any = None, y_std: Any = None, callbacks: Sequence[Any] = (),
) -> _Bag:  # fmt: skip
    """Compare the recipes, keep the models of the best one, and calibrate them.

    Parameters
    ----------
    X : array, data frame or sparse matrix (n, p)
        Features of the training rows.
    y : array (n,), (n, q) or str
        Outcomes, which may be `censored`, or labels of classes; or the name of a column of X.
    sample_weight : array (n,), str or None, default=None
        Weights of the rows.
    groups : array (n,), str or None, default=None
        Labels of groups. Rows of one group are in one fold.
    offset : array (n,), str or None, default=None
        Known part of the location, as in `fit` of the members.
    exposure : array (n,), str or None, default=None
        Exposure of the rows, as in `WGBRegressor.fit`. Classes have none.
    y_std : array (n,), float, str or None, default=None
        Known standard deviation of the error of y. Classes have none.
    callbacks : sequence of callables, default=()
        Called after every round of every model, with the "member" in the dict; see
        `wgboost.callbacks`. A callback that returns True ends the fit, as `MaxTime` does. The bag
        then has the finished models of the best recipe so far, or the first model.

    Returns
    -------
    self : estimator
        The fitted bag.

    Raises
    ------
    ValueError
        If a parameter or the data make no sense. A fit that raises leaves the estimator as it was.
    KeyboardInterrupt
        If Ctrl-C is pressed before the first model is fitted. Later, Ctrl-C ends the fit with the
        folds that the best recipe so far has finished, and the warning `Interrupted`.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressorCV
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> few = {"n_estimators": 10, "n_particles": 3, "cv": 2, "random_state": 0}
    >>> bag = WGBRegressorCV([{"max_leaves": 4}], **few).fit(X, X[:, 0] ** 2)
    >>> len(bag.members_)
    2
    """
    params = self.get_params(deep=False)
    check_bag_parameters(type(self).__name__, params, callbacks)
    fit_params = {
        "y": y, "groups": groups, "sample_weight": sample_weight, "offset": offset,
        "exposure": exposure, "y_std": y_std,
    }  # fmt: skip
    X, fit_params, names = named_columns(X, fit_params)
    row_parameters = describe_metadata(fit_params, names)
    y, groups = fit_params.pop("y"), fit_params.pop("groups")
    data = BagData(X, y, fit_params, groups, callbacks)
    result = fit_bag(self.bag_type(params), data)
    set_bag(self, result, row_parameters)
    warn_of_bag(result, 2)
    return self
