"""The figures of `benchmarks/structure.py` are of what they say."""

import ast
import sys
from pathlib import Path

import pytest

import source_rules
import structure
import wgboost


def test_it_prints_all_figures(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["structure.py", "--list"])
    structure.main()
    printed = capsys.readouterr().out
    for name in structure.figures():
        assert f"| {name} |" in printed
        assert f"\n{name}:" in printed
    for word in source_rules.WORDS:
        assert f"| {word} |" in printed


@pytest.mark.parametrize("kind", ["WGBRegressor", "WGBClassifier", "WGBRegressorCV"])
def test_a_fit_is_traced_from_its_first_call_to_the_loop(kind):
    trace = structure.traced(kind)
    assert trace.chain[0].endswith((".fit", ":fit"))  # a method, or a function that is one
    assert trace.chain[-1] == "boosting/loop.py:boost"
    assert len(trace.visited) > 10
    assert 0 < trace.switches < sum(trace.visited.values())


def test_files_and_lines_are_those_of_the_package():
    files = list(Path(wgboost.__file__).parent.rglob("*.py"))
    assert sum(n for n, _ in structure.sizes().values()) == len(files)
    n_lines = sum(len(path.read_text().splitlines()) for path in files)
    assert sum(n for _, n in structure.sizes().values()) == n_lines


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("model._seed = 1", ["model._seed"]),
        ("self._seed = 1", []),
        ("self.model._seed += 1", ["self.model._seed"]),
        ("model.seed_ = 1", []),
        ("del model._seed", ["model._seed"]),
        ("setattr(model, '_seed', 1)", ["setattr(model, '_seed', 1)"]),
        ("print(model._seed)", []),
    ],
)
def test_private_attributes_that_are_set_from_outside(code, found):
    nodes = ast.walk(ast.parse(code))
    assert [name for node in nodes for name in source_rules._set_attributes(node)] == found


def test_sections_and_parameters_of_a_docstring():
    def documented(first, second, third):
        """Return something.

        Parameters
        ----------
        first, second : int
            Numbers.

        Returns
        -------
        int
        """
        return first + second + third

    assert source_rules.undocumented(documented) == ["third"]
    assert source_rules.has_section(documented, "Parameters")
    assert source_rules.has_section(documented, "Returns")
    assert not source_rules.has_section(documented, "Examples")


def test_words_are_parts_of_names():
    assert source_rules._words_in("beside_y") == ["beside"]
    assert source_rules._words_in("besides") == []
    assert source_rules._words_in("TargetRows") == ["TargetRows"]
    assert source_rules._words_in("zeros_like") == source_rules._words_in("unlike") == []
    assert source_rules._words_in("_like") == ["_like"]
