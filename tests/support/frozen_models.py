"""Small fits of estimators: numbers of rounds, general targets, bags, wrappers and engines."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from sklearn.model_selection import TimeSeriesSplit

from frozen_data import (
    DRAWS,
    FEW,
    LABELS,
    N_NEW,
    NEW,
    NOISY_X,
    NOISY_Y,
    SEARCHED,
    SIGNAL,
    SMALL,
    STOPPED,
    WEIGHT,
    Arrays,
    Fits,
    N,
    X,
    Y,
    build,
    classifier,
    facts,
    fitted,
    general,
    methods,
    predictions,
    regressor,
    values_of,
)
from wgboost import (
    Density,
    LogDensity,
    Target,
    load,
)
from wgboost.callbacks import Checkpoint, EarlyStopping

__all__ = ["FITS"]


def _rounds() -> Fits:
    watched = {"X_val": [X[:20], X[20:40]], "y_val": [Y[:20], Y[20:40]]}
    own = {**STOPPED, "eval_metric": ["crps", "rmse"]}
    held_out = np.arange(0, N, 4)
    few = {**SEARCHED, "max_leaves": 3}
    stop = {"callbacks": [EarlyStopping(2)], **watched}
    return {
        "untouched-searched": regressor({**SEARCHED, "evidence": None, "init": "auto"}),
        "searched-in-noise": partial(fitted, "WGBRegressor", few, NOISY_X, NOISY_Y),
        "searched-resumed": partial(_resumed, few, NOISY_X, NOISY_Y, "evidence"),
        "searched-warm-start": partial(_warm_start, few, NOISY_X, NOISY_Y, 15),
        "searched-on-a-sample": partial(_of_many_rows, "flow"),
        "searched-on-a-sample-in-noise": partial(
            _of_many_rows, np.linspace(-1, 1, 4).reshape(2, 2)
        ),
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


def _of_many_rows(init: Any) -> Arrays:
    """So many rows that a sample of them chooses the evidence."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_100, 1))
    y = np.sin(2 * X[:, 0]) + rng.normal(size=len(X))
    few = {"n_particles": 2, "n_estimators": 3, "max_leaves": 3, "learning_rate": 0.5}
    return fitted("WGBRegressor", {**SEARCHED, **few, "init": init}, X, y, new=X[:N_NEW])


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
        "bag-of-classes": partial(_bag, "WGBClassifierCV", LABELS, one),
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
        model = WGBRegressor(learning_rate=0.1, **FEW)
        model.fit(parted(X), parted(Y), client=client)
    return {"theta": model.predict_dist(NEW).theta(), "predict": model.predict(NEW)}


FITS: Fits = {**_rounds(), **_generals(), **_wrapped(), **_xgboost(), "dask": _dask}
