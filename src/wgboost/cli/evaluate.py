"""`wgboost evaluate`: metrics of a model on test rows, and a report."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from wgboost import plotting
from wgboost.cli.flags import DataFile, Force, ModelFile, Threads, parse_flags
from wgboost.cli.model_data import read_model_data
from wgboost.cli.reading import ReadOptions
from wgboost.cli.roles import ColumnRoles, Data
from wgboost.cli.screen import CommandError, Screen, pluralize
from wgboost.cli.writing import check_output, load_model
from wgboost.metrics import ood_average_precision, ood_roc_auc
from wgboost.metrics.metadata import predict_metadata
from wgboost.metrics.summaries import Summary, summary

__all__ = ["evaluate"]


def evaluate(
    screen: Screen,
    model: ModelFile,
    data: DataFile,
    report: Annotated[
        str | None,
        typer.Option(
            "--report", "-r", metavar="file.html", show_default=False,
            help="Write metrics and plots as one HTML page.",
        ),
    ] = None,
    ood: Annotated[
        str | None,
        typer.Option(
            "--ood", metavar="file", show_default=False,
            help="Rows out of distribution: does the OOD score detect them?",
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option("--title", metavar="text", show_default=False, help="Heading of the report."),
    ] = None,
    threads: Threads = None,
    force: Force = False,
    **flags: Any,
) -> None:  # fmt: skip
    """Compute metrics of a model on test rows, and write a report.

    The column 'before round 1' is the model without features, as a baseline. The columns are those
    of fit unless flags name others. Example:

    wgboost evaluate price.wgb test.csv --report report.html
    """
    reading, roles = parse_flags(ReadOptions, flags), parse_flags(ColumnRoles, flags)
    if [model, data, ood].count("-") > 1:
        raise CommandError("only one file can come from standard input")
    if report == "-":
        raise CommandError("--report -: name a file; stdout is for the metrics")
    if report is not None:
        inputs = [one for one in (model, data, ood) if one]
        check_output(report, "page", force=force, inputs=inputs, flag="--report")
    estimator = load_model(model, threads)
    _, rows = read_model_data(data, estimator, reading, roles, screen)
    other = None
    if ood is not None:
        _, other = read_model_data(ood, estimator, reading, roles, screen, y="omitted")
    now, before = _metrics(estimator, rows, other)
    failed: OSError | None = None
    if report is not None:
        try:
            plotting.report(
                estimator, rows.X, rows.y, report, X_out=None if other is None else other.X,
                title=title, sample_weight=rows.weight, exposure=rows.exposure, name=rows.name,
            )  # fmt: skip
        except OSError as error:  # show the metrics all the same
            report, failed = None, error
    facts = {
        "rows": len(rows.X),
        "response": estimator.response_.name,
        "metrics": {one.name: one.value for one in now},
        "before_round_1": {one.name: one.value for one in before},
        "report": report,
    }
    lines = [] if report is None else [Text(f"report: {report}")]
    screen.show(facts, _grid(now, before, len(rows.X)), *lines)
    if failed is not None:
        raise failed


def _metrics(model: Any, rows: Data, other: Data | None) -> tuple[list[Summary], list[Summary]]:
    """Return the metrics of the model, and of the model before its first round."""
    predict_metadata(model, None, {"exposure": rows.exposure})  # raises if y is on another scale
    now, before = (
        summary(
            model.predict_dist(rows.X, exposure=rows.exposure, n_rounds=n_rounds), rows.y,
            sample_weight=rows.weight,
        )
        for n_rounds in (None, 0)
    )  # fmt: skip
    if other is not None:
        scores = model.ood_score(rows.X), model.ood_score(other.X)
        note = "rows from elsewhere, by the OOD score; 1 is perfect"
        now += [
            Summary("OOD ROC AUC", ood_roc_auc(*scores), note),
            Summary("OOD average precision", ood_average_precision(*scores), note),
        ]
    return now, before


def _grid(now: list[Summary], before: list[Summary], n: int) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, title=pluralize(n), title_justify="left", pad_edge=False)
    grid.add_column("metric", no_wrap=True)
    grid.add_column("model", justify="right", no_wrap=True)
    grid.add_column("before round 1", justify="right", no_wrap=True)
    grid.add_column("")
    start = {one.name: one.text for one in before}
    for one in now:
        grid.add_row(one.name, one.text, start.get(one.name, ""), one.note)
    return grid
