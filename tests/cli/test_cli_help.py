"""Help is complete, fits 80 columns and has examples that run."""

import inspect
import re
import shlex

import polars as pl
import pytest

from cli_files import call, houses
from wgboost import DiagonalNewton, Gamma, Kernel, TreeLearner, WGBClassifier, WGBRegressor
from wgboost.cli.app import app
from wgboost.cli.options import BY_OPTION, FLAGS, parse_value, with_flag_names
from wgboost.responses import RESPONSES
from wgboost.training.flat_parameters import GROUPED

COMMANDS = ["fit", "predict", "evaluate", "plot", "info", "demo"]


def shown(*command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    return call(*command, "--help").stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_complete_and_fits_80_columns(command, monkeypatch):
    text = shown(command, monkeypatch=monkeypatch)
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith(f"Usage: wgboost {command} ")
    assert re.search(rf"^    wgboost {command}( |$)", text, flags=re.MULTILINE)  # an example
    # Every flag of the command has a help text.
    import typer.main

    known = typer.main.get_command(app).commands[command]
    for one in known.params:
        assert one.help, one.name
        name = one.metavar if one.param_type_name == "argument" else max(one.opts, key=len)
        assert re.search(rf"^  (-\w, )?{name}\b", text, flags=re.MULTILINE), name
    for name in ("--json", "--quiet", "--debug", "--help"):
        assert f"{name} " in text


def test_main_help_lists_commands_and_exit_codes(monkeypatch):
    text = shown(monkeypatch=monkeypatch)
    assert call().stdout == text
    assert max(map(len, text.splitlines())) <= 80
    assert re.findall(r"^  (\w+)  +[A-Z].*\.$", text, flags=re.MULTILINE) == COMMANDS
    words = " ".join(text.split())
    assert "0 done, 1 failed, 2 wrong usage or bad input, 130 interrupted" in words


def test_every_parameter_of_the_estimators_has_a_flag_or_is_for_python(monkeypatch):
    text = " ".join(shown("fit", monkeypatch=monkeypatch).split())
    elsewhere = {
        "early_stopping": "--validation", "validation_fraction": "--validation",
        "categorical_features": "--categorical", "monotone_constraints": "--increasing",
        "n_jobs": "--threads", "random_state": "--seed", "verbose": "--quiet",
    }  # fmt: skip
    python = {"learner", "init", "warm_start"}
    parameters = {
        *inspect.signature(WGBRegressor).parameters, *inspect.signature(WGBClassifier).parameters,
        *GROUPED,
    }  # fmt: skip
    assert parameters == {*FLAGS, *BY_OPTION, *elsewhere, *python}
    for name in FLAGS:
        assert f"--{name.replace('_', '-')} " in text
    for name in [*BY_OPTION, *elsewhere.values()]:
        assert name in text
    for name in RESPONSES:
        assert name in text or name == "multivariate_normal"
    assert "[default: 0.15; classes 0.3]" in text


def test_choices_of_a_flag_are_listed_once(monkeypatch):
    text = shown("fit", monkeypatch=monkeypatch)
    listed = [words.split("|") for words in re.findall(r"^  --\S+ (\S+\|\S+)", text, re.MULTILINE)]
    assert ["per_particle", "shared", "int"] in listed
    assert [one for one in listed if len({*one}) < len(one)] == []


def test_flags_reach_the_estimator(tmp_path):
    import wgboost

    houses(60).write_csv(tmp_path / "t.csv")
    call(
        "fit", tmp_path / "t.csv", "--target", "price", "--features", "area,rooms,city",
        "--out", tmp_path / "m.wgb", "--n-estimators", "4", "--learning-rate", "0.3",
        "--max-depth", "none", "--max-leaves", "5", "--split-on", "2", "--leaf", "newton",
        "--growth", "best_first", "--subsample", "0.8", "--evidence", "3", "--response", "gamma",
        "--categorical", "rooms", "--increasing", "area", "--option", "kernel=scaled",
        "--option", 'prior={"scale": 2}', "--option", "refit=false", "--validation", "0.3",
        "--n-iter-no-change", "2", "--eval-metric", "crps", "--seed", "5", "--threads", "1",
    )  # fmt: skip
    expected = {
        "n_estimators": 4, "learning_rate": 0.3, "max_depth": None, "max_leaves": 5,
        "learner": TreeLearner(split_on=2, leaf="newton", growth="best_first"), "subsample": 0.8,
        "evidence": 3, "response": Gamma(prior_scale=2), "categorical_features": ["rooms", "city"],
        "direction": DiagonalNewton(Kernel("scaled")), "monotone_constraints": {"area": 1},
        "refit": False,
        "early_stopping": True, "validation_fraction": 0.3, "n_iter_no_change": 2,
        "eval_metric": "crps", "random_state": 5,
    }  # fmt: skip
    found = wgboost.load(tmp_path / "m.wgb").get_params()
    assert {name: found[name] for name in expected} == expected
    default = WGBRegressor().get_params()
    assert {name: v for name, v in found.items() if name not in expected} == {
        name: v for name, v in default.items() if name not in expected
    }


def test_examples_of_help_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = houses(60).drop("kind").filter(pl.col("price").is_not_null())
    table.drop("id").write_csv("houses.csv")
    table.write_csv("new.csv")
    table.write_csv("test.csv")
    for command in COMMANDS[:-1]:
        text = shown(command, monkeypatch=monkeypatch)
        example = re.search(r"^    wgboost (.*)$", text, flags=re.MULTILINE)[1]
        more = ["--n-estimators", "4"] if command == "fit" else []
        call(*shlex.split(example), *more)


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("0.5", 0.5), ("1e-3", 1e-3), ("none", None), ("True", True), ("[1, 2]", [1, 2]),
     ('{"a": 1}', {"a": 1}), ("median", "median"), ("inf", float("inf"))],
)  # fmt: skip
def test_parse_value(text, value):
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)


def test_messages_of_the_library_name_flags():
    assert with_flag_names("learning_rate=-1 must be > 0") == "--learning-rate=-1 must be > 0"
    assert with_flag_names("leaf='x' must be one of") == "--leaf='x' must be one of"
    assert with_flag_names("a leaf value of l2") == "a leaf value of l2"
    error = with_flag_names("column 'sold' has dates or times (Date); give numbers")
    assert error.endswith("(--ignore sold leaves it out)")


@pytest.mark.parametrize(
    ("command", "flag", "default"),
    [("plot", "--along", "2"), ("plot", "--format", "png"), ("plot", "--dpi", "150"),
     ("demo", "--out", "wgboost_demo"), ("predict", "--out", "-")],
)  # fmt: skip
def test_help_shows_defaults(command, flag, default):
    text = " ".join(call(command, "--help").stdout.split())
    words = text[text.index(f"{flag} ", text.index("Options:")) :]
    assert words[words.index("[default: ") :].startswith(f"[default: {default}]")
    assert words.index("[default: ") < 100
