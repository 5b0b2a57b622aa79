"""Conversion of estimators to the contents of model files, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from wgboost.boosting import AveragedFlow
from wgboost.boosting.start import ConstantStart, EstimatorStart, GPStart
from wgboost.calibration import Calibration, OODReference
from wgboost.data.fingerprint import name_of
from wgboost.data.level_groups import LevelGroups
from wgboost.data.schema import Schema
from wgboost.directions import DIRECTIONS, Kernel
from wgboost.learners import TreeLearner
from wgboost.learners.hist_tree import HistTree
from wgboost.model import ErrorModel, FittedModel
from wgboost.persistence.container import Contents, read_file, write_file
from wgboost.persistence.errors import ModelFileError
from wgboost.persistence.model_checks import ALWAYS, BAG, FITTED
from wgboost.persistence.values import Reader, Unsaved, Writer
from wgboost.responses import RESPONSES, ColumnUnits, Response, Units
from wgboost.smooth import SmoothStart
from wgboost.smooth.columns import Columns
from wgboost.smooth.covariance import Covariance
from wgboost.smooth.exact_gp import ExactGP
from wgboost.smooth.gp_model import GPModel
from wgboost.smooth.nystrom_gp import NystromGP
from wgboost.smooth.scale import Scale
from wgboost.targets import LogDensity, Target
from wgboost.training.flat_parameters import GROUPED, grouped_parameters
from wgboost.trees import Constraints, TreeSettings
from wgboost.trees.flat import FlatTrees
from wgboost.trees.ranges import NodeRanges
from wgboost.trees.support import Support

__all__ = [
    "SKOPS",
    "SavedModel",
    "fitted_attributes",
    "fitted_model",
    "model_of_contents",
    "read_model",
    "write_model",
]

# Classes that a file may hold, besides numbers, texts and arrays.
_CLASSES: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        AveragedFlow, ErrorModel, GPModel, GPStart, Calibration, ColumnUnits, Columns,
        ConstantStart, Constraints, Covariance, FlatTrees, HistTree, Kernel, NodeRanges, NystromGP,
        LevelGroups, OODReference, ExactGP, Scale, SmoothStart, Support, TreeLearner, TreeSettings,
        Units,
        *DIRECTIONS.values(), *RESPONSES.values(),
    )
}  # fmt: skip
# Names of classes and fields in files of earlier versions, and parameters that are dropped.
_OLD_CLASSES = {
    "Background": "GPModel", "BackgroundStart": "GPStart", "Landmarks": "NystromGP",
    "Process": "ExactGP",
}  # fmt: skip
_OLD_FIELDS = {"BackgroundStart.background": "gp"}
_DROPPED_PARAMETERS = {"WGBClassifierCV": {"wide", "ood_members"}}
SKOPS = (
    "a model file holds no code. skops keeps such models: pip install wgboost[skops], then "
    "skops.io.dump(model, path)"
)
_NEEDED = {
    "response": ("parameters.response", "fitted.response_"),
    "target": ("parameters.target",),
}


@dataclass(frozen=True, eq=False)
class SavedModel:
    """An estimator in the form of a file.

    Attributes
    ----------
    kind : str
        The name of its class.
    params : dict
        The parameters of its constructor.
    fitted : dict
        Fitted attributes; see `fitted_attributes`.
    schema : Schema or None
        The columns of X; members of a bag have those of the bag.
    members : tuple of SavedModel
        The models of a bag.
    metadata : dict or None
        Metadata of the user.
    checkpoint : dict or None
        State of an unfinished fit.
    """

    kind: str
    params: dict[str, Any]
    fitted: dict[str, Any]
    schema: Schema | None = None
    members: tuple[SavedModel, ...] = ()
    metadata: dict[str, Any] | None = None
    checkpoint: dict[str, Any] | None = None


def fitted_attributes(model: FittedModel) -> dict[str, Any]:
    """Return the attributes of a fitted model, in the order of a file."""
    values = {
        "ensemble_": model.ensemble, "start_": model.start, "units_": model.units,
        "response_": model.response, "_init": model.init, "_constraints": model.constraints,
        "n_estimators_": model.n_rounds, "history_": model.history,
        "validation_rows_": model.held_out, "interrupted_": model.interrupted,
        "refitted_": model.refitted, "seed_": model.seed, "n_outputs_": model.n_outputs,
        "proposal_": model.proposal, "classes_": model.classes, "ranks_": model.ranks,
        "evidence_": model.evidence, "search_": model.search_trials,
        "_row_marks": model.row_hashes, "row_parameters_": dict(model.row_parameters),
        "errors_": model.errors, "_support": model.known_support,
        "_held_out_lack": model.held_out_lack,
    }  # fmt: skip
    if model.response is None:
        absent = {"units_", "response_", "n_outputs_", "classes_", "ranks_", "evidence_"}
        absent |= {"_row_marks"}
    elif model.classes is None:
        absent = {"classes_", "ranks_"}
    else:
        absent = {"n_outputs_"}
    absent |= {
        name
        for name in ("proposal_", "search_", "errors_", "_support", "_held_out_lack")
        if values[name] is None
    }
    return {name: value for name, value in values.items() if name not in absent}


def write_model(path: Any, saved: SavedModel) -> None:
    """Write an estimator to a file.

    Raise TypeError for what a file cannot hold: another learner, an estimator as the start, or
    classes that are not part of wgboost.
    """
    if saved.schema is None:
        raise TypeError("a model without columns cannot be saved")
    writer = Writer(_CLASSES, _foreign)
    model = _described(saved, writer)
    # One byte for each feature bounds their number by the length of the file.
    features = saved.schema.to_arrays()
    model["features"] = {n: writer.json(f"features.{n}", v) for n, v in features.items()}
    if saved.metadata is not None:
        model["metadata"] = saved.metadata
    if saved.checkpoint is not None:
        model["checkpoint"] = {
            n: writer.json(f"checkpoint.{n}", v) for n, v in saved.checkpoint.items()
        }
    write_file(path, Contents(model, writer.tensors))


def _described(saved: SavedModel, writer: Writer, place: str = "") -> dict[str, Any]:
    """Return an estimator as JSON, without its schema; names of its arrays start with `place`."""
    parameters, model = dict(saved.params), {"class": saved.kind}
    described: dict[str, Any] = model
    if isinstance(parameters.get("target"), (list, tuple)):  # targets of rows are training data
        listed = _foreign(writer, "parameters.target", parameters.pop("target"))
        described["parameters"] = {"target": listed}
    for part, values in (("parameters", parameters), ("fitted", saved.fitted)):
        coded = {name: writer.json(f"{place}{part}.{name}", v) for name, v in values.items()}
        described[part] = {**coded, **described.get(part, {})}
    if saved.members:
        described["members"] = [
            _described(one, writer, f"members.{i}.") for i, one in enumerate(saved.members)
        ]
    return described


def _relative(name: str) -> str:
    """Return the name of a place in a file, relative to the member of a bag that it is in."""
    return name.split(".", 2)[2] if name.startswith("members.") else name


def _foreign(writer: Writer, name: str, value: Any) -> Any:
    """Return the JSON of an object that is not data: its name, which `load` needs."""
    place, name = name, _relative(name)
    parameter = name.split(".")[1]
    if parameter in ("learner", "init", "ensemble_", "start_"):
        inner = value.estimator if isinstance(value, EstimatorStart) else value
        raise TypeError(f"{parameter.rstrip('_')} is foreign ({name_of(inner)}); {SKOPS}")
    if parameter in ("response", "response_") and name.count(".") > 1:
        field = name.split(".", 2)[2]
        raise TypeError(f"the response's {field} is a {name_of(value)}, not a plain value; {SKOPS}")
    of_response = isinstance(value, Response) or (
        isinstance(value, type) and issubclass(value, Response)
    )
    needed = of_response or isinstance(value, (Target, LogDensity))
    node = {"kind": "foreign", "name": name_of(value), "needed": needed}
    if isinstance(value, Response):
        node["fields"] = writer.of(place, value)
    return node


def read_model(path: Any, given: Mapping[str, Any]) -> SavedModel:
    """Return the estimator in a file.

    `given` has functions and objects that the file names but does not hold, by parameter. Raise
    ModelFileError if the file is damaged or of another format, and TypeError if it needs a response
    or a target that is not given.
    """
    contents = read_file(path)
    _check_given(path, contents.model, given)
    return model_of_contents(path, contents, given)


def model_of_contents(path: Any, contents: Contents, given: Mapping[str, Any]) -> SavedModel:
    """Return the estimator of the contents of a file; raise ModelFileError if they are invalid."""
    try:
        return _build(contents, given)
    except Exception as error:  # contents may be inconsistent in any way
        raise ModelFileError(f"{os.fspath(path)!r} is damaged: {error}") from error


def _grouped(parameters: dict[str, Any], fitted: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as the estimators have them; earlier versions had them all flat."""
    recipes = parameters.get("recipes")
    response = "categorical" if "class_weight" in parameters else "normal"
    if isinstance(recipes, dict):
        recipes = {name: grouped_parameters(one, response) for name, one in recipes.items()}
    elif isinstance(recipes, (list, tuple)):
        recipes = [grouped_parameters(one, response) for one in recipes]
    if recipes is not None:
        parameters = {**parameters, "recipes": recipes}
    if not GROUPED.keys() & parameters.keys():
        return parameters
    grouped = grouped_parameters({**parameters, "prior": None})
    if parameters.get("prior") is not None:
        grouped["response"] = fitted["response_"]  # which has the prior
    return grouped


