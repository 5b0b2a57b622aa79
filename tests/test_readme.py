"""The examples of the README and the documents run as they stand."""

import re
from pathlib import Path

import numpy as np
import pytest

import wgboost

ROOT = Path(__file__).parents[1]


def examples(name):
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), flags=re.DOTALL)


EXAMPLES = examples("README.md")


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


def test_the_examples_of_the_algorithm_run_one_after_the_other():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(200, 2))
    names = {"np": np, "X": X, "y": 3 + X[:, 0], "labels": X[:, 1] > 0, **vars(wgboost)}
    for source in examples("docs/algorithm.md"):
        exec(source, names)
    assert names["order"].shape == (5,)
    assert names["particles"].shape == (200, 20, 1)
    assert abs(names["particles"].mean(axis=1)[:, 0] - names["y"]).mean() < 0.1
