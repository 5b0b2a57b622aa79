"""`wgboost info`: the contents of a model file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from wgboost.cli.flags import ModelFile
from wgboost.cli.screen import Screen
from wgboost.cli.writing import load_model
from wgboost.estimators.conventions import stored_metadata
from wgboost.metrics.summaries import format_number
from wgboost.model import FittedBag

__all__ = ["info"]

_SHOWN = 20  # features in the table

_LONGEST = 80  # characters of a parameter


def info(screen: Screen, model: ModelFile) -> None:
    """Show the contents of a model file.

    It shows what the model predicts, from which columns, and how it was fitted. Example:

    wgboost info price.wgb
    """
    estimator = load_model(model)
    about = stored_metadata(estimator)
    columns, known = about.get("columns", {}), estimator.model_
    bag, rounds = isinstance(known, FittedBag), [one.n_rounds for one in known.models]
    facts: dict[str, Any] = {
        "estimator": type(estimator).__name__,
        "response": getattr(getattr(estimator, "response_", None), "name", None),
        "target": columns.get("target", [columns.get("lower"), columns.get("upper")]),
        "columns": columns,
        "classes": getattr(estimator, "classes_", None),
        "members": len(estimator.members_) if bag else None,
        "recipe": estimator.best_recipe_ if bag else None,
        "rounds": rounds if bag else rounds[0],
        "particles": known.n_particles,
        "interrupted": known.interrupted,
        "validation": known.metrics,
        "features": _features(estimator),
        "parameters": _changed(estimator),
        "bytes": os.path.getsize(model) if model != "-" else None,
    }
    screen.show(facts, _overview(facts), _grid(facts["features"]))


def _features(model: Any) -> list[dict[str, Any]]:
    """Return the name, kind and importance of each feature, the most important first."""
    names = model.model_.schema.names or [f"column {i}" for i in range(model.n_features_in_)]
    gains = model.feature_importances_
    found = []
    for i in np.argsort(-gains, kind="stable"):
        levels = model.model_.schema.levels[i]
        kind = "numbers" if levels is None else f"{len(levels.values)} categories"
        found.append({"name": names[i], "kind": kind, "importance": float(gains[i])})
    return found


def _changed(model: Any) -> dict[str, Any]:
    """Return the parameters that are not at their defaults."""
    default = type(model)().get_params(deep=False)
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(default[name])
    }


def _overview(facts: dict[str, Any]) -> Grid:
    grid = Grid(box=None, show_header=False, pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column()
    texts = {
        "estimator": facts["estimator"],
        "response": facts["response"],
        "columns": ", ".join(f"{role} {_words(name)}" for role, name in facts["columns"].items()),
        "classes": None if facts["classes"] is None else _words(facts["classes"].tolist()),
        "members": facts["members"] and f"{facts['members']}, recipe {facts['recipe']}",
        "rounds": _rounds(facts["rounds"]) + (" (interrupted)" if facts["interrupted"] else ""),
        "particles": str(facts["particles"]),
        "validation": ", ".join(f"{k} {format_number(v)}" for k, v in facts["validation"].items()),
        "parameters": ", ".join(f"{k}={_short(v)}" for k, v in facts["parameters"].items()),
        "size": None if facts["bytes"] is None else f"{facts['bytes'] / 1000:.0f} kB",
    }
    for name, value in texts.items():
        if value:
            grid.add_row(name, Text(value))
    return grid


def _rounds(rounds: int | list[int]) -> str:
    """Return a number of rounds, or the range over the members of a bag."""
    if not isinstance(rounds, list):
        return str(rounds)
    return " to ".join(map(str, dict.fromkeys((min(rounds), max(rounds)))))


def _words(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    return ", ".join(map(str, value[:10])) + (", ..." if len(value) > 10 else "")


def _grid(features: list[dict[str, Any]]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("feature")
    grid.add_column("kind")
    grid.add_column("importance", justify="right")
    for one in features[:_SHOWN]:
        grid.add_row(Text(one["name"]), one["kind"], f"{one['importance']:.3f}")
    if len(features) > _SHOWN:
        grid.add_row(f"and {len(features) - _SHOWN} more", "", "")
    return grid


def _short(value: Any) -> str:
    """Return a value as text of at most 80 characters."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
