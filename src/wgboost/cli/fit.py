"""`wgboost fit`: from a table to a model file."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from inspect import signature
from typing import Annotated, Any

import polars as pl
import typer
from rich.text import Text

from wgboost.boosting import Interrupted
from wgboost.callbacks import Checkpoint, MaxTime
from wgboost.cli.features import training_features
from wgboost.cli.flags import DataFile, Force, Threads, flag, taken
from wgboost.cli.options import BY_OPTION, literal, named_values
from wgboost.cli.reading import Reading, Table, read_bytes, read_table
from wgboost.cli.roles import Data, Roles, rows_beside, with_y
from wgboost.cli.screen import CommandError, Problems, Screen, counted
from wgboost.cli.tasks import classifies, labels, read_as
from wgboost.cli.writing import check_out, save_model
from wgboost.estimators import WGBClassifier, WGBRegressor
from wgboost.metrics.summaries import readable
from wgboost.responses import RESPONSE_SYNONYMS, RESPONSES
from wgboost.training import resolve_settings
from wgboost.validation import check_choice, check_integer

__all__ = ["Plan", "fit"]

_COLUMNS, _BOOSTING, _MODEL = "Columns", "Boosting", "Model"
_SECONDS = 60  # between checkpoints
_MANY = 500  # names of columns that are not used; the header of a file has a limit


@dataclass(frozen=True)
class Plan:
    """What to fit, beside the parameters of the estimator."""

    task: str | None = flag(
        "What to fit. [default: classes if the target is text, true/false or 0/1]",
        "regression|classification",
        panel=_MODEL,
    )
    features: tuple[str, ...] = flag(
        "Use these columns only, with commas between, or repeat. [default: all without a role]",
        "columns",
        panel=_COLUMNS,
        default=(),
    )
    ignore: tuple[str, ...] = flag(
        "Leave columns out, such as an id.", "columns", panel=_COLUMNS, default=()
    )
    categorical: tuple[str, ...] = flag(
        "Numbers that are names of categories, or text that looks like numbers. Other text is "
        "categories anyway.",
        "columns",
        panel=_COLUMNS,
        default=(),
    )
    increasing: tuple[str, ...] = flag(
        "The location of y must not fall as these features rise.",
        "columns",
        panel=_COLUMNS,
        default=(),
    )
    decreasing: tuple[str, ...] = flag("It must not rise.", "columns", panel=_COLUMNS, default=())
    order: str | None = flag(
        "Classes from low to high, for --response ordinal.", "low,...,high", panel=_MODEL
    )
    validation: float | None = flag(
        "Hold out this share of the rows to find the best number of rounds, then fit on all rows. "
        "[default: no early stopping]",
        "share",
        panel=_BOOSTING,
    )
    validation_data: str | None = flag(
        "Find the number of rounds on the rows of this file instead.", "file", panel=_BOOSTING
    )
    max_time: float | None = flag(
        "End after so much time, with the rounds so far.", "seconds", panel=_BOOSTING
    )
    checkpoint: str | None = flag(
        "Save the rounds so far to this file, every minute.", "file", panel=_BOOSTING
    )
    resume: str | None = flag(
        "Go on from a checkpoint; data and options have to be the same.", "file", panel=_BOOSTING
    )
    ood_folds: int | None = flag(
        "Learn how rare an OOD score is from so many further fits, each without a fold of the "
        "rows; predict then writes ood_pvalue. With --validation-data that is known without. "
        "[default: no further fits]",
        "int",
        panel=_MODEL,
    )
    option: tuple[str, ...] = flag(
        f"Another parameter of the estimator: {', '.join(BY_OPTION)}; repeat for more.",
        "name=value",
        panel=_MODEL,
        default=(),
    )
    seed: int | None = flag("Same seed, same model. [default: another one each time]", "int")

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the estimator that this sets."""
        known = named_values(self.option)
        if self.validation is not None and self.validation_data is not None:
            raise CommandError("give --validation or --validation-data, not both")
        if self.validation is not None:
            known["early_stopping"] = self.validation != 0
            if self.validation != 0:
                known["validation_fraction"] = self.validation
        if self.validation_data is not None:
            known["early_stopping"] = True
        return {**known, "random_state": self.seed}

    def callbacks(self) -> list[Any]:
        """Return what is to be done after every round."""
        found: list[Any] = [] if self.max_time is None else [MaxTime(self.max_time)]
        if self.checkpoint is not None:
            found.append(Checkpoint(self.checkpoint, every_seconds=_SECONDS))
        return found


