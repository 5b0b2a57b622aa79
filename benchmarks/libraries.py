"""Compare parts that are written here with the libraries that do the same.

python benchmarks/libraries.py

Prints a table of process times, best of several repeats, and of accuracy. `docs/architecture.md`
has the figures and the decisions.
"""

from __future__ import annotations

import io
import pickle
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import joblib
import numpy as np
import polars as pl
from rich.console import Console
from rich.progress import Progress as RichProgress
from scipy import integrate, stats
from scipy.optimize import elementwise
from sklearn.datasets import load_diabetes
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.utils import gen_batches

from wgboost import Gamma, Mixture, SmoothStart, metrics
from wgboost.callbacks import Progress
from wgboost.cli.kinds import NumberFormat, parse_column
from wgboost.data.fingerprint import fingerprint
from wgboost.slicing import row_slices
from wgboost.smooth.gp_model import GPData, fit_gp

Row = tuple[str, str, str, str]
RNG = np.random.default_rng(0)


def seconds(function: Callable[[], Any], repeats: int = 5) -> float:
    """Return the least process time of several calls."""
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        function()
        times.append(time.process_time() - begun)
    return min(times)


def row(name: str, ours: float, theirs: float, unit: float, accuracy: str) -> Row:
    return name, f"{ours * unit:.3g}", f"{theirs * unit:.3g}", accuracy


def fingerprints() -> Row:
    values = RNG.normal(size=(100_000, 20))
    columns = np.asfortranarray(values)
    same = fingerprint(values) == fingerprint(columns)
    other = joblib.hash(values) == joblib.hash(columns)
    try:
        joblib.hash({"eval_metric": lambda *_: 0.0})
        functions = "takes functions"
    except (pickle.PicklingError, AttributeError):
        functions = "refuses local functions"
    return row(
        "fingerprint of 16 MB against `joblib.hash`, ms",
        seconds(lambda: fingerprint(values)), seconds(lambda: joblib.hash(values)), 1e3,
        f"equal in another memory order {same} / {other}; joblib {functions}",
    )  # fmt: skip


class Terminal(io.StringIO):
    """A file that says it is a terminal."""

    def isatty(self) -> bool:  # noqa: D102
        return True


def progress() -> Row:
    rounds = 500
    info = {"n_rounds": rounds, "metrics": {"validation": {"nll": 0.1}}, "seconds": 1.0,
            "stage": "fit", "trial": None, "member": None}  # fmt: skip

    def ours(file: io.StringIO) -> str:
        bar = Progress(file=file)
        for r in range(rounds):
            bar({**info, "round": r + 1})
        bar.close()
        return file.getvalue()

    def theirs(console: Console) -> None:
        with RichProgress(console=console) as bar:
            task = bar.add_task("fit", total=rounds)
            for r in range(rounds):
                bar.update(task, completed=r + 1, description=f"nll 0.1 {r}")

    file = io.StringIO()
    theirs(Console(file=file, force_terminal=False))
    lines = ours(io.StringIO()).count("\n")
    return row(
        "500 updates of a progress bar against rich, ms",
        seconds(lambda: ours(Terminal())),
        seconds(lambda: theirs(Console(file=io.StringIO(), force_terminal=True))), 1e3,
        f"lines in a log file {lines} / {file.getvalue().count(chr(10))}",
    )  # fmt: skip


def mixtures(n: int, spread: float | None = None) -> Mixture:
    """Return mixtures of ten gamma distributions: alike, or with shapes from 0.05 to 400."""
    mean, shape = RNG.normal(0, 1, (n, 10)), RNG.uniform(-3, 6, (n, 10))
    if spread is not None:
        mean, shape = mean[:, :1] + spread * RNG.normal(size=(n, 10)), 1 + spread * shape / 3
    return Mixture(Gamma(), np.stack([mean, shape], axis=-1))


def roots() -> Row:
    dist, q = mixtures(2000), 1e-6
    theta = dist.theta()
    ends = Gamma().ppf(np.full((2000, 1), q), theta)
    numbers = np.arange(2000.0)

    def excess(y: np.ndarray, i: np.ndarray) -> np.ndarray:
        return Gamma().cdf(y[:, None], theta[i.astype(int)]).mean(axis=1) - q

    def theirs() -> np.ndarray:
        found = elementwise.find_root(
            excess, (ends.min(axis=1), ends.max(axis=1)), args=(numbers,),
            tolerances={"xrtol": 1e-13, "xatol": 0.0},
        )  # fmt: skip
        return found.x

    def miss(y: np.ndarray) -> float:
        with np.errstate(all="ignore"):
            return float(np.nanmax(np.abs(dist.cdf(y) / q - 1)))

    return row(
        "2,000 quantiles against `elementwise.find_root`, ms",
        seconds(lambda: dist.ppf(q), 3), seconds(theirs, 3), 1e3,
        f"largest relative error of the probability {miss(dist.ppf(q)):.0e} / {miss(theirs()):.0e}",
    )  # fmt: skip