def _build(contents: Contents, given: Mapping[str, Any]) -> SavedModel:
    model = contents.model
    classes = {**_CLASSES, **{old: _CLASSES[new] for old, new in _OLD_CLASSES.items()}}
    reader = Reader(
        classes, contents.tensors, lambda name, node: _restored(name, node, given), _OLD_FIELDS
    )

    def part(name: str, model: Any = model, place: str = "") -> dict[str, Any]:
        return {key: reader.value(f"{place}{name}.{key}", v) for key, v in model[name].items()}

    schema = Schema.from_arrays(**part("features"))
    checkpoint = part("checkpoint") if "checkpoint" in model else None

    def made(model: Any, place: str = "", members: tuple[SavedModel, ...] = ()) -> SavedModel:
        fitted = part("fitted", model, place)
        for name in fitted:
            if name not in (BAG if members else FITTED):
                raise ValueError(f"the attribute {name!r:.40} is not known")
        dropped = _DROPPED_PARAMETERS.get(model["class"], set())
        parameters = part("parameters", model, place)
        parameters = {name: value for name, value in parameters.items() if name not in dropped}
        parameters = _grouped(parameters, fitted)
        return SavedModel(model["class"], parameters, fitted, schema, members)

    inner = model.get("members", [])
    members = tuple(made(one, f"members.{i}.") for i, one in enumerate(inner))
    saved = made(model, members=members)
    unused = set(contents.tensors) - reader.used
    if unused:
        raise ValueError(f"the tensor {min(unused)!r:.60} is not used")
    metadata = model.get("metadata")
    if "metadata" in model and not isinstance(metadata, dict):
        raise ValueError("the metadata are not a dict")
    return replace(saved, metadata=metadata, checkpoint=checkpoint)


