"""What a model learns after its fit: calibration, and which OOD scores are usual.

The functions with a `self` are methods of `BaseModel`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wgboost.calibration import Calibration, OODReference
from wgboost.folds import Fold, out_of_fold
from wgboost.metrics import OOD_METHODS, ood_scores
from wgboost.metrics.metadata import score_metadata
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
    "warn_trained",
]

Model = TypeVar("Model", bound="BaseModel")


def calibrate(
    self: Model, X: Any, y: Any, sample_weight: Any = None, *, cv: Any = None, groups: Any = None,
    offset: Any = None, exposure: Any = None, y_std: Any = None, scale: bool = True,
    spread: bool = True, shrinkage: float = 0.25, allow_widening: bool = True,
) -> Model:  # fmt: skip
    """Fit two factors to rows: on the response's width, and on the particles' spread.

    They are kept as `calibration_`, a `wgboost.Calibration`, and all predictions follow them
    until the next fit; ``del model.calibration_`` takes them back.

    Parameters
    ----------
    X, y, sample_weight, offset, exposure, y_std
        Rows as in `fit`. Without `cv`, rows that the model has not seen; a warning says if
        most of them are rows that it was trained on.
    cv : int, splitter or None
        With it, the rows of the fit: clones are fitted without a fold of them each, and the
        factors to the predictions of all folds. See `wgboost.folds.out_of_fold`.
    groups : array (n,), optional
        With `cv`: rows of one group are in one fold.
    scale, spread, shrinkage, allow_widening
        As in `Calibration.fit`.

    Notes
    -----
    Ctrl-C while clones are fitted raises KeyboardInterrupt and leaves the model as it was.
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
    """Return how much the particles of each row disagree, (n,).

    Larger means further from the training data. Factors of `calibrate` play no part: they are
    about rows like those.

    Parameters
    ----------
    X : array (n, p)
    method : "max_variance", "mutual_information", "epistemic" or None
        "max_variance": the largest variance of a class probability (the paper's score is its
        inverse), the default for classes; of numbers it is below chance on rows of other
        tables, see the notes. "epistemic": the variance of the particles' means,
        the default for all else. "mutual_information": of y and particle, in nats; for a
        numeric y an integral for every row. See `wgboost.metrics.ood_scores`.

    Notes
    -----
    For a numeric y use "epistemic". "max_variance" looks at the coordinates of theta, scales
    included, and tells rows of other tables worse than chance: a mean area under the ROC curve
    of 0.45, against 0.56 of "epistemic" (`benchmarks/foreign_tables.py`). Neither is a
    detector of foreign rows: check the ranges of features as well.
    """
    return ood_scores(self.predict_dist(X, calibrated=False), method)


def calibrate_ood(
    self: Model, X: Any, y: Any = None, sample_weight: Any = None, *, cv: Any = None,
    groups: Any = None, offset: Any = None, exposure: Any = None, y_std: Any = None,
    method: str | None = None,
) -> Model:  # fmt: skip
    """Learn which OOD scores are usual, for `ood_pvalue`; kept as `ood_reference_`.

    Parameters
    ----------
    X : array (n, p)
        Rows of the training distribution that the model has not seen; p-values are then exact.
        A warning says if most of them are rows that it was trained on.
    y, sample_weight, cv, groups, offset, exposure, y_std
        With `cv`, a number of folds or a splitter, X and y are the rows of the fit, with what
        belongs to them, and scores come from clones fitted without a fold each. See
        `OODReference.out_of_fold`.
    method : str or None
        The score, as in `ood_score`.
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
    """Return how rare an OOD score as large as each row's is in the training distribution.

    (n,), between 1 / (1 + number of reference rows) and 1, and uniform over rows of the
    training distribution: to call rows with p <= 0.01 odd is to be wrong about one of a
    hundred of those.

    Parameters
    ----------
    X : array (n, p)
    reference : OODReference or str, optional
        What is usual; by default what `calibrate_ood` has learnt. Of a bag the name of a score
        is enough: see its `ood_references_`.
    """
    check_is_fitted(self)
    usual = vars(self).get("ood_reference_") if reference is None else reference
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


def warn_trained(self: BaseModel, X: Any, y: Any, remedy: str, stacklevel: int) -> None:
    """Warn if the model was trained on most of these rows."""
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
    classes = getattr(fold.estimator, "classes_", None)
    if classes is None:
        return fold
    return fold.take(np.flatnonzero(np.isin(np.asarray(fold.y), classes)))


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
