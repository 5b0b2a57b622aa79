"""`wgboost predict`: what a model says about the rows of a table, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer
from rich.text import Text

from wgboost.cli.flags import DataFile, Force, ModelFile, Threads, flag, parse_flags
from wgboost.cli.model_data import read_model_data
from wgboost.cli.reading import ReadOptions, Table
from wgboost.cli.roles import ColumnRoles
from wgboost.cli.screen import CommandError, Screen, pluralize
from wgboost.cli.writing import check_output, load_model, table_format, write_table
from wgboost.estimators.tables import predicted_columns
from wgboost.typing import Array

__all__ = ["PredictOptions", "predict"]

_BLOCK = 20_000  # rows at a time
_QUANTILES = "0.05,0.5,0.95"


@dataclass(frozen=True)
class PredictOptions:
    """What to write."""

    quantiles: str | None = flag(
        f"Probabilities of quantiles; 'none' for none. [default: {_QUANTILES}]",
        "q,q,...",
    )
    keep: tuple[str, ...] = flag(
        "Write columns of DATA too, as they are, such as an id.",
        "columns",
        default=(),
    )
    keep_all: bool = flag("Write all columns of DATA too.", default=False)
    escape_formulas: bool = flag(
        "Put ' before text of a CSV file that a spreadsheet would run as a formula.", default=False
    )
    prefix: str | None = flag("Put this in front of the names of predictions.", "text")
    exposure: str | None = flag(
        "Exposure of each row. [default: the column of fit, or 1]", "column"
    )

    def levels(self) -> list[float]:
        """Return the probabilities of the quantiles."""
        given = _QUANTILES if self.quantiles is None else self.quantiles
        if given.strip().lower() in ("none", ""):
            return []
        try:
            levels = [float(part) for part in given.split(",")]
        except ValueError as error:
            raise CommandError(f"--quantiles {given!r} must be numbers such as 0.1,0.9") from error
        if not all(0 <= level <= 1 for level in levels):
            raise CommandError(f"--quantiles {given!r} must be probabilities between 0 and 1")
        if len(set(levels)) < len(levels):
            raise CommandError(f"--quantiles {given!r} names one twice")
        return levels


def predict(
    screen: Screen,
    model: ModelFile,
    data: DataFile,
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", metavar="file", show_default=False,
            help="CSV, TSV or Parquet by its ending; - is CSV on stdout. [default: -]",
        ),
    ] = "-",
    threads: Threads = None,
    force: Force = False,
    **flags: Any,
) -> None:  # fmt: skip
    """Predict every row of a table.

    The result has a row for each of them, in the same order. Of numbers: mean, std (standard
    deviation), its parts std_aleatoric (noise, which more data would not remove) and std_epistemic
    (what the model does not know), quantiles, and ood_score (larger: further from the training
    data; ood_pvalue, too, if the model knows which scores are usual). Of classes: prediction, a
    column p_CLASS with the probability of each, entropy and its two parts, ood_score. Example:

    wgboost predict price.wgb new.csv --out predictions.csv --keep id
    """
    reading, options = parse_flags(ReadOptions, flags), parse_flags(PredictOptions, flags)
    levels = options.levels()
    if model == data == "-":
        raise CommandError("only one of MODEL and DATA can come from standard input")
    kind = "parquet" if table_format(out) == "parquet" else "text"
    check_output(out, kind, force=force, inputs=[model, data])
    estimator = load_model(model, threads)
    roles = ColumnRoles(exposure=options.exposure)
    table, rows = read_model_data(
        data, estimator, reading, roles, screen, y="out", known=options.keep
    )
    starts = range(0, len(rows.X), _BLOCK)
    blocks = [
        predicted_columns(estimator, some.X, levels, exposure=some.exposure)
        for start in screen.track(starts, len(starts), "predicting")
        for some in [rows.block(slice(start, start + _BLOCK))]
    ]
    found = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    frame = _join(table, options, found)
    facts: dict[str, Any] = {"rows": frame.height, "columns": frame.columns}
    if out == "-" and screen.json:
        screen.show({**facts, "predictions": frame.to_dicts()})
        return
    write_table(frame, out, screen, escape_formulas=options.escape_formulas)
    if out != "-":
        line = f"{pluralize(frame.height)}: {', '.join(frame.columns)}"
        screen.show({**facts, "out": out}, Text(line), Text(f"predictions: {out}"))


def _join(table: Table, options: PredictOptions, found: dict[str, Array]) -> pl.DataFrame:
    """Return the columns that are kept, and the predictions beside them."""
    chosen = table.named(options.keep, "--keep")
    kept = table.frame if options.keep_all else table.frame.select(chosen)
    made = pl.DataFrame(
        {f"{options.prefix or ''}{name}": values.tolist() for name, values in found.items()}
    )
    there = {*kept.columns}
    both = [name for name in made.columns if name in there]
    if both:
        raise CommandError(f"DATA has a column {both[0]!r}, too; --prefix pred_ tells them apart")
    return pl.concat([kept, made], how="horizontal")
