"""From y as users have it to y as a response takes it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from wgboost.data.rows import count_rows
from wgboost.model import FittedModel
from wgboost.responses import (
    RESPONSES,
    Categorical,
    Ordinal,
    Response,
    as_response,
    propose_response,
)
from wgboost.responses.censoring import is_censored
from wgboost.responses.multivariate import Multivariate
from wgboost.responses.registry import RESPONSE_SYNONYMS
from wgboost.responses.y_checks import check_y
from wgboost.targets import Density, LogDensity, Target
from wgboost.training.constraints import held_parameter
from wgboost.typing import Array
from wgboost.validation import check_choice, check_weight, nearest_name

__all__ = ["ClassEncoder", "NumericEncoder"]

_DEFAULT_CLASSES = Categorical().n_classes  # of a response that is given for its prior


@dataclass(frozen=True, eq=False)
class NumericEncoder:
    """Checks a numeric y.

    Attributes
    ----------
    chosen : Response
        The response that the parameter names.
    n_outputs : int
        Columns of y.
    proposal : tuple or None
        With response="auto": the name of the response, and why that one.
    """

    chosen: Response
    n_outputs: int = 1
    proposal: tuple[str, str] | None = None

    classes = None
    ranks = None

    @classmethod
    def fit(
        cls, params: dict[str, Any], y: Any, *, X: Any = None, exposure: Any = None
    ) -> tuple[NumericEncoder, Array]:
        """Return the encoder that the parameters of an estimator and y ask for, and y checked."""
        proposal = None
        if y is not None and isinstance(params["response"], str) and params["response"] == "auto":
            proposal = _proposal(y, X, exposure)
            if params["verbose"]:
                print("response={!r}: {}".format(*proposal), flush=True)
        _check_given(y)
        chosen = _named_response(params["response"], proposal)
        given = _as_columns(y, chosen)
        if chosen.nominal and given.dtype.kind in "iufOU":
            labels = np.unique(given)
            if labels.size > 2 or labels.dtype.kind not in "iuf":
                raise ValueError(
                    f"response={chosen.name!r} with {labels.size} classes; WGBClassifier is for "
                    "classes, with any labels"
                )
        checked = chosen.check(given)
        n_outputs = checked.shape[1] if checked.ndim == 2 else 1
        return cls(chosen, n_outputs, proposal), checked

    @classmethod
    def of(cls, params: dict[str, Any], model: FittedModel) -> NumericEncoder:
        """Return the encoder of a fitted model."""
        return cls(
            _named_response(params["response"], model.proposal), model.n_outputs, model.proposal
        )

    @property
    def response(self) -> Response:
        """The response of so many columns."""
        return self.chosen.for_columns(self.n_outputs)

    def encode(self, y: Any) -> Array:
        """Return y of other rows, checked."""
        _check_given(y)
        return self.response.check(_as_columns(y, self.chosen))

    def weight(self, codes: Array, given: Any, n: int) -> Array | None:  # noqa: ARG002
        """Return the weights (n,) of rows."""
        return check_weight(given, n)

    def constrained_parameter(
        self, given: Any, names: Sequence[str], n_params: int, *, monotone: bool
    ) -> tuple[int, int]:
        """Return the coordinate that monotone constraints hold, and its sign."""
        del monotone
        return held_parameter(given, names, n_params), 1


@dataclass(frozen=True, eq=False)
class ClassEncoder:
    """Turns labels into codes.

    Attributes
    ----------
    chosen : str or Response
        The response that the parameter names.
    classes : array (k,)
        The labels, sorted.
    ranks : array (k,)
        The labels from low to high.
    class_weight : dict, "balanced" or None
        Weights of classes.
    """

    chosen: Any
    classes: Array
    ranks: Array
    class_weight: Any = None

    n_outputs = 1
    proposal = None

    @classmethod
    def fit(
        cls, params: dict[str, Any], y: Any, *, X: Any = None, exposure: Any = None
    ) -> tuple[ClassEncoder, Array]:
        """Return the encoder that the parameters of an estimator and y ask for, and the codes."""
        del X, exposure
        order = getattr(y, "dtype", None)
        labels = _checked_labels(y)
        try:
            classes: Array = LabelEncoder().fit(labels).classes_
        except TypeError as error:
            raise TypeError(f"the labels y cannot be sorted: {error}; use one kind") from error
        check_classification_targets(labels)
        ranks = classes
        if _is_ordinal(params["response"]):
            ranks = _in_order(classes, order)
        encoder = cls(params["response"], classes, ranks, params["class_weight"])
        return encoder, encoder._codes(labels)

    @classmethod
    def of(cls, params: dict[str, Any], model: FittedModel) -> ClassEncoder:
        """Return the encoder of a fitted model."""
        if model.classes is None or model.ranks is None:
            raise TypeError("the model has no classes")
        return cls(params["response"], model.classes, model.ranks, params["class_weight"])

    @cached_property
    def _encoder(self) -> LabelEncoder:
        encoder = LabelEncoder()
        encoder.classes_ = self.classes
        return encoder

    @property
    def response(self) -> Response:
        """The response of so many classes."""
        response, n = self.chosen, max(2, len(self.classes))
        if isinstance(response, Ordinal):
            response = response.infer_from(np.arange(n))
        if isinstance(response, Categorical) and response.n_classes in (None, _DEFAULT_CLASSES):
            response = replace(response, n_classes=n)
        if isinstance(response, Response):
            if response.n_params + 1 != n:
                raise ValueError(
                    f"response={response!r} is for {response.n_params + 1} classes, "
                    f"y has {len(self.classes)}"
                )
            return response
        kinds: dict[str, type[Categorical | Ordinal]]
        kinds = {"categorical": Categorical, "ordinal": Ordinal}
        if not isinstance(response, str) or response not in kinds:
            close = nearest_name(str(response), kinds)
            raise ValueError(
                f"response={response!r} must be 'categorical' or 'ordinal' for a classifier{close}"
            )
        return kinds[response](n_classes=n)

    def encode(self, y: Any) -> Array:
        """Return the codes of labels of other rows."""
        labels = _checked_labels(y)
        unknown = np.setdiff1d(labels, self.classes)
        if unknown.size:
            raise ValueError(
                f"y has the label {unknown.tolist()[0]!r}, which the training labels "
                f"{self.classes.tolist()} do not; drop those rows or train on some"
            )
        return self._codes(labels)

    def _codes(self, labels: Array) -> Array:
        codes: Array = self._encoder.transform(labels)
        if not _is_ordinal(self.chosen):
            return codes
        ordered: Array = np.argsort(self._encoder.transform(self.ranks))[codes]
        return ordered

    def weight(self, codes: Array, given: Any, n: int) -> Array | None:
        """Return the weights (n,) of rows: their own times that of their class."""
        weight = check_weight(given, n)
        if self.class_weight is None:
            return weight
        of_class = self._class_weight(codes.astype(int), weight)
        return check_weight(of_class if weight is None else weight * of_class, n)

    def _class_weight(self, codes: Array, weight: Array | None) -> Array:
        if isinstance(self.class_weight, str):
            check_choice("class_weight", self.class_weight, ["balanced"])
            total = np.bincount(codes, weights=weight, minlength=len(self.classes))
            share = total.sum() / np.count_nonzero(total)
            each: Array = np.where(total > 0, share / np.where(total > 0, total, 1), 0.0)
            of_rows: Array = each[codes]
            return of_rows
        weights: Array = compute_sample_weight(self.class_weight, self.ranks[codes])
        return weights

    def constrained_parameter(
        self,
        given: Any,  # noqa: ARG002
        names: Sequence[str],  # noqa: ARG002
        n_params: int,
        *,
        monotone: bool,
    ) -> tuple[int, int]:
        """Return the coordinate that monotone constraints hold, and its sign."""
        if not self.response.nominal:
            return 0, 1
        if monotone and n_params > 1:
            raise ValueError(
                f"monotone_constraints need two classes, y has {len(self.classes)}: of several "
                "probabilities that sum to one no single coordinate decides"
            )
        return 0, -1  # particles are log-ratios of the first class to the second


def _named_response(response: Any, proposal: tuple[str, str] | None) -> Response:
    if isinstance(response, str):
        check_choice("response", response, ["auto", *RESPONSES], RESPONSE_SYNONYMS)
        return as_response(proposal[0] if response == "auto" and proposal else response)
    if isinstance(response, (Density, LogDensity, Target)):
        kind = type(response).__name__
        raise TypeError(f"response={kind}(...) is no response; WGBoost({kind}(...)) takes it")
    return as_response(response)


def _proposal(y: Any, X: Any, exposure: Any) -> tuple[str, str]:
    features = X if isinstance(X, np.ndarray) and len(X) == count_rows(y) else None
    if features is not None and np.shape(exposure) == (len(features),):
        features = np.column_stack([features, np.asarray(exposure, dtype=np.float64)])
    return propose_response(y, features)


def _check_given(y: Any) -> None:
    if y is None:
        raise ValueError("WGBRegressor requires y to be passed, but the target y is None")


def _as_columns(y: Any, chosen: Response) -> Array:
    """Return y as an array (n,), or (n, q) of several columns."""
    given = np.asarray(y)
    several = given.ndim == 2 and given.shape[1] > 1
    if several or isinstance(chosen, Multivariate) or is_censored(y):
        return given
    column: Array = column_or_1d(y, warn=True)
    return column


def _is_ordinal(response: Any) -> bool:
    return isinstance(response, Ordinal) or response == "ordinal"


def _checked_labels(y: Any) -> Array:
    """Return labels (n,) without missing ones."""
    if y is None:
        raise ValueError("WGBClassifier requires y to be passed, but the target y is None")
    if is_censored(y):
        raise ValueError("classes have no order; y cannot be censored")
    # NumPy keeps nullable integers of pandas; scikit-learn would convert them to floats.
    labels: Array = column_or_1d(np.asarray(y) if hasattr(y, "__array__") else y, warn=True)
    if np.asarray(labels).dtype.kind == "f":
        check_y(labels)
    elif np.asarray(labels).dtype.kind == "O":
        for row, label in enumerate(labels):
            if label is None or type(label).__name__ == "NAType" or label != label:
                raise ValueError(f"y is {label} at row {row}; drop the row or fill it in")
    return labels


def _in_order(classes: Array, dtype: Any) -> Array:
    """Return the labels from low to high, as the dtype of y or their sorted order has it."""
    if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum":  # pandas, polars
        known = set(classes.tolist())
        present = [one for one in dtype.categories.to_list() if one in known]
        chosen = np.searchsorted(classes, np.array(present, dtype=classes.dtype))
        return np.asarray(classes[chosen])
    if any(isinstance(one, str) for one in classes.tolist()):
        warnings.warn(
            f"text labels are taken in the order {' < '.join(map(str, classes.tolist()))}; a "
            "pandas Categorical with ordered=True or a polars Enum says another",
            stacklevel=5,
        )
    return classes
