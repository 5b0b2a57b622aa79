"""How the package is built: classes, calls of a fit, documentation, sizes and names.

    python benchmarks/structure.py            # the figures
    python benchmarks/structure.py --list     # with the places behind them

Run it in the code before and after a change of structure to compare them.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import wgboost

SOURCE = Path(wgboost.__file__).parent
LOOP = ("boosting/loop.py", "boost")  # what every fit ends in
MOST_LINES, MOST_PARAMETERS, LONGEST_FILE = 60, 8, 400
SECTIONS = ("Parameters", "Returns", "Examples")
ESTIMATORS = {
    "wgboost": (
        "WGBRegressor", "WGBClassifier", "WGBoost", "WGBRegressorCV", "WGBClassifierCV",
        "ConformalRegressor", "ConformalClassifier",
    ),
    "wgboost.dask": ("WGBRegressor", "WGBClassifier"),
    "wgboost.ray": ("WGBRegressor", "WGBClassifier"),
}  # fmt: skip
WORDS = (
    "Rows", "PosteriorRows", "TargetRows", "beside", "crew", "Crew", "Desk", "Told", "Stage",
    "heard", "work", "Share", "Piece", "Parts", "become", "seen", "Seen", "unseen", "undone",
    "watching", "ordering", "told_by", "lowered", "Ground", "ground", "Background", "background",
    "unsure", "triangles", "choosing", "spoken", "wide", "helps", "apart", "speaking", "searched",
    "due", "Replay", "replay", "Movement", "noted", "told_once", "met", "widens", "widened",
    "curved_by", "bend", "n_asked", "rests_on", "race", "judges", "_like", "_seeking", "course",
    "Course",
)  # fmt: skip
"""Names that a newcomer from another library of the field would not guess."""


def files() -> list[Path]:
    """Return the Python files of the package."""
    return sorted(SOURCE.rglob("*.py"))


def place(path: Path, line: int) -> str:
    """Return a file of the package and a line in it."""
    return f"{path.relative_to(SOURCE)}:{line}"


def package_of(path: str) -> str:
    """Return the folder below the package that a file is in, or the name of a single file."""
    return Path(path).parts[0].removesuffix(".py")


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


# --- what the text of the code says -----------------------------------------------------------


def estimators_of_any_kind() -> list[str]:
    """Return where a parameter or a field is `estimator: Any`."""
    return [
        place(path, number)
        for path in files()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for _ in re.findall(r"\bestimator: Any\b", line)
    ]


def set_from_outside() -> list[str]:
    """Return where a private attribute of something else than self or cls is set or deleted."""
    found = []
    for path in files():
        for node in ast.walk(ast.parse(path.read_text())):
            names = [*_set_attributes(node)]
            found += [f"{place(path, node.lineno)} {name}" for name in names]  # type: ignore[attr-defined]
    return found


def _set_attributes(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
        if _is_private(node.attr) and not _is_self(node.value):
            yield ast.unparse(node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        known = node.func.id in ("setattr", "delattr") and len(node.args) > 1
        name = node.args[1] if known else None
        if (
            isinstance(name, ast.Constant)
            and _is_private(str(name.value))
            and not _is_self(node.args[0])
        ):
            yield ast.unparse(node)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def functions() -> Iterator[tuple[Path, ast.FunctionDef]]:
    """Yield every function of the package with its file."""
    for path in files():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                yield path, node


def long_functions() -> list[str]:
    """Return functions with too many lines, signature and docstring aside; no constructors."""
    found = []
    for path, node in functions():
        body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
        length = (node.end_lineno or 0) - body[0].lineno + 1
        if length > MOST_LINES and node.name != "__init__":
            found.append(f"{place(path, node.lineno)} {node.name}: {length} lines")
    return found


def wide_functions() -> list[str]:
    """Return functions with too many parameters; no constructors."""
    found = []
    for path, node in functions():
        given = node.args
        names = [one.arg for one in given.posonlyargs + given.args + given.kwonlyargs]
        count = len([name for name in names if name not in ("self", "cls")])
        if count > MOST_PARAMETERS and node.name != "__init__":
            found.append(f"{place(path, node.lineno)} {node.name}: {count} parameters")
    return found


def sizes() -> dict[str, tuple[int, int]]:
    """Return files and lines by package."""
    found: dict[str, tuple[int, int]] = {}
    for path in files():
        name = package_of(str(path.relative_to(SOURCE)))
        n_files, n_lines = found.get(name, (0, 0))
        found[name] = n_files + 1, n_lines + len(path.read_text().splitlines())
    return found


def long_files() -> list[str]:
    """Return files with too many lines."""
    lengths = {path: len(path.read_text().splitlines()) for path in files()}
    return [f"{place(path, n)}" for path, n in lengths.items() if n > LONGEST_FILE]


def word_uses() -> dict[str, int]:
    """Return how often each of `WORDS` is a name, a part of one between underscores, or a file."""
    found: Counter[str] = Counter()
    for path in files():
        found.update(_words_in(path.stem))
        with tokenize.open(path) as text:
            for token in tokenize.generate_tokens(text.readline):
                if token.type == tokenize.NAME:
                    found.update(_words_in(token.string))
    return {word: found[word] for word in WORDS}


def _words_in(name: str) -> list[str]:
    return [word for word in WORDS if f"_{word.strip('_')}_" in f"_{name}_" and _fits(word, name)]


def _fits(word: str, name: str) -> bool:
    return not word.startswith("_") or name.startswith(word)


# --- documentation ----------------------------------------------------------------------------


def public_callables() -> dict[str, Any]:
    """Return functions, classes and methods that `__all__` of a public module leads to.

    Public modules are the package, the modules in it and its subpackages, whose own files are not.
    """
    found: dict[str, Any] = {}
    names = [
        p.parent if p.name == "__init__.py" else p.with_suffix("") for p in SOURCE.glob("*.py")
    ]
    names += [p.parent for p in SOURCE.glob("*/__init__.py")]
    for path in sorted({*names}):
        parts = path.relative_to(SOURCE.parent).parts
        if parts[-1].startswith("_"):
            continue
        module = importlib.import_module(".".join(parts))
        for name in getattr(module, "__all__", []):
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                found |= _with_methods(value)
    return dict(sorted(found.items()))


def _with_methods(value: Any) -> dict[str, Any]:
    if not value.__module__.startswith("wgboost"):
        return {}
    found = {f"{value.__module__}.{value.__qualname__}": value}
    if not inspect.isclass(value):
        return found
    for name in dir(value):
        # An override has the documentation of what it overrides.
        owners = [kind for kind in value.__mro__ if kind.__module__.startswith("wgboost")]
        defined = [vars(kind)[name] for kind in owners if name in vars(kind)]
        if not name.startswith("_") and defined:
            method = getattr(defined[-1], "__func__", defined[-1])
            if inspect.isfunction(method) and not _is_private(method.__name__):
                found[f"{method.__module__}.{method.__qualname__}"] = method
    return found


def is_protocol(value: Any) -> bool:
    """Whether this is a class of `typing.Protocol`, which nobody calls."""
    return inspect.isclass(value) and getattr(value, "_is_protocol", False)


def arguments(value: Any) -> list[str]:
    """Return the names of the parameters of a function or of a constructor."""
    if is_protocol(value):
        return []
    try:
        given = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in given if one.name not in ("self", "cls")]


def returns_something(value: Any) -> bool:
    """Whether a function says that it returns something."""
    return not inspect.isclass(value) and str(value.__annotations__.get("return")) != "None"


def has_section(value: Any, section: str) -> bool:
    """Whether the docstring has a section of numpydoc; a generator has Yields for Returns."""
    text = inspect.cleandoc(value.__doc__ or "")
    title = "(Returns|Yields)" if section == "Returns" else section
    return re.search(rf"^{title}\n-{{3,}}$", text, re.MULTILINE) is not None


def undocumented(value: Any) -> list[str]:
    """Return parameters without an entry of their own in the section of parameters."""
    text = inspect.cleandoc(value.__doc__ or "")
    match = re.search(r"^Parameters\n-{3,}\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", text, re.M | re.S)
    heads = [line for line in (match[1] if match else "").splitlines() if re.match(r"\S", line)]
    known = {one.strip(" *") for line in heads for one in line.split(" :")[0].split(",")}
    return [name for name in arguments(value) if name not in known]


def documentation() -> dict[str, list[str]]:
    """Return public callables by the section that they lack."""
    public = public_callables()
    needs = {
        "Parameters": lambda value: bool(arguments(value)),
        "Returns": returns_something,
        "Examples": lambda _: True,
    }
    return {
        section: [
            name for name, value in public.items()
            if needs[section](value) and not has_section(value, section)
        ]
        for section in SECTIONS
    }  # fmt: skip


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
        (f"functions over {MOST_PARAMETERS} parameters", wide_functions()),
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