def quadrature(name: str, spread: float | None) -> Row:
    n = 200
    dist = mixtures(n, spread)
    y, theta = dist.rvs(random_state=0), dist.theta()
    numbers = np.arange(float(n))

    def square(x: np.ndarray, i: np.ndarray, above: np.ndarray) -> np.ndarray:
        shape = x.shape
        some = theta[np.broadcast_to(i, shape).astype(int).ravel()]
        below = Gamma().cdf(x.reshape(-1, 1), some).mean(axis=1).reshape(shape)
        return np.where(above > 0, 1 - below, below) ** 2

    def theirs() -> np.ndarray:
        low = integrate.tanhsinh(square, 0.0, y, args=(numbers, 0.0)).integral
        return low + integrate.tanhsinh(square, y, np.inf, args=(numbers, 1.0)).integral

    def ours() -> np.ndarray:
        return np.array([metrics.crps(dist[i], y[i : i + 1]) for i in range(n)])

    def exact(i: int) -> float:
        mean, shape = np.exp(theta[i]).T
        cdf = lambda x: stats.gamma.cdf(x, shape, scale=mean / shape).mean()  # noqa: E731
        levels = np.sort(stats.gamma.ppf([[1e-9], [0.01], [0.5], [0.99], [1 - 1e-9]], shape,
                                         scale=mean / shape).ravel())  # fmt: skip
        below = [0.0, *levels[levels < y[i]], y[i]]
        above = [y[i], *levels[levels > y[i]], levels[-1] * 20]
        parts = [integrate.quad(lambda x: cdf(x) ** 2, *ends)[0] for ends in pairwise(below)]
        parts += [integrate.quad(lambda x: (1 - cdf(x)) ** 2, *ends)[0] for ends in pairwise(above)]
        return sum(parts)

    known = np.array([exact(i) for i in range(20)])
    errors = [np.nanmax(np.abs(found[:20] / known - 1)) for found in (ours(), theirs())]
    return row(
        f"CRPS of 200 mixtures, {name}, against `integrate.tanhsinh`, ms",
        seconds(lambda: metrics.crps(dist, y), 3), seconds(theirs, 2), 1e3,
        f"largest relative error {errors[0]:.0e} / {errors[1]:.0e}",
    )  # fmt: skip


def made_rows() -> tuple[np.ndarray, np.ndarray]:
    X = RNG.uniform(-1, 1, size=(700, 9))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=700)


def processes(name: str, rows: Callable[[], tuple[np.ndarray, np.ndarray]]) -> Row:
    X, y = rows()
    train, test, p = slice(0, 300), slice(300, None), X.shape[1]
    data = GPData.of(X[train], y[train], None, None)
    settings = SmoothStart(kernel="matern52", scaling="standard")
    kernel = ConstantKernel() * Matern(np.ones(p), nu=2.5) + WhiteKernel(0.1)
    centre, scale = X[train].mean(axis=0), X[train].std(axis=0)

    def ours() -> Any:
        return fit_gp(settings, data, np.zeros(p, dtype=int), np.random.default_rng(0))

    def theirs() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            process = GaussianProcessRegressor(kernel, normalize_y=True)
            return process.fit((X[train] - centre) / scale, y[train])

    process = ours()[0]
    mean = process.at(X[test]).location
    other = theirs().predict((X[test] - centre) / scale)
    errors = [np.sqrt(np.mean((found - y[test]) ** 2)) for found in (mean, other)]
    return row(
        f"Gaussian process of 300 {name} rows against scikit-learn, s",
        seconds(ours, 2), seconds(theirs, 2), 1, f"RMSE {errors[0]:.3g} / {errors[1]:.3g}",
    )  # fmt: skip


def kinds() -> Row:
    rows = 20_000
    late = [str(i) for i in range(rows - 1)] + ["unknown"]
    price = [f"{i},5" for i in range(rows)]
    text = pl.DataFrame({"late": late, "price": price, "size": [f"{i}.5" for i in range(rows)]})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        text.write_csv(path, separator=";")

        def ours() -> list[pl.Series]:
            plain = pl.read_csv(path, separator=";", infer_schema=False)
            styles = (NumberFormat(), NumberFormat(decimal_mark=","), NumberFormat())
            chosen = ("classes", "any", "any")
            columns = zip(plain.columns, chosen, styles, strict=True)
            return [parse_column(plain[name], kind, style) for name, kind, style in columns]

        def theirs() -> pl.DataFrame:
            return pl.read_csv(path, separator=";", infer_schema_length=None)

        try:
            pl.read_csv(path, separator=";")
            usual = "reads them"
        except pl.exceptions.ComputeError:
            usual = "fails"
        found = [series.dtype for series in ours()], theirs().dtypes
        return row(
            "kinds of 20,000 rows of CSV against polars, ms", seconds(ours), seconds(theirs), 1e3,
            f"decimal commas {found[0][1]} / {found[1][1]}; text after 100 numbers: polars {usual}",
        )  # fmt: skip


def slices() -> Row:
    return row(
        "ten slices against `sklearn.utils.gen_batches`, µs",
        seconds(lambda: [list(row_slices(1000, 100)) for _ in range(1000)]),
        seconds(lambda: [list(gen_batches(1000, 100)) for _ in range(1000)]), 1e3,
        f"equal {list(row_slices(1005, 100)) == list(gen_batches(1005, 100))}",
    )  # fmt: skip


PARTS: tuple[Callable[[], Row], ...] = (
    fingerprints, progress, roots,
    partial(quadrature, "alike", 0.3), partial(quadrature, "unlike", None),
    partial(processes, "made", made_rows),
    partial(processes, "diabetes", partial(load_diabetes, return_X_y=True)),
    kinds, slices,
)  # fmt: skip


def main() -> None:
    print("| part | ours | library | ours / library |\n|---|--:|--:|---|")
    for part in PARTS:
        print(f"| {' | '.join(part())} |", flush=True)


if __name__ == "__main__":
    main()
