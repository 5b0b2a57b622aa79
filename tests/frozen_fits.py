"""Small fits of every kind, whose results a change of the code must not change.

Each fit is a function without arguments that returns arrays by name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from sklearn.linear_model import Ridge
from sklearn.model_selection import TimeSeriesSplit

from frozen_data import (
    COUNTS,
    DRAWS,
    FEW,
    FRAME,
    LABELS,
    N_NEW,
    NEW,
    NEW_FRAME,
    NOISY_X,
    NOISY_Y,
    SEARCHED,
    SIGNAL,
    SMALL,
    STOPPED,
    WEIGHT,
    Y_FRAME,
    Arrays,
    N,
    X,
    Y,
    build,
    facts,
    lifetimes,
    methods,
    predictions,
    values_of,
)
from wgboost import (
    AlphaDivergence,
    AveragedFlow,
    Batches,
    Density,
    LogDensity,
    SmoothStart,
    Target,
    censored,
    load,
)
from wgboost.callbacks import Checkpoint, EarlyStopping
from wgboost.responses import RESPONSES

__all__ = ["FITS"]

WHOLE = np.nan_to_num(X)  # for learners that know no missing values
Fits = dict[str, Callable[[], Arrays]]


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
        "categories-of-classes": partial(
            fitted, "WGBClassifier", {**FEW, "class_weight": "balanced"}, FRAME, LABELS,
            new=NEW_FRAME,
        ),
        "paper": partial(fitted, "WGBRegressor.paper", {"n_estimators": 6, **SMALL}, X, Y),
        "paper-classes": partial(
            fitted, "WGBClassifier.paper", {"n_estimators": 6, **SMALL}, X, LABELS
        ),
    }  # fmt: skip


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


def _rounds() -> Fits:
    watched = {"X_val": [X[:20], X[20:40]], "y_val": [Y[:20], Y[20:40]]}
    own = {**STOPPED, "eval_metric": ["crps", "rmse"]}
    held_out = np.arange(0, N, 4)
    by_error = {**SEARCHED, "max_leaves": 3}
    stop = {"callbacks": [EarlyStopping(2)], **watched}
    return {
        "untouched-searched": regressor({**SEARCHED, "evidence": None}),
        "searched-by-error": partial(fitted, "WGBRegressor", by_error, NOISY_X, NOISY_Y),
        "searched-resumed": partial(_resumed, by_error, NOISY_X, NOISY_Y, "evidence"),
        "searched-warm-start": partial(_warm_start, by_error, NOISY_X, NOISY_Y, 15),
        "searched-classes": classifier(SEARCHED),
        "stopped-refitted": regressor(STOPPED),
        "stopped-kept": regressor({**own, "refit": False}, groups=np.arange(N) // 3),
        "stopped-at-rows": regressor(STOPPED, validation_rows=held_out),
        "stopped-classes": classifier(STOPPED),
        "watched-sets": regressor({**FEW, "n_estimators": 8}, **stop),
        "warm-start": partial(_warm_start, FEW, X, Y, 7),
        "resumed": partial(_resumed, STOPPED, X, Y, "refit"),
        "response-proposed": regressor({**FEW, "response": "auto"}, np.exp(Y)),
    }


def _methods(kind: str, y: Any) -> Arrays:
    model = build(kind, **STOPPED).fit(X, y)
    return methods(model, X[:N_NEW], y[:N_NEW])


def _warm_start(settings: Arrays, X: Any, y: Any, n_rounds: int) -> Arrays:
    model = build("WGBRegressor", warm_start=True, refit=False, **settings).fit(X, y)
    model.set_params(n_estimators=n_rounds).fit(X, y)
    return predictions(model, NEW) | facts(model)


class _OutOfPowerError(Exception):
    pass


def _resumed(settings: Arrays, X: Any, y: Any, stage: str) -> Arrays:
    """A fit that ends in the third round of a stage and goes on from a checkpoint."""

    def end(state: Any) -> None:
        if state["stage"] == stage and state["round"] == 3:
            raise _OutOfPowerError

    end.in_refit = True  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checkpoint"
        try:
            saved = [Checkpoint(path, every_rounds=1), end]
            build("WGBRegressor", **settings).fit(X, y, callbacks=saved)
        except _OutOfPowerError:
            return fitted("WGBRegressor", settings, X, y, resume_from=path)
    raise AssertionError(f"the stage {stage!r} has less than three rounds")


def _generals() -> Fits:
    normal = Target(
        score=lambda x, y: -(x - y[:, :, None]) / 0.25,
        curvature=lambda x, _: np.full_like(x, 4.0),
    )
    frozen = stats.norm(SIGNAL, 0.5)
    density = LogDensity(lambda theta, y: -2.0 * ((y - theta[0]) ** 2))
    at = [Density(score=lambda x, c=c: -(x - c), curvature=np.ones_like) for c in SIGNAL]
    energy = {"direction": "energy", "early_stopping": True, "n_estimators": 8}
    return {
        "general-functions": partial(general, {"target": normal}, Y),
        "general-differentiated": partial(general, {"target": density}, Y),
        "general-densities": partial(general, {}, at),
        "general-samples": partial(general, energy, DRAWS),
        "general-mmd": partial(general, {"direction": "mmd"}, DRAWS, sample_weight=WEIGHT),
        "general-scipy": partial(general, {"direction": "full_newton"}, frozen),
    }


def _bag(kind: str, y: Any, recipes: Any = None, **settings: Any) -> Arrays:
    recipes = recipes or {"few": {"max_leaves": 2}, "more": {"max_leaves": 6, "evidence": 5.0}}
    small = {**SMALL, "recipes": recipes, "n_estimators": 8, "cv": 3}
    model = build(kind, **{**small, **settings}).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "bag")
        loaded = load(Path(folder) / "bag")
    found = predictions(loaded, NEW) | facts(model)
    return found | {"best": [list(recipes).index(model.best_recipe_), model.best_value_]}


def _conformal(kind: str, y: Any, rows: Callable[..., Any], inner: str, **settings: Any) -> Arrays:
    model = build(kind, estimator=build(inner, **FEW), cv=3, random_state=0, **settings).fit(X, y)
    return {"predict": model.predict(NEW), "region": rows(model)}


def _calibrated(kind: str, y: Any, **how: Any) -> Arrays:
    model = build(kind, **FEW)
    if how:
        model.fit(X, y).calibrate(X, y, **how).calibrate_ood(X, y, **how)
    else:
        model.fit(X[:60], y[:60]).calibrate(X[60:], y[60:]).calibrate_ood(X[60:])
    return predictions(model, NEW) | {"ood_pvalue": model.ood_pvalue(NEW)}


def _intervals(model: Any) -> Any:
    return model.predict_interval(NEW, 0.8)


def _sets(model: Any) -> Any:
    return model.predict_set(NEW, 0.8)


def _wrapped() -> Fits:
    intervals = partial(_conformal, "ConformalRegressor", Y, _intervals, "WGBRegressor")
    sets = partial(_conformal, "ConformalClassifier", LABELS, _sets, "WGBClassifier")
    given = np.random.default_rng(5).normal(size=(4, 5))  # the search for a start takes seconds
    recipe = {"one": {"max_leaves": 4, "evidence": 5.0, "init": given}}
    columns = {"response": "multivariate_normal", "recipes": recipe, "cv": 2}
    one = {"few": {"max_leaves": 3}}
    return {
        "bag": partial(_bag, "WGBRegressorCV", Y),
        "bag-of-classes": partial(_bag, "WGBClassifierCV", LABELS, one, wide=True),
        "bag-forward": partial(_bag, "WGBRegressorCV", Y, cv=TimeSeriesSplit(2)),
        "bag-of-columns": partial(
            _bag, "WGBRegressorCV", values_of("multivariate_normal"), **columns
        ),
        "conformal-cross": intervals,
        "conformal-split": partial(intervals, method="split", conformity="scaled"),
        "conformal-sets": sets,
        "conformal-sets-split": partial(sets, method="split"),
        "methods": partial(_methods, "WGBRegressor", Y),
        "methods-of-classes": partial(_methods, "WGBClassifier", LABELS),
        "calibrated": partial(_calibrated, "WGBRegressor", Y),
        "calibrated-by-folds": partial(_calibrated, "WGBRegressor", Y, cv=3),
        "calibrated-classes": partial(_calibrated, "WGBClassifier", LABELS),
    }  # fmt: skip


def _xgboost() -> Fits:
    engine = {**FEW, "engine": "xgboost"}
    return {
        "xgboost": regressor(engine),
        "xgboost-weights": regressor({**engine, "subsample": 0.7}, sample_weight=WEIGHT),
        "xgboost-classes": classifier(engine),
    }


def _dask() -> Arrays:
    import dask.array as da

    from clusters import two_processes
    from wgboost.dask import WGBRegressor

    def parted(values: Any) -> Any:
        return da.from_array(values, chunks=(N // 2, *values.shape[1:]))

    with two_processes() as client:
        model = WGBRegressor(**{**FEW, "engine": "xgboost"})
        model.fit(parted(X), parted(Y), client=client)
    return {"theta": model.predict_dist(NEW).theta(), "predict": model.predict(NEW)}


FITS: Fits = {
    **_responses(), **_starts(), **_trees(), **_rows(), **_rounds(), **_generals(), **_wrapped(),
    **_xgboost(), "dask": _dask,
}  # fmt: skip
"""Functions that fit a model and return what it predicts, by name."""
