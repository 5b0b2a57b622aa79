"""One repeat of Table 1: find the numbers of rounds, refit, test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from paper.data import Source
from paper.exact import ExactTree
from paper.plain import averaged_start
from wgboost import TreeLearner, WGBRegressor, metrics

Array = np.ndarray

__all__ = ["Watched", "estimator", "held_out", "one_repeat", "two_stoppings"]

SEED = 1
METRICS = {"nll": metrics.nll, "rmse": metrics.rmse}
CRITERIA = tuple(METRICS)
TREE_RULES = tuple(field.name for field in fields(TreeLearner))


class Watched:
    """The NLL as validation metric, with the RMSE of the same rounds on the side."""

    __name__ = "nll"

    def __init__(self) -> None:
        self.rmse: list[float] = []  # before the first round first

    def __call__(self, dist: Any, y: Array) -> float:
        """Return the NLL."""
        self.rmse.append(metrics.rmse(dist, y))
        return metrics.nll(dist, y)


def held_out(n: int) -> Array:
    """Positions of the validation rows among n training rows, as the author drew them."""
    return np.sort(train_test_split(np.arange(n), test_size=0.2, random_state=1)[1])


def estimator(y: Array, **changes: Any) -> WGBRegressor:
    """The paper's settings, on one thread since jobs run side by side.

    `changes` are parameters of WGBRegressor or of its TreeLearner; learner="exact" are trees that
    try every threshold ("exact:30" with at least 30 rows in a leaf, "exact:1:2" with ties broken by
    the seed 2), init="author" are the author's start particles for this y.
    """
    settings = {"random_state": SEED, "n_jobs": 1, **changes}
    if isinstance(settings.get("learner"), str):
        least, seed, *_ = [*map(int, settings["learner"].split(":")[1:]), *(1, 1)]
        settings["learner"] = ExactTree(min_samples_leaf=least, random_state=seed)
    if isinstance(settings.get("init"), str) and settings["init"] == "author":
        settings["init"] = averaged_start((y - y.mean()) / y.std())
    trees = {name: settings.pop(name) for name in TREE_RULES if name in settings}
    model = WGBRegressor.paper(**settings)
    return model.set_params(learner=replace(model.learner, **trees)) if trees else model


def two_stoppings(
    X: Array, y: Array, held: Array, criteria: Sequence[str] = CRITERIA, **changes: Any
) -> tuple[WGBRegressor, dict[str, int]]:
    """Return one refitted model and its best numbers of rounds by NLL and by RMSE.

    The two models of the protocol, one for each criterion, are the first so many rounds of the
    one returned: both criteria are read off the same rounds on the rows held out, and rounds
    do not depend on how many follow.
    """
    watched = Watched()
    inside = np.delete(y, held)
    search = estimator(inside, **{**changes, "eval_metric": watched, "refit": False})
    search.fit(X, y, validation_rows=held)
    rounds = {
        "nll": int(np.nanargmin(search.history_["validation"]["nll"])),
        "rmse": int(np.nanargmin(watched.rmse)),
    }
    longest = max(1, *(rounds[criterion] for criterion in criteria))
    changes = {**changes, "early_stopping": False, "n_estimators": longest}
    return estimator(y, **changes).fit(X, y), rounds


def one_repeat(
    name: str, repeat: int, data: str | None, changes: dict[str, Any] | None = None,
    criteria: Sequence[str] = CRITERIA,
) -> dict[str, Any]:  # fmt: skip
    """Each criterion on one repeat's test rows, with as many rounds as it chooses."""
    source = Source.chosen(data).regression(name)
    train, test = source.repeats[repeat]
    X, y = source.X[train], source.y[train]
    model, rounds = two_stoppings(X, y, held_out(len(train)), criteria, **(changes or {}))
    result: dict[str, Any] = {}
    for criterion in criteria:
        dist = model.predict_dist(source.X[test], n_rounds=rounds[criterion])
        result[criterion] = METRICS[criterion](dist, source.y[test])
        result[f"{criterion}_rounds"] = rounds[criterion]
    return result
