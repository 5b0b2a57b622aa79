"""Every public object, fitted to every kind of data, for the matrix of `test_matrix.py`."""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from wgboost import (
    ConformalClassifier,
    ConformalRegressor,
    WGBClassifier,
    WGBClassifierCV,
    WGBoost,
    WGBRegressor,
    WGBRegressorCV,
    censored,
)

mpl.use("Agg")

N, N_TRAIN = 130, 90
SMALL = {"n_particles": 4, "n_jobs": 1, "random_state": 0}
TREES = {"n_estimators": 6, "max_leaves": 4, "evidence": 5.0, "learning_rate": 0.3}
RECIPES = {"slow": {**TREES, "learning_rate": 0.2}, "fast": TREES}


@dataclass(frozen=True, eq=False)
class Data:
    """Rows, y and what belongs to rows; `flags` say the same to the command line."""

    X: Any
    y: Any
    settings: dict[str, Any] = field(default_factory=dict)
    exposure: Any = None
    columns: dict[str, Any] = field(default_factory=dict)  # y and exposure, as in a file
    flags: tuple[str, ...] = ()

    def part(self, rows: slice) -> tuple[Any, Any, dict[str, Any]]:
        """X, y and keywords of some rows."""
        X = self.X[rows]
        row_params = {} if self.exposure is None else {"exposure": self.exposure[rows]}
        return X, self.y[rows], row_params

    def table(self, rows: slice) -> pd.DataFrame:
        """Rows as a file has them."""
        X = self.X if isinstance(self.X, pd.DataFrame) else pd.DataFrame(self.X)
        X = X.rename(columns=lambda name: f"x{name}" if isinstance(name, int) else name)
        return X.assign(**self.columns)[rows]


def _data() -> dict[str, Data]:
    rng = np.random.default_rng(3)
    X = np.round(rng.uniform(0, 9, size=(N, 3)), 2)
    X[:, 2] = np.round(X[:, 2])
    frame = pd.DataFrame(
        {
            "$size_m^2": X[:, 0],
            "rooms": X[:, 2].astype(int),
            "city": pd.Categorical(rng.choice(["$x", "y_{1}", "z\\"], N)),
        }
    )
    mean = 20 + 3 * X[:, 0] + 10 * (frame["city"] == "$x").to_numpy()
    y = mean + rng.normal(size=N)
    labels = np.array(["$0_to_$30", "$30_to_$45", "more"])[np.digitize(mean, [30, 45])]
    exposure = rng.uniform(0.5, 3, N)
    counts = rng.poisson(exposure * np.exp(X[:, 0] / 5)).astype(float)
    life, end = np.exp(X[:, 0] / 5) * rng.weibull(2, N), rng.uniform(1, 6, N)
    bounds = censored(np.minimum(life, end), np.where(life < end, life, np.inf))
    two = np.stack([y, 10 - y + rng.normal(size=N)], axis=1)
    start = rng.normal(size=(4, 5))  # given: the search for one takes seconds
    price, target = pd.Series(y, name="price"), ("--target", "price")
    return {
        "numbers": Data(X, price, columns={"price": y}, flags=target),
        "frame": Data(frame, price, columns={"price": y}, flags=target),
        "classes": Data(X, labels, columns={"label": labels}, flags=("--target", "label")),
        "frame_classes": Data(
            frame, pd.Series(labels, name="$label"), columns={"$label": labels},
            flags=("--target", "$label"),
        ),
        "columns": Data(
            X, two, {"response": "multivariate_normal", "init": start},
            columns={"u": two[:, 0], "v": two[:, 1]},
            flags=("--target", "u", "--target", "v"),
        ),
        "censored": Data(
            X, bounds, {"response": "weibull", "init": start[:, :2]},
            columns={"low": bounds["lower"], "high": np.where(life < end, life, np.nan)},
            flags=("--lower", "low", "--upper", "high"),
        ),
        "counts": Data(
            X, counts, {"response": "poisson"}, exposure, {"n": counts, "time": exposure},
            ("--target", "n", "--exposure", "time"),
        ),
    }  # fmt: skip


DATA = _data()
TRAIN, TEST = slice(0, N_TRAIN), slice(N_TRAIN, N)
CLASSES = ("classes", "frame_classes")


def new(family: str, data: str) -> Any:
    """Return an estimator that is not fitted."""
    classes, settings = data in CLASSES, DATA[data].settings
    if family == "one":
        kind = WGBClassifier if classes else WGBRegressor
        return kind(**TREES, **SMALL, **settings)
    if family == "stopped":  # with a history, and the rounds that were best
        return new("one", data).set_params(early_stopping=True, n_estimators=12)
    if family == "bag":
        few = {**SMALL, "cv": 2, "n_estimators": 6}
        recipes = {name: {**recipe, **settings} for name, recipe in RECIPES.items()}
        if "response" in settings:
            few["response"] = settings["response"]
        if classes:
            return WGBClassifierCV(recipes, **few)
        return WGBRegressorCV(recipes, **few)
    if family == "general":
        return WGBoost(n_estimators=6, max_depth=2, **SMALL)
    kind = ConformalClassifier if classes else ConformalRegressor
    if family == "conformal":
        return kind(new("one", data), cv=2, random_state=0)
    assert family == "conformal_bag"
    return kind(new("bag", data), method="split", random_state=0)


def samples(y: Any) -> Any:
    """Targets of `WGBoost`: three samples around each y."""
    return (np.asarray(y)[:, None] + np.arange(3))[..., None]


OBJECTS = [
    *((family, data) for family in ("one", "bag") for data in DATA),
    ("stopped", "numbers"), ("stopped", "frame_classes"),
    ("general", "numbers"), ("general", "frame"),
    ("conformal", "numbers"), ("conformal", "frame"), ("conformal", "classes"),
    ("conformal", "frame_classes"), ("conformal", "counts"), ("conformal_bag", "numbers"),
]  # fmt: skip


@cache
def fitted(family: str, data: str) -> Any:
    """Return an object that was fitted to the training rows of some data."""
    X, y, row_params = DATA[data].part(TRAIN)
    if family == "general":
        return new(family, data).fit(X, samples(y))
    return new(family, data).fit(X, y, **row_params)


def file_of(folder: Path, family: str, data: str) -> Path:
    """Return the file of an object, which is written once."""
    path = folder / f"{family}_{data}.wgb"
    if not path.exists():
        fitted(family, data).save(path)
    return path


def _objects(objects: list[tuple[str, str]]) -> Any:
    named = [pytest.param(*one, id="-".join(one)) for one in objects]
    return pytest.mark.parametrize(("family", "data"), named)


every_object = _objects(OBJECTS)
saved_objects = _objects([one for one in OBJECTS if not one[0].startswith("conformal")])
