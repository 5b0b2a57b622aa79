"""Table 2: two classification sets with classes left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from paper.data import Array, Source
from paper.exact import ExactTree
from paper.jobs import Job
from paper.plain import averaged_class_start
from wgboost import WGBClassifier, metrics

__all__ = ["SEEDS", "jobs", "one_seed", "split"]

SEEDS = (322, 365, 382, 510, 988)


def split(n: int, seed: int) -> tuple[Array, Array]:
    """Training and test rows, 80 % and 20 %, of a seed."""
    order = np.random.RandomState(seed).permutation(n)
    return order[: int(0.8 * n)], order[int(0.8 * n) :]


def one_seed(
    name: str, seed: int, data: str | None, changes: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Accuracy and OOD average precision, in percent; the rows that are no OOD are the positives.

    `changes` are parameters of WGBClassifier, or learner="exact" and init="author".
    """
    found = Source.chosen(data).classes(name)
    train, test = split(len(found.y), seed)
    settings = {"random_state": 1, "n_jobs": 1, **(changes or {})}
    if settings.get("learner") == "exact":
        settings["learner"] = ExactTree()
    if settings.get("init") == "author":
        settings["init"] = averaged_class_start(found.y[train])
    model = WGBClassifier.paper(**settings).fit(found.X[train], found.y[train])
    inside, outside = model.ood_score(found.X[test]), model.ood_score(found.X_ood)
    return {
        "accuracy": 100 * metrics.accuracy(model.predict_dist(found.X[test]), found.y[test]),
        "ood": 100 * metrics.ood_average_precision(inside, outside),
        "rows": len(found.y),
    }


def jobs(
    names: Any, data: str | None, changes: dict[str, Any] | None = None, label: str = "table2"
) -> list[Job]:
    """One job for every seed of every set."""
    return [
        Job(
            f"{label}/{name}/{seed}",
            one_seed,
            {"name": name, "seed": seed, "changes": changes or {}},
            data,
        )
        for name in names
        for seed in SEEDS
    ]
