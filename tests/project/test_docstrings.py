"""Examples in docstrings run, and give what they show."""

import doctest
import importlib
import os
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

import wgboost

PACKAGE = Path(wgboost.__file__).parent
NEEDS = {
    "dask": "distributed", "ray": "ray", "distributed": "xgboost", "xgboost": "xgboost",
    "cli": "typer", "plotting": "matplotlib",
}  # fmt: skip
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>>" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_right(name, tmp_path, monkeypatch):
    for part, library in NEEDS.items():
        if part in name.split(".") and find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    monkeypatch.chdir(tmp_path)  # examples may write files
    monkeypatch.setattr("os.environ", os.environ.copy())  # Dask sets limits of threads
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(name)
        found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
