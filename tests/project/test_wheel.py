"""A wheel in an empty environment: it installs and runs where there is no compiler."""

import os
import re
import subprocess
import sys
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that `make wheel` has built, or a new one."""
    if "WGBOOST_WHEEL" in os.environ:
        return ROOT / os.environ["WGBOOST_WHEEL"]
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder,
         "--config-settings", f"build-dir={folder / 'build'}", ROOT],
        check=True,
    )  # fmt: skip
    (made,) = folder.glob("*.whl")
    return made


def test_a_wheel_holds_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        about = next(name for name in names if name.endswith("dist-info/METADATA"))
        metadata = HeaderParser().parsestr(file.read(about).decode())
    sources = {str(path.relative_to(ROOT / "src")) for path in ROOT.glob("src/wgboost/**/*.py")}
    typed = {"wgboost/py.typed", "wgboost/_core.pyi"}
    own = {name for name in names if ".dist-info/" not in name}
    (core,) = own - sources - typed
    assert core.startswith("wgboost/_core.")
    assert own == {*sources, *typed, core}
    assert {name.split("/", 1)[1] for name in names if ".dist-info/" in name} == {
        "METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE",
    }  # fmt: skip
    assert "cli" in metadata.get_all("Provides-Extra")
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert sorted(line.split(">")[0].strip() for line in needed) == [
        "narwhals", "numpy", "scikit-learn", "scipy", "threadpoolctl",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    """Runs a command in an environment with the wheel and its dependencies, and no tools at all."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder / "env", with_pip=True)
    scripts = folder / "env" / "bin"
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "HOME"))}
    environment = {**kept, "PATH": str(scripts), "CC": "false", "CXX": "false"}

    def run(*command, code=0):
        done = subprocess.run(
            [scripts / command[0], *command[1:]], cwd=folder, env=environment, text=True,
            capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done

    run("python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel)
    return run


FIT = """
import shutil
import numpy as np
import wgboost
assert not any(map(shutil.which, ("cc", "gcc", "g++", "clang", "cmake", "ninja", "make")))
X = np.random.default_rng(0).normal(size=(200, 3))
model = wgboost.WGBRegressor(n_estimators=30, random_state=0).fit(X, X[:, 0])
model.save("model.wgb")
print(wgboost.load("model.wgb").score(X, X[:, 0]))
"""


MISSING = """
import numpy as np
import wgboost
import wgboost.dask
import wgboost.ray
X = np.random.default_rng(0).normal(size=(50, 2))
y = X[:, 0]
model = wgboost.WGBRegressor(n_estimators=5, early_stopping=False).fit(X, y)
open("rows.parquet", "w").close()
calls = {
    "plot": lambda: wgboost.report(model, X, y, "report.html"),
    "xgboost": lambda: wgboost.WGBRegressor(
        learner=wgboost.TreeLearner(engine="xgboost")
    ).fit(X, y),
    "parquet": lambda: wgboost.WGBRegressor().fit(wgboost.ParquetBatches("rows.parquet", y="y")),
    "jax": lambda: wgboost.WGBoost(wgboost.LogDensity(lambda t, y: -(t[0] ** 2), 1)).fit(X, y),
    "torch": lambda: wgboost.WGBoost(
        wgboost.LogDensity(lambda t, y: -(t[0] ** 2), 1, backend="torch")
    ).fit(X, y),
    "dask": lambda: wgboost.dask.WGBRegressor().fit(X, y),
    "ray": lambda: wgboost.ray.WGBRegressor().fit(X, y),
}
for extra, call in calls.items():
    try:
        call()
    except ImportError as error:
        print(extra, error)
"""


def test_what_is_missing_names_its_extra(bare):
    lines = bare("python", "-c", MISSING).stdout.splitlines()
    named = {line.split()[0]: re.findall(r"pip install '?wgboost\[(\w+)\]", line) for line in lines}
    extras = ("plot", "xgboost", "parquet", "jax", "torch", "dask", "ray")
    assert named == {extra: [extra] for extra in extras}


def test_it_fits_and_says_what_the_command_line_needs_then_runs_it(bare, wheel):
    assert float(bare("python", "-c", FIT).stdout) > 0.8
    lacking = bare("wgboost", "--help", code=1)
    assert lacking.stdout == ""
    assert lacking.stderr.count("\n") == 1
    assert "pip install 'wgboost[cli]'" in lacking.stderr
    bare("python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", f"{wheel}[cli]")
    assert "Usage: wgboost" in bare("wgboost", "--help").stdout
    told = bare("wgboost", "demo", "--out", "demo").stdout
    assert "report: patients.html" in told
    assert "all of it is in demo" in told
    info = bare("python", "-m", "wgboost", "info", "demo/patients.wgb").stdout
    assert "target progression" in info
