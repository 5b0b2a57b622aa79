"""How the package is built: classes, calls of a fit, documentation, sizes and names.

    python benchmarks/structure.py            # the figures
    python benchmarks/structure.py --list     # with the places behind them

Run it in the code before and after a change of structure to compare them.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from types import FrameType
from typing import Any

import numpy as np

import wgboost
from source_rules import (
    LONGEST_FILE,
    MOST_LINES,
    MOST_PARAMETERS,
    SOURCE,
    arguments,
    documentation,
    estimators_of_any_kind,
    functions_of_many_parameters,
    long_files,
    long_functions,
    package_of,
    public_callables,
    set_from_outside,
    sizes,
    undocumented,
    word_uses,
)  # fmt: skip

LOOP = ("boosting/loop.py", "boost")  # what every fit ends in
ESTIMATORS = {
    "wgboost": (
        "WGBRegressor", "WGBClassifier", "WGBoost", "WGBRegressorCV", "WGBClassifierCV",
        "ConformalRegressor", "ConformalClassifier",
    ),
    "wgboost.dask": ("WGBRegressor", "WGBClassifier"),
    "wgboost.ray": ("WGBRegressor", "WGBClassifier"),
}  # fmt: skip


# --- classes and calls ------------------------------------------------------------------------


def own_classes() -> dict[str, list[str]]:
    """Return the classes of ours in the method resolution order of each estimator."""
    found = {}
    for module, names in ESTIMATORS.items():
        for name in names:
            kind = getattr(importlib.import_module(module), name)
            ours = [k.__name__ for k in kind.__mro__ if k.__module__.split(".")[0] == "wgboost"]
            found[f"{module}.{name}"] = ours
    return found


@dataclass
class Trace:
    """What `sys.setprofile` sees of the package during a fit."""

    visited: Counter[str] = field(default_factory=Counter)  # calls by file
    switches: int = 0  # calls from one package into another
    chain: list[str] = field(default_factory=list)  # functions from fit to the loop

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Record a call."""
        path = inside(frame)
        if event != "call" or path is None:
            return
        self.visited[path] += 1
        caller = next((inside(one) for one in callers(frame) if inside(one)), None)
        self.switches += caller is not None and package_of(caller) != package_of(path)
        if not self.chain and (path, frame.f_code.co_name) == LOOP:
            own = [one for one in (frame, *callers(frame)) if inside(one)]
            self.chain = [f"{inside(one)}:{one.f_code.co_qualname}" for one in reversed(own)]


def inside(frame: FrameType) -> str | None:
    """Return the file of a frame below the package, or None if it is elsewhere."""
    path = frame.f_code.co_filename
    start = f"{SOURCE}/"
    return path.removeprefix(start) if path.startswith(start) else None


def callers(frame: FrameType) -> Iterator[FrameType]:
    """Yield the frames that led to this one, the nearest first."""
    before = frame.f_back
    while before is not None:
        yield before
        before = before.f_back


def traced(kind: str = "WGBRegressor") -> Trace:
    """Return the calls of a fit of three rounds at fixed evidence."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    settings = {"n_estimators": 3, "evidence": 1.0, "early_stopping": False, "n_jobs": 1}
    if kind.endswith("CV"):
        settings = {"recipes": {"one": settings | {"early_stopping": True}}, "n_jobs": 1, "cv": 2}
        settings["recipes"]["one"].pop("n_jobs")
    model = getattr(wgboost, kind)(**settings, random_state=0)
    trace = Trace()
    sys.setprofile(trace)
    try:
        model.fit(X, y > 0 if "Classifier" in kind else y)
    finally:
        sys.setprofile(None)
    return trace


# --- the report -------------------------------------------------------------------------------


@cache
def figures() -> dict[str, tuple[Any, list[str]]]:
    """Return each figure with the places behind it."""
    found: dict[str, tuple[Any, list[str]]] = {}
    for name, classes in own_classes().items():
        found[f"classes of {name}"] = len(classes), classes
    for kind in ("WGBRegressor", "WGBClassifier", "WGBRegressorCV"):
        trace = traced(kind)
        found[f"calls from {kind}.fit to the loop"] = len(trace.chain) - 1, trace.chain
        found[f"files of {kind}.fit"] = len(trace.visited), sorted(trace.visited)
        found[f"package switches of {kind}.fit"] = trace.switches, []
    for name, places in (
        ("estimator: Any", estimators_of_any_kind()),
        ("private attributes set from outside", set_from_outside()),
        (f"functions over {MOST_LINES} lines", long_functions()),
        (f"functions over {MOST_PARAMETERS} parameters", functions_of_many_parameters()),
        (f"files over {LONGEST_FILE} lines", long_files()),
    ):
        found[name] = len(places), places
    public = public_callables()
    found["public callables"] = len(public), list(public)
    found["public callables with parameters"] = sum(bool(arguments(v)) for v in public.values()), []
    for section, names in documentation().items():
        found[f"public callables without {section}"] = len(names), names
    bare = {name: undocumented(value) for name, value in public.items()}
    found["undocumented parameters"] = (
        sum(map(len, bare.values())),
        [f"{name}: {', '.join(missing)}" for name, missing in bare.items() if missing],
    )
    for name in ("WGBRegressor", "WGBClassifier", "WGBoost"):
        kind = getattr(wgboost, name)
        missing = undocumented(kind)
        found[f"undocumented parameters of {name}, of {len(arguments(kind))}"] = (
            len(missing),
            missing,
        )
    return found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Print how the package is built.")
    parser.add_argument("--list", action="store_true", help="print the places behind each figure")
    listed = parser.parse_args().list
    print("| figure | value |\n|---|---|")
    all_figures = figures()
    for name, (value, _) in all_figures.items():
        print(f"| {name} | {value} |")
    print("\n| package | files | lines |\n|---|---|---|")
    table = sizes()
    for name, (n_files, n_lines) in table.items():
        print(f"| {name} | {n_files} | {n_lines} |")
    print(f"| all | {sum(n for n, _ in table.values())} | {sum(n for _, n in table.values())} |")
    uses = word_uses()
    print("\n| word | uses in names |\n|---|---|")
    for word, count in uses.items():
        print(f"| {word} | {count} |")
    print(f"| all | {sum(uses.values())} |")
    chain = all_figures["calls from WGBRegressor.fit to the loop"][1]
    print("\nfrom fit to the loop: " + " -> ".join(chain))
    if listed:
        for name, (_, places) in all_figures.items():
            print(f"\n{name}:", *places, sep="\n  ")


if __name__ == "__main__":
    main()
