"""Saving a fitted estimator."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

from sklearn.utils.validation import check_is_fitted

from wgboost.estimators.conventions import Conventions
from wgboost.estimators.files import write_model
from wgboost.typing import Array

__all__ = ["Saving"]


class Saving(Conventions, ABC):
    """An estimator that can be written to a file."""

    @abstractmethod
    def _importances(self) -> Array | None:
        """Return `feature_importances_`, or None if another learner than trees was used."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise for the first parameter that makes no sense, before any work."""

    def _models(self) -> list[Any]:
        """Return the models whose particles predictions are made of: this one alone."""
        return [self]

    def save(self, path: Any, *, metadata: dict[str, Any] | None = None) -> None:
        """Write the model to a file that `wgboost.load` reads: plain arrays and JSON, no pickle.

        The file is complete or not there at all: it is written beside `path`, synced and renamed,
        so that a crash or a full disk neither leaves half a file nor loses the old one. Predictions
        of what is loaded are the same to the bit.

        `metadata` is a dict of texts, numbers, lists and dicts that the file is to hold beside the
        model; what is loaded has it as `metadata_`. Without, that of a loaded model is kept.

        Raises
        ------
        TypeError
            If `metadata` is something else, or the model consists of more than data: another
            learner than trees, an estimator as start. A function or a response of your own is
            kept by name and has to be given to `load`.
        OSError
            If the file cannot be written; the old one is unchanged.
        """
        check_is_fitted(self)
        self._check_parameters()
        known = getattr(self, "metadata_", None) if metadata is None else metadata
        if known is not None:
            _check_metadata(known)
        write_model(self, path, metadata=known)


def _check_metadata(metadata: Any) -> None:
    named = isinstance(metadata, dict) and all(isinstance(name, str) for name in metadata)
    try:
        json.dumps(metadata, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"metadata={metadata!r} must be what JSON can say: {error}; give texts, numbers, lists "
            "and dicts of them"
        ) from error
    if not named:
        raise TypeError(f"metadata={metadata!r} must be a dict with texts as names")
