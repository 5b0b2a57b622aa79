"""Rules of the source that can be counted: sizes, names and the documentation of what is public.

`benchmarks/structure.py` prints the figures; `tests/project` and `make lint-docstrings` check them.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import wgboost

SOURCE = Path(wgboost.__file__).parent
MOST_LINES, MOST_PARAMETERS, LONGEST_FILE = 60, 8, 400
USER_MODULES = (
    "wgboost", "wgboost.calibration", "wgboost.callbacks", "wgboost.conformal", "wgboost.dask",
    "wgboost.folds", "wgboost.metrics", "wgboost.plotting", "wgboost.ray",
)  # fmt: skip
SECTIONS = ("Parameters", "Returns", "Examples")
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


def functions_of_many_parameters() -> list[str]:
    """Return functions with too many parameters, those that users call and constructors aside."""
    called = {(code.co_filename, code.co_firstlineno) for code in user_code()}
    found = []
    for path, node in functions():
        given = node.args
        names = [one.arg for one in given.posonlyargs + given.args + given.kwonlyargs]
        count = len([name for name in names if name not in ("self", "cls")])
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        known = node.name == "__init__" or (str(path), first) in called
        if count > MOST_PARAMETERS and not known:
            found.append(f"{place(path, node.lineno)} {node.name}: {count} parameters")
    return found


def user_code() -> Iterator[CodeType]:
    """Yield the code of functions, public methods and commands that users call.

    They are what `__all__` of `USER_MODULES` leads to, and the commands of the command line.
    """
    for module in map(importlib.import_module, USER_MODULES):
        for value in (getattr(module, name) for name in module.__all__):
            members = [getattr(value, name) for name in dir(value) if not _is_private(name)]
            for one in (value, *(members if inspect.isclass(value) else ())):
                function = inspect.unwrap(getattr(one, "__func__", one))
                if inspect.isfunction(function):
                    yield function.__code__
    for command in importlib.import_module("wgboost.cli.app").app.registered_commands:
        module = importlib.import_module(command.callback.__module__)
        yield getattr(module, command.callback.__name__).__code__  # what typer's command calls


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
    found = Counter(word for path in files() for word, _ in words_of(path))
    return {word: found[word] for word in WORDS}


def words_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each of `WORDS` that a file has in its name or in names of its code, and where."""
    for word in _words_in(path.stem):
        yield word, f"{path.name} {path.stem}"
    with tokenize.open(path) as text:
        for token in tokenize.generate_tokens(text.readline):
            if token.type == tokenize.NAME:
                for word in _words_in(token.string):
                    yield word, f"{path.name}:{token.start[0]} {token.string}"


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
