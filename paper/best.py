"""The tables with `WGBRegressorCV` and `WGBClassifierCV`, and with single models untouched.

Nothing here is chosen: a job fits an estimator without a setting to the training rows of a
standard split and measures it on the test rows, once.
"""

from __future__ import annotations

from typing import Any

from paper.data import REGRESSION, Array, Source
from paper.jobs import Job
from paper.peers import copied
from paper.table1 import repeats
from paper.table2 import SEEDS, split
from wgboost import WGBClassifier, WGBClassifierCV, WGBRegressor, WGBRegressorCV, metrics
from wgboost.calibration import Calibration

__all__ = ["CLASSES", "LEVELS", "METHODS", "classes_seed", "jobs", "measured", "regression_repeat"]

CLASSES = ("segment", "sensorless")
LEVELS = (0.5, 0.8, 0.9, 0.95)
METHODS = ("cv", "single")
OOD = ("combined", "max_variance", "mutual_information")


def measured(dist: Any, y: Array) -> dict[str, Any]:
    """What is reported of predictive distributions of test rows."""
    return {
        "nll": metrics.nll(dist, y),
        "rmse": metrics.rmse(dist, y),
        "crps": metrics.crps(dist, y),
        "coverage": [metrics.coverage(dist, y, level) for level in LEVELS],
    }


def regression_repeat(name: str, repeat: int, method: str, data: str | None) -> dict[str, Any]:
    """One split of one set: a bag before and after calibration, or one model as it comes."""
    source = Source.chosen(data).regression(name)
    train, test = source.repeats[repeat]
    X, y, X_test, y_test = source.X[train], source.y[train], source.X[test], source.y[test]
    new = ~copied(source.X, train, test)
    if method == "single":
        model = WGBRegressor(random_state=repeat, n_jobs=1).fit(X, y)
        dist = model.predict_dist(X_test)
        after = {**measured(dist, y_test), "nll_new": metrics.nll(dist[new], y_test[new])}
        return {**after, "rounds": model.n_estimators_, "evidence": model.evidence_}
    bag = WGBRegressorCV(random_state=repeat, n_jobs=1).fit(X, y)
    dist = bag.predict_dist(X_test)
    after = {**measured(dist, y_test), "nll_new": metrics.nll(dist[new], y_test[new])}
    factors, bag.calibration_ = bag.calibration_, Calibration()
    before = measured(bag.predict_dist(X_test), y_test)
    return {
        **after, "copied": float(1 - new.mean()), "before": before,
        "recipe": bag.best_recipe_, "value": bag.best_value_,
        "scale": factors.scale, "spread": factors.spread, "members": len(bag.members_),
        "tried": len(set(bag.cv_results_["recipe"])), "models": len(bag.cv_results_["recipe"]),
    }  # fmt: skip


def classes_seed(name: str, seed: int, method: str, data: str | None) -> dict[str, Any]:
    """One seed of one set of Table 2: accuracy and OOD average precision in percent, and NLL."""
    source = Source.chosen(data)
    found = source.sensorless() if name == "sensorless" else source.classes(name)
    train, test = split(len(found.y), seed)
    kind = WGBClassifierCV if method == "cv" else WGBClassifier
    model = kind(random_state=seed, n_jobs=1).fit(found.X[train], found.y[train])
    dist = model.predict_dist(found.X[test])
    ood = {
        f"ood_{score}": 100
        * metrics.ood_average_precision(
            model.ood_score(found.X[test], method=score),
            model.ood_score(found.X_ood, method=score),
        )
        for score in OOD
    }
    recipe = {"recipe": model.best_recipe_} if method == "cv" else {}
    accuracy = 100 * metrics.accuracy(dist, found.y[test])
    return {
        "rows": len(found.y),
        "accuracy": accuracy,
        "nll": metrics.nll(dist, found.y[test]),
        **ood,
        **recipe,
    }


def jobs(
    data: str | None, names: Any = REGRESSION, classes: Any = CLASSES, most: int | None = None,
    methods: Any = METHODS,
) -> list[Job]:  # fmt: skip
    """One job for every split and method; small sets first."""
    out = []
    for name in names:
        for i in range(repeats(name) if most is None else min(most, repeats(name))):
            for method in methods:
                settings = {"name": name, "repeat": i, "method": method}
                label = f"best/{method}/{name}/{i:02d}"
                out.append(Job(label, regression_repeat, settings, data))
    for name in classes:
        for seed in SEEDS[:most]:
            for method in methods:
                settings = {"name": name, "seed": seed, "method": method}
                label = f"best/{method}/{name}/{seed}"
                out.append(Job(label, classes_seed, settings, data))
    return out
