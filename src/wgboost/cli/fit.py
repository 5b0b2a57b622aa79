"""`wgboost fit`: fit a model to a table and save it."""

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
from wgboost.cli.flags import DataFile, Force, Threads, flag, parse_flags
from wgboost.cli.options import BY_OPTION, named_values, parse_value
from wgboost.cli.reading import ReadOptions, read_bytes, read_table
from wgboost.cli.roles import ColumnRoles, Data, read_row_parameters, split_target
from wgboost.cli.screen import CommandError, Problems, Screen, pluralize
from wgboost.cli.table import FileTable
from wgboost.cli.tasks import as_labels, column_kind, is_classification
from wgboost.cli.writing import check_output, save_model
from wgboost.estimators import WGBClassifier, WGBRegressor
from wgboost.metrics.summaries import format_number
from wgboost.responses import RESPONSES
from wgboost.responses.registry import RESPONSE_SYNONYMS
from wgboost.training.flat_parameters import grouped_parameters
from wgboost.training.settings import resolve_settings
from wgboost.validation import check_choice, check_integer

__all__ = ["FitOptions", "fit"]

_COLUMNS, _BOOSTING, _MODEL = "Columns", "Boosting", "Model"
_SECONDS = 60  # between checkpoints
_MANY = 500  # names of unused columns in a model file, whose header is limited


