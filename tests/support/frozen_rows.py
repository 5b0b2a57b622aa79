"""Small fits of estimators: responses, starts, trees and what belongs to rows."""

from __future__ import annotations

import tempfile
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from frozen_data import (
    COUNTS,
    FEW,
    FRAME,
    LABELS,
    N_NEW,
    NEW,
    NEW_FRAME,
    SIGNAL,
    SMALL,
    WEIGHT,
    Y_FRAME,
    Arrays,
    Fits,
    N,
    X,
    Y,
    build,
    classifier,
    facts,
    fitted,
    lifetimes,
    predictions,
    regressor,
    values_of,
)
from wgboost import (
    AlphaDivergence,
    AveragedFlow,
    Batches,
    SmoothStart,
    censored,
)
from wgboost.responses import RESPONSES

__all__ = ["FITS"]

WHOLE = np.nan_to_num(X)  # for learners that know no missing values


def _responses() -> Fits:
    found: Fits = {}
    for name in RESPONSES:
        fit = classifier if name in ("categorical", "ordinal") else regressor
        found[f"response-{name}"] = fit({**FEW, "response": name}, values_of(name))
    return found


def _starts() -> Fits:
    constants = np.linspace(-1, 1, 8).reshape(4, 2)
    smooth = {"kernel": "matern52", "scaling": "between"}
    few = SmoothStart(exact_rows=40, landmarks=12, tuning_rows=40, **smooth)
    return {
        "start-smooth": regressor({**FEW, "init": SmoothStart(**smooth)}),
        "start-landmarks": regressor({**FEW, "init": few}),
        "start-constants": regressor({**FEW, "init": constants}),
        "start-estimator": partial(
            fitted,
            "WGBRegressor",
            {**FEW, "init": Ridge()},
            WHOLE,
            Y,
            new=np.nan_to_num(NEW),
        ),
        "start-directions": regressor({**FEW, "init": AveragedFlow(steps=50, of="directions")}),
    }


def _trees() -> Fits:
    shared = {"tree": "shared", "split_on": "all", "leaf": "mean", "growth": "depth_wise"}
    sampled = {"subsample": 0.7, "colsample": 0.5, "min_samples_leaf": 3, "min_gain": 1e-3}
    rising = {"monotone_constraints": [1, 0, -1]}
    scaled = {"kernel": "scaled", "bandwidth": "median"}
    directions = ["full_newton", "smoothed", "langevin", AlphaDivergence(0.5)]
    named = ["full_newton", "smoothed", "langevin", "alpha"]
    found = {
        f"direction-{name}": regressor({**FEW, "direction": one})
        for name, one in zip(named, directions, strict=True)
    }
    return found | {
        "kernel-scaled": regressor({**FEW, **scaled}),
        "trees-shared": regressor({**FEW, **shared, "max_depth": 2, "max_leaves": None}),
        "trees-sampled": regressor({**FEW, **sampled, "max_bins": 16}),
        "learner-of-scikit-learn": partial(
            fitted, "WGBRegressor", {**FEW, "learner": Ridge()}, WHOLE, Y,
            new=np.nan_to_num(NEW),
        ),
        "monotone": regressor({**FEW, **rising}),
        "monotone-scale": regressor({**FEW, **rising, "monotone_parameter": "log_scale"}),
        "monotone-classes": classifier(
            {**FEW, **rising, "response": "ordinal"}, values_of("ordinal")
        ),
        "interactions": regressor({**FEW, "interaction_constraints": [[0, 1], [2]]}),
        "categories": partial(fitted, "WGBRegressor", FEW, FRAME, Y_FRAME, new=NEW_FRAME),
        "categories-of-many-levels": _many_levels,
        "categories-of-classes": partial(
            fitted, "WGBClassifier", {**FEW, "class_weight": "balanced"}, FRAME, LABELS,
            new=NEW_FRAME,
        ),
        "paper": partial(fitted, "WGBRegressor.paper", {"n_estimators": 6, **SMALL}, X, Y),
        "paper-classes": partial(
            fitted, "WGBClassifier.paper", {"n_estimators": 6, **SMALL}, X, LABELS
        ),
    }  # fmt: skip


def _many_levels() -> Arrays:
    """A category with more levels than there are codes."""
    rng = np.random.default_rng(6)
    level = np.concatenate([np.arange(300), rng.integers(0, 40, 300)]).astype(np.float64)
    X = np.column_stack([level, np.round(rng.normal(size=600), 1)])
    y = np.sin(level) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=600)
    return fitted("WGBRegressor", {**FEW, "categorical_features": [0]}, X, y, new=X[::50])


def _rows() -> Fits:
    counts = {**FEW, "response": "poisson"}
    exposure = np.linspace(0.5, 2, N)
    offset, error = np.linspace(-1, 1, N), np.linspace(0.05, 0.3, N)
    evidence = np.linspace(1, 20, N)
    truncated = censored(Y, Y, above=np.minimum(SIGNAL, Y) - 0.1, below=np.maximum(SIGNAL, Y) + 0.2)
    prior = {"mean": 0.2, "scale": np.linspace(1, 3, N)}
    return {
        "weights": regressor(FEW, sample_weight=WEIGHT),
        "offset": regressor(FEW, offset=offset, known={"offset": offset[:N_NEW]}),
        "exposure": regressor(counts, COUNTS, exposure=exposure, known={"exposure": 2.0}),
        "errors-of-y": regressor(FEW, y_std=error),
        "censored-weibull": regressor({**FEW, "response": "weibull"}, lifetimes()),
        "censored-lognormal": regressor({**FEW, "response": "lognormal"}, lifetimes()),
        "truncated-normal": regressor(FEW, truncated),
        "prior-of-rows": regressor({**FEW, "prior": prior}),
        "evidence-of-rows": regressor({**FEW, "evidence": evidence}),
        "batches": _batches,
        "named-columns": _named_columns,
    }


def _batches() -> Arrays:
    """Rows that come in batches, with weights."""

    def make() -> Any:
        for begin in range(0, N, 35):
            some = slice(begin, begin + 35)
            yield X[some], Y[some], WEIGHT[some]

    with tempfile.TemporaryDirectory() as folder:
        return fitted("WGBRegressor", FEW, Batches(make, folder=folder))


def _named_columns() -> Arrays:
    """y and the weights as columns of the frame."""
    frame = FRAME.assign(price=Y_FRAME, often=WEIGHT)
    model = build("WGBRegressor", **FEW).fit(frame, "price", "often")
    return predictions(model, NEW_FRAME) | facts(model)


FITS: Fits = {**_responses(), **_starts(), **_trees(), **_rows()}
