"""Checkpoints: a fit that goes on in another process as if nothing had happened."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wgboost.boosting import Watch
from wgboost.estimators.file_checks import FITTED
from wgboost.estimators.files import made_model, write_model
from wgboost.estimators.fitting import Fit, History
from wgboost.estimators.rows import Rows
from wgboost.persistence import ModelFileError, fingerprint, read_file
from wgboost.typing import Array

__all__ = ["Paused", "Saver", "resume"]

_SEEN = ("best_round", "best_value", "odd_rounds")  # of a Watch
_SHORT = 60  # characters of a value in a message
_FREE = ("n_jobs", "verbose")  # what may change: the model does not depend on it


@dataclass(frozen=True, eq=False)
class Saver:
    """Writes the model so far of a fit on these rows, with what the fit needs to go on."""

    estimator: Any
    rows: Rows
    sets: Mapping[str, Rows]
    held_out: Array | None = None
    history: History | None = None  # of the search that a refit follows
    stage: str = ""
    known: dict[str, str] = field(default_factory=dict)

    def data(self) -> str:
        """Return what the training data and validation sets are known by."""
        if "data" not in self.known:
            self.known["data"] = fingerprint(self.rows, dict(self.sets))
        return self.known["data"]

    def __call__(self, path: Any, fit: Fit, watch: Watch | None, n_rounds: int) -> None:
        """Save the rounds so far of n_rounds."""
        model = copy.copy(self.estimator)
        model._keep(fit, self.rows)
        model.validation_rows_ = self.held_out
        if self.history is not None:
            model.history_ = self.history
        seen = None if watch is None else {name: getattr(watch, name) for name in _SEEN}
        checkpoint = {
            "data": self.data(),
            "settings": _settings(self.estimator),
            "stage": self.stage,
            "n_rounds": n_rounds,
            "watch": seen,
        }
        write_model(model, path, checkpoint)


@dataclass(frozen=True, eq=False)
class Paused:
    """Where a fit was when a checkpoint was written."""

    path: str
    data: str
    stage: str  # "", or "refit"
    n_rounds: int  # that it was to have
    watch: dict[str, Any] | None

    def check_data(self, saver: Saver) -> None:
        """Raise ValueError unless the fit is given the data that the checkpoint was made with."""
        if saver.data() != self.data:
            raise ValueError(
                f"the checkpoint {self.path!r} was made with other data: X, y, weights, validation "
                "sets and what else belongs to rows have to be the same to the bit"
            )


def _settings(estimator: Any) -> dict[str, str]:
    """The parameters that a model depends on, each as what it is known by."""
    parameters = estimator.get_params(deep=False)
    return {name: fingerprint(v)[:16] for name, v in parameters.items() if name not in _FREE}


def resume(estimator: Any, path: Any) -> Paused:
    """Give an estimator the model of a checkpoint, and return where its fit was.

    Raises
    ------
    ModelFileError
        If the file is damaged, or no checkpoint.
    ValueError
        If the parameters differ from those of the checkpoint.
    """
    where, contents, kind = os.fspath(path), read_file(path), type(estimator)
    try:
        name, saved = contents.model["class"], contents.model.get("checkpoint")
        if saved is not None:
            before = dict(saved["settings"]["items"])
            known = contents.model["parameters"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(f"{where!r} is damaged: {error}") from error
    if name != kind.__name__:
        raise ValueError(f"{where!r} is of a {name}, not of a {kind.__name__}")
    if saved is None:
        raise ModelFileError(
            f"{where!r} is a finished model, not a checkpoint: load it and set warm_start=True, "
            "with more n_estimators, to add rounds"
        )
    for parameter, value in _settings(estimator).items():
        if before.get(parameter) != value:
            raise ValueError(
                f"{parameter}={_short(getattr(estimator, parameter))} cannot go on from the "
                f"checkpoint {where!r}{_shown(parameter, known)}; resume with the same parameters"
            )
    given = {name: getattr(estimator, name, None) for name in ("response", "target")}
    loaded, more = made_model(path, contents, {kind.__name__: kind}, given)
    try:
        more.pop("settings")
        paused = Paused(where, **more)
        _check_watch(paused, loaded.n_estimators_)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"{where!r} is damaged: {error}") from error
    for name in (*FITTED, "n_features_in_", "feature_names_in_", "schema_", "_encoder"):
        if hasattr(loaded, name):
            setattr(estimator, name, getattr(loaded, name))
        else:
            vars(estimator).pop(name, None)  # of an earlier fit
    return paused


def _shown(parameter: str, known: Any) -> str:
    value = known.get(parameter) if isinstance(known, dict) else None
    plain = value is not None and not isinstance(value, (dict, list))
    return f" with {parameter}={_short(value)}" if plain else ""


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}..."


def _check_watch(paused: Paused, n_rounds: int) -> None:
    if type(paused.n_rounds) is not int or paused.n_rounds < n_rounds:
        raise ValueError(f"{n_rounds} rounds of {paused.n_rounds!r:.20}")
    seen = paused.watch
    if seen is None:
        return
    odd = [*seen["odd_rounds"], seen["best_round"]]
    if not all(type(r) is int and 0 <= r <= n_rounds for r in odd) or set(seen) != set(_SEEN):
        raise ValueError("the best round is none of the rounds")
    if not isinstance(seen["best_value"], float):
        raise ValueError("the best value is no number")
