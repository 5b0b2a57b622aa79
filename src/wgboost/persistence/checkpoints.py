"""Checkpoints, from which another process can resume a fit."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wgboost.boosting.early_stopping import STOPPING_FIELDS
from wgboost.data.fingerprint import fingerprint
from wgboost.model import FittedModel
from wgboost.persistence.container import read_file
from wgboost.persistence.errors import ModelFileError
from wgboost.persistence.models import (
    SavedModel,
    fitted_attributes,
    fitted_model,
    model_of_contents,
    write_model,
)
from wgboost.training.data import TrainingData
from wgboost.training.request import Paused

__all__ = ["Checkpoint", "CheckpointWriter", "read_checkpoint"]

_SHORT = 60  # characters of a value in a message
_FREE = ("n_jobs", "verbose")  # parameters that the model does not depend on


@dataclass(frozen=True, eq=False)
class CheckpointWriter:
    """Write the model so far, and the state of the fit.

    Attributes
    ----------
    kind : str
        The name of the estimator's class.
    params : dict
        Its parameters.
    data : TrainingData
        The training data.
    validation : mapping
        Validation sets by name.
    described : callable
        Adds the schema, response and units to a model.
    """

    kind: str
    params: dict[str, Any]
    data: TrainingData
    validation: Mapping[str, TrainingData]
    described: Callable[[FittedModel], FittedModel]

    @cached_property
    def identity(self) -> str:
        """Fingerprint of the training data and validation sets."""
        return fingerprint(self.data, dict(self.validation))

    def __call__(self, path: Any, model: FittedModel, paused: Paused) -> None:
        """Save the rounds so far."""
        model = self.described(model)
        checkpoint = {
            "data": self.identity,
            "settings": _settings(self.params),
            "stage": paused.stage,
            "n_rounds": paused.n_rounds,
            "watch": None if paused.watch is None else dict(paused.watch),
        }
        attributes = fitted_attributes(model)
        write_model(
            path,
            SavedModel(self.kind, self.params, attributes, model.schema, checkpoint=checkpoint),
        )


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Contents of a checkpoint file.

    Attributes
    ----------
    path : str
        The file.
    model : FittedModel
        The model so far.
    paused : Paused
        Where the fit was.
    identity : str
        Fingerprint of the data.
    """

    path: str
    model: FittedModel
    paused: Paused
    identity: str

    def check_data(self, identity: str) -> None:
        """Raise ValueError unless the fit is given the data that the checkpoint was made with."""
        if identity != self.identity:
            raise ValueError(
                f"the checkpoint {self.path!r} was made with other data: X, y, weights, validation "
                "sets and everything else that belongs to rows have to be identical"
            )


def read_checkpoint(
    path: Any,
    kind: str,
    params: Mapping[str, Any],
    check: Callable[[SavedModel, FittedModel], None],
) -> Checkpoint:
    """Read a checkpoint file.

    Parameters
    ----------
    path : str or path
        The file.
    kind : str
        Name of the class of the estimator that is resumed.
    params : mapping
        Parameters of the estimator.
    check : callable
        Raises ValueError if the parts of the model are inconsistent.

    Returns
    -------
    Checkpoint
        The model so far, and the state of the fit.

    Raises
    ------
    ModelFileError
        If the file is damaged, or not a checkpoint.
    ValueError
        If the parameters differ from those of the checkpoint.
    """
    where, contents = os.fspath(path), read_file(path)
    try:
        name, found = contents.model["class"], contents.model.get("checkpoint")
        if found is not None:
            before = dict(found["settings"]["items"])
            known = contents.model["parameters"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(f"{where!r} is damaged: {error}") from error
    if name != kind:
        raise ValueError(f"{where!r} is of a {name}, not of a {kind}")
    if found is None:
        raise ModelFileError(
            f"{where!r} is a finished model, not a checkpoint: load it and set warm_start=True, "
            "with more n_estimators, to add rounds"
        )
    for parameter, value in _settings(params).items():
        if before.get(parameter) != value:
            raise ValueError(
                f"{parameter}={_short(params[parameter])} cannot resume from the "
                f"checkpoint {where!r}{_shown(parameter, known)}; resume with the same parameters"
            )
    given = {name: params.get(name) for name in ("response", "target")}
    saved = model_of_contents(path, contents, given)
    try:
        model = fitted_model(saved)
        check(saved, model)
        more = dict(saved.checkpoint or {})
        paused = Paused(more["stage"], more["n_rounds"], more["watch"])
        _check_watch(paused, model.n_rounds)
        return Checkpoint(where, model, paused, more["data"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"{where!r} is damaged: {error}") from error


def _settings(params: Mapping[str, Any]) -> dict[str, str]:
    """Return the fingerprints of the parameters that a model depends on."""
    return {name: fingerprint(v)[:16] for name, v in params.items() if name not in _FREE}


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
    stopping = paused.watch
    if stopping is None:
        return
    known = set(stopping) == set(STOPPING_FIELDS)
    rounds = [stopping[name] for name in ("gain_round", "best_round") if known]
    rounds += stopping["odd_rounds"] if known else []
    if not known or not all(type(r) is int and 0 <= r <= n_rounds for r in rounds):
        raise ValueError("the best round is none of the rounds")
    if not all(isinstance(stopping[name], float) for name in ("best_value", "gain_value")):
        raise ValueError("the best value is no number")
