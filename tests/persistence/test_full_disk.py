"""A disk that is full: a fit goes on, what was measured is shown, and a model is not lost."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli_files import FAST, call, error_of
from wgboost import WGBRegressor, load
from wgboost.callbacks import Checkpoint

RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 2))
Y = X[:, 0] + 0.2 * RNG.normal(size=60)

# Files may not grow beyond a size from some round on, as on a full disk.
FULL = """
import resource, signal, sys, warnings
import numpy as np
from wgboost import WGBRegressor, load
from wgboost.callbacks import Checkpoint

path, full_from, full_to = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))

def disk(info):
    full = full_from <= info["round"] <= full_to
    free = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (100 if full else free, free))

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = WGBRegressor(n_estimators=12, n_particles=4, evidence=1, random_state=0, n_jobs=1)
    model.fit(X, X[:, 0], callbacks=[disk, Checkpoint(path, every_rounds=2)])
for one in caught:
    print(one.category.__name__, one.message)
print(model.n_estimators_, load(path).n_estimators_)
"""


@pytest.mark.parametrize(
    ("full", "kept", "there"),
    [((3, 8), 12, "the last one is of round 2"), ((1, 2), 12, "there is none yet"),
     ((5, 99), 4, "the last one is of round 4")],
)  # fmt: skip
def test_a_full_disk_at_a_checkpoint_is_a_warning(full, kept, there, tmp_path):
    path = tmp_path / "checkpoint"
    child = [sys.executable, "-c", FULL, str(path), *map(str, full)]
    done = subprocess.run(child, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *told, rounds = done.stdout.splitlines()
    assert len(told) == 1  # once, however often it fails
    assert told[0].startswith("RuntimeWarning no checkpoint of round ")
    assert "the model was not saved (File too large)" in told[0]
    assert there in told[0]
    assert rounds == f"12 {kept}"
    assert list(tmp_path.iterdir()) == [path]


def test_a_path_that_cannot_be_written_to_ends_the_fit_at_once(tmp_path):
    rounds = []
    with pytest.raises(FileNotFoundError, match="the model was not saved"):
        WGBRegressor(n_estimators=3, n_particles=4, evidence=1, n_jobs=1).fit(
            X, Y,
            callbacks=[
                Checkpoint(tmp_path / "nowhere" / "file"),
                lambda info: rounds.append(info["round"]),
            ],
        )  # fmt: skip
    assert rounds == [1]


LIMITED = """
import resource, runpy, sys
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
runpy.run_module("wgboost", run_name="__main__", alter_sys=True)
"""


def limited(limit, *arguments):
    child = [sys.executable, "-c", LIMITED, str(limit), *map(str, arguments)]
    return subprocess.run(child, capture_output=True, text=True, check=False)


def test_a_full_disk_under_the_command_line(tmp_path):
    data = tmp_path / "data.csv"
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y}).write_csv(data)
    call("fit", data, "--target", "y", "--out", tmp_path / "m.wgb", *FAST)
    before = sorted(one.name for one in tmp_path.iterdir())
    done = limited(1000, "evaluate", tmp_path / "m.wgb", data, "--report", tmp_path / "r.html")
    assert done.returncode == 1
    assert "the report was not saved (File too large)" in done.stderr
    assert "NLL" in done.stdout  # what was measured is not lost
    done = limited(1000, "predict", tmp_path / "m.wgb", data, "--out", tmp_path / "p.csv")
    assert done.returncode == 1
    assert "the table was not saved (File too large)" in done.stderr
    done = limited(1000, "fit", data, "--target", "y", "--out", tmp_path / "n.wgb", *FAST)
    assert done.returncode == 1
    assert "the model was not saved (File too large)" in done.stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == before


def test_a_model_that_finds_no_space_is_saved_elsewhere(tmp_path):
    small_disk = tmp_path / "disk"
    small_disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(small_disk)],
        capture_output=True, check=False,
    )  # fmt: skip
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        data = tmp_path / "data.csv"
        pl.DataFrame({"a": X[:, 0], "y": Y}).write_csv(data)
        told = error_of("fit", data, "--target", "y", "--out", small_disk / "m.wgb", *FAST, code=1)
    finally:
        subprocess.run(["umount", str(small_disk)], check=True)
    assert "No space left on device" in told
    path = Path(told.split("it is in '")[1].split("' instead")[0])
    assert load(path).n_estimators_ == 12
    path.unlink()
    path.parent.rmdir()
