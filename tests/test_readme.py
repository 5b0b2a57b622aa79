"""The README's examples run as they stand."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)


def test_the_readme_has_an_example_of_ten_lines():
    assert len(EXAMPLES) == 1
    lines = [line for line in EXAMPLES[0].splitlines() if line.strip()]
    assert len(lines) <= 10


@pytest.mark.parametrize("source", EXAMPLES)
def test_the_example_runs_and_predicts_better_than_the_training_mean(source, capsys):
    names: dict = {}
    exec(source, names)
    nll = float(capsys.readouterr().out.split()[0])
    assert 5.0 < nll < 5.65  # a normal distribution of the training rows has 5.69
    inside = (names["low"] < names["y_test"]) & (names["y_test"] < names["high"])
    assert 0.8 < inside.mean() < 1.0
