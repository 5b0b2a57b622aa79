"""`wgboost plot`: plots of a model, one file each."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from wgboost.atomic import replacing
from wgboost.cli.flags import DataFile, Force, ModelFile, Threads, parse_flags
from wgboost.cli.model_data import read_model_data
from wgboost.cli.reading import ReadOptions
from wgboost.cli.roles import ColumnRoles
from wgboost.cli.screen import CommandError, Screen
from wgboost.cli.writing import check_output, load_model
from wgboost.plotting.plots import Plot, PlotData, iter_plots
from wgboost.plotting.style import new_figure
from wgboost.validation import check_choice, check_integer, nearest_name

__all__ = ["plot"]

_FORMATS = ("png", "svg", "pdf")


def plot(
    screen: Screen,
    model: ModelFile,
    data: DataFile,
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="folder", help="Created if it does not exist."),
    ],
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="name", show_default=False,
            help="Draw this plot, such as calibration; repeat for more. [default: all]",
        ),
    ] = None,
    ood: Annotated[
        str | None,
        typer.Option(
            "--ood", metavar="file", show_default=False,
            help="Rows out of distribution, for a plot of OOD scores.",
        ),
    ] = None,
    along: Annotated[
        int,
        typer.Option("--along", metavar="int", help="Number of main features to draw along."),
    ] = 2,
    form: Annotated[
        str, typer.Option("--format", metavar="|".join(_FORMATS), help="File format of the plots.")
    ] = "png",
    dpi: Annotated[int, typer.Option("--dpi", metavar="int", help="Dots per inch of a png.")] = 150,
    threads: Threads = None,
    force: Force = False,
    **flags: Any,
) -> None:  # fmt: skip
    """Draw plots of a model and of the rows of a table.

    The plots are predictions of the rows, densities, particles, feature importance, the learning
    curve and partial dependence on the main features. If the table has the target: calibration,
    PIT histogram, coverage, and uncertainty against error. Each plot is a file in the folder, and
    existing plots of the same name are overwritten. Example:

    wgboost plot price.wgb test.csv --out plots
    """
    reading, roles = parse_flags(ReadOptions, flags), parse_flags(ColumnRoles, flags)
    check_choice("--format", form, _FORMATS)
    check_integer("--along", along, low=0)
    check_integer("--dpi", dpi, low=10, high=1200)
    if [model, data, ood].count("-") > 1:
        raise CommandError("only one file can come from standard input")
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"--out {out} is a file; name a folder")
    estimator = load_model(model, threads)
    _, rows = read_model_data(data, estimator, reading, roles, screen, y="optional")
    if rows.y is None:
        screen.note("without the target there are no plots of calibration and errors")
    other = None
    if ood is not None:
        _, other = read_model_data(ood, estimator, reading, roles, screen, y="omitted")
    plot_data = PlotData.from_estimator(
        estimator, rows.X, rows.y, weight=rows.weight, exposure=rows.exposure, name=rows.name
    )
    X_out = None if other is None else other.X
    plots = _select(list(iter_plots(plot_data, X_out=X_out, n_dependence=along)), only or ())
    folder.mkdir(parents=True, exist_ok=True)
    names, inputs = [], [one for one in (model, data, ood) if one]
    for one in screen.track(plots, len(plots), "drawing"):
        path = folder / f"{_file_name(one.name)}.{form}"
        check_output(str(path), "image", force=force, inputs=inputs)
        _write(one, path, form, dpi)
        names.append(str(path))
    screen.show({"plots": names}, *map(Text, names))


def _select(plots: list[Plot], only: Sequence[str]) -> list[Plot]:
    """Return the plots with these names, or all plots if there are no names."""
    known = [one.name for one in plots]
    for name in only:
        if name not in known:
            suggestion = nearest_name(name, known)
            raise CommandError(f"--only {name}: the plots are {', '.join(known)}{suggestion}")
    return [one for one in plots if not only or one.name in only]


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name)


def _write(one: Plot, path: Path, form: str, dpi: int) -> None:
    figure = new_figure(one.size)
    one.draw(figure.add_subplot())
    buffer = io.BytesIO()
    figure.savefig(buffer, format=form, dpi=dpi)
    with replacing(path, "the plot") as file:
        file.write(buffer.getvalue())
