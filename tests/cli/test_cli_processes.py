"""Commands in another process: pipes, exit codes, Ctrl-C, missing extras, a terminal."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

import wgboost
from cli_files import FAST, call, houses, process

PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def ended(child, stdin=None):
    out, errors = child.communicate(stdin, timeout=120)
    return child.returncode, out, errors.decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("cli")
    houses(60).write_csv(place / "houses.csv")
    rng = np.random.default_rng(0)
    big = {f"x{i}": rng.normal(size=20_000) for i in range(8)}
    pl.DataFrame({**big, "y": rng.normal(size=20_000)}).write_parquet(place / "big.parquet")
    call("fit", place / "houses.csv", "--target", "price", "--features", "area",
         "--out", place / "area.wgb", *FAST)  # fmt: skip
    return place


def test_tables_and_models_through_pipes(folder):
    data = (folder / "houses.csv").read_bytes()
    options = ["--target", "price", "--features", "city,area", "--quiet", *FAST]
    code, model, errors = ended(
        process("fit", "-", "--out", "-", *options, stdin=subprocess.PIPE, **PIPES), data
    )
    assert (code, errors) == (0, "")
    code, table, errors = ended(
        process("predict", "-", folder / "houses.csv", "--quiet", stdin=subprocess.PIPE, **PIPES),
        model,
    )
    assert (code, errors) == (0, "")
    (folder / "m.wgb").write_bytes(model)
    code, again, _ = ended(
        process("predict", folder / "m.wgb", "-", stdin=subprocess.PIPE, **PIPES), data
    )
    assert again == table
    found = pl.read_csv(table)
    expected = wgboost.load(folder / "m.wgb").predict(pl.read_csv(data)[["city", "area"]])
    assert found["mean"].to_list() == expected.tolist()


def test_exit_codes(folder):
    there, bad = (
        process("--version", **PIPES),
        process("fit", folder / "houses.csv", "--target", "prise", "--out", "x", **PIPES),
    )
    with open("/dev/full", "wb") as full:
        failing = process(
            "predict", folder / "area.wgb", folder / "houses.csv", "--quiet",
            stdout=full, stderr=subprocess.PIPE,
        )  # fmt: skip
        code, _, errors = ended(failing)
    assert code == 1
    assert errors == "wgboost: error: No space left on device\n"
    assert ended(there) == (0, f"{wgboost.__version__}\n".encode(), "")
    code, out, errors = ended(bad)
    assert (code, out) == (2, b"")
    assert errors.count("\n") == 1
    assert "did you mean 'price'" in errors


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_closed_pipe_is_not_an_error(folder, unbuffered, monkeypatch):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    pl.DataFrame({"area": np.linspace(0, 200, 20_000)}).write_csv(folder / "long.csv")
    with process("predict", folder / "area.wgb", folder / "long.csv", "--quiet", **PIPES) as child:
        assert child.stdout.readline().startswith(b"mean,std,")
        child.stdout.close()
        errors = child.stderr.read()
        assert child.wait(timeout=60) == 1
    assert errors == b""


def interrupted(folder, *more):
    """Send Ctrl-C after the first checkpoint of a fit."""
    model, checkpoint = folder / "interrupted.wgb", folder / "checkpoint.wgb"
    child = process(
        "fit", folder / "big.parquet", "--target", "y", "--out", model, "--checkpoint", checkpoint,
        "--n-estimators", "1000000", "--threads", "1", "--seed", "0", *more,
        interruptible=True, **PIPES,
    )  # fmt: skip
    try:
        for _ in range(600):
            if checkpoint.exists() or child.poll() is not None:
                break
            time.sleep(0.1)
        time.sleep(0.5)
        pressed = time.monotonic()
        child.send_signal(signal.SIGINT)
        code, _, errors = ended(child)
    finally:
        child.kill()
    assert time.monotonic() - pressed < 30
    checkpoint.unlink()
    return code, errors, model


def test_ctrl_c_saves_the_rounds_so_far(folder):
    code, errors, path = interrupted(folder)
    assert code == 130, errors
    assert "interrupted: the model consists of" in errors
    assert "Traceback" not in errors
    model = wgboost.load(path)
    assert model.interrupted_
    assert 0 < model.n_estimators_ < 1_000_000
    assert np.isfinite(model.predict(pl.read_parquet(folder / "big.parquet").drop("y"))).all()


WITHOUT = """
import sys
sys.modules[{missing!r}] = None  # as if it were not installed
from wgboost.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("missing", ["typer", "polars", "rich"])
def test_missing_extra_names_what_to_install(missing):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(missing=missing)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    line = f"wgboost: the command line needs {missing}: pip install 'wgboost[cli]'\n"
    assert done.stderr == line


def test_plots_without_matplotlib_name_what_to_install(folder):
    script = WITHOUT.format(missing="matplotlib")
    done = subprocess.run(
        [sys.executable, "-c", script, "plot", folder / "area.wgb", folder / "houses.csv",
         "--out", folder / "pictures", "--quiet"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    message = "plots need matplotlib: pip install 'wgboost[plot]'"
    assert done.stderr == f"wgboost: error: {message}\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")
def test_progress_bar_is_on_stderr_of_a_terminal(folder):
    import pty

    ours, theirs = pty.openpty()
    child = process(
        "fit", folder / "houses.csv", "--target", "price", "--features", "area", "--json",
        "--out", folder / "m.wgb", *FAST, stdout=subprocess.PIPE, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    drawn = b""
    try:
        while piece := os.read(ours, 4096):
            drawn += piece
    except OSError:  # the end of the file on Linux
        pass
    os.close(ours)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    assert b"100% |########################| 12/12" in drawn
    assert out.startswith(b'{"model": ')
    assert out.count(b"\n") == 1
    assert wgboost.load(folder / "m.wgb").verbose == 0
