"""What a model answers from its predictive distributions: particles, draws, decisions, tables.

The functions with a `self` are methods of `BaseModel`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wgboost.data.frames import as_frame
from wgboost.estimators.tables import predicted_columns
from wgboost.predictive.decisions import bayes_action
from wgboost.predictive.table import QUANTILES, as_table
from wgboost.typing import Array
from wgboost.validation import check_integer

if TYPE_CHECKING:
    from wgboost.estimators.base import BaseModel

__all__ = [
    "decide",
    "predict_particles",
    "predict_table",
    "sample",
    "staged_predict_particles",
]


def predict_particles(
    self: BaseModel, X: Any, *, offset: Any = None, exposure: Any = None
) -> dict[str, Array]:
    """Predict the particles of each row.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    offset : number, array (n,) or str, optional
        The known part of the location, as in `fit`; a str names a column of X.
    exposure : number, array (n,) or str, optional
        The exposure of each row, as in `fit`; 1 by default.

    Returns
    -------
    dict of array (n, m)
        Values by parameter of the response, in the units of y.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    >>> sorted(model.predict_particles(X))
    ['mean', 'scale']
    """
    return self.predict_dist(X, offset=offset, exposure=exposure).params()


def staged_predict_particles(
    self: BaseModel, X: Any, *, offset: Any = None, exposure: Any = None
) -> Iterator[dict[str, Array]]:
    """Predict the particles of each row after each round.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    offset : number, array (n,) or str, optional
        The known part of the location, as in `fit`; a str names a column of X.
    exposure : number, array (n,) or str, optional
        The exposure of each row, as in `fit`; 1 by default.

    Yields
    ------
    dict of array (n, m)
        `predict_particles` after 1, 2, ... rounds.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    >>> len(list(model.staged_predict_particles(X)))
    5
    """
    for dist in self.staged_predict_dist(X, offset=offset, exposure=exposure):
        yield dist.params()


def sample(
    self: BaseModel, X: Any, n_samples: int = 1, random_state: Any = None, *, offset: Any = None,
    exposure: Any = None,
) -> Array:  # fmt: skip
    """Draw values of y from the predictive distributions.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    n_samples : int, default=1
        Number of draws per row.
    random_state : int, Generator or None, default=None
        Seed of the draws.
    offset : number, array (n,) or str, optional
        The known part of the location, as in `fit`; a str names a column of X.
    exposure : number, array (n,) or str, optional
        The exposure of each row, as in `fit`; 1 by default.

    Returns
    -------
    array (n, n_samples) or (n, n_samples, q)
        Draws; labels, if y is classes.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    >>> model.sample(X, 3, random_state=0).shape
    (60, 3)
    """
    check_integer("n_samples", n_samples, low=1)
    dist = self.predict_dist(X, offset=offset, exposure=exposure)
    drawn = dist.rvs(size=n_samples, random_state=random_state)
    if dist.classes is None:
        return drawn
    labels: Array = dist.classes[drawn.astype(int)]
    return labels


def decide(
    self: BaseModel, X: Any, loss: Any = None, actions: Any = None, *, utility: Any = None,
    over: str = "theta", return_risks: bool = False, offset: Any = None, exposure: Any = None,
) -> Any:  # fmt: skip
    """Return the Bayes action of each row, the one of least expected loss.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    loss : callable or array (k, a), optional
        A function of (action, theta), or with over="y" of (action, y). For classes also a
        matrix of costs with one row per class and one column per action.
    actions : array (a,), optional
        The actions to choose from. The default is the real line for numbers, and the classes
        for a matrix of costs and for a loss of classes y.
    utility : callable or array, optional
        In place of a loss; its mean is maximised.
    over : {"theta", "y"}, default="theta"
        The second argument of the loss: the particles' parameters by name, arrays (n, m), or
        values of y, an array (n, g).
    return_risks : bool, default=False
        Whether to return the risks too.
    offset : number, array (n,) or str, optional
        The known part of the location, as in `fit`; a str names a column of X.
    exposure : number, array (n,) or str, optional
        The exposure of each row, as in `fit`; 1 by default.

    Returns
    -------
    actions : array (n,)
        The action of each row.
    risks : array (n, a) or (n,)
        With `return_risks`, the risks of all actions, or of the chosen ones without a list.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(40.0)[:, None]
    >>> model = WGBRegressor(n_estimators=20, evidence=10, random_state=0).fit(X, X[:, 0])
    >>> def profit(order, demand):
    ...     return 5 * np.minimum(order, demand) - 2 * order
    >>> model.decide(X, utility=profit, over="y").shape
    (40,)
    """
    return bayes_action(
        self.predict_dist(X, offset=offset, exposure=exposure),
        loss,
        actions,
        utility=utility,
        over=over,
        return_risks=return_risks,
    )


def predict_table(
    self: BaseModel, X: Any, quantiles: Any = QUANTILES, *, names: Any = None,
    band: float | None = None, offset: Any = None, exposure: Any = None,
) -> Any:  # fmt: skip
    """Return a table of predictions with one line per row, as `wgboost predict` writes it.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    quantiles : float, list of floats or None, default=(0.05, 0.5, 0.95)
        Levels of the quantiles of a numeric y.
    names : list of str, optional
        Names of the columns of y, if it has several; their numbers by default.
    band : float, optional
        Coverage of a credible band of the mean, as in `predict_band`; none by default.
    offset : number, array (n,) or str, optional
        The known part of the location, as in `fit`; a str names a column of X.
    exposure : number, array (n,) or str, optional
        The exposure of each row, as in `fit`; 1 by default.

    Returns
    -------
    DataFrame
        Of the library of X, with its index; of pandas if X is no frame. The columns are those
        of `Mixture.to_frame`, then "ood_score" and "ood_pvalue". The latter is missing if the model
        knows neither the support of rows nor usual scores (`calibrate_ood`).

    Examples
    --------
    >>> import pandas as pd
    >>> from wgboost import WGBRegressor
    >>> X = pd.DataFrame({"x": range(40)}, index=[f"row {i}" for i in range(40)])
    >>> model = WGBRegressor(n_estimators=20, evidence=10, random_state=0).fit(X, X["x"])
    >>> table = model.predict_table(X, [0.1, 0.9])
    >>> list(table.columns)[3:]
    ['std_epistemic', 'q0.1', 'q0.9', 'ood_score', 'ood_pvalue']
    >>> table.index[3]
    'row 3'
    """
    known = {"offset": offset, "exposure": exposure}
    return as_table(
        predicted_columns(self, X, quantiles, names=names, band=band, **known),
        None if as_frame(X) is None else X,
    )