def fitted_model(saved: SavedModel) -> FittedModel:
    """Return the fitted model of a file; raise ValueError if parts are missing."""
    fitted, schema = saved.fitted, saved.schema
    evidential, classes = "target" not in saved.params, "class_weight" in saved.params
    needed = [*ALWAYS]
    if evidential:
        needed += ["units_", "response_", "evidence_", "classes_" if classes else "n_outputs_"]
    for name in needed:
        if name not in fitted:
            raise ValueError(f"{name} is missing")
    if evidential != (fitted.get("response_") is not None):
        raise ValueError("the response is none, or the model of general targets has one")
    return FittedModel(
        fitted["ensemble_"], fitted["start_"], fitted.get("units_", Units()), fitted["history_"],
        interrupted=fitted["interrupted_"], held_out=fitted["validation_rows_"],
        refitted=fitted["refitted_"], schema=schema, response=fitted.get("response_"),
        classes=fitted.get("classes_"), ranks=fitted.get("ranks_"),
        n_outputs=fitted.get("n_outputs_", 1), proposal=fitted.get("proposal_"),
        seed=fitted["seed_"], evidence=fitted.get("evidence_", 1.0),
        search_trials=fitted.get("search_", fitted.get("evidence_trials_")), init=fitted["_init"],
        constraints=fitted["_constraints"], row_hashes=fitted.get("_row_marks"),
        row_parameters=fitted.get("row_parameters_", {}), errors=fitted.get("errors_"),
        known_support=fitted.get("_support"), held_out_lack=fitted.get("_held_out_lack"),
    )  # fmt: skip


def _check_given(path: Any, model: Any, given: Mapping[str, Any]) -> None:
    """Raise TypeError if a function is needed and not given, or given and not needed."""
    for parameter, value in given.items():
        nodes = [
            node
            for place in _NEEDED.get(parameter, (f"parameters.{parameter}",))
            if isinstance(node := _at(model, place), dict) and node.get("kind") == "foreign"
        ]
        where = f"the model in {os.fspath(path)!r}"
        if value is None:
            if any(node.get("needed") for node in nodes):
                raise TypeError(
                    f"{where} has a {parameter} of your own, {nodes[0].get('name')!r}, which the "
                    f"file does not hold: load(path, {parameter}=...)"
                )
        elif not nodes:
            raise TypeError(f"{where} holds its {parameter}; leave {parameter} out")
        elif name_of(value) != nodes[0].get("name"):
            raise TypeError(
                f"{where} was fitted with the {parameter} {nodes[0].get('name')!r}, not with "
                f"{name_of(value)!r}"
            )


def _at(model: Any, place: str) -> Any:
    for name in place.split("."):
        model = model.get(name) if isinstance(model, dict) else None
    return model


def _restored(name: str, node: dict[str, Any], given: Mapping[str, Any]) -> Any:
    """Return the given function or object, or a placeholder."""
    parameter = _relative(name).split(".")[1].rstrip("_")
    value = given.get(parameter)
    if value is None:
        return Unsaved(parameter, str(node["name"]))
    if node.get("fields") is None:
        return value
    kind = value if isinstance(value, type) else type(value)
    return kind(**node["fields"])
