"""Compare wgboost with other libraries, on data of scikit-learn and on synthetic data.

There are five folds. Every method gets the same training rows and may use a fifth of them for early
stopping. The other methods are those of paper/methods.py. The table has NLL and CRPS of the
predictive distributions, the share of test rows in the central 90% interval, its width relative to
the standard deviation of y, RMSE of the mean, and seconds of CPU to fit and predict on one thread.
The best value of each column and data set is bold.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.model_selection import KFold, train_test_split

from wgboost import Mixture, WGBRegressor, WGBRegressorCV, metrics

sys.path.insert(0, str(Path(__file__).parents[1]))
Data = tuple[np.ndarray, np.ndarray]
LEVEL = 0.9


def load(name: str) -> Data:
    if name == "diabetes":
        return load_diabetes(return_X_y=True)
    rng = np.random.default_rng(0)
    if name == "friedman":
        return make_friedman1(2000, noise=1.0, random_state=0)
    X = rng.uniform(-1, 1, (2000, 5))
    return X, np.sin(2 * X[:, 0]) + np.exp(X[:, 1]) / 2 * rng.standard_normal(2000)


SETS = {
    "diabetes": "diabetes, 442 x 10",
    "friedman": "Friedman's function, noise 1, 2,000 x 10",
    "uneven": "sine with uneven noise, 2,000 x 5",
}


OURS = {"wgboost": WGBRegressor, "wgboost_cv": WGBRegressorCV}  # with defaults
TITLES = {"wgboost": "`WGBRegressor()`", "wgboost_cv": "`WGBRegressorCV()`"}


def ours(name: str, train: Data, X: np.ndarray, seed: int) -> tuple[Mixture, float]:
    start = time.process_time()
    model = OURS[name](n_jobs=1, random_state=seed).fit(*train)
    return model.predict_dist(X), time.process_time() - start


def peer(name: str, train: Data, X: np.ndarray, seed: int) -> tuple[Mixture, float]:
    from paper.methods import answer

    n = len(train[1])
    held = train_test_split(np.arange(n), test_size=0.2, random_state=seed)[1]
    found = answer(name, *train, held, X, seed)
    return found.dist, found.seconds


HEADS = ["NLL", "CRPS", "in 90 %", "width", "RMSE", "seconds"]


def measured(name: str, method: str) -> np.ndarray:
    X, y = load(name)
    figures = []
    for seed, (inside, outside) in enumerate(KFold(5, shuffle=True, random_state=0).split(X)):
        rows = (X[inside], y[inside]), X[outside], seed
        dist, seconds = (ours if method in OURS else peer)(method, *rows)
        test = dist, y[outside]
        figures.append([
            metrics.nll(*test), metrics.crps(*test), 100 * metrics.coverage(*test, LEVEL),
            metrics.interval_width(*test, LEVEL) / y.std(), metrics.rmse(*test), seconds,
        ])  # fmt: skip
    return np.mean(figures, axis=0)


def bold(table: np.ndarray) -> list[list[str]]:
    """Return the figures as text, the best of each column bold, except for the width."""
    digits = (3, 3, 1, 2, 2, 1)
    loss = np.where(np.arange(table.shape[1]) == 2, np.abs(table - 100 * LEVEL), table)
    best = [{i for i in range(len(table)) if round(loss[i, j], d) == round(loss[:, j].min(), d)}
            for j, d in enumerate(digits)]  # fmt: skip
    return [
        [
            f"**{row[j]:.{d}f}**" if j != 3 and i in best[j] else f"{row[j]:.{d}f}"
            for j, d in enumerate(digits)
        ]
        for i, row in enumerate(table)
    ]


def main() -> None:
    from paper.methods import PEERS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=[*SETS])
    sets = parser.parse_args().sets
    titles = {**TITLES, **{m: p.title for m, p in PEERS.items() if p.is_there}}
    print(f"| data | method | {' | '.join(HEADS)} |\n|---|---|{'--:|' * len(HEADS)}", flush=True)
    for name in sets:
        table = np.array([measured(name, method) for method in titles])
        for i, (title, row) in enumerate(zip(titles.values(), bold(table), strict=True)):
            print(f"| {SETS[name] if i == 0 else ''} | {title} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
