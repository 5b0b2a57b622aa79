"""Public names: in the reference, annotated, and understood by a type checker."""

import importlib
import inspect
from importlib.resources import files

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import typed_use
from pages import ROOT, examples

mpl.use("Agg")
PUBLIC = (
    "wgboost", "wgboost.calibration", "wgboost.conformal", "wgboost.folds", "wgboost.metrics",
    "wgboost.plotting", "wgboost.callbacks",
)  # fmt: skip
ELSEWHERE = {"__version__", "report"}  # report is listed once, as wgboost.report


def sections():
    """Return the names that docs/api.rst lists, by module."""
    module, listed = "", set()
    for line in (ROOT / "docs/api.rst").read_text().splitlines():
        if line.startswith(".. currentmodule::"):
            module = line.split()[-1]
        elif line.startswith("   ") and not line.strip().startswith(":"):
            listed.add(f"{module}.{line.strip()}")
    return listed


@pytest.mark.parametrize("name", PUBLIC)
def test_the_reference_lists_every_public_name(name):
    module, listed = importlib.import_module(name), sections()
    known = {one.removeprefix("wgboost.") for one in listed if one.count(".") == 1}  # by both
    missing = {n for n in module.__all__ if f"{name}.{n}" not in listed} - ELSEWHERE - known
    assert missing == set()
    assert "wgboost.report" in listed


def callables_of(name):
    """The functions, and the public methods of classes, that a module shows."""
    module = importlib.import_module(name)
    for attribute in module.__all__:
        thing = getattr(module, attribute)
        if inspect.isfunction(thing):
            yield attribute, thing
        elif inspect.isclass(thing):
            for member, function in inspect.getmembers(thing, inspect.isroutine):
                own = inspect.unwrap(getattr(function, "__func__", function))
                known = not member.startswith("_") or member in ("__init__", "__call__")
                if known and getattr(own, "__module__", "").startswith("wgboost"):
                    yield f"{attribute}.{member}", own


def unannotated(function):
    """The parameters, and "return", that have no annotation."""
    signature = inspect.signature(function)
    names = [p.name for p in signature.parameters.values() if p.annotation is inspect._empty]
    if signature.return_annotation is inspect._empty:
        names.append("return")
    return [name for name in names if name not in ("self", "cls")]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_function_and_method_is_annotated(name):
    found = dict(callables_of(name))
    assert found
    assert {n: unannotated(f) for n, f in found.items() if unannotated(f)} == {}


def test_the_typed_program_runs():
    X = np.random.default_rng(0).normal(size=(60, 2))
    assert np.isfinite(typed_use.regression(X, X[:, 0]))
    assert typed_use.classification(X, X[:, 0] > 0).shape == (60, 2)
    assert typed_use.general(X).shape == (60, 10, 1)
    plt.close("all")


def test_types_are_shipped_with_the_package():
    assert (files("wgboost") / "py.typed").is_file()


def test_the_site_begins_with_the_example_of_the_readme():
    assert examples("docs/index.md") == examples("README.md")
