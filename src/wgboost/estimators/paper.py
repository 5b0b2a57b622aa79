"""Settings of the paper."""

from __future__ import annotations

from typing import Any

__all__ = ["PAPER_TREES"]

PAPER_TREES: dict[str, Any] = {
    "max_depth": 3, "max_leaves": None, "min_samples_leaf": 1, "l2": 0.0, "min_gain": 0.0,
    "growth": "depth_wise", "subsample": 1.0, "colsample": 1.0, "tree": "shared",
    "split_on": "sum", "leaf": "mean", "max_bins": 255,
}  # fmt: skip
"""The trees that the paper's tables were made with."""
