"""Peers of wgboost: what each predicts for new rows, given training rows.

All see the same: y standardised by the training rows' mean and deviation, and positions of rows to
hold out. What is trained in rounds or epochs takes their number from the rows held out and is then
trained again on all rows. The answer is a mixture of normals in the units of y.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from paper.networks import Networks, epochs_for, train
from wgboost import Mixture, Normal, metrics
from wgboost.responses import Units

Array = np.ndarray
Found = tuple[Array, dict[str, float]]  # particles (n, m, 2) of standardised y, and what was chosen

__all__ = ["PEERS", "Answer", "Peer", "answer", "catboost", "networks", "ngboost", "process"]

PATIENCE = 50
RATES = (0.01, 0.001)  # of the networks; at 0.1 some of the five diverge
LENGTH_ROWS = 1000  # rows that a process takes its lengths from
PROCESS_ROWS = 12_000  # a covariance of 1.2 GB, in three copies


def _normals(mean: Array, log_deviation: Array) -> Array:
    return np.stack([mean, log_deviation], axis=-1)[:, None]


def ngboost(X: Array, y: Array, held: Array, new: Array, seed: int) -> Found:
    """NGBoost with its authors' settings: rate 0.01, default trees, at most 2,000 rounds."""
    from ngboost import NGBRegressor
    from ngboost.learners import default_tree_learner

    tree = clone(default_tree_learner).set_params(random_state=seed)  # else ties are drawn

    def model(rounds: int) -> Any:
        return NGBRegressor(
            n_estimators=rounds, learning_rate=0.01, Base=tree, verbose=False, random_state=seed
        )

    search = model(2000).fit(
        np.delete(X, held, axis=0), np.delete(y, held), X[held], y[held],
        early_stopping_rounds=PATIENCE,
    )  # fmt: skip
    rounds = search.best_val_loss_itr + 1
    found = model(rounds).fit(X, y).pred_dist(new).params
    return _normals(found["loc"], np.log(found["scale"])), {"rounds": rounds}


def catboost(X: Array, y: Array, held: Array, new: Array, seed: int) -> Found:
    """CatBoost's RMSEWithUncertainty with its defaults, at most 1,000 rounds; data uncertainty."""
    from catboost import CatBoostRegressor

    def model(rounds: int) -> Any:
        return CatBoostRegressor(
            loss_function="RMSEWithUncertainty", iterations=rounds, random_seed=seed,
            thread_count=1, verbose=False, allow_writing_files=False,
        )  # fmt: skip

    search = model(1000).fit(
        np.delete(X, held, axis=0), np.delete(y, held), eval_set=(X[held], y[held]),
        early_stopping_rounds=PATIENCE, use_best_model=True,
    )  # fmt: skip
    rounds = search.tree_count_
    mean, variance = model(rounds).fit(X, y).predict(new, thread_count=1).T
    return _normals(mean, np.log(variance) / 2), {"rounds": rounds}


def networks(
    X: Array, y: Array, held: Array, new: Array, seed: int, steps: int = 5000
) -> Found:  # fmt: skip
    """A deep ensemble of five networks of 50 units, 100 from 20,000 rows on.

    The rate is one of two and the number of epochs at most that of `epochs_for`; the NLL of the
    mixture on the rows held out decides. It ends a search if it is no lower for a fifth of them.
    """
    scaler = StandardScaler().fit(X)
    X, new = scaler.transform(X), scaler.transform(new)
    inside = np.delete(X, held, axis=0), np.delete(y, held)
    hidden = 50 if len(y) < 20_000 else 100
    most = epochs_for(len(inside[1]), steps)
    best = np.inf, RATES[0], 1
    for rate in RATES:
        losses: list[float] = []

        def watch(found: Networks, losses: list[float] = losses) -> bool:
            loss = metrics.nll(Mixture(Normal(), found.particles(X[held])), y[held])
            losses.append(loss if np.isfinite(loss) else np.inf)
            return len(losses) - int(np.argmin(losses)) > max(10, most // 5)

        train(*inside, hidden=hidden, rate=rate, epochs=most, seed=seed, stop=watch)
        best = min(best, (float(np.min(losses)), rate, int(np.argmin(losses)) + 1))
    _, rate, epochs = best
    final = train(X, y, hidden=hidden, rate=rate, epochs=epochs, seed=seed)
    return final.particles(new), {"rate": rate, "epochs": epochs}


def process(X: Array, y: Array, held: Array, new: Array, seed: int) -> Found:
    """A Gaussian process with a length for every feature and noise, by marginal likelihood.

    Lengths and noise come from at most 1,000 rows; the process then has all of them.
    """
    del held  # nothing is trained in rounds
    scaler = StandardScaler().fit(X)
    X, new = scaler.transform(X), scaler.transform(new)
    kernel = 1.0 * RBF(np.ones(X.shape[1]), (1e-2, 1e3)) + WhiteKernel(0.1, (1e-6, 10))
    some = np.random.default_rng(seed).permutation(len(y))[:LENGTH_ROWS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lengths of features that do not matter
        search = GaussianProcessRegressor(kernel, random_state=seed).fit(X[some], y[some])
    settled = GaussianProcessRegressor(search.kernel_, optimizer=None).fit(X, y)
    mean, deviation = settled.predict(new, return_std=True)
    return _normals(mean, np.log(deviation)), {}


@dataclass(frozen=True)
class Peer:
    """A method and what it needs."""

    title: str
    predict: Callable[[Array, Array, Array, Array, int], Found]
    package: str | None = None  # beside those of wgboost
    most_rows: int | None = None  # of the whole set, that it is run on

    @property
    def is_there(self) -> bool:
        """Whether its package is installed."""
        return self.package is None or find_spec(self.package) is not None


PEERS = {
    "ngboost": Peer("NGBoost", ngboost, "ngboost"),
    "catboost": Peer("CatBoost", catboost, "catboost"),
    "networks": Peer("5 networks", networks, "torch"),
    "process": Peer("Gaussian process", process, most_rows=PROCESS_ROWS),
}


@dataclass(frozen=True, eq=False)
class Answer:
    """What a peer predicts for new rows."""

    dist: Mixture
    chosen: dict[str, float]  # rounds, epochs and rate
    seconds: float  # of CPU, to fit and predict


def answer(name: str, X: Array, y: Array, held: Array, new: Array, seed: int) -> Answer:
    """Let a peer train on rows (X, y), of which it may hold out some, on one thread."""
    peer = PEERS[name]
    if peer.package is not None:
        import_module(peer.package)  # before its threads are limited and the clock runs
    units = Units(float(y.mean()), float(y.std()))
    with threadpool_limits(1):
        begin = time.process_time()
        particles, chosen = peer.predict(X, units.standardise(y), held, new, seed)
        seconds = time.process_time() - begin
    return Answer(Mixture(Normal(), particles, units), chosen, seconds)
