"""Contents of model files of older formats, as the present format has them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wgboost.persistence.container import Contents
from wgboost.typing import Array

__all__ = ["upgraded"]


def upgraded(contents: Contents) -> Contents:
    """Return the contents in the present format, one version after the other."""
    for version in range(contents.version, max(_UPGRADES) + 1):
        contents = _UPGRADES[version](contents)
    return contents


def _categories(contents: Contents) -> Contents:
    """Format 1 had no categories: all columns are numbers, and no split has a set.

    It had no constraints either, and did not say what evidence came to.
    """
    model, tensors = contents.model, dict(contents.tensors)
    model["fitted"]["_constraints"] = "None"
    if "evidence" in model["parameters"]:
        given = model["parameters"]["evidence"]
        model["fitted"]["evidence_"] = float(given) if isinstance(given, (int, float)) else 1.0
    trees = model["fitted"]["ensemble_"]["fields"]
    nodes = tensors[trees["feature"]["tensor"]].size
    n_trees = tensors[trees["output"]["tensor"]].size
    features = tensors[model["features"]["types"]["tensor"]]
    if features.any():
        raise ValueError("a feature is of an unknown type")
    new: dict[str, Array] = {
        "fitted.ensemble_.category_set": np.full(nodes, -1, np.int32),
        "fitted.ensemble_.first_set": np.zeros(n_trees + 1, np.int64),
        "fitted.ensemble_.sets": np.zeros((0, 8), np.uint32),
        "features.first_level": np.zeros(features.size + 1, np.int64),
        "features.codes": np.zeros(0, np.uint8),
        "features.numbers": np.zeros(0),
        "features.text": np.zeros(0, np.uint8),
        "features.text.ends": np.zeros(0, np.int64),
    }
    for name, array in new.items():
        tensors[name] = array
        part, _, field = name.rpartition(".")
        if field != "ends":
            known = trees if part == "fitted.ensemble_" else model["features"]
            known[field] = {"kind": "array", "tensor": name}
    model["features"]["text"] = {
        "kind": "strings", "object": True, "tensor": "features.text", "ends": "features.text.ends",
    }  # fmt: skip
    return Contents(model, tensors)


_UPGRADES: dict[int, Callable[[Contents], Contents]] = {1: _categories}
