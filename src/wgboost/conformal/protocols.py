"""What conformal estimators need of the model that they wrap.

Every model has `fit` and what scikit-learn's `clone` reads. For intervals it has `predict` and
`predict_dist`, for sets `predict_proba` and `classes_`. Pipelines and searches around such a model
are models, too.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

__all__ = ["KnowsTrainingRows"]


@runtime_checkable
class KnowsTrainingRows(Protocol):
    """A model that recognises its training rows. All estimators of this package are such models.

    With method="prefit" these models warn of rows that cannot be used for calibration.
    """

    def warn_trained(self, X: Any, y: Any, remedy: str, stacklevel: int) -> None:
        """Warn if many of the rows are training rows; y is None to compare features only."""
