"""A save that fails leaves the file that was there, nothing half written, and says why."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from wgboost import WGBRegressor, load
from wgboost.atomic import replacing
from wgboost.estimators.paper import PAPER_TREES

RNG = np.random.default_rng(7)
X = RNG.normal(size=(300, 3))
Y = np.sin(2 * X[:, 0]) + 0.2 * RNG.normal(size=300)

# The child loads a model, grows it, and saves it where it cannot be saved. A child of root becomes
# another user first: root may write anywhere.
CHILD = """
import os, resource, sys
import numpy as np
from wgboost import load

path, user, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
model = load(path).set_params(warm_start=True, n_estimators=200)
rng = np.random.default_rng(7)
X = rng.normal(size=(300, 3))
model.fit(X, np.sin(2 * X[:, 0]))
if user:
    os.setgid(user)
    os.setuid(user)
if size:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    model.save(path)
except OSError as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def saved(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    small = WGBRegressor(n_estimators=3, random_state=0, n_jobs=1, **PAPER_TREES)
    small.fit(X, Y).save(folder / "model")
    return folder / "model"


def answer(path, user=0, size=0):
    child = [sys.executable, "-c", CHILD, str(path), str(user), str(size)]
    done = subprocess.run(child, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_untouched(path, before):
    assert path.read_bytes() == before
    assert load(path).n_estimators_ == 3
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_to(saved):
    with tempfile.TemporaryDirectory() as name:  # which others reach, unlike those of pytest
        path, before = Path(name) / "model", saved.read_bytes()
        path.write_bytes(before)
        path.chmod(0o644)
        path.parent.chmod(0o555)
        told = answer(path, user=65534 if os.getuid() == 0 else 0)
        path.parent.chmod(0o755)
        assert told.startswith("PermissionError")
        assert "the model was not saved (Permission denied); the file that was there is u" in told
        assert_untouched(path, before)


def test_a_limit_of_file_sizes(saved):
    before = saved.read_bytes()
    told = answer(saved, size=20_000)
    assert "the model was not saved (File too large); the file that was there is unch" in told
    assert_untouched(saved, before)


def test_a_full_disk(saved, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=80k", "tmpfs", str(disk)],
        capture_output=True, check=False,
    )  # fmt: skip
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        path = disk / "model"
        path.write_bytes(saved.read_bytes())
        told = answer(path)
        assert "the model was not saved (No space left on device); the file that was" in told
        assert_untouched(path, saved.read_bytes())
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_folder_that_is_not_there_and_a_folder_in_place_of_a_file(saved, tmp_path):
    model = load(saved)
    with pytest.raises(FileNotFoundError, match=r"not saved .* no file was made"):
        model.save(tmp_path / "nowhere" / "model")
    with pytest.raises(OSError, match="the model was not saved"):
        model.save(saved.parent)
    assert list(saved.parent.iterdir()) == [saved]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["models"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError("x"), OSError("odd")])
def test_whatever_happens_in_the_middle_nothing_is_left_behind(error, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    kind = error if isinstance(error, type) else type(error)

    def fail():
        with replacing(path) as file:
            file.write(b"half of the n")
            raise error

    with pytest.raises(kind):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_no_file_exists_before_it_is_complete(tmp_path):
    path = tmp_path / "file"
    with replacing(path) as file:
        file.write(b"half")
        file.flush()
        assert not path.exists()
        assert len(list(Path(tmp_path).glob(".wgboost-*.tmp"))) == 1
    assert path.read_bytes() == b"half"
    assert list(tmp_path.iterdir()) == [path]
