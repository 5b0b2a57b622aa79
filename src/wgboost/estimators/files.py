"""An estimator as the contents of a model file, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.preprocessing import LabelEncoder

from wgboost.boosting import AveragedFlow, BackgroundStart, ConstantStart, EstimatorStart
from wgboost.calibration import Calibration, OODReference
from wgboost.data import LevelGroups, Schema
from wgboost.directions import DIRECTIONS, Kernel
from wgboost.ensemble import FlatTrees
from wgboost.estimators.file_checks import BAG, FITTED, SHARED, check_bag, check_model
from wgboost.estimators.upgrades import upgraded
from wgboost.learners import HistTree
from wgboost.persistence import (
    Contents,
    ModelFileError,
    Reader,
    Unsaved,
    Writer,
    name_of,
    read_file,
    write_file,
)
from wgboost.responses import RESPONSES, ColumnUnits, Response, Units
from wgboost.smooth import (
    Background,
    Columns,
    Covariance,
    Landmarks,
    Process,
    Scale,
    SmoothStart,
)
from wgboost.targets import LogDensity, Target
from wgboost.trees import Constraints, TreeSettings

__all__ = ["made_model", "read_model", "write_model"]

# What a file may hold beside numbers, texts and arrays.
_CLASSES: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        AveragedFlow, Background, BackgroundStart, Calibration, ColumnUnits, Columns, ConstantStart,
        Constraints, Covariance, FlatTrees, HistTree, Kernel, Landmarks, LevelGroups, OODReference,
        Process, Scale, SmoothStart, TreeSettings, Units, *DIRECTIONS.values(), *RESPONSES.values(),
    )
}  # fmt: skip
_SKOPS = (
    "a model file holds no code. skops keeps such models: pip install wgboost[skops], then "
    "skops.io.dump(model, path)"
)
_NEEDED = {
    "response": ("parameters.response", "fitted.response_"),
    "target": ("parameters.target",),
}


def write_model(
    estimator: Any, path: Any, checkpoint: Mapping[str, Any] | None = None,
    metadata: dict[str, Any] | None = None,
) -> None:  # fmt: skip
    """Write a fitted estimator to a file, with what a fit needs to go on if it is a checkpoint.

    Raises TypeError for what a file cannot hold: another learner, an estimator as start, a class
    of one's own.
    """
    writer = Writer(_CLASSES, _foreign)
    model = _described(estimator, writer)
    # One byte for each feature: their number is accounted for by the file's length.
    features = estimator.schema_.to_arrays()
    model["features"] = {n: writer.json(f"features.{n}", v) for n, v in features.items()}
    if metadata is not None:
        model["metadata"] = metadata
    if checkpoint is not None:
        model["checkpoint"] = {n: writer.json(f"checkpoint.{n}", v) for n, v in checkpoint.items()}
    write_file(path, Contents(model, writer.tensors))


def _described(estimator: Any, writer: Writer, place: str = "") -> dict[str, Any]:
    """Return an estimator as JSON, without its columns; names of its arrays begin with `place`."""
    kind, members = type(estimator), getattr(estimator, "members_", ())
    if not kind.__module__.startswith("wgboost."):
        raise TypeError(f"{kind.__name__} is a class of your own; {_SKOPS}")
    parameters = estimator.get_params(deep=False)
    known = BAG if members else FITTED
    names = {*parameters, *known, *SHARED, "members_", "metadata_"}
    for name in vars(estimator):
        if name.endswith("_") and name not in names:
            raise TypeError(f"a model file has no place for the attribute {name}; delete it")
    fitted = {name: getattr(estimator, name) for name in known if hasattr(estimator, name)}
    model: dict[str, Any] = {"class": kind.__name__}
    if isinstance(parameters.get("target"), (list, tuple)):  # the rows' targets: training data
        listed = _foreign(writer, "parameters.target", parameters.pop("target"))
        model["parameters"] = {"target": listed}
    for part, values in (("parameters", parameters), ("fitted", fitted)):
        coded = {name: writer.json(f"{place}{part}.{name}", v) for name, v in values.items()}
        model[part] = {**coded, **model.get(part, {})}
    if members:
        inner = [_described(one, writer, f"members.{i}.") for i, one in enumerate(members)]
        model["members"] = inner
    return model


def _relative(name: str) -> str:
    """The name of a place in a file, of one in a member of a bag as in the member's own file."""
    return name.split(".", 2)[2] if name.startswith("members.") else name


