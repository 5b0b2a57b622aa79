"""Saving a fitted estimator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from sklearn.utils.validation import check_is_fitted

from wgboost.estimators.conventions import Conventions
from wgboost.estimators.files import write_model

__all__ = ["Saving"]


class Saving(Conventions, ABC):
    """An estimator that can be written to a file."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise for the first parameter that makes no sense, before any work."""

    def save(self, path: Any) -> None:
        """Write the model to a file that `wgboost.load` reads: plain arrays and JSON, no pickle.

        The file is complete or not there at all: it is written beside `path`, synced and renamed,
        so that a crash or a full disk neither leaves half a file nor loses the old one. Predictions
        of what is loaded are the same to the bit.

        Raises
        ------
        TypeError
            If the model consists of more than data: another learner than trees, an estimator as
            start. A function or a response of your own is kept by name and has to be given
            to `load`.
        OSError
            If the file cannot be written; the old one is unchanged.
        """
        check_is_fitted(self)
        self._check_parameters()
        write_model(self, path)
