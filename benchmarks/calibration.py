"""Evaluate calibration, conformal intervals and OOD p-values, for tables of two pages in docs/.

The data are `load_diabetes` and synthetic rows. It takes a few minutes on one core.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import ShuffleSplit

from wgboost import (
    ConformalRegressor,
    Mixture,
    Normal,
    OODReference,
    WGBClassifier,
    WGBClassifierCV,
    WGBRegressor,
    WGBRegressorCV,
    metrics,
)
from wgboost.folds import out_of_fold

LEVELS = (0.5, 0.8, 0.9, 0.95)
MODELS = {
    "the paper's, 500 rounds": WGBRegressor.paper(
        n_estimators=500, early_stopping=False, random_state=0, n_jobs=1
    ),
    "evidence 10, early stopping": WGBRegressor(
        evidence=10, early_stopping=True, n_iter_no_change=30, random_state=0, n_jobs=1
    ),
}


def made(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with mean sin(2 x0) and scale exp(x1) / 2."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 4))
    return X, np.sin(2 * X[:, 0]) + 0.5 * np.exp(X[:, 1]) * rng.normal(size=n)


def splits(repeats: int = 5):
    """Yield the name of a data set with training and test rows."""
    X, y = load_diabetes(return_X_y=True)
    for train, test in ShuffleSplit(repeats, test_size=0.25, random_state=0).split(X):
        yield "diabetes", X[train], y[train], X[test], y[test]
    for seed in range(repeats):
        yield "made", *made(600, seed), *made(3000, 100 + seed)


def table(title: str, head: list[str], rows: dict[str, list[np.ndarray]], digits: int = 3) -> None:
    """Print the means over splits."""
    print(f"\n## {title}\n\n| | {' | '.join(head)} |\n|---|{'---|' * len(head)}")
    for name, values in rows.items():
        mean = np.mean(values, axis=0)
        print(f"| {name} | {' | '.join(f'{value:.{digits}f}' for value in mean)} |")


def add(rows: dict[str, list[np.ndarray]], name: str, values: list[float]) -> None:
    rows.setdefault(name, []).append(np.array(values))


def factors() -> None:
    """Print NLL, CRPS and coverage before and after `calibrate(X, y, cv=5)`."""
    rows: dict[str, list[np.ndarray]] = {}
    for name, X, y, new, truth in splits():
        for kind, model in MODELS.items():
            fitted = clone(model).fit(X, y)
            for when in ("before", "after"):
                if when == "after":
                    fitted.calibrate(X, y, cv=5)
                dist = fitted.predict_dist(new)
                held = [metrics.coverage(dist, truth, level) for level in LEVELS]
                scores = [metrics.nll(dist, truth), metrics.crps(dist, truth)]
                add(rows, f"{name}, {kind}, {when}", [*scores, *held])
    head = ["NLL", "CRPS", *(f"in {level:.0%}" for level in LEVELS)]
    table("Scale and spread, fitted to five folds of the training rows", head, rows)


def intervals() -> None:
    """Print coverage and mean width of 90% intervals."""
    rows: dict[str, list[np.ndarray]] = {}
    model = MODELS["evidence 10, early stopping"]
    for name, X, y, new, truth in splits():
        fitted = clone(model).fit(X, y)
        dist = fitted.predict_dist(new)
        inside, width = metrics.coverage(dist, truth), metrics.interval_width(dist)
        add(rows, f"{name}, of the model", [inside, width])
        for method in ("split", "cross"):
            for conformity in ("cdf", "scaled"):
                wrapped = ConformalRegressor(
                    model, method=method, conformity=conformity, random_state=0
                ).fit(X, y)
                low, high = wrapped.predict_interval(new, 0.9).T
                inside = ((low <= truth) & (truth <= high)).mean()
                add(rows, f"{name}, {method}, {conformity}", [inside, (high - low).mean()])
    table("Intervals for 90 %", ["held", "mean width"], rows)


def pvalues() -> None:
    """Print how often rows of the training distribution have a p-value of at most a level."""
    rows: dict[str, list[np.ndarray]] = {}
    levels = (0.01, 0.05, 0.1, 0.2, 0.5)
    kinds = {
        "regression": WGBRegressor(n_estimators=100, random_state=0, n_jobs=1),
        "classes": WGBClassifier(n_estimators=60, random_state=0, n_jobs=1),
    }
    bags = {
        "regression": WGBRegressorCV([{"evidence": 10.0}], cv=5, random_state=0, n_jobs=1),
        "classes": WGBClassifierCV([{"evidence": 10.0}], cv=5, random_state=0, n_jobs=1),
    }

    def add_rates(name: str, p: np.ndarray) -> None:
        off = max(abs((p <= level).mean() - level) for level in levels)
        add(rows, name, [*((p <= level).mean() for level in levels), off])

    for seed in range(5):
        (X, y), (new, _), (held, _) = made(400, seed), made(3000, 50 + seed), made(400, 90 + seed)
        for kind, model in kinds.items():
            target = y > 0 if kind == "classes" else y
            fitted = clone(model).fit(X, target)
            folds = out_of_fold(model, X, target, cv=5, random_state=0)
            raw = np.concatenate([metrics.ood_scores(fold.dist()) for fold in folds])
            references = {
                "rows held out": OODReference.held_out(fitted, held),
                "folds": OODReference.out_of_fold(fitted, X, target, random_state=0),
                "folds, scores not aligned": OODReference(raw),
            }
            for name, reference in references.items():
                add_rates(f"{kind}, {name}", fitted.ood_pvalue(new, reference))
        for kind, bag in bags.items():
            fitted = clone(bag).fit(X, y if kind == "regression" else y > 0)
            add_rates(f"{kind}, a bag", fitted.ood_pvalue(new))
    head = [*(f"p <= {level:g}" for level in levels), "largest gap, mean of five"]
    table("p-values of 3,000 rows of the training distribution", head, rows)


def costs() -> None:
    """Print milliseconds per row of the mutual information of a numeric y, on one thread."""
    rng, rows = np.random.default_rng(0), {}
    for m in (5, 10, 20, 50):
        theta = np.stack([rng.normal(0, 0.3, (200, m)), rng.normal(-1, 0.3, (200, m))], axis=-1)
        dist = Mixture(Normal(), theta)
        start = time.process_time()
        dist.mutual_information()
        add(rows, f"{m} particles", [(time.process_time() - start) / 200 * 1000])
    table("Mutual information of a normal response", ["ms a row"], rows, digits=1)


if __name__ == "__main__":
    factors()
    intervals()
    pvalues()
    costs()
