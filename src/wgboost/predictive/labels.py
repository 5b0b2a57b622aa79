"""Labels of classes as codes: their places in the sorted labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["encode_labels"]


def encode_labels(classes: Array, y: Any) -> Array:
    """Return the codes of labels; raise ValueError for one that is not among the classes."""
    labels = np.asarray(y)
    unseen = labels[~np.isin(labels, classes)]
    if unseen.size:
        raise ValueError(
            f"y has the label {unseen.tolist()[0]!r}, which the training labels "
            f"{classes.tolist()} do not: drop those rows, or split so that each class is in both "
            "parts (StratifiedKFold)"
        )
    codes: Array = np.searchsorted(classes, labels)
    return codes
