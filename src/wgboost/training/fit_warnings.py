"""Warnings of `fit`."""

from __future__ import annotations

import warnings

import numpy as np

from wgboost.boosting import Interrupted
from wgboost.model import FittedModel
from wgboost.training.settings import Settings
from wgboost.typing import Array

__all__ = [
    "AT_THE_LIMIT",
    "warn_copies",
    "warn_fixed_rounds",
    "warn_interrupted",
    "warn_limit",
    "warn_weights",
]

_LIGHT, _HEAVY = 0.1, 1e10  # mean weights outside of which trees are warned of
_COPIED = 0.5  # share of held-out rows with copies in training, above which metrics are biased

AT_THE_LIMIT = "early stopping ended at the limit"
"""How the warning of `warn_limit` begins."""


def warn_interrupted(model: FittedModel, note: str, stacklevel: int) -> None:
    """Warn that Ctrl-C made the model shorter."""
    if model.interrupted:
        text = f"interrupted: the model consists of {model.n_rounds} rounds{note}"
        warnings.warn(text, Interrupted, stacklevel=stacklevel + 1)


def warn_limit(settings: Settings, model: FittedModel, stacklevel: int) -> None:
    """Warn that rounds ran out before early stopping found the best of them."""
    if model.limit is None or model.interrupted:
        return
    metric = next(iter(model.history["validation"]))
    warnings.warn(
        f"{AT_THE_LIMIT} of {model.limit} rounds (n_estimators): {metric!r} was still improving on "
        f"rows that are not trained on. More rounds or a larger learning_rate than "
        f"{settings.learning_rate:g} may give a better model",
        stacklevel=stacklevel + 1,
    )


def warn_fixed_rounds(settings: Settings, stacklevel: int) -> None:
    """Warn of what a given number of rounds does to settings left open."""
    if settings.n_estimators is None or settings.early_stopping is not None:
        return
    if settings.evidence is None:
        warnings.warn(
            f"n_estimators={settings.n_estimators} turns early stopping off and sets evidence to "
            "1. early_stopping=True searches for both, with at most so many rounds; "
            "early_stopping=False keeps them as they are, without this warning",
            stacklevel=stacklevel + 1,
        )


def warn_weights(settings: Settings, weight: Array | None, stacklevel: int) -> None:
    """Warn that the unit of the weights leaves little to learn from."""
    if weight is None:
        return
    mean, l2 = float(weight[weight > 0].mean(dtype=np.float64)), settings.tree.l2
    if mean > _HEAVY or (mean < _LIGHT and l2 and settings.learner is None):
        against = "squares of sums overflow" if mean > 1 else f"l2={l2:g} outweighs them"
        text = (
            f"sample weights are {mean:.3g} on average: a weight is a number of repeats, and "
            f"{against}; divide the weights by their mean"
        )
        warnings.warn(text, stacklevel=stacklevel + 1)


def warn_copies(share: float, stacklevel: int) -> None:
    """Warn that a splitter puts copies of rows into several folds."""
    if share > _COPIED:
        text = (
            f"{share:.0%} of the rows of a fold are copies of rows that are trained on: what is "
            "learnt by heart passes for good there. Give the number of folds as cv, which keeps "
            "copies together, or groups"
        )
        warnings.warn(text, stacklevel=stacklevel + 1)
