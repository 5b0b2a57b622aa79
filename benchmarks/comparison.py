"""wgboost beside its peers, on data that ship with scikit-learn and on made data of known noise.

Five folds. Every method gets the same training rows and takes a fifth of them for early stopping if
it wants to; the peers are those of paper/methods.py. NLL and CRPS of the predictive distribution of
y, share of test rows in the central 90 % interval, its width relative to the deviation of y, RMSE
of the mean, and seconds of CPU to fit and predict, one thread. The best of each column and data set
is bold.
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
Rows = tuple[np.ndarray, np.ndarray]
LEVEL = 0.9


def data(name: str) -> Rows:
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


OURS = {"wgboost": WGBRegressor, "wgboost_cv": WGBRegressorCV}  # as they come
TITLES = {"wgboost": "`WGBRegressor()`", "wgboost_cv": "`WGBRegressorCV()`"}


def ours(name: str, train: Rows, X: np.ndarray, seed: int) -> tuple[Mixture, float]:
    begin = time.process_time()
    model = OURS[name](n_jobs=1, random_state=seed).fit(*train)
    return model.predict_dist(X), time.process_time() - begin


def peer(name: str, train: Rows, X: np.ndarray, seed: int) -> tuple[Mixture, float]:
    from paper.methods import answer

    n = len(train[1])
    held = train_test_split(np.arange(n), test_size=0.2, random_state=seed)[1]
    found = answer(name, *train, held, X, seed)
    return found.dist, found.seconds


HEADS = ["NLL", "CRPS", "in 90 %", "width", "RMSE", "seconds"]


def measured(name: str, method: str) -> np.ndarray:
    X, y = data(name)
    figures = []
    for seed, (inside, outside) in enumerate(KFold(5, shuffle=True, random_state=0).split(X)):
        rows = (X[inside], y[inside]), X[outside], seed
        dist, seconds = (ours if method in OURS else peer)(method, *rows)
        seen = dist, y[outside]
        figures.append([
            metrics.nll(*seen), metrics.crps(*seen), 100 * metrics.coverage(*seen, LEVEL),
            metrics.interval_width(*seen, LEVEL) / y.std(), metrics.rmse(*seen), seconds,
        ])  # fmt: skip
    return np.mean(figures, axis=0)


def bold(table: np.ndarray) -> list[list[str]]:
    """The figures of methods as texts, the best of each column bold; no width is best in itself."""
    digits = (3, 3, 1, 2, 2, 1)
    away = np.where(np.arange(table.shape[1]) == 2, np.abs(table - 100 * LEVEL), table)
    best = [{i for i in range(len(table)) if round(away[i, j], d) == round(away[:, j].min(), d)}
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
