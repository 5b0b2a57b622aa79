"""Data of the frozen fits, how their estimators are built, and what is recorded of them.

Only public names are used, and only `build` knows how settings reach a constructor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge

import wgboost
from wgboost import censored
from wgboost.metrics import crps
from wgboost.responses import RESPONSES
from wgboost.training.flat_parameters import grouped_parameters

__all__ = [
    "COUNTS",
    "DRAWS",
    "FEW",
    "FRAME",
    "LABELS",
    "NEW",
    "NEW_FRAME",
    "NOISY_X",
    "NOISY_Y",
    "N_NEW",
    "SEARCHED",
    "SIGNAL",
    "SMALL",
    "STOPPED",
    "WEIGHT",
    "Y_FRAME",
    "Arrays",
    "N",
    "X",
    "Y",
    "build",
    "facts",
    "lifetimes",
    "methods",
    "predictions",
    "values_of",
]  # fmt: skip

N, N_NEW = 90, 12
SMALL = {"n_particles": 4, "random_state": 0, "n_jobs": 1}
FEW = {**SMALL, "n_estimators": 4, "max_leaves": 5, "early_stopping": False}
STOPPED = {
    **SMALL, "n_estimators": 12, "n_iter_no_change": 3, "early_stopping": True, "max_leaves": 5,
    "learning_rate": 0.3, "evidence": 5.0,
}  # fmt: skip
SEARCHED = {**STOPPED, "evidence": "auto"}
LEVELS = (0.05, 0.5, 0.95)

Arrays = dict[str, Any]
Fits = dict[str, Callable[[], Arrays]]


def build(kind: str, **settings: Any) -> Any:
    """Return an estimator. The only place that knows where a constructor takes its settings."""
    if kind.endswith(".paper"):
        return getattr(wgboost, kind.removesuffix(".paper")).paper(**grouped_parameters(settings))
    if kind == "WGBRegressor":  # what the defaults were when most results were recorded
        settings = {"learning_rate": 0.1, "init": "flow", **settings}
    return getattr(wgboost, kind)(**grouped_parameters(settings))


# --- data -------------------------------------------------------------------------------------


def _features(n: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    X = np.round(rng.uniform(-1, 1, size=(n, 3)), 2)
    X[rng.random((n, 3)) < 0.05] = np.nan
    return X


X, NEW = _features(N, 0), _features(N_NEW, 1)
RNG = np.random.default_rng(2)
SIGNAL = np.sin(2 * np.nan_to_num(X[:, 0])) + 0.5 * np.nan_to_num(X[:, 1])
Y = SIGNAL + 0.3 * RNG.normal(size=N)
WEIGHT = RNG.integers(0, 3, N)
COUNTS = RNG.poisson(np.exp(1 + SIGNAL)) * (RNG.random(N) < 0.8)
LABELS = np.array(["ash", "beech", "cedar"])[np.digitize(Y, [-0.4, 0.4])]
CITY = np.array(["Bonn", "Lund", "Nice", "Rome"])
NOISY_X = np.round(RNG.uniform(-1, 1, size=(300, 3)), 1)  # much evidence is best
NOISY_Y = np.sin(2 * NOISY_X[:, 0]) + RNG.normal(size=300)
DRAWS = RNG.normal(SIGNAL[:, None], size=(N, 6))


def _frame(rows: Any, seed: int) -> pd.DataFrame:
    city = CITY[np.random.default_rng(seed).integers(0, 4, len(rows))]
    return pd.DataFrame({"size": rows[:, 0], "city": pd.Categorical(city), "old": rows[:, 2] > 0})


FRAME, NEW_FRAME = _frame(X, 3), _frame(NEW, 4)
Y_FRAME = Y + (FRAME["city"] == "Lund")


def values_of(response: str) -> Any:
    """Values that a response can have."""
    if response in ("categorical", "ordinal"):
        return np.digitize(Y, [-0.4, 0.4])
    if response == "multivariate_normal":
        return np.stack([Y, np.nan_to_num(X[:, 1]) + 0.1 * Y], axis=1)
    low, high = RESPONSES[response]().support
    if RESPONSES[response].discrete:
        return COUNTS
    if high == 1:
        return 1 / (1 + np.exp(-Y))
    return np.exp(Y) if low == 0 else Y


def lifetimes() -> Any:
    """Censored on the right and in intervals, and truncated on the left."""
    life, entry, end = np.exp(Y), np.exp(Y - 1) * 0.5, np.exp(SIGNAL + 0.5)
    known = life < end
    lower = np.where(known, life, end)
    upper = np.where(known, life, np.inf)
    upper[::7] = np.where(known[::7], life[::7] * 1.2, np.inf)
    return censored(lower, upper, above=entry)


# --- what is recorded of a model --------------------------------------------------------------


def _score_of_particles(model: Any) -> str:
    """Return the OOD score of the particles alone, which is defined without training rows."""
    return "max_variance" if hasattr(model, "classes_") else "epistemic"


def predictions(model: Any, rows: Any, **known: Any) -> Arrays:
    dist = model.predict_dist(rows, **known)
    found = {
        "theta": dist.theta(),
        "predict": model.predict(rows, **known),
        "ood_score": model.ood_score(rows, method=_score_of_particles(model)),
    }
    if hasattr(model, "classes_"):
        return found | {"proba": model.predict_proba(rows)}
    if np.ndim(found["predict"]) == 2:
        return found | {"covariance": np.stack([dist.marginal(j).var() for j in range(2)], axis=1)}
    if hasattr(model, "ood_reference_"):
        found["ood_pvalue"] = model.ood_pvalue(rows)
    return found | {"quantiles": model.predict_quantiles(rows, LEVELS, **known)}


def facts(model: Any) -> Arrays:
    """Fitted attributes that users read."""
    rounds = [one.n_estimators_ for one in getattr(model, "members_", [model])]
    found: Arrays = {"n_estimators": rounds}
    if isinstance(getattr(model, "learner", None), Ridge):
        return found
    found["importances"] = model.feature_importances_
    if isinstance(getattr(model, "evidence_", None), float):
        found["evidence"] = [model.evidence_]
    if hasattr(model, "search_"):
        trials = model.search_
        found["trials"] = [[one["evidence"], one["value"]] for one in trials]
    history = getattr(model, "history_", {})
    values = [v for metrics in history.values() for one in metrics.values() for v in one]
    return found | ({"history": values} if values else {})


def methods(model: Any, rows: Any, y: Any) -> Arrays:
    """Return what the other methods that users call answer."""
    found = {
        "sample": model.sample(rows, 3, random_state=0),
        "score": [model.score(rows, y)],
        "leaves": model.apply(rows),
        "staged": np.stack([dist.theta() for dist in model.staged_predict_dist(rows)]),
        **{f"natural {name}": v for name, v in model.predict_particles(rows).items()},
        **{f"{name} uncertainty": v for name, v in model.predict_uncertainty(rows).items()},
    }
    if hasattr(model, "classes_"):
        return found | {"decide": model.decide(rows, 1 - np.eye(3))}
    dist = model.predict_dist(rows)
    pinball = lambda action, y: np.maximum(2 * (y - action), action - y)  # noqa: E731
    decided = model.decide(rows, pinball, over="y")
    found |= {"decide": decided, "interval": model.predict_interval(rows, 0.8)}
    return found | {"logpdf": dist.logpdf(y), "cdf": dist.cdf(y), "crps": [crps(dist, y)]}


def fitted(
    kind: str, settings: Arrays, *data: Any, new: Any = NEW, known: Any = None, **fit: Any
) -> Arrays:
    """Fit an estimator and return what it predicts of new rows."""
    model = build(kind, **settings).fit(*data, **fit)
    return predictions(model, new, **(known or {})) | facts(model)


def general(settings: Arrays, y: Any, **fit: Any) -> Arrays:
    """Fit a `WGBoost` and return what it predicts of new rows."""
    model = build("WGBoost", **{**FEW, **settings}).fit(X, y, **fit)
    found = {"particles": model.predict_particles(NEW), "ood_score": model.ood_score(NEW)}
    return found | {"quantiles": model.predict_quantiles(NEW)} | facts(model)


def regressor(settings: Arrays, y: Any = Y, **fit: Any) -> Callable[[], Arrays]:
    """Return a fit of a regressor to X and y."""
    return partial(fitted, "WGBRegressor", settings, X, y, **fit)


def classifier(settings: Arrays, y: Any = LABELS, **fit: Any) -> Callable[[], Arrays]:
    """Return a fit of a classifier to X and labels."""
    return partial(fitted, "WGBClassifier", settings, X, y, **fit)
