"""What a model learns after its fit: calibration, and which OOD scores are usual.

The functions with a `self` are methods of `BaseModel`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from wgboost.calibration import Calibration, OODReference
from wgboost.folds import Fold, out_of_fold
from wgboost.metrics import OOD_METHODS, ood_scores
from wgboost.metrics.metadata import score_metadata
from wgboost.metrics.ood import novelty
from wgboost.model import FittedBag
from wgboost.predictive import Mixture
from wgboost.training.row_hashes import warn_trained_rows
from wgboost.typing import Array
from wgboost.validation import check_choice, check_number

if TYPE_CHECKING:
    from wgboost.estimators.base import BaseModel

__all__ = [
    "Model",
    "calibrate",
    "calibrate_ood",
    "fitted_factors",
    "ood_pvalue",
    "ood_score",
    "usual_scores",
    "warn_trained",
]

Model = TypeVar("Model", bound="BaseModel")


def calibrate(
    self: Model, X: Any, y: Any, sample_weight: Any = None, *, cv: Any = None, groups: Any = None,
    offset: Any = None, exposure: Any = None, y_std: Any = None, scale: bool = True,
    spread: bool = True, shrinkage: float = 0.25, allow_widening: bool = True,
) -> Model:  # fmt: skip
    """Fit two factors, on the width of the response and on the spread of the particles.

    They are kept as `calibration_`, a `wgboost.Calibration`. All predictions use them until the
    next fit or ``del model.calibration_``. Ctrl-C while clones are fitted raises KeyboardInterrupt
    and leaves the model as it was.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Without `cv`, rows that the model was not trained on; a warning says if most of them are
        training rows.
    y : array (n,), or (n, q)
        Values of y, as in `fit`.
    sample_weight : array (n,), optional
        Sample weights.
    cv : int, splitter or None, default=None
        If given, the rows are those of the fit. A clone is fitted without each fold, and the
        factors are fitted to the predictions of all folds; see `wgboost.folds.out_of_fold`.
    groups : array (n,), optional
        With `cv`, labels of rows that are kept in one fold.
    offset : number or array (n,), optional
        As in `fit`.
    exposure : number or array (n,), optional
        As in `fit`.
    y_std : number or array (n,), optional
        As in `fit`.
    scale : bool, default=True
        Whether to fit the factor on the width of the response.
    spread : bool, default=True
        Whether to fit the factor on the spread of the particles.
    shrinkage : float, default=0.25
        Deviation of the prior of the logs of the factors, as in `Calibration.fit`.
    allow_widening : bool, default=True
        Whether the width of the response may become larger, as in `Calibration.fit`.

    Returns
    -------
    self : estimator
        The calibrated estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> y = X[:, 0] + np.random.default_rng(0).normal(size=60)
    >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X[::2], y[::2])
    >>> model.calibrate(X[1::2], y[1::2]).calibration_.scale > 0
    True
    """
    check_is_fitted(self)
    check_number("shrinkage", shrinkage, above=0)
    _check_needs_cv(cv, groups)
    settings: dict[str, Any] = {
        "scale": scale, "spread": spread, "shrinkage": shrinkage, "allow_widening": allow_widening,
    }  # fmt: skip
    given = {
        "sample_weight": sample_weight, "offset": offset, "exposure": exposure, "y_std": y_std,
    }  # fmt: skip
    X, y, fit_params = score_metadata(self, X, y, groups=groups, **given)
    groups = fit_params.pop("groups")
    if cv is None:
        known = {name: fit_params[name] for name in ("offset", "exposure")}
        dist = self.model_.select_predictive(self._mixture(X, **known))
        self.calibration_ = Calibration.fit(
            dist, y, y_std=fit_params["y_std"], sample_weight=fit_params["sample_weight"],
            **settings,
        )  # fmt: skip
        self.warn_trained(X, y, "calibrate(X, y, cv=5)", 2)
        return self
    settled = {"cv": cv, "groups": groups, "random_state": _seed(self)}
    folds = [_known_classes(fold) for fold in out_of_fold(self, X, y, **settled, **fit_params)]
    self.calibration_ = fitted_factors([fold.dist() for fold in folds], folds, **settings)
    return self


def ood_score(self: BaseModel, X: Any, method: str | None = None) -> Array:
    """Return how unlike the training data each row is.

    Larger means further from the training data. The factors of `calibrate` are not applied, since
    they are about rows like the training data.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    method : str or None, default=None
        "combined", the default, increases with the lack of support, with the distance to the
        nearest training row and with the disagreement of the particles. "novelty" is that without
        the disagreement. "support" is 1 - `predict_support`. "distance" is the distance to the
        nearest training row by ranks, relative to the usual one. "max_variance" is the largest
        variance of a class probability; the paper's score is its inverse. "epistemic" is the
        variance of the particles' means. "mutual_information" is that of y and particle, in nats;
        for a numeric y it is an integral for every row. See `wgboost.metrics.ood_scores`. Without
        support the default is "max_variance" for classes and "epistemic" for numbers.

    Returns
    -------
    array (n,)
        Scores.

    Notes
    -----
    For a numeric y "max_variance" looks at the coordinates of theta, scales included, and does not
    find rows of other tables: its mean area under the ROC curve is 0.31, against 0.98 of
    "combined" (`benchmarks/foreign_tables.py`).

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> y = X[:, 0] + np.random.default_rng(0).normal(size=60)
    >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X[::2], y[::2])
    >>> model.ood_score(X).shape
    (60,)
    """
    dist, distance = self.predict_dist(X, calibrated=False), None
    if self.model_.knows_support and method in (None, "combined", "novelty", "distance"):
        distance = self.model_.distance(self._matrix(X), self._n_threads())
    return ood_scores(dist, method, distance=distance)


def calibrate_ood(
    self: Model, X: Any, y: Any = None, sample_weight: Any = None, *, cv: Any = None,
    groups: Any = None, offset: Any = None, exposure: Any = None, y_std: Any = None,
    method: str | None = None,
) -> Model:  # fmt: skip
    """Learn which OOD scores are usual, for `ood_pvalue`.

    The scores are kept as `ood_reference_`.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows of the training distribution that the model was not trained on; p-values are then
        exact. A warning says if most of them are training rows.
    y : array (n,), optional
        Values of y, as in `fit`.
    sample_weight : array (n,), optional
        Sample weights.
    cv : int, splitter or None, default=None
        If given, X and y are the rows of the fit, and scores come from clones that are fitted
        without each fold; see `OODReference.out_of_fold`.
    groups : array (n,), optional
        With `cv`, labels of rows that are kept in one fold.
    offset : number or array (n,), optional
        As in `fit`.
    exposure : number or array (n,), optional
        As in `fit`.
    y_std : number or array (n,), optional
        As in `fit`.
    method : str or None, default=None
        The score, as in `ood_score`.

    Returns
    -------
    self : estimator
        The estimator with `ood_reference_`.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> y = X[:, 0] + np.random.default_rng(0).normal(size=60)
    >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X[::2], y[::2])
    >>> len(model.calibrate_ood(X[1::2]).ood_reference_)
    30
    """
    check_is_fitted(self)
    _check_needs_cv(cv, groups)
    if cv is None:
        self.ood_reference_ = OODReference(self.ood_score(X, method), method)
        self.warn_trained(X, None, "calibrate_ood(X, y, cv=5)", 2)
        return self
    given = {
        "groups": groups, "sample_weight": sample_weight, "offset": offset,
        "exposure": exposure, "y_std": y_std,
    }  # fmt: skip
    X, y, fit_params = score_metadata(self, X, y, **given)
    settings = {"cv": cv, "random_state": _seed(self), **fit_params}
    self.ood_reference_ = OODReference.out_of_fold(self, X, y, method=method, **settings)
    return self


def ood_pvalue(self: BaseModel, X: Any, reference: Any = None) -> Array:
    """Return p-values of OOD scores under the training distribution.

    They are between 1 / (1 + number of reference rows) and 1, and uniform over rows of the training
    distribution: of those, one in a hundred has p <= 0.01. Without reference scores, the novelty of
    rows is compared with that of the training rows, each left out.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    reference : OODReference or str, optional
        The usual scores; by default those of `calibrate_ood`, or the novelty of training rows. A
        bag also takes the name of a score; see its `ood_references_`.

    Returns
    -------
    array (n,)
        p-values.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> y = X[:, 0] + np.random.default_rng(0).normal(size=60)
    >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X[::2], y[::2])
    >>> model.calibrate_ood(X[1::2]).ood_pvalue(X).shape
    (60,)
    """
    check_is_fitted(self)
    usual = usual_scores(self) if reference is None else reference
    if isinstance(usual, str):
        usual = _reference_by(usual, _references(self))
    if usual is None:
        raise ValueError(
            "the model does not know which OOD scores are usual: calibrate_ood(X, y, cv=5) "
            "with the training rows, or calibrate_ood(X) with rows it has not seen"
        )
    if not isinstance(usual, OODReference):
        raise TypeError(
            f"reference={type(usual).__name__} must be an OODReference(scores), or see "
            "wgboost.metrics.ood_pvalue"
        )
    return usual.pvalue(self.ood_score(X, usual.method))


def usual_scores(model: BaseModel) -> OODReference | None:
    """Return the reference scores of a model: its own, or the novelty of its training rows.

    Parameters
    ----------
    model : estimator
        A fitted model.

    Returns
    -------
    OODReference or None
        None if the model has none and does not know the support of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.estimators.calibrating import usual_scores
    >>> X = np.arange(60.0)[:, None]
    >>> usual_scores(WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])).method
    'novelty'
    """
    learned: OODReference | None = vars(model).get("ood_reference_")
    if learned is not None or not model.model_.knows_support:
        return learned
    return OODReference(novelty(*model.model_.left_out_rows), "novelty")


def warn_trained(self: BaseModel, X: Any, y: Any, remedy: str, stacklevel: int) -> None:
    """Warn if the model was trained on most of these rows.

    Parameters
    ----------
    X : array or frame (n, p)
        Rows.
    y : array or None
        Their values of y.
    remedy : str
        A call that needs no other rows, for the message.
    stacklevel : int
        As in `warnings.warn`, counted from the caller.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(60.0)[:, None]
    >>> y = X[:, 0] + np.random.default_rng(0).normal(size=60)
    >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X[::2], y[::2])
    >>> model.warn_trained(X[1::2], y[1::2], "calibrate(X, y, cv=5)", 1)
    """
    model = self.model_
    members = model.members if isinstance(model, FittedBag) else (model,)
    known = [one.row_hashes for one in members if one.row_hashes is not None]
    if known:
        remedy = f"give rows it has not seen, or use {remedy}, which fits clones without them"
        warn_trained_rows(known, self._matrix(X), y, remedy, stacklevel + 1)


def _references(model: BaseModel) -> dict[str, OODReference]:
    """Return which OOD scores are usual, by the name of the score."""
    known: dict[str, OODReference] = dict(vars(model).get("ood_references_", {}))
    latest = vars(model).get("ood_reference_")
    if latest is not None and latest.method:
        known[latest.method] = latest
    return known


def _seed(model: BaseModel) -> int:
    return int(vars(model)["seed_"])


def _check_needs_cv(cv: Any, groups: Any) -> None:
    """Raise ValueError for groups that there are no folds to keep together in."""
    if cv is None and groups is not None:
        raise ValueError("groups are kept together in folds: give cv, or leave groups out")


def fitted_factors(dists: Sequence[Mixture], folds: Sequence[Fold], **settings: Any) -> Calibration:
    """Return the factors that suit distributions of the rows of folds."""
    noise, weight = (
        [fold.fit_params.get(name) for fold in folds] for name in ("y_std", "sample_weight")
    )
    known = [fold.y for fold in folds]
    return Calibration.fit(list(dists), known, y_std=noise, sample_weight=weight, **settings)


def _known_classes(fold: Fold) -> Fold:
    """Return the rows of a fold whose class its model was trained on."""
    if not is_classifier(fold.estimator):
        return fold
    return fold.take(np.flatnonzero(np.isin(np.asarray(fold.y), fold.estimator.classes_)))


def _reference_by(method: str, known: Mapping[str, OODReference]) -> OODReference:
    """Return the reference of a score by its name."""
    check_choice("reference", method, OOD_METHODS)
    if method not in known:
        there = f"; there are {', '.join(map(repr, known))}" if known else ""
        raise ValueError(
            f"which scores by {method!r} are usual is not known{there}: calibrate_ood(X, "
            f"method={method!r}) with rows that the model has not seen"
        )
    return known[method]
