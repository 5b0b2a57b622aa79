"""Settings of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from wgboost.directions import DiagonalNewton, Kernel
from wgboost.learners import TreeLearner

__all__ = ["PAPER", "PAPER_TREES", "paper_settings"]

PAPER_TREES: dict[str, Any] = {
    "max_depth": 3, "max_leaves": None, "min_samples_leaf": 1, "l2": 0.0, "subsample": 1.0,
    "colsample": 1.0, "tree": "shared",
    "learner": TreeLearner(split_on="sum", leaf="mean", growth="depth_wise"),
}  # fmt: skip
"""The trees that the paper's tables were made with."""

PAPER: dict[str, Any] = {
    **PAPER_TREES, "n_particles": 10,
    "direction": DiagonalNewton(Kernel("gaussian", 0.1)), "n_estimators": 4000, "evidence": 1.0,
    "n_iter_no_change": None, "learning_rate": 0.1, "init": "flow",
}  # fmt: skip
"""The parameters that all tables of the paper were made with."""


def paper_settings(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the paper with changes; unset rules of a TreeLearner stay."""
    settings = {**PAPER, **changes}
    learner, paper = settings["learner"], PAPER_TREES["learner"]
    if isinstance(learner, TreeLearner):
        kept = {name: value for name, value in asdict(paper).items() if value is not None}
        unset = [name for name in kept if getattr(learner, name) is None]
        settings["learner"] = replace(learner, **{name: kept[name] for name in unset})
    return settings
