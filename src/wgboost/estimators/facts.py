"""What a fitted estimator is made of, whether it is one model or a bag of several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wgboost.estimators.fitting import History
from wgboost.typing import Array

__all__ = ["Facts"]


@dataclass(frozen=True, eq=False)
class Facts:
    """Rounds, particles and history of the models that an estimator consists of.

    Attributes
    ----------
    rounds : tuple of int
        The number of rounds of each model.
    particles : int
        The number of particles that a prediction consists of.
    histories : tuple of dict
        `history_` of each model.
    importances : Array or None
        `feature_importances_`; None if a model does not consist of native trees.
    interrupted : bool
        Whether Ctrl-C ended the fit.
    """

    rounds: tuple[int, ...]
    particles: int
    histories: tuple[History, ...]
    importances: Array | None
    interrupted: bool

    @classmethod
    def of(cls, estimator: Any) -> Facts:
        """Return the facts of a fitted estimator of this package, bags included."""
        check_is_fitted(estimator)
        models = estimator._models()
        return cls(
            tuple(int(one.n_estimators_) for one in models),
            sum(int(one.start_.shape[0]) for one in models),
            tuple(one.history_ for one in models),
            estimator._importances(),
            bool(estimator.interrupted_),
        )

    @property
    def watched(self) -> dict[str, float]:
        """The metrics of the first set that was watched, at the rounds kept; means over models."""
        found: dict[str, list[float]] = {}
        for rounds, history in zip(self.rounds, self.histories, strict=True):
            for name, values in next(iter(history.values()), {}).items():
                found.setdefault(name, []).append(values[rounds])
        return {name: float(np.mean(values)) for name, values in found.items()}
