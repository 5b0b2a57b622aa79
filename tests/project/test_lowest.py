"""The minimum versions in pyproject.toml, which `make test-lowest` installs."""

import tomllib

import pytest
from packaging.version import Version

from lowest import PYPROJECT, minima
from wgboost.trees.xgboost.library import import_xgboost


def stated(dependencies, **extras):
    return {
        "build-system": {"requires": []},
        "project": {
            "name": "wgboost", "dependencies": dependencies, "optional-dependencies": extras,
        },
    }  # fmt: skip


def test_every_dependency_states_one_minimum():
    pyproject = tomllib.loads(PYPROJECT.read_text())
    project = pyproject["project"]
    groups = [
        pyproject["build-system"]["requires"],
        project["dependencies"],
        *project["optional-dependencies"].values(),
    ]
    names = {line.split(">=")[0].split("[")[0] for group in groups for line in group}
    assert set(minima(pyproject)) == names - {"wgboost"}


def test_minima_are_read_from_every_group():
    found = minima(stated(["numpy>=1.26"], dask=["wgboost[xgboost]", "dask[array]>=2024.8,<3000"]))
    assert found == {"numpy": Version("1.26"), "dask": Version("2024.8")}


@pytest.mark.parametrize("line", ["numpy", "numpy<3", "numpy==2.0"])
def test_a_dependency_without_a_minimum_is_refused(line):
    with pytest.raises(ValueError, match=f"{line!r} must state its minimum once"):
        minima(stated([line]))


def test_two_minima_of_one_package_are_refused():
    with pytest.raises(ValueError, match=r"'polars>=1' and polars>=1\.10 must state the same"):
        minima(stated([], cli=["polars>=1.10"], test=["polars>=1"]))


def test_xgboost_is_refused_below_the_minimum_declared(monkeypatch):
    lowest = minima(tomllib.loads(PYPROJECT.read_text()))["xgboost"]
    monkeypatch.setattr("xgboost.__version__", f"{lowest.major}.{lowest.minor}.0")
    import_xgboost()
    monkeypatch.setattr("xgboost.__version__", f"{lowest.major}.{lowest.minor - 1}.9")
    with pytest.raises(ImportError, match=f"needs xgboost {lowest} or later, .* is installed"):
        import_xgboost()