def _foreign(writer: Writer, name: str, value: Any) -> Any:
    """The JSON of what is not data: its name, to be asked for when the file is loaded."""
    place, name = name, _relative(name)
    parameter = name.split(".")[1]
    if parameter in ("learner", "init", "ensemble_", "start_"):
        inner = value.estimator if isinstance(value, EstimatorStart) else value
        raise TypeError(f"{parameter.rstrip('_')} is foreign ({name_of(inner)}); {_SKOPS}")
    if parameter in ("response", "response_") and name.count(".") > 1:
        field = name.split(".", 2)[2]
        raise TypeError(
            f"the response's {field} is a {name_of(value)}, not a plain value; {_SKOPS}"
        )
    of_response = isinstance(value, Response) or (
        isinstance(value, type) and issubclass(value, Response)
    )
    needed = of_response or isinstance(value, (Target, LogDensity))
    node = {"kind": "foreign", "name": name_of(value), "needed": needed}
    if isinstance(value, Response):
        node["fields"] = writer.of(place, value)
    return node


def read_model(path: Any, classes: Mapping[str, type[Any]], given: Mapping[str, Any]) -> Any:
    """Return the estimator in a file.

    `given` are functions and objects that the file names but does not hold, by parameter.

    Raises
    ------
    ModelFileError
        If the file is damaged or of a later format.
    TypeError
        If it names a response or a target that is not given.
    """
    contents = read_file(path)
    _check_given(path, contents.model, given)
    return made_model(path, contents, classes, given)[0]


def made_model(
    path: Any, contents: Contents, classes: Mapping[str, type[Any]], given: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return the estimator that the contents of a file make, and what a checkpoint has more."""
    try:
        return _made(contents, classes, given)
    except Exception as error:  # whatever does not fit together, and however it shows
        raise ModelFileError(f"{os.fspath(path)!r} is damaged: {error}") from error


def _made(
    contents: Contents, classes: Mapping[str, type[Any]], given: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    contents = upgraded(contents)
    model = contents.model
    reader = Reader(_CLASSES, contents.tensors, lambda name, node: _restored(name, node, given))

    def part(name: str, model: Any = model, place: str = "") -> dict[str, Any]:
        return {key: reader.value(f"{place}{name}.{key}", v) for key, v in model[name].items()}

    schema = Schema.from_arrays(**part("features"))
    checkpoint = part("checkpoint") if "checkpoint" in model else {}

    def made(model: Any, place: str = "", members: Sequence[Any] = ()) -> Any:
        if model["class"] not in classes:
            raise ValueError(f"the estimator {model['class']!r:.40} is not one of {[*classes]}")
        estimator = classes[model["class"]](**part("parameters", model, place))
        if hasattr(estimator, "_adopt") != bool(members):
            raise ValueError("a bag has members, and nothing else has")
        _set_columns(estimator, schema)
        for name, value in part("fitted", model, place).items():
            if name not in (BAG if members else FITTED):
                raise ValueError(f"the attribute {name!r:.40} is not known")
            setattr(estimator, name, value)
        if members:
            estimator._adopt(list(members))
        elif hasattr(estimator, "classes_"):
            estimator._encoder = LabelEncoder()
            estimator._encoder.classes_ = estimator.classes_
            # Format 1 has no order of classes.
            vars(estimator).setdefault("ranks_", estimator.classes_)
        (check_bag if members else check_model)(estimator)
        return estimator

    inner = model.get("members", [])
    members = [made(one, f"members.{i}.") for i, one in enumerate(inner)]
    estimator = made(model, members=members)
    unused = set(contents.tensors) - reader.used
    if unused:
        raise ValueError(f"the tensor {min(unused)!r:.60} belongs to nothing")
    if "metadata" in model:
        if not isinstance(model["metadata"], dict):
            raise ValueError("the metadata are not named")
        estimator.metadata_ = model["metadata"]
    return estimator, checkpoint


def _set_columns(estimator: Any, schema: Schema) -> None:
    estimator.schema_ = schema
    estimator.n_features_in_ = len(schema.levels)
    if schema.names is not None:
        estimator.feature_names_in_ = np.array(schema.names, dtype=object)


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
    """What stands for a function or an object of the user's."""
    parameter = _relative(name).split(".")[1].rstrip("_")
    value = given.get(parameter)
    if value is None:
        return Unsaved(parameter, str(node["name"]))
    if node.get("fields") is None:
        return value
    kind = value if isinstance(value, type) else type(value)
    return kind(**node["fields"])
