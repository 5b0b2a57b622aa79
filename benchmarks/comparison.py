"""wgboost beside its peers, on data that ship with scikit-learn and on made data of known noise.

Five folds. Every method gets the same training rows and takes a fifth of them for early stopping or
calibration if it wants to. NLL and CRPS of the predictive distribution of y, share of test rows in
the central 90 % interval, its width relative to the deviation of y, RMSE of the mean, and seconds
of CPU to fit and predict, one thread. The best of each column and data set is bold.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from scipy import stats
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.model_selection import KFold, train_test_split
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wgboost import WGBRegressor, metrics

Rows = tuple[np.ndarray, np.ndarray]
LEVEL = 0.9


class Normal:
    """Normal predictive distributions with the names of wgboost's mixtures."""

    def __init__(self, mean: np.ndarray, deviation: np.ndarray) -> None:
        self.parts = mean, np.maximum(deviation, 1e-12)

    def figures(self, y: np.ndarray) -> tuple[float, float, float, float, float]:
        """NLL, CRPS, share in the interval, its width, RMSE."""
        mean, deviation = self.parts
        z = (y - mean) / deviation
        crps = deviation * (
            z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / np.sqrt(np.pi)
        )
        half = stats.norm.ppf(0.5 + LEVEL / 2)
        return (
            float(-stats.norm.logpdf(y, mean, deviation).mean()), float(crps.mean()),
            float((np.abs(z) <= half).mean()), float(2 * half * deviation.mean()),
            float(np.sqrt(np.mean((y - mean) ** 2))),
        )  # fmt: skip


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


def wgboost(train: Rows, X: np.ndarray, seed: int) -> Callable[[np.ndarray], tuple[float, ...]]:
    model = WGBRegressor(
        evidence="auto", early_stopping=True, n_iter_no_change=50, n_estimators=2000,
        learning_rate=0.05, leaf="newton", l2=1, split_on="particle_mean", subsample=0.6,
        colsample=0.7, n_jobs=1, random_state=seed,
    ).fit(*train)  # fmt: skip
    dist = model.predict_dist(X)
    low, high = dist.interval(LEVEL)
    return lambda y: (
        metrics.nll(dist, y), metrics.crps(dist, y), float(((low <= y) & (y <= high)).mean()),
        float((high - low).mean()), metrics.rmse(dist, y),
    )  # fmt: skip


def ngboost(train: Rows, X: np.ndarray, seed: int) -> Callable[[np.ndarray], tuple[float, ...]]:
    from ngboost import NGBRegressor

    fit, watch = split(train, seed)
    model = NGBRegressor(n_estimators=2000, verbose=False, random_state=seed)
    model.fit(*fit, *watch, early_stopping_rounds=50)
    dist = model.pred_dist(X, max_iter=model.best_val_loss_itr + 1)
    return Normal(dist.params["loc"], dist.params["scale"]).figures


def catboost(train: Rows, X: np.ndarray, seed: int) -> Callable[[np.ndarray], tuple[float, ...]]:
    from catboost import CatBoostRegressor

    fit, watch = split(train, seed)
    model = CatBoostRegressor(
        loss_function="RMSEWithUncertainty", iterations=2000, posterior_sampling=True,
        random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False,
    ).fit(*fit, eval_set=watch, early_stopping_rounds=50, use_best_model=True)  # fmt: skip
    mean, knowledge, noise = model.virtual_ensembles_predict(
        X, prediction_type="TotalUncertainty", virtual_ensembles_count=10, thread_count=1
    ).T
    return Normal(mean, np.sqrt(knowledge + noise)).figures


def gaussian_process(
    train: Rows, X: np.ndarray, seed: int
) -> Callable[[np.ndarray], tuple[float, ...]]:
    """Lengths and noise from at most 500 rows, then all rows."""
    X_train, y_train = train
    kernel = 1.0 * RBF(np.ones(X.shape[1]), (1e-2, 1e3)) + WhiteKernel(0.1, (1e-6, 10))
    process = GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed)
    model = make_pipeline(StandardScaler(), process)
    some = np.random.default_rng(seed).permutation(len(y_train))[:500]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lengths of features that do not matter
        model.fit(X_train[some], y_train[some])
    settled = GaussianProcessRegressor(process.kernel_, optimizer=None, normalize_y=True)
    model = make_pipeline(StandardScaler(), settled).fit(X_train, y_train)
    return Normal(*model.predict(X, return_std=True)).figures


def networks(train: Rows, X: np.ndarray, seed: int) -> Callable[[np.ndarray], tuple[float, ...]]:
    """Five networks: the spread of their means, and one deviation of noise from held-out rows."""
    fit, watch = split(train, seed)
    unit, shift = fit[1].std(), fit[1].mean()
    members = [
        make_pipeline(
            StandardScaler(),
            MLPRegressor(
                hidden_layer_sizes=(50,),
                early_stopping=True,
                max_iter=1000,
                random_state=5 * seed + i,
            ),
        ).fit(fit[0], (fit[1] - shift) / unit)
        for i in range(5)
    ]
    inside, new = (
        shift + unit * np.stack([one.predict(some) for one in members]) for some in (watch[0], X)
    )
    spread = inside.var(axis=0)
    noise = max(np.mean((watch[1] - inside.mean(axis=0)) ** 2 - spread), 1e-6 * unit**2)
    return Normal(new.mean(axis=0), np.sqrt(noise + new.var(axis=0))).figures


METHODS = {
    "wgboost": wgboost, "NGBoost": ngboost, "CatBoost": catboost,
    "Gaussian process": gaussian_process, "5 networks": networks,
}  # fmt: skip
HEADS = ["NLL", "CRPS", "in 90 %", "width", "RMSE", "seconds"]


def split(train: Rows, seed: int) -> tuple[Rows, Rows]:
    X, X_watch, y, y_watch = train_test_split(*train, test_size=0.2, random_state=seed)
    return (X, y), (X_watch, y_watch)


def measured(name: str, method: str) -> np.ndarray:
    X, y = data(name)
    figures = []
    for seed, (inside, outside) in enumerate(KFold(5, shuffle=True, random_state=0).split(X)):
        begin = time.process_time()
        judge = METHODS[method]((X[inside], y[inside]), X[outside], seed)
        seconds = time.process_time() - begin
        nll, crps, share, width, rmse = judge(y[outside])
        figures.append([nll, crps, 100 * share, width / y.std(), rmse, seconds])
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=[*SETS])
    sets = parser.parse_args().sets
    packages = {"NGBoost": "ngboost", "CatBoost": "catboost"}
    there = [m for m in METHODS if m not in packages or find_spec(packages[m]) is not None]
    print(f"| data | method | {' | '.join(HEADS)} |\n|---|---|{'--:|' * len(HEADS)}", flush=True)
    for name in sets:
        table = np.array([measured(name, method) for method in there])
        for i, (method, row) in enumerate(zip(there, bold(table), strict=True)):
            print(f"| {SETS[name] if i == 0 else ''} | {method} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
