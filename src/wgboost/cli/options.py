"""The parameters of the estimators as flags of `fit`, with help from their docstrings."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from wgboost.cli.screen import CommandError
from wgboost.estimators import WGBClassifier, WGBRegressor
from wgboost.learners import TreeLearner
from wgboost.metrics.registry import early_stopping_metrics
from wgboost.responses import RESPONSES
from wgboost.training.flat_parameters import GROUPED, flat_parameters
from wgboost.validation import nearest_name

__all__ = [
    "BY_OPTION",
    "FLAGS",
    "estimator_flags",
    "named_values",
    "parse_value",
    "with_flag_names",
]

# The rarer parameters are in objects in Python, and on the command line under their own names.
_REGRESSOR = flat_parameters(WGBRegressor().get_params(deep=False))
_CLASSIFIER = flat_parameters(WGBClassifier().get_params(deep=False))

# Parameters with a flag of the same name, by heading.
_PANELS = {
    "Model": ("response", "n_particles", "evidence"),
    "Boosting": ("n_estimators", "learning_rate", "n_iter_no_change", "eval_metric"),
    "Trees": (
        "max_depth", "max_leaves", "min_samples_leaf", "l2", "subsample", "colsample", "tree",
        "split_on", "leaf", "growth", "max_bins",
    ),
}  # fmt: skip
FLAGS: tuple[str, ...] = tuple(name for names in _PANELS.values() for name in names)

# Parameters that flags of another name set.
_ELSEWHERE = {
    "early_stopping": "--validation",
    "validation_fraction": "--validation",
    "categorical_features": "--categorical",
    "monotone_constraints": "--increasing",
    "n_jobs": "--threads",
    "random_state": "--seed",
    "verbose": "--quiet",
}
# Remedies in Python, as flags.
_REMEDIES = {
    "early_stopping=True": "--validation 0.2",
    "X_val and y_val": "--validation-data FILE",
}
_PYTHON = ("learner", "init", "warm_start")  # objects and repeated fits
BY_OPTION: tuple[str, ...] = tuple(
    name
    for name in dict.fromkeys([*_REGRESSOR, *_CLASSIFIER, *GROUPED])
    if name not in (*FLAGS, *_ELSEWHERE, *_PYTHON)
)

_WORDS = {
    "response": "Distribution of y; 'auto' chooses one by the values of y. Numbers: "
    + ", ".join(name for name in RESPONSES if name not in ("categorical", "multivariate_normal"))
    + ". Classes: categorical, ordinal.",
    "eval_metric": f"Metric of early stopping: {', '.join(early_stopping_metrics())}.",
    "max_depth": "Largest depth of a tree; none is no limit.",
    "max_leaves": "Largest number of leaves; auto follows the number of rows, none is no limit.",
    "subsample": "Share of the rows that is drawn in every round.",
    "colsample": "Share of the features that is drawn in every round.",
}


def _parameter_docs(kind: type) -> dict[str, tuple[str, str]]:
    """Return the type and the first sentence of each parameter in a docstring."""
    entry = re.compile(r"^(\w+(?:, \w+)*)(?: : (.*))?\n((?:    .*\n)+)", re.MULTILINE)
    found = {}
    for names, types, text in entry.findall(f"{inspect.getdoc(kind)}\n"):
        sentence = re.split(r"(?<=\.)\s+(?=[A-Z\"])", " ".join(text.split()))[0]
        for name in names.split(", "):
            found[name] = types, sentence.replace("`", "")
    return found


def _metavar(name: str, types: str) -> str:
    """Return the placeholder of a value in the help: its choices or its type."""
    if name in ("response", "eval_metric"):
        return "name"
    types = types.split(", default=")[0]
    choices = re.findall(r'"(\w+)"', types)
    plain = re.findall(r"\b(int|float|None|list)\b", types)
    return "|".join([*choices, *(word.lower() for word in plain)]) or "text"


def _default(name: str) -> str:
    """Return the default of a parameter."""
    values = [p[name] for p in (_REGRESSOR, _CLASSIFIER) if name in p]
    shown = ["none" if value is None else str(value) for value in values]
    return shown[0] if len({*shown}) == 1 else f"{shown[0]}; classes {shown[1]}"


def estimator_flags() -> list[inspect.Parameter]:
    """Return the flags as parameters of a command.

    Their values are text or None. `parse_value` converts text, and the estimator checks values.
    """
    known = {**_parameter_docs(TreeLearner), **_parameter_docs(WGBRegressor)}
    flags = []
    for panel, names in _PANELS.items():
        for name in names:
            types, sentence = known[name]
            words = f"{_WORDS.get(name, sentence)} [default: {_default(name)}]"
            option = typer.Option(
                f"--{name.replace('_', '-')}", metavar=_metavar(name, types), help=words,
                show_default=False, rich_help_panel=panel,
            )  # fmt: skip
            kind = inspect.Parameter.KEYWORD_ONLY
            annotation = Annotated[str | None, option]
            flags.append(inspect.Parameter(name, kind, default=None, annotation=annotation))
    return flags


def parse_value(text: str) -> Any:
    """Return the text of a flag as a number, None, a boolean, a list or a dict, or as it is."""
    known = {"none": None, "true": True, "false": False}
    if text.lower() in known:
        return known[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    if text[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise CommandError(f"{text!r} is not JSON: {error}") from error
    return text


def named_values(given: Iterable[str]) -> dict[str, Any]:
    """Return the parameters given as `--option name=value`; raise CommandError if unknown."""
    found: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise CommandError(f"--option {one!r} must be name=value")
        if name in FLAGS:
            raise CommandError(f"--option {one}: write --{name.replace('_', '-')} {value}")
        if name in _ELSEWHERE:
            raise CommandError(f"--option {one}: use {_ELSEWHERE[name]} instead")
        if name in _PYTHON:
            raise CommandError(f"--option {one}: {name} can be set from Python only")
        if name not in BY_OPTION:
            suggestion = nearest_name(name, [*BY_OPTION, *FLAGS])
            raise CommandError(
                f"--option {one}: there is no {name!r}{suggestion or '; it is one of '}"
                + ("" if suggestion else ", ".join(BY_OPTION))
            )
        found[name] = parse_value(value)
    return found


def _flag_names() -> Mapping[str, str]:
    names = {name: f"--{name.replace('_', '-')}" for name in FLAGS}
    return {**names, **_ELSEWHERE}


def with_flag_names(message: str) -> str:
    """Return a message of the library with flags in place of parameters."""
    for words, flags in _REMEDIES.items():
        message = message.replace(words, flags)
    for name, flag in _flag_names().items():
        if "_" in name:
            message = re.sub(rf"\b{name}\b(?!\()", flag, message)
        else:  # an ordinary word, unless a value follows
            message = re.sub(rf"(?<![\w-]){name}=", f"{flag}=", message)
    found = re.search(r"\bcolumn '(.+?)' (has|of type)", message)
    if found and ("drop it" in message or "dates" in message):
        message += f" (--ignore {found[1]} leaves it out)"
    return message
