"""OOD scores of other methods, for benchmarks/foreign_tables.py and out_of_distribution.py."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.preprocessing import StandardScaler

__all__ = [
    "Score",
    "catboost_classifier",
    "catboost_information",
    "catboost_knowledge",
    "catboost_regressor",
    "classifier_peers",
    "detectors",
    "entropy",
    "gaussian_process",
    "regressor_peers",
]

Score = Callable[[np.ndarray], np.ndarray]
"""A score of rows, large for rows from elsewhere."""

_QUIET: dict[str, Any] = {"thread_count": 1, "verbose": False, "allow_writing_files": False}
_LANGEVIN = 5  # models of a sample of stochastic gradient Langevin boosting
_ROUNDS = 300  # of CatBoost
_GP_ROWS = 300  # at most, since the cost grows with their third power


def detectors(X: np.ndarray) -> dict[str, Score]:
    """Return the scores of detectors that read features alone, which they standardise."""
    scaler = StandardScaler().fit(X)
    rows = scaler.transform(X)
    near = NearestNeighbors(n_neighbors=5).fit(rows)
    local = LocalOutlierFactor(n_neighbors=min(20, len(rows) - 1), novelty=True).fit(rows)
    forest = IsolationForest(random_state=0, n_jobs=1).fit(rows)
    return {
        "kNN-5": lambda new: near.kneighbors(scaler.transform(new))[0].mean(axis=1),
        "LOF": lambda new: -local.score_samples(scaler.transform(new)),
        "isolation forest": lambda new: -forest.score_samples(scaler.transform(new)),
    }


def gaussian_process(X: np.ndarray, y: np.ndarray, seed: int = 0) -> GaussianProcessRegressor:
    """Return a Gaussian process with a length scale for each feature, fitted to up to 300 rows."""
    some = np.random.default_rng(seed).permutation(len(X))[:_GP_ROWS]
    kernel = ConstantKernel(1.0, (1e-3, 1e4)) * RBF(np.full(X.shape[1], 3.0), (1e-2, 1e5))
    kernel += WhiteKernel(0.1, (1e-6, 1e2))
    process = GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed)
    return process.fit(X[some], y[some])


def catboost_regressor(X: np.ndarray, y: np.ndarray, seed: int = 0, **settings: Any) -> Any:
    """Return CatBoost's model of a mean and a noise."""
    from catboost import CatBoostRegressor

    model = CatBoostRegressor(
        loss_function="RMSEWithUncertainty",
        iterations=_ROUNDS,
        random_seed=seed,
        **_QUIET,
        **settings,
    )
    return model.fit(X, y)


def catboost_knowledge(model: Any, new: np.ndarray) -> np.ndarray:
    """Return the mean, knowledge uncertainty and noise (n, 3) by virtual ensembles of a model."""
    found: np.ndarray = model.virtual_ensembles_predict(
        new, prediction_type="TotalUncertainty", virtual_ensembles_count=10, thread_count=1
    )
    return found


def regressor_peers(X: np.ndarray, y: np.ndarray, seed: int = 0) -> dict[str, Score]:
    """Return the detectors, and the knowledge uncertainty of models of y."""
    from catboost import Pool, sample_gaussian_process

    virtual = catboost_regressor(X, y, seed)
    langevin = [
        catboost_regressor(X, y, seed + i, posterior_sampling=True) for i in range(_LANGEVIN)
    ]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # it writes logs
        kernel = sample_gaussian_process(
            X, (y - y.mean()) / y.std(), samples=10, random_seed=seed, posterior_iterations=_ROUNDS
        )
    process = gaussian_process(X, y, seed)

    def variance(models: list[Any], new: np.ndarray) -> np.ndarray:
        said = [np.asarray(one.predict(Pool(new), thread_count=1)) for one in models]
        return np.var([one[:, 0] if one.ndim > 1 else one for one in said], axis=0)

    return {
        **detectors(X),
        "CatBoost, virtual ensembles": lambda new: catboost_knowledge(virtual, new)[:, 1],
        f"CatBoost SGLB, {_LANGEVIN} models": lambda new: variance(langevin, new),
        "CatBoost KGB, 10 models": lambda new: variance(kernel, new),
        "Gaussian process": lambda new: process.predict(new, return_std=True)[1],
    }


def catboost_classifier(X: np.ndarray, y: np.ndarray, seed: int = 0) -> Any:
    """Return CatBoost's classifier."""
    from catboost import CatBoostClassifier

    return CatBoostClassifier(iterations=_ROUNDS, random_seed=seed, **_QUIET).fit(X, y)


def catboost_information(model: Any, new: np.ndarray) -> np.ndarray:
    """Return the mutual information (n,) of class and member by virtual ensembles of a model."""
    logits = np.asarray(
        model.virtual_ensembles_predict(
            new, prediction_type="VirtEnsembles", virtual_ensembles_count=10, thread_count=1
        ),
        float,
    )  # (n, members, k), or one logit of two classes
    if logits.shape[2] == 1:
        logits = np.concatenate([np.zeros_like(logits), logits], axis=2)
    share = np.exp(logits - logits.max(axis=2, keepdims=True))
    share /= share.sum(axis=2, keepdims=True)
    return entropy(share.mean(axis=1)) - entropy(share).mean(axis=1)


def classifier_peers(X: np.ndarray, y: np.ndarray, seed: int = 0) -> dict[str, Score]:
    """Return the detectors, and scores of CatBoost's classifier."""
    model = catboost_classifier(X, y, seed)
    return {
        **detectors(X),
        "CatBoost, virtual ensembles": lambda new: catboost_information(model, new),
        "CatBoost, maximum probability": lambda new: -model.predict_proba(new).max(axis=1),
    }


def entropy(share: np.ndarray) -> np.ndarray:
    """Return the entropy of probabilities along the last axis."""
    found: np.ndarray = -(share * np.log(np.maximum(share, 1e-12))).sum(axis=-1)
    return found
