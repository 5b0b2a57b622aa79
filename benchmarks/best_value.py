"""Evaluate `best_value_` of bags on pure noise, and bags of data that drift.

`python benchmarks/best_value.py noise [draws]` prints the table of docs/cv.md: `best_value_` of
`WGBRegressorCV()` on pure noise, and the mean over folds at the rounds that each fold chose itself.
`python benchmarks/best_value.py drift` compares a bag by `TimeSeriesSplit` with the models of its
folds. Each takes a few minutes on one core.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.model_selection import TimeSeriesSplit

from wgboost import WGBRegressorCV, metrics

ENTROPY = 0.5 * np.log(2 * np.pi * np.e)
ROWS = (20, 30, 50)


def on_noise(n: int, seed: int) -> tuple[float, float, float]:
    """Return the mean at the rounds that folds chose themselves, `best_value_`, and the NLL."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), rng.normal(size=n)
    bag = WGBRegressorCV(random_state=seed, n_jobs=1).fit(X, y)
    own = [(one.history_["validation"]["nll"], one) for one in bag.members_]
    values = [curve[one.n_estimators_] for curve, one in own]
    rows = [one.validation_rows_.size for one in bag.members_]
    new, new_y = rng.normal(size=(2000, 3)), rng.normal(size=2000)
    after = metrics.nll(bag.predict_dist(new), new_y)
    return float(np.average(values, weights=rows)), bag.best_value_, after


def noise(draws: int = 60) -> None:
    """Print the table by number of rows."""
    print(f"no model is below {ENTROPY:.3f}")
    print("| rows | own rounds | `best_value_` | the bag on new rows |\n|--:|---|---|---|")
    for n in ROWS:
        found = np.array([on_noise(n, seed) for seed in range(draws)])
        mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(draws)
        cells = [f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error, strict=True)]
        print(f"| {n} | {' | '.join(cells)} |", flush=True)


def drift(draws: int = 5) -> None:
    """Print NLL and RMSE of the last 100 of 500 rows, for the bag and the models of its folds."""
    found = []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        X, time = rng.normal(size=(500, 3)), np.arange(500) / 500
        y = np.sin(2 * X[:, 0]) + (1 - 2 * time) * X[:, 1] + 2 * time + 0.3 * rng.normal(size=500)
        recipe = {"evidence": 3.0, "max_leaves": 16}
        folds = list(TimeSeriesSplit(5).split(X[:400]))
        for cv in (folds, *([one] for one in folds)):
            bag = WGBRegressorCV([recipe], cv=cv, n_estimators=400, random_state=seed, n_jobs=1)
            found.append(bag.fit(X[:400], y[:400]).predict_dist(X[400:]))
        of_bag, of_folds = found[-6], found[-5:]
        density = np.mean([one.pdf(y[400:]) for one in of_folds], axis=0)
        mean = np.mean([one.mean() for one in of_folds], axis=0)
        found[-6:] = [
            metrics.nll(of_bag, y[400:]), metrics.rmse(of_bag, y[400:]),
            -np.log(density).mean(), np.sqrt(np.mean((mean - y[400:]) ** 2)),
        ]  # fmt: skip
    nll, rmse, nll_folds, rmse_folds = np.reshape(found, (draws, 4)).mean(axis=0)
    print("| | NLL | RMSE |\n|---|--:|--:|")
    print(f"| the bag | {nll:.2f} | {rmse:.2f} |")
    print(f"| models of its folds | {nll_folds:.2f} | {rmse_folds:.2f} |")


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else "noise"
    {"noise": noise, "drift": drift}[what](*map(int, sys.argv[2:]))
