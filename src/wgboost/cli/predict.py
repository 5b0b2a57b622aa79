"""`wgboost predict`: write a table of predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer
from rich.text import Text

from wgboost.cli.flags import DataFile, Force, ModelFile, Threads, flag, parse_flags
from wgboost.cli.model_data import read_model_data
from wgboost.cli.reading import ReadOptions
from wgboost.cli.roles import ColumnRoles
from wgboost.cli.screen import CommandError, Screen, pluralize
from wgboost.cli.table import FileTable
from wgboost.cli.writing import check_output, load_model, table_format, write_table
from wgboost.estimators.tables import predicted_columns
from wgboost.slicing import row_slices
from wgboost.typing import Array

__all__ = ["PredictOptions", "predict"]

_BLOCK = 20_000  # rows at a time
_QUANTILES = "0.05,0.5,0.95"


@dataclass(frozen=True)
class PredictOptions:
    """Flags of `predict`."""

    quantiles: str | None = flag(
        f"Probabilities of the quantiles to write, or none. [default: {_QUANTILES}]",
        "q,q,...",
    )
    band: float | None = flag(
        "Coverage of a credible band of the mean, such as 0.9: columns mean_low and mean_high.",
        "number",
    )
    keep: tuple[str, ...] = flag(
        "Copy columns of DATA, such as an id.",
        "columns",
        default=(),
    )
    keep_all: bool = flag("Copy all columns of DATA.", default=False)
    escape_formulas: bool = flag(
        "Put ' before text in a CSV file that a spreadsheet would run as a formula.", default=False
    )
    prefix: str | None = flag("Prefix of the names of predictions.", "text")
    exposure: str | None = flag(
        "Exposure of each row. [default: the column of fit, or 1]", "column"
    )

    def check_band(self) -> None:
        """Raise CommandError unless the coverage of the band is between 0 and 1."""
        if self.band is not None and not 0 < self.band < 1:
            raise CommandError(f"--band {self.band:g} must be between 0 and 1, such as 0.9")

    def levels(self) -> list[float]:
        """Return the probabilities of the quantiles."""
        given = _QUANTILES if self.quantiles is None else self.quantiles
        if given.strip().lower() in ("none", ""):
            return []
        try:
            levels = [float(part) for part in given.split(",")]
        except ValueError as error:
            raise CommandError(f"--quantiles {given!r} must be numbers, such as 0.1,0.9") from error
        if not all(0 <= level <= 1 for level in levels):
            raise CommandError(f"--quantiles {given!r} must be probabilities between 0 and 1")
        if len(set(levels)) < len(levels):
            raise CommandError(f"--quantiles {given!r} has a number twice")
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

    The result has one row for each row of the table, in the same order. Columns for numbers: mean,
    std (standard deviation), its parts std_aleatoric (noise, which more data would not remove) and
    std_epistemic (uncertainty of the model), quantiles, ood_score (larger is further from the
    training data), and ood_pvalue (the share of ordinary rows with such a score). Columns for
    classes: prediction, the probability p_CLASS of each class, entropy and its two parts, ood_score
    and ood_pvalue. With --band: mean_low and mean_high, or p_CLASS_low and p_CLASS_high, between
    which the mean or the probability itself is. Example:

    wgboost predict price.wgb new.csv --out predictions.csv --keep id
    """
    reading, options = parse_flags(ReadOptions, flags), parse_flags(PredictOptions, flags)
    levels = options.levels()
    options.check_band()
    if model == data == "-":
        raise CommandError("only one of MODEL and DATA can come from standard input")
    kind = "parquet" if table_format(out) == "parquet" else "text"
    check_output(out, kind, force=force, inputs=[model, data])
    estimator = load_model(model, threads)
    roles = ColumnRoles(exposure=options.exposure)
    table, rows = read_model_data(
        data, estimator, reading, roles, screen, y="omitted", known=options.keep
    )
    parts = [*row_slices(len(rows.X), _BLOCK)]
    blocks = [
        predicted_columns(estimator, some.X, levels, band=options.band, exposure=some.exposure)
        for part in screen.track(parts, len(parts), "predicting")
        for some in [rows.block(part)]
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


def _join(table: FileTable, options: PredictOptions, found: dict[str, Array]) -> pl.DataFrame:
    """Return the columns to keep, followed by the predictions."""
    chosen = table.named(options.keep, "--keep")
    kept = table.frame if options.keep_all else table.frame.select(chosen)
    predictions = pl.DataFrame(
        {f"{options.prefix or ''}{name}": values.tolist() for name, values in found.items()}
    )
    known = {*kept.columns}
    both = [name for name in predictions.columns if name in known]
    if both:
        raise CommandError(
            f"DATA has a column {both[0]!r}, too; rename predictions: --prefix pred_"
        )
    return pl.concat([kept, predictions], how="horizontal")
