"""Saving where it must not: devices, pipes, sockets, folders, beside files of killed processes."""

import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import wgboost
from cli_files import FAST, call, error_of
from wgboost import WGBRegressor, load
from wgboost.atomic import replacing

RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 2))
Y = X[:, 0] + 0.2 * RNG.normal(size=60)


def small(**options):
    settings = {"n_estimators": 3, "n_particles": 4, "random_state": 0, "n_jobs": 1, "evidence": 1}
    return WGBRegressor(**{**settings, **options})


@pytest.fixture(scope="module")
def model():
    return small().fit(X, Y)


def special(folder, kind):
    """Make a file that is not a regular one; return its path."""
    path = folder / "special"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(os.path.relpath(path))  # the name of a socket has at most 107 characters
    elif kind == "folder":
        path.mkdir()
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))  # as /dev/null
        except PermissionError:
            pytest.skip("devices cannot be made here")
    return path


@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "device"])
@pytest.mark.parametrize("link", [False, True])
def test_what_is_not_a_regular_file_stays_what_it_is(model, kind, link, tmp_path):
    path = special(tmp_path, kind)
    before = path.stat()
    if link:
        (tmp_path / "link").symlink_to(path)
        path = tmp_path / "link"
    for write in (model.save, lambda path: wgboost.report(model, X, Y, path)):
        with pytest.raises(OSError, match=f"was not saved .this is a {kind}, not a regular file"):
            write(path)
    after = path.stat()
    assert (after.st_mode, after.st_ino) == (before.st_mode, before.st_ino)
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]


def test_a_link_to_a_file_goes_on_pointing_at_it(model, tmp_path):
    (tmp_path / "there").write_bytes(b"old")
    for name in ("there", "new"):
        link = tmp_path / f"link to {name}"
        link.symlink_to(tmp_path / name)
        model.save(link)
        assert link.is_symlink()
        assert not (tmp_path / name).is_symlink()
        assert load(tmp_path / name).n_estimators_ == 3


def test_the_command_line_refuses_special_files_before_the_fit(tmp_path):
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y}).write_csv(tmp_path / "data.csv")
    data, path = tmp_path / "data.csv", special(tmp_path, "pipe")
    call("fit", data, "--target", "y", "--out", tmp_path / "m.wgb", *FAST)
    named = tmp_path / "special.csv"
    named.symlink_to(path)
    for command in (
        ["fit", data, "--target", "y", "--out", path, "--force", *FAST],
        ["fit", data, "--target", "y", "--out", tmp_path / "n.wgb", "--checkpoint", path, *FAST],
        ["predict", tmp_path / "m.wgb", data, "--out", named],
        ["evaluate", tmp_path / "m.wgb", data, "--report", path],
    ):
        assert "is a device, a pipe or a socket; name a regular file" in error_of(*command)
    assert stat.S_ISFIFO(path.stat().st_mode)


# A child of root becomes another user first: root may do anything.
WRITE_ONLY = """
import os, sys
from wgboost import load
model = load(sys.argv[1])
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
model.save(sys.argv[2])
"""


def test_a_folder_that_can_be_written_to_and_not_read(model, tmp_path):
    model.save(tmp_path / "model")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o333)
        child = [sys.executable, "-c", WRITE_ONLY, str(tmp_path / "model"), str(folder / "model")]
        done = subprocess.run(child, capture_output=True, text=True, check=False)
        folder.chmod(0o755)
        assert (done.returncode, done.stderr) == (0, "")
        assert (folder / "model").read_bytes() == (tmp_path / "model").read_bytes()
        assert os.listdir(folder) == ["model"]


SLOW = """
import sys, time
from wgboost.atomic import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("ready", flush=True)
    time.sleep(60)
"""


def test_the_next_save_removes_what_a_killed_process_left(tmp_path):
    path = tmp_path / "file"
    children = [
        subprocess.Popen([sys.executable, "-c", SLOW, str(path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    dead = children[0]
    try:
        for child in children:
            assert child.stdout.readline() == "ready\n"
        assert len(list(tmp_path.iterdir())) == 2
        os.kill(dead.pid, signal.SIGKILL)
        dead.wait()
        with replacing(path) as file:
            file.write(b"whole")
        left = [one for one in tmp_path.iterdir() if one != path]
        assert len(left) == 1  # of the process that is still writing
    finally:
        for child in children:
            child.kill()
            child.communicate()
    with replacing(path) as file:
        file.write(b"whole")
    assert list(tmp_path.iterdir()) == [path]
