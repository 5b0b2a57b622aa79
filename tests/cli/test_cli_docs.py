"""The page on the command line shows the real output of the commands."""

import re
import shlex
import subprocess
import textwrap
from pathlib import Path

import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from wgboost.cli.app import app
from wgboost.cli.demo import write_tables

PAGE = Path(__file__).parents[2] / "docs/command_line.md"
HOUSES = """\
    city;area;rooms;sold;price
    Bonn;70,5;3;2021-03-04;212,5
    Oslo;38,0;2;2021-03-09;165,0

    Bonn;NA;4;2021-04-01;301,9
    ;55,25;;2021-04-02;188,0
    Oslo;91,0;5;2021-04-02;
"""


def steps(text):
    """Yield the commands of the page with their output."""
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL):
        yield from re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, flags=re.MULTILINE)


def output(command):
    """Return the output of a command, with times replaced."""
    command = re.sub(r"\\\n +", "", command)
    ours, _, rest = command.partition(" | ")
    if ours.startswith("wgboost "):
        done = CliRunner().invoke(app, shlex.split(ours)[1:])
        text = done.output
        if rest:
            run = subprocess.run(rest, shell=True, input=done.stdout, text=True, check=True,
                                 capture_output=True)  # fmt: skip
            text = run.stdout
    else:
        run = subprocess.run(command, shell=True, text=True, check=True, capture_output=True)
        text = run.stdout
    return re.sub(r" in \d+\.\d s", " in 1.0 s", text).rstrip() + "\n"


def assert_same(printed, shown, command):
    """Compare texts; floats with all digits may differ by the rounding of exp and log."""
    digits = r"\d+\.\d{10,}"
    assert re.sub(digits, "float", printed) == re.sub(digits, "float", shown), command
    numbers = ([float(one) for one in re.findall(digits, text)] for text in (printed, shown))
    assert_allclose(*numbers, rtol=1e-14, err_msg=command)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_tables()
    Path("houses.csv").write_text(textwrap.dedent(HOUSES))


@pytest.mark.usefixtures("files")
def test_page_shows_the_real_output():
    found = list(steps(PAGE.read_text()))
    assert len(found) > 10
    for command, shown in found:
        assert_same(output(command), shown, command)
    for source in re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL):
        names: dict = {}
        exec(source, names)
        assert names["same"].all()
        assert Path("python.html").read_bytes() == Path("patients.html").read_bytes()
