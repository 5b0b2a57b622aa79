"""Write what follows from the registries: tables of the pages, the reference, public names.

python tests/support/regenerate.py    # or: make regenerate
"""

import ast
import importlib
import re
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import wgboost
from pages import ROOT
from wgboost import learners
from wgboost.directions import DIRECTIONS
from wgboost.metrics import METRICS
from wgboost.metrics.metric import KINDS_OF_Y
from wgboost.responses import RESPONSES

__all__ = ["EXPORTS", "LEARNERS", "generated", "missing_exports"]

LEARNERS = [
    kind for kind in vars(learners).values()
    if is_dataclass(kind) and {"uses_codes", "fit"} <= {*dir(kind), *(f.name for f in fields(kind))}
]  # fmt: skip
"""The classes of learners in this package."""


# --- tables -----------------------------------------------------------------------------------


def table(head, rows):
    """Return the lines of a table in Markdown."""
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def responses():
    rows = [(f'`"{name}"`', *kind.documentation) for name, kind in RESPONSES.items()]
    return table(["`response=`", "y", "coordinates of theta", "when"], rows)


def movements():
    own = ("a function", "whatever it returns for (particles, score, curvature, metric, rate, rng)")
    rows = [(f'`"{name}"`', kind.documentation[0]) for name, kind in DIRECTIONS.items()]
    return table(["`direction`", "movement"], [*rows, own])


def distances():
    head = ["`direction`", "decreases", "from samples", "from densities", "from scipy.stats"]
    rows = []
    for name, kind in DIRECTIONS.items():
        if kind().needs == "samples":
            sources = ("yes", "no", "by 64 quantiles")
        else:
            sources = ("by a density estimate", "yes", "density on all of R")
        rows.append((f'`"{name}"`', kind.documentation[1], *sources))
    return table(head, rows)


READS = {
    "score": "`score`",
    "curvature": "`score`, `curvature`",
    "hessian": "`score`, `hessian` (n, m, d, d); with d = 1 the curvature is enough",
    "log_density": "`score`, `log_density` (n, m)",
}


def needs():
    known = {name: kind().needs for name, kind in DIRECTIONS.items()}
    rows = [(f'`"{name}"`', READS[what]) for name, what in known.items() if what != "samples"]
    return table(["`direction`", "reads"], rows)


def metrics():
    rows = []
    for name, metric in METRICS.items():
        kinds = [words for kind, words in KINDS_OF_Y.items() if kind in metric.kinds]
        better = "larger" if metric.greater_is_better else "smaller"
        if metric.loss is not None and not metric.greater_is_better:
            better = "nearer to the confidence"
        stops = "yes" if metric.reduction is not None else "not on a cluster"
        y = "all" if len(kinds) == len(KINDS_OF_Y) else ", ".join(kinds)
        stops = stops if metric.early_stopping else "no"
        rows.append((f"`{name}`", y, better, stops, metric.description))
    return table(["metric", "y", "better", "early stopping", "meaning"], rows)


TABLES = {
    "docs/responses.md": (responses,),
    "docs/algorithm.md": (movements,),
    "docs/distribution_targets.md": (distances,),
    "docs/own_density.md": (needs,),
    "docs/metrics.md": (metrics,),
}
"""The tables of each page. A comment before each names its function."""


def listed_names():
    """Return the names of each generated list in docs/api.rst."""
    return {
        "responses": sorted(kind.__name__ for kind in RESPONSES.values()),
        "directions": sorted(kind.__name__ for kind in DIRECTIONS.values()),
        "metrics": sorted(METRICS),
        "learners": [
            name if name in wgboost.__all__ else f"learners.{name}"
            for name in (kind.__name__ for kind in LEARNERS)
        ],
    }


def generated():
    """Return the text that each generated page should have."""
    pages = {}
    for page, parts in TABLES.items():
        text = (ROOT / page).read_text()
        for part in parts:
            mark = f"<!-- `make regenerate` writes this table: {part.__name__} -->\n"
            before, after = text.split(mark)
            kept = re.sub(r"\A(\|.*\n)*", "", after)
            text = f"{before}{mark}{part()}\n{kept}"
        pages[ROOT / page] = text
    text = (ROOT / "docs/api.rst").read_text()
    for name, names in listed_names().items():
        mark = f".. `make regenerate` writes this list: {name}\n\n"
        before, after = text.split(mark)
        kept = re.sub(r"\A\.\. autosummary::\n   :toctree: api\n\n(   .*\n)*", "", after)
        lines = "".join(f"   {one}\n" for one in names)
        text = f"{before}{mark}.. autosummary::\n   :toctree: api\n\n{lines}{kept}"
    return {**pages, ROOT / "docs/api.rst": text}


# --- public names -----------------------------------------------------------------------------

_RESPONSES = {kind.__name__: kind.__module__ for kind in RESPONSES.values()}
_DIRECTIONS = {kind.__name__: kind.__module__ for kind in DIRECTIONS.values()}
EXPORTS = {
    "wgboost.responses": _RESPONSES,
    "wgboost.directions": _DIRECTIONS,
    "wgboost.metrics": {name: row.function.__module__ for name, row in METRICS.items()},
    "wgboost.learners": {kind.__name__: kind.__module__ for kind in LEARNERS},
    "wgboost": dict.fromkeys(_RESPONSES, "wgboost.responses")
    | dict.fromkeys(_DIRECTIONS, "wgboost.directions"),
}
"""The names that a package shows because of a registry, and the modules that they are from."""


def missing_exports():
    """Return the names that packages do not list in `__all__`, with their modules."""
    found = {}
    for package, names in EXPORTS.items():
        listed = importlib.import_module(package).__all__
        missing = {name: module for name, module in names.items() if name not in listed}
        if missing:
            found[package] = missing
    return found


def export(package, names):
    """Add names to the imports and to `__all__` of a package."""
    path = Path(importlib.import_module(package).__file__)
    text = path.read_text()
    bound = {
        name.asname or name.name
        for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)
        for name in node.names
    }  # fmt: skip
    for name, module in names.items():
        text = text.replace("__all__ = [\n", f'__all__ = [\n    "{name}",\n', 1)
        if name not in bound:
            text = text.replace("\nfrom ", f"\nfrom {module} import {name}\nfrom ", 1)
    path.write_text(text)
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "-q", "--fix", "--select", "I,RUF022", path], check=True)
    subprocess.run([*ruff, "format", "-q", path], check=True)


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text)
    for package, names in missing_exports().items():
        export(package, names)