def fit(
    screen: Screen,
    data: DataFile,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="file", help="The model file; - is stdout.")
    ],
    threads: Threads = None,
    force: Force = False,
    **flags: Any,
) -> None:
    """Fit a model to the rows of a table and write it to a file.

    All columns without a role are features: numbers, true/false, and text as categories; values
    may be missing. Rows without a target are left out. Ctrl-C writes the model with the rounds so
    far (exit code 130). Example:

    wgboost fit houses.csv --target price --out price.wgb --validation 0.2
    """
    reading, roles, plan = taken(Reading, flags), taken(Roles, flags), taken(Plan, flags)
    _check(plan, roles, data, out, force, screen)
    given = {name: literal(value) for name, value in flags.items() if value is not None}
    parameters = {**given, **plan.parameters(), "n_jobs": threads}
    _check_values(parameters)
    kind = "classes" if plan.task == "classification" else "target"
    table, problems = read_table(data, reading, screen), Problems()
    y, X, classes = None, pl.DataFrame(), False
    with problems:
        table, y = with_y(table, roles, screen, kind)
        classes = classifies(y, plan.task, roles)
        if plan.order is not None and not classes:
            raise CommandError("--order is for classes: --task classification")
        y = labels(y, plan.order) if classes else y
    with problems:
        X, parameters["categorical_features"] = training_features(
            table, roles, features=plan.features, ignore=plan.ignore, categorical=plan.categorical
        )
        held = _held(table, X, plan)
        if held:
            parameters["monotone_constraints"] = held
    beside: dict[str, Any] = {}
    with problems:
        beside = rows_beside(table, roles)
    problems.check()
    rows = Data(X, y, **beside)
    model: Any = (WGBClassifier if classes else WGBRegressor)(**parameters)
    begun = time.monotonic()
    complete = _train(model, rows, plan, reading, roles, screen)
    seconds = time.monotonic() - begun
    used = {*X.columns, *roles.names}
    unused = [name for name in table.frame.columns if name not in used]
    known = {"columns": roles.kept(), "ignored": unused[:_MANY], "reading": reading.kept()}
    save_model(model, out, known, screen)
    if out != "-":
        _show(model, rows, roles, out, seconds, screen)
    if not complete:
        raise typer.Exit(130)


def _check(plan: Plan, roles: Roles, data: str, out: str, force: bool, screen: Screen) -> None:
    """Raise for what cannot work, before any work."""
    roles.check()
    if plan.task is not None:
        check_choice("--task", plan.task, ["regression", "classification"])
    if plan.ood_folds is not None:
        check_integer("--ood-folds", plan.ood_folds, low=2)
    if [data, plan.validation_data].count("-") > 1:
        raise CommandError("only one file can come from standard input")
    if plan.resume is not None:
        read_bytes(plan.resume)  # or say why not
    inputs = [data, *(one for one in (plan.validation_data, plan.resume) if one)]
    check_out(out, "model", force=force, inputs=inputs)
    if plan.checkpoint is not None:
        inputs = [data, *([plan.validation_data] if plan.validation_data else [])]
        check_out(plan.checkpoint, "model", force=force, inputs=inputs, flag="--checkpoint")
    if out == "-" and screen.json:
        raise CommandError("--json and --out - both need stdout; write the model to a file")