@dataclass(frozen=True)
class FitOptions:
    """Flags of `fit` that are not parameters of the estimator."""

    task: str | None = flag(
        "Kind of model. [default: classification if the target is text, true/false or 0/1]",
        "regression|classification",
        panel=_MODEL,
    )
    features: tuple[str, ...] = flag(
        "Use only these columns, separated by commas, or repeat. [default: all without a role]",
        "columns",
        panel=_COLUMNS,
        default=(),
    )
    ignore: tuple[str, ...] = flag(
        "Leave out columns, such as an id.", "columns", panel=_COLUMNS, default=()
    )
    categorical: tuple[str, ...] = flag(
        "Categories that are numbers, or text that is mostly numbers. Other text is always "
        "categorical.",
        "columns",
        panel=_COLUMNS,
        default=(),
    )
    increasing: tuple[str, ...] = flag(
        "The location of y must not decrease with these features.",
        "columns",
        panel=_COLUMNS,
        default=(),
    )
    decreasing: tuple[str, ...] = flag(
        "It must not increase with these features.", "columns", panel=_COLUMNS, default=()
    )
    order: str | None = flag(
        "Classes from low to high, for --response ordinal.", "low,...,high", panel=_MODEL
    )
    validation: float | None = flag(
        "Hold out this share of the rows to choose the number of rounds, then fit on all rows. "
        "[default: 0.2 without --n-estimators]",
        "share",
        panel=_BOOSTING,
    )
    validation_data: str | None = flag(
        "Choose the number of rounds on the rows of this file instead.", "file", panel=_BOOSTING
    )
    max_time: float | None = flag(
        "Stop after this time, with the rounds so far.", "seconds", panel=_BOOSTING
    )
    checkpoint: str | None = flag(
        "Save the rounds so far to this file, every minute.", "file", panel=_BOOSTING
    )
    resume: str | None = flag(
        "Continue from a checkpoint; data and options must be the same.", "file", panel=_BOOSTING
    )
    ood_folds: int | None = flag(
        "Compute reference OOD scores, for the ood_pvalue of predict, by this many further fits, "
        "each without a fold of the rows. [default: no further fits; scores of "
        "--validation-data, or the novelty of training rows]",
        "int",
        panel=_MODEL,
    )
    option: tuple[str, ...] = flag(
        f"Another parameter of the estimator: {', '.join(BY_OPTION)}; repeat for more.",
        "name=value",
        panel=_MODEL,
        default=(),
    )
    seed: int | None = flag("Seed of the random numbers. [default: another one each time]", "int")

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the estimator that these flags set."""
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
        """Return the callbacks of the fit."""
        found: list[Any] = [] if self.max_time is None else [MaxTime(self.max_time)]
        if self.checkpoint is not None:
            found.append(Checkpoint(self.checkpoint, every_seconds=_SECONDS))
        return found


def fit(
    screen: Screen,
    data: DataFile,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="file", help="Model file to write; - is stdout.")
    ],
    threads: Threads = None,
    force: Force = False,
    **flags: Any,
) -> None:
    """Fit a model to the rows of a table and write it to a file.

    All columns without a role are features: numbers, true/false, and text as categories. Values
    may be missing. Rows without a target are left out. Ctrl-C writes the model with the rounds so
    far (exit code 130). Example:

    wgboost fit houses.csv --target price --out price.wgb --validation 0.2
    """
    reading, roles, options = (
        parse_flags(ReadOptions, flags),
        parse_flags(ColumnRoles, flags),
        parse_flags(FitOptions, flags),
    )
    _check(options, roles, data, out, force, screen)
    given = {name: parse_value(value) for name, value in flags.items() if value is not None}
    parameters = {**given, **options.parameters(), "n_jobs": threads}
    _check_values(parameters)
    kind = "classes" if options.task == "classification" else "target"
    table, problems = read_table(data, reading, screen), Problems()
    y, X, classes = None, pl.DataFrame(), False
    with problems:
        table, y = split_target(table, roles, screen, kind)
        classes = is_classification(y, options.task, roles)
        if options.order is not None and not classes:
            raise CommandError("--order is for classes: --task classification")
        y = as_labels(y, options.order) if classes else y
    with problems:
        X, parameters["categorical_features"] = training_features(
            table,
            roles,
            features=options.features,
            ignore=options.ignore,
            categorical=options.categorical,
        )
        constraints = _monotone_constraints(table, X, options)
        if constraints:
            parameters["monotone_constraints"] = constraints
    fit_params: dict[str, Any] = {}
    with problems:
        fit_params = read_row_parameters(table, roles)
    problems.check()
    rows = Data(X, y, **fit_params)
    parameters = grouped_parameters(parameters, "categorical" if classes else "normal")
    model: Any = (WGBClassifier if classes else WGBRegressor)(**parameters)
    start = time.monotonic()
    complete = _train(model, rows, options, reading, roles, screen)
    seconds = time.monotonic() - start
    used = {*X.columns, *roles.names}
    unused = [name for name in table.frame.columns if name not in used]
    known = {"columns": roles.metadata(), "ignored": unused[:_MANY], "reading": reading.metadata()}
    save_model(model, out, known, screen)
    if out != "-":
        _show(model, rows, roles, out, seconds, screen)
    if not complete:
        raise typer.Exit(130)


def _check(
    options: FitOptions, roles: ColumnRoles, data: str, out: str, force: bool, screen: Screen
) -> None:
    """Raise CommandError for flags that cannot work together, before any file is read."""
    roles.check()
    if options.task is not None:
        check_choice("--task", options.task, ["regression", "classification"])
    if options.ood_folds is not None:
        check_integer("--ood-folds", options.ood_folds, low=2)
    if [data, options.validation_data].count("-") > 1:
        raise CommandError("only one file can come from standard input")
    if options.resume is not None:
        read_bytes(options.resume)  # raises if it cannot be read
    inputs = [data, *(one for one in (options.validation_data, options.resume) if one)]
    check_output(out, "model", force=force, inputs=inputs)
    if options.checkpoint is not None:
        inputs = [data, *([options.validation_data] if options.validation_data else [])]
        check_output(options.checkpoint, "model", force=force, inputs=inputs, flag="--checkpoint")
    if out == "-" and screen.json:
        raise CommandError("--json and --out - both write to stdout; write the model to a file")


def _check_values(parameters: dict[str, Any]) -> None:
    """Raise for values that are not valid for any estimator, before a file is read."""
    shared = {*signature(WGBRegressor).parameters} & {*signature(WGBClassifier).parameters}
    model = WGBRegressor(**{n: v for n, v in grouped_parameters(parameters).items() if n in shared})
    resolve_settings(model.get_params(deep=False))
    if "response" in parameters:
        valid = ["auto", *RESPONSES]
        check_choice("response", parameters["response"], valid, RESPONSE_SYNONYMS)


def _monotone_constraints(table: FileTable, X: pl.DataFrame, options: FitOptions) -> dict[str, int]:
    constraints: dict[str, int] = {}
    features = {*X.columns}
    for names, sign, flag_name in (
        (options.increasing, 1, "--increasing"),
        (options.decreasing, -1, "--decreasing"),
    ):
        for name in table.named(names, flag_name):
            if name not in features:
                raise CommandError(f"{flag_name} {name}: this column is not a feature")
            if constraints.setdefault(name, sign) != sign:
                raise CommandError(f"--increasing and --decreasing both name {name!r}")
    return constraints


def _train(
    model: Any,
    rows: Data,
    options: FitOptions,
    reading: ReadOptions,
    roles: ColumnRoles,
    screen: Screen,
) -> bool:
    """Fit a model and its OOD reference; return False if it was interrupted."""
    more: dict[str, Any] = {}
    validation: Data | None = None
    if options.validation_data is not None:
        other = read_table(options.validation_data, reading, screen)
        other, y = split_target(other, roles, screen, column_kind(rows.y))
        if isinstance(model, WGBClassifier):
            y = as_labels(y, options.order)
        kinds = {name: column_kind(rows.X[name]) for name in rows.X.columns}
        problems = Problems()
        for name in kinds:
            with problems:
                other.check(name, "training needs")
        problems.check()
        validation = Data(other.columns(kinds, kinds), y, **read_row_parameters(other, roles))
        more = {"X_val": validation.X, **validation.fit_params("_val")}
    model.verbose = int(screen.live)  # the progress bar, on stderr
    try:
        model.fit(
            rows.X,
            **rows.fit_params(),
            **more,
            callbacks=options.callbacks(),
            resume_from=options.resume,
        )
        model.verbose = 0
        complete = not model.interrupted_ and _calibrate_ood(
            model, rows, validation, options, screen
        )
    finally:
        model.set_params(verbose=0, n_jobs=None)  # settings of this run, not of the model
    if "proposal_" in vars(model):
        screen.note("response {}: {}".format(*model.proposal_))
    return complete


def _calibrate_ood(
    model: Any, rows: Data, validation: Data | None, options: FitOptions, screen: Screen
) -> bool:
    """Compute reference OOD scores, if there are folds or validation rows for them.

    It returns False after Ctrl-C, which leaves the model without a reference.
    """
    if options.ood_folds is None:
        if validation is not None:
            model.calibrate_ood(validation.X)
        return True
    screen.note(f"OOD scores: {options.ood_folds} further fits")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Interrupted)  # of a fit without a fold
            model.calibrate_ood(rows.X, cv=options.ood_folds, **rows.fit_params())
    except (KeyboardInterrupt, Interrupted):
        screen.note("interrupted: the model has no reference OOD scores")
        return False
    return True


def _show(
    model: Any, rows: Data, roles: ColumnRoles, out: str, seconds: float, screen: Screen
) -> None:
    kind = "classification" if isinstance(model, WGBClassifier) else "regression"
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
        f"{kind} of {target} ({model.response_.name}): {pluralize(rows.X.height)}, "
        f"{pluralize(rows.X.width, 'feature')}, {pluralize(model.n_estimators_, 'round')} in "
        f"{seconds:.1f} s"
    )
    validation = ", ".join(f"{k} {format_number(v)}" for k, v in facts["validation"].items())
    if validation:
        line += f"; validation {validation}"
    screen.show(facts, Text(line), Text(f"model: {out}"))
