"""Rules of the house: what modules show, say and import."""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import wgboost

ROOT = Path(__file__).parents[2]
EXTRAS = (
    "matplotlib", "xgboost", "lightgbm", "jax", "torch", "dask", "ray", "skops", "typer",
    "rich", "polars",
)  # fmt: skip
COMMAND_LINE = ("typer", "rich", "polars")  # what its modules, and no others, are made of

MODULES = sorted(
    [
        "wgboost",
        *(
            module.name
            for module in pkgutil.walk_packages(wgboost.__path__, "wgboost.")
            if not any(part.startswith("_") for part in module.name.split("."))
        ),
    ]
)


def names_defined_in(module):
    """Public classes, functions and constants that the module's own source binds."""
    names = set()
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(t.id for t in node.targets if isinstance(t, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def public_objects():
    for name in MODULES:
        module = importlib.import_module(name)
        for attribute in module.__all__:
            thing = getattr(module, attribute)
            own = getattr(thing, "__module__", None) == name
            if own and (inspect.isclass(thing) or inspect.isfunction(thing)):
                yield f"{name}.{attribute}", thing


def test_the_modules_are_found():
    assert {"wgboost", "wgboost.data.binning", "wgboost.trees.flat"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_all_lists_what_a_module_defines_and_nothing_that_is_not_there(name):
    module = importlib.import_module(name)
    listed = module.__all__
    assert len(listed) == len(set(listed))
    assert names_defined_in(module) <= set(listed)
    assert [n for n in listed if not hasattr(module, n)] == []


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_what_it_is_for(name):
    assert inspect.getdoc(importlib.import_module(name))


def own_members(cls):
    for name, member in vars(cls).items():
        function = getattr(member, "__func__", getattr(member, "fget", member))
        function = getattr(function, "func", function)
        if not name.startswith("_") and inspect.isfunction(function):
            yield name, function


PUBLIC = dict(public_objects())


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_function_class_and_method_has_a_docstring(name):
    thing = PUBLIC[name]
    assert thing.__doc__
    if inspect.isclass(thing):
        # A dataclass writes its own signature where nobody wrote a docstring.
        assert not thing.__doc__.startswith(f"{thing.__name__}(")
        silent = [member for member, function in own_members(thing) if not function.__doc__]
        assert silent == []


def extras_of(modules):
    """The optional packages that a new process has after importing these modules."""
    script = "import importlib, sys\n"
    script += "".join(f"importlib.import_module({name!r})\n" for name in modules)
    script += f"print(*[extra for extra in {EXTRAS!r} if extra in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_importing_everything_but_the_command_line_imports_no_optional_extra():
    modules = [name for name in MODULES if not name.startswith("wgboost.cli.")]
    assert "wgboost.cli" in modules  # which says what to install
    # scikit-learn brings progress bars of its own where rich is installed.
    theirs = extras_of(["sklearn.pipeline", "sklearn.model_selection"])
    assert set(extras_of(modules)) <= {"rich"} & set(theirs)


def test_the_command_line_imports_its_own_extras_only():
    assert set(extras_of(MODULES)) == set(COMMAND_LINE)


def test_the_extras_are_those_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = project["optional-dependencies"]
    optional = " ".join(line for group in groups.values() for line in group)
    assert [extra for extra in EXTRAS if extra not in optional] == []


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert wgboost.__version__ == project["version"]
    citation = ROOT / "CITATION.cff"
    if citation.exists():
        found = re.search(r"^version:\s*[\"']?([^\"'\s]+)", citation.read_text(), re.MULTILINE)
        assert found
        assert found[1] == project["version"]


def test_test_files_stay_short():
    lengths = {f.name: len(f.read_text().splitlines()) for f in (ROOT / "tests").rglob("*.py")}
    assert {name: n for name, n in lengths.items() if n >= 250} == {}
