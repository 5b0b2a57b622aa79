"""Labels of classes as codes: their positions in the sorted labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["encode_labels"]


def encode_labels(classes: Array, y: Any) -> Array:
    """Return the codes of labels; raise ValueError for an unknown label."""
    labels = np.asarray(y)
    unknown = labels[~np.isin(labels, classes)]
    if unknown.size:
        raise ValueError(
            f"y has the label {unknown.tolist()[0]!r}, which is not among the training labels "
            f"{classes.tolist()}: drop those rows, or stratify the split (StratifiedKFold)"
        )
    codes: Array = np.searchsorted(classes, labels)
    return codes
