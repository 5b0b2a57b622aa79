"""Small models of every kind, whose files every later version has to read.

    python tests/support/golden_models.py

writes `files/format_2/NAME.wgb` and what the models predict, `files/format_2/NAME.json`, for those
kinds that have no file yet. A file that is there is never written again: it stands for the version
that wrote it.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import TimeSeriesSplit

from golden_data import data, frame_of, labels, new_rows, ordered, values_of
from wgboost import (
    MMD,
    FullNewton,
    Kernel,
    Normal,
    SmoothStart,
    TreeLearner,
    WGBClassifier,
    WGBClassifierCV,
    WGBoost,
    WGBRegressor,
    WGBRegressorCV,
    load,
)
from wgboost.callbacks import Checkpoint
from wgboost.responses import RESPONSES

__all__ = ["EARLIER", "FILES", "answers", "checkpoints", "kinds", "new_rows"]

FILES = Path(__file__).parents[1] / "files" / "format_2"
SMALL = {"n_estimators": 3, "n_particles": 3, "random_state": 0, "n_jobs": 1, "max_leaves": 3}
LEVELS = (0.05, 0.5, 0.95)
EARLIER = {"wide_bag"}
"""Kinds that are not made any more: a bag with members that only OOD scores use."""


def _of_response(response):
    X, z, rng = data()
    kind = WGBClassifier if response in ("categorical", "ordinal") else WGBRegressor
    return kind(response=response, **SMALL).fit(X, values_of(response, z, X, rng))


def _bag(kind, y, **options):
    X, z, _ = data()
    recipes = {"shallow": {"max_leaves": 2}, "deep": {"max_leaves": 4}}
    small = {"n_estimators": 3, "n_particles": 3, "random_state": 0, "n_jobs": 1, "cv": 2}
    return kind(**{"recipes": recipes, **small, **options}).fit(X, y(z))


def _smooth(n, **options):
    X, z, rng = data()
    X, z, codes = X[:n], z[:n], rng.integers(0, 4, size=n)
    start = SmoothStart(scaling="between", kernel="matern52", **options)
    model = WGBRegressor(init=start, categorical_features=[2], **SMALL)
    return model.fit(np.c_[np.where(X[:, :2] > 1.5, np.nan, X[:, :2]), codes], z + codes % 3)


def _calibrated(kind, y):
    X, z, _ = data()
    model = kind(**SMALL).fit(X[:40], y(z)[:40])
    model.calibrate(X[40:], y(z)[40:])
    model.calibrate_ood(X[40:])
    return model


def _checkpoint(folder):
    X, z, _ = data()
    path = folder / "checkpoint"
    model = WGBRegressor(early_stopping=True, **SMALL)
    model.fit(X, z, callbacks=[Checkpoint(path, every_rounds=1)])
    return path.read_bytes()


class _OutOfPowerError(Exception):
    pass


def _checkpoint_of_search(folder):
    """The state in the second trial of a search for the evidence."""

    def end(state):
        if state["trial"]["evidence"] > 10 and state["round"] == 2:
            raise _OutOfPowerError

    X, z, _ = data()
    path = folder / "checkpoint"
    model = WGBRegressor(**{**SMALL, "n_estimators": 6}, early_stopping=True, evidence="auto")
    try:
        model.fit(X, z, callbacks=[Checkpoint(path, every_rounds=1), end])
    except _OutOfPowerError:
        return path.read_bytes()
    raise AssertionError("the search had no second trial")


def _auto_evidence():
    """A searched evidence, several metrics and sets, found by early stopping and refitted."""
    rng = np.random.default_rng(1)
    X = np.round(rng.uniform(-1, 1, size=(300, 3)), 1)
    y = np.sin(2 * X[:, 0]) + rng.normal(size=300)
    search = {"n_estimators": 8, "early_stopping": True, "evidence": "auto", "learning_rate": 0.3}
    return WGBRegressor(**{**SMALL, **search}, eval_metric=["nll", "crps"]).fit(X, y)


def _many_levels():
    """A category with more levels than there are codes."""
    rng = np.random.default_rng(1)
    level = np.concatenate([np.arange(300), rng.integers(0, 40, 300)])
    X = np.column_stack([np.round(rng.normal(size=(600, 2)), 1), level])
    model = WGBRegressor(categorical_features=[2], **SMALL)
    return model.fit(X, np.sin(level) + X[:, 0])


def _named_columns():
    """Exposures and weights as columns of a frame with dates."""
    X, z, rng = data()
    frame, _ = frame_of(X, z)
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(60) % 40, unit="D")
    exposure = rng.uniform(0.5, 2, 60)
    frame = frame.assign(often=np.arange(60) % 3, time=exposure)
    frame["n"] = rng.poisson(exposure * np.exp(1 + z))
    model = WGBRegressor(response="poisson", **SMALL)
    return model.fit(frame, "n", "often", exposure="time")


def kinds():
    """Functions that fit a model of each kind, by name."""
    X, z, rng = data()
    frame, _ = frame_of(X, z)
    samples = rng.normal(z[:, None], size=(60, 5))
    pairs = rng.normal(z[:, None, None], size=(60, 5, 2))
    rare = {
        "init": np.linspace(-1, 1, 6).reshape(3, 2),
        "direction": FullNewton(Kernel("scaled")),
        "interaction_constraints": [[0, 1], [2]],
        "learner": TreeLearner(max_bins=16),
        "subsample": 0.8,
        "monotone_constraints": {1: -1},
        "monotone_parameter": "log_scale",
        "tree": "shared",
        "response": Normal(prior_scale=3.0),
    }
    constrained = {
        "monotone_constraints": [1, 0, 0],
        "response": Normal(prior_mean=0.1),
        "evidence": 10,
    }
    found = {name: (lambda name=name: _of_response(name)) for name in RESPONSES}
    return found | {
        "frame": lambda: WGBRegressor(**SMALL).fit(frame, z),
        "labels": lambda: WGBClassifier(**SMALL).fit(frame, labels(z)),
        "constrained": lambda: WGBRegressor(**constrained, **SMALL).fit(X, z),
        "general": lambda: WGBoost(direction="energy", **SMALL).fit(X, samples),
        "smooth": lambda: _smooth(24),
        "smooth_landmarks": lambda: _smooth(60, exact_rows=30, landmarks=12),
        "calibrated": lambda: _calibrated(WGBRegressor, lambda z: z),
        "calibrated_classes": lambda: _calibrated(WGBClassifier, labels),
        "bag": lambda: _bag(WGBRegressorCV, lambda z: z),
        "bag_of_classes": lambda: _bag(WGBClassifierCV, labels),
        "bag_of_columns": lambda: _bag(
            WGBRegressorCV, lambda z: np.stack([z, -z], axis=1), response="multivariate_normal"
        ),
        "searched": _auto_evidence,
        "many_levels": _many_levels,
        "named_columns": _named_columns,
        "support": lambda: WGBRegressor(
            **SMALL, subsample=0.8, learner=TreeLearner(support=0.5)
        ).fit(X, z),
        "ordered_labels": lambda: WGBClassifier(response="ordinal", **SMALL).fit(X, ordered(z)),
        "xgboost": lambda: WGBRegressor(learner=TreeLearner(engine="xgboost"), **SMALL).fit(X, z),
        "rare_settings": lambda: WGBRegressor(**rare, **SMALL).fit(X, z),
        "general_of_columns": lambda: WGBoost(direction=MMD(), **SMALL).fit(X, pairs),
        "forward_bag": lambda: _bag(WGBRegressorCV, lambda z: z, cv=TimeSeriesSplit(2)),
    }  # fmt: skip


def checkpoints(folder):
    """Functions that return the bytes of a checkpoint, by name."""
    return {
        "checkpoint": lambda: _checkpoint(folder),
        "checkpoint_of_search": lambda: _checkpoint_of_search(folder),
    }


def answers(model, rows):
    """What a model says of rows, by name."""
    if isinstance(model, WGBoost):
        return {"particles": model.predict_particles(rows)}
    dist = model.predict_dist(rows)
    found = {"theta": dist.theta(), "predict": model.predict(rows)}
    if hasattr(model, "classes_"):
        return found | {"proba": model.predict_proba(rows)}
    parts = [dist.marginal(j) for j in range(2)] if model.response_.y_shape else [dist]
    found["quantiles"] = np.stack([[one.ppf(q) for q in LEVELS] for one in parts])
    if hasattr(model, "ood_reference_"):
        found["ood_pvalue"] = model.ood_pvalue(rows)
    return found


def _write(name, model):
    path = FILES / f"{name}.wgb"
    if isinstance(model, bytes):
        path.write_bytes(model)
    else:
        model.save(path, metadata={"kind": name})
    known = {k: np.asarray(v).tolist() for k, v in answers(load(path), new_rows(name)).items()}
    path.with_suffix(".json").write_text(json.dumps(known) + "\n")
    print(name, path.stat().st_size)


if __name__ == "__main__":
    FILES.mkdir(exist_ok=True)
    for name, fitted in {**kinds(), **checkpoints(FILES)}.items():
        if not (FILES / f"{name}.wgb").exists():
            _write(name, fitted())
    (FILES / "checkpoint").unlink(missing_ok=True)
