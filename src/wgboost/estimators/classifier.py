"""Classification."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from wgboost.estimators.classification import ClassifierPredictions
from wgboost.estimators.evidential import Evidential
from wgboost.estimators.parameters import PAPER_TREES
from wgboost.responses import Categorical, Ordinal, Response, is_censored
from wgboost.responses.outcomes import check_outcomes
from wgboost.typing import Array
from wgboost.validation import check_choice, nearest_name

__all__ = ["WGBClassifier"]


class WGBClassifier(ClassifierPredictions, Evidential):
    """Wasserstein gradient boosting for classes: any labels, two or more.

    Particles are log-ratios of class probabilities; a single class is predicted with certainty.
    Parameters are those of `WGBRegressor`, with other defaults where classes need them: an evidence
    of 10, which is not searched for, a learning rate of 0.3, 16 leaves, fewer columns for each
    tree, and splits by the movement of all log-ratios. And:

    Parameters
    ----------
    response : "categorical", "ordinal" or Response
        "ordinal" is for classes in order, low to high: the order of a pandas ordered Categorical,
        otherwise the sorted one. Predictions are of classes all the same: `predict_dist` mixes
        class probabilities, in the order of `classes_`.
    class_weight : dict, "balanced" or None
        Weights of classes, multiplied into the sample weights.
    monotone_constraints : dict by column name or index, list (p,) or None
        For two classes: 1 if the probability of classes_[1] must not fall as the feature rises, -1
        if it must not rise, 0 if it is free. Of the response "ordinal", with any number of classes,
        it is the location that is held.
    eval_metric : str or callable, or a list of them
        What early stopping goes by: "nll", also called "log_loss", "brier", "error_rate", or
        "accuracy" and "auc", which are watched as their complements; or a function of
        (distribution, y), smaller being better, with classes y as codes.

    Attributes
    ----------
    classes_ : array
        The labels, sorted, in the order of the columns of `predict_proba`.
    ranks_ : array
        The labels from low to high, as the response "ordinal" takes them.
    """

    classes_: Array
    ranks_: Array

    def __init__(
        self,
        *,
        n_particles: int = 10,
        n_estimators: int | None = None,
        learning_rate: float = 0.3,
        max_depth: int | None = None,
        max_leaves: int | str | None = 16,
        min_samples_leaf: int = 1,
        l2: float = 1.0,
        min_gain: float = 0.0,
        growth: str = "best_first",
        subsample: float = 1.0,
        colsample: float = 0.5,
        tree: str = "per_particle",
        split_on: str | int = "all",
        leaf: str = "newton",
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        cat_smooth: float = 10.0,
        cat_penalty: float = 1.0,
        monotone_constraints: Any = None,
        interaction_constraints: Any = None,
        evidence: Any = 10.0,
        kernel: str | None = None,
        bandwidth: Any = None,
        direction: Any = "diagonal_newton",
        learner: Any = None,
        engine: str = "native",
        device: str = "cpu",
        init: Any = "flow",
        response: Any = "categorical",
        prior: dict[str, Any] | None = None,
        class_weight: Any = None,
        early_stopping: bool | None = None,
        validation_fraction: float = 0.2,
        n_iter_no_change: int | None = 50,
        eval_metric: Any = "nll",
        refit: bool = True,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self._store(locals())

    @classmethod
    def paper(cls, **changes: Any) -> WGBClassifier:
        """Return an estimator with the paper's settings for classification, then `changes`."""
        settings: dict[str, Any] = {
            **PAPER_TREES, "n_particles": 10, "kernel": "gaussian", "bandwidth": 0.1,
            "learning_rate": 0.4, "n_estimators": 4000, "evidence": 1.0, "early_stopping": False,
            "n_iter_no_change": None,
        }  # fmt: skip
        return cls(**{**settings, **changes})

    def _response(self) -> Response:
        response = self.response
        if isinstance(response, Ordinal):
            response = response.told_by(np.arange(max(2, len(self.classes_))))
        if isinstance(response, Response):
            if response.n_params + 1 != max(2, len(self.classes_)):
                raise ValueError(
                    f"response={response!r} is for {response.n_params + 1} classes, "
                    f"y has {len(self.classes_)}"
                )
            return response
        kinds: dict[str, type[Categorical | Ordinal]]
        kinds = {"categorical": Categorical, "ordinal": Ordinal}
        if not isinstance(response, str) or response not in kinds:
            close = nearest_name(str(response), kinds)
            raise ValueError(
                f"response={response!r} must be 'categorical' or 'ordinal' for a classifier{close}"
            )
        return kinds[response](n_classes=max(2, len(self.classes_)))

    @property
    def _ordered(self) -> bool:
        return isinstance(self.response, Ordinal) or self.response == "ordinal"

    def _encode(self, y: Any, *, fitting: bool) -> Array:
        if y is None:
            raise ValueError("WGBClassifier requires y to be passed, but the target y is None")
        if is_censored(y):
            raise ValueError("classes have no order; y cannot be censored")
        order = getattr(y, "dtype", None)
        # By way of NumPy, which keeps nullable integers of pandas; scikit-learn makes them floats.
        y = column_or_1d(np.asarray(y) if hasattr(y, "__array__") else y, warn=True)
        if np.asarray(y).dtype.kind == "f":
            check_outcomes(y)
        elif np.asarray(y).dtype.kind == "O":
            for row, label in enumerate(y):
                if label is None or type(label).__name__ == "NAType" or label != label:
                    raise ValueError(f"y is {label} at row {row}; drop the row or fill it in")
        if fitting:
            try:
                self._encoder = LabelEncoder().fit(y)
            except TypeError as error:
                raise TypeError(f"the labels y cannot be sorted: {error}; use one kind") from error
            check_classification_targets(y)
            self.classes_ = self._encoder.classes_
            self.ranks_ = self._in_order(order)
        else:
            unseen = np.setdiff1d(y, self.classes_)
            if unseen.size:
                raise ValueError(
                    f"y has the label {unseen.tolist()[0]!r}, which the training labels "
                    f"{self.classes_.tolist()} do not; drop those rows or train on some"
                )
        codes: Array = self._encoder.transform(y)
        return np.argsort(self._encoder.transform(self.ranks_))[codes] if self._ordered else codes

    def _in_order(self, dtype: Any) -> Array:
        """Return the labels from low to high, as the dtype of y or their sorted order has it."""
        labels: Array = self.classes_
        if not self._ordered:
            return labels
        if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum":  # pandas, polars
            known = set(labels.tolist())
            present = [one for one in dtype.categories.to_list() if one in known]
            chosen = self._encoder.transform(np.array(present, dtype=labels.dtype))
            return np.asarray(labels[chosen])
        if any(isinstance(one, str) for one in labels.tolist()):
            warnings.warn(
                f"text labels are taken in the order {' < '.join(map(str, labels.tolist()))}; a "
                "pandas Categorical with ordered=True or a polars Enum says another",
                stacklevel=6,
            )
        return labels

    def _row_weight(self, beside: dict[str, Any], n: int, *, fitting: bool) -> Array | None:
        if self.class_weight is not None:
            codes = self._encode(beside["y"], fitting=fitting)
            if len(codes) == n:  # or `_rows` says that it is not
                return self._classed_weight(codes, beside["sample_weight"], n)
        return super()._row_weight(beside, n, fitting=fitting)

    def _class_weights(self, y: Array, weight: Array | None) -> Array | None:
        if self.class_weight is None:
            return None
        codes = y.astype(int)
        if isinstance(self.class_weight, str):
            check_choice("class_weight", self.class_weight, ["balanced"])
            total = np.bincount(codes, weights=weight, minlength=len(self.classes_))
            share = total.sum() / np.count_nonzero(total)
            each: Array = np.where(total > 0, share / np.where(total > 0, total, 1), 0.0)
            of_rows: Array = each[codes]
            return of_rows
        weights: Array = compute_sample_weight(self.class_weight, self.ranks_[codes])
        return weights

    def _held_parameter(self, names: Sequence[str], n_params: int) -> tuple[int, int]:  # noqa: ARG002
        if not self._response().nominal:
            return 0, 1
        if self.monotone_constraints is not None and n_params > 1:
            raise ValueError(
                f"monotone_constraints need two classes, y has {len(self.classes_)}: of several "
                "probabilities that sum to one no single coordinate decides"
            )
        return 0, -1  # particles are log-ratios of the first class to the second