def _check_values(parameters: dict[str, Any]) -> None:
    """Raise for values that neither estimator takes, before a file is read."""
    shared = {*signature(WGBRegressor).parameters} & {*signature(WGBClassifier).parameters}
    model = WGBRegressor(**{n: v for n, v in parameters.items() if n in shared})
    resolve_settings(model.get_params(deep=False))
    if "response" in parameters:
        valid = ["auto", *RESPONSES]
        check_choice("response", parameters["response"], valid, RESPONSE_SYNONYMS)


def _held(table: Table, X: pl.DataFrame, plan: Plan) -> dict[str, int]:
    held: dict[str, int] = {}
    features = {*X.columns}
    for names, sign, flag_name in (
        (plan.increasing, 1, "--increasing"),
        (plan.decreasing, -1, "--decreasing"),
    ):
        for name in table.named(names, flag_name):
            if name not in features:
                raise CommandError(f"{flag_name} {name}: this column is no feature")
            if held.setdefault(name, sign) != sign:
                raise CommandError(f"--increasing and --decreasing both name {name!r}")
    return held


def _train(
    model: Any, rows: Data, plan: Plan, reading: Reading, roles: Roles, screen: Screen
) -> bool:
    """Fit a model, with what it has to know of OOD scores; return whether all of it was done."""
    more: dict[str, Any] = {}
    watched: Data | None = None
    if plan.validation_data is not None:
        other = read_table(plan.validation_data, reading, screen)
        other, y = with_y(other, roles, screen, read_as(rows.y))
        if isinstance(model, WGBClassifier):
            y = labels(y, plan.order)
        kinds = {name: read_as(rows.X[name]) for name in rows.X.columns}
        problems = Problems()
        for name in kinds:
            with problems:
                other.check(name, "training needs")
        problems.check()
        watched = Data(other.columns(kinds, kinds), y, **rows_beside(other, roles))
        more = {"X_val": watched.X, **watched.beside("_val")}
    model.verbose = int(screen.live)  # the bar of the library; what is printed goes to stderr
    try:
        model.fit(
            rows.X, **rows.beside(), **more, callbacks=plan.callbacks(), resume_from=plan.resume
        )
        model.verbose = 0
        complete = not model.interrupted_ and _learn_usual(model, rows, watched, plan, screen)
    finally:
        model.set_params(verbose=0, n_jobs=None)  # of this run, not of the model
    if "proposal_" in vars(model):
        screen.note("response {}: {}".format(*model.proposal_))
    return complete


def _learn_usual(model: Any, rows: Data, watched: Data | None, plan: Plan, screen: Screen) -> bool:
    """Learn which OOD scores are usual, if that is asked for or costs nothing.

    Returns False after Ctrl-C, which leaves the model without.
    """
    if plan.ood_folds is None:
        if watched is not None:
            model.calibrate_ood(watched.X)
        return True
    screen.note(f"OOD scores: {plan.ood_folds} further fits")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Interrupted)  # of the fit without a fold
            model.calibrate_ood(rows.X, cv=plan.ood_folds, **rows.beside())
    except (KeyboardInterrupt, Interrupted):
        screen.note("interrupted: the model does not know which OOD scores are usual")
        return False
    return True


def _show(model: Any, rows: Data, roles: Roles, out: str, seconds: float, screen: Screen) -> None:
    kind = "classification" if hasattr(model, "classes_") else "regression"
    target = " and ".join(roles.y_names)
    facts = {
        "model": out,
        "task": kind,
        "response": model.response_.name,
        "target": roles.y_names,
        "rows": rows.X.height,
        "features": list(rows.X.columns),
        "rounds": model.n_estimators_,
        "particles": model.n_particles,
        "validation": model.model_.metrics,
        "interrupted": model.interrupted_,
        "seconds": round(seconds, 3),
    }
    line = (
        f"{kind} of {target} ({model.response_.name}): {counted(rows.X.height)}, "
        f"{counted(rows.X.width, 'feature')}, {counted(model.n_estimators_, 'round')} in "
        f"{seconds:.1f} s"
    )
    watched = ", ".join(f"{k} {readable(v)}" for k, v in facts["validation"].items())
    if watched:
        line += f"; validation {watched}"
    screen.show(facts, Text(line), Text(f"model: {out}"))
