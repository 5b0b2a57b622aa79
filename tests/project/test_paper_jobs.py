"""The paper's experiments: data, jobs and report."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from paper import commands, jobs, openml, report, reported, table2
from paper.data import NoDataError, Source, without_last_classes
from paper.jobs import Job
from paper.plan import ABLATION, PARTS, Plan
from paper.regression import one_repeat
from paper_job import square

ROOT = Path(__file__).parents[2]


def fail(**settings):
    raise AssertionError(f"{settings}: a kept result is not computed again")


@pytest.fixture
def folder(tmp_path):
    """A data folder with one small set in it."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 2))
    (tmp_path / "uci").mkdir()
    tests = np.stack([np.arange(6), np.arange(6, 12)])
    np.savez(tmp_path / "uci" / "yacht.npz", X=X, y=np.sin(X[:, 0]), test_index=tests)
    return tmp_path


def test_jobs_run_in_parallel_in_order_and_are_not_done_twice(tmp_path):
    said = []
    some = [Job(f"a/{x}", square, {"x": x}, data="here") for x in range(5)]
    results = jobs.run(some, tmp_path, workers=2, say=said.append)
    assert [r["value"] for r in results] == [0, 1, 4, 9, 16]
    assert {r["data"] for r in results} == {"here"}
    assert os.getpid() not in {r["worker"] for r in results}
    assert sum("min left" in line for line in said) == 5
    again = [Job(f"a/{x}", fail, {"x": x}) for x in range(5)]
    assert jobs.run(again, tmp_path, workers=2, say=said.append) == results


def test_other_settings_or_half_a_file_are_computed_again(tmp_path):
    jobs.run([Job("a", square, {"x": 2})], tmp_path, workers=1, say=str)
    assert Job("a", square, {"x": 3}).result(tmp_path) is None
    assert Job("a", square, {"x": 2}, version=2).result(tmp_path) is None
    (tmp_path / "a.json").write_text('{"asked": ')
    (found,) = jobs.run([Job("a", square, {"x": 3})], tmp_path, workers=1, say=str)
    assert found["value"] == 9


def test_a_repeat_reads_the_folder_and_tells_rounds_and_scores(folder):
    found = one_repeat("yacht", 1, str(folder), {"n_estimators": 30})
    assert 0 < found["rmse"] < 0.5
    assert found["nll"] < 1
    assert 0 < found["nll_rounds"] <= 30


def test_without_folder_and_network_the_message_says_what_to_do(folder, monkeypatch):
    def unreachable(**which):
        raise openml.UnreachableError(f"no network for {which}")

    monkeypatch.setattr(openml, "_fetch", unreachable)
    for source in (Source(None), Source(folder)):
        with pytest.raises(NoDataError, match=r"'boston'.*no network.*--data FOLDER"):
            source.regression("boston")
    with pytest.raises(NoDataError, match="'bone'"):
        Source(None).bone()
    with pytest.raises(NoDataError, match="does not exist"):
        Source.chosen(str(folder / "nowhere"))


def test_openml_tables_give_the_arrays_of_the_benchmark(monkeypatch):
    n, p = reported.REGRESSION_SHAPES["energy"]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((n, p)), columns=[f"x{j}" for j in range(p)])
    frame.insert(2, "heating_load", np.arange(n))
    frame["cooling_load"] = 0.0
    asked = []
    monkeypatch.setattr(openml, "_fetch", lambda **which: asked.append(which) or frame)
    found = Source(None).regression("energy")
    assert asked == [{"data_id": openml.SETS["energy"].number}]
    assert found.X.shape == (n, p)
    np.testing.assert_array_equal(found.y, np.arange(n))
    assert len(found.repeats) == 20
    monkeypatch.setattr(openml, "_fetch", lambda **_: frame.iloc[:-1])
    with pytest.raises(NoDataError, match="is meant"):
        Source(None).regression("energy")


def test_the_last_classes_are_left_out_and_features_scaled():
    X = np.column_stack([np.arange(6.0), np.full(6, 3.0), [0, 5, 1, 2, 3, 4]])
    found = without_last_classes("segment", X, np.array(list("aabbcc")))
    assert found.X.shape == (4, 2)  # the constant feature says nothing
    np.testing.assert_array_equal(found.y, [0, 0, 1, 1])
    np.testing.assert_allclose(found.X_ood, [[0.8, 0.6], [1.0, 0.8]])


def test_class_splits_are_those_of_the_seeds():
    train, test = table2.split(10, 322)
    np.random.seed(322)  # noqa: NPY002 - how the paper draws
    np.testing.assert_array_equal(np.concatenate([train, test]), np.random.permutation(10))  # noqa: NPY002
    assert len(train) == 8


def test_differences_count_in_the_paper_s_deviations():
    assert reported.deviation(2.63, (2.47, 0.16)) == pytest.approx(1)
    assert reported.deviation(0.145, (0.15, 0.0)) == pytest.approx(-1)
    assert {len(row) for row in reported.NLL.values()} == {len(reported.METHODS)}
    assert list(reported.NLL) == list(reported.RMSE) == list(reported.REGRESSION_SHAPES)


def test_tables_hold_means_deviations_and_the_author_s_repeats():
    found = {
        "yacht": {i: {"nll": 0.2 * i, "nll_rounds": 100, "cpu_seconds": 2.0} for i in range(3)}
    }
    text, deviations = report.table1(found, "nll")
    assert "| yacht | 3 | 0.20 ± 0.16 | 0.16 ± 0.24 | +0.17 | 100 | 2 |" in text
    assert deviations["yacht"] == pytest.approx(0.04 / 0.24)
    author = {("yacht", "nll"): {i: (1.0 + i, 50 + 50 * i) for i in range(3)}}
    (row,) = report.against_author(found, author, "nll")
    assert row == ["yacht", "3", "0.200", "2.000", "1.000", "1.00"]


def test_every_part_has_jobs_of_its_own_names():
    plan = Plan(None)
    names = [job.name for part in PARTS if part != "table2" for job in plan.jobs([part])]
    listed = plan.jobs([part for part in PARTS if part != "table2"])
    assert len(listed) == len(set(names)) > 500
    assert [len(plan.ablation(variant)) for variant in ABLATION] == [120] * 4
    quick = [job.name for job in Plan(None, quick=True).jobs()]
    assert set(quick) <= {*names, *(f"table2/segment/{seed}" for seed in table2.SEEDS)}
    assert len(quick) < 60


def test_a_report_is_written_from_what_is_there(folder, capsys):
    results = folder / "results"
    (results / "table1" / "yacht").mkdir(parents=True)
    plan = Plan(str(folder), quick=True)
    job = next(job for job in plan.table1() if job.name == "table1/yacht/00")
    result = {"nll": 0.4, "rmse": 0.5, "nll_rounds": 9, "rmse_rounds": 8, "cpu_seconds": 3.0}
    kept = {"asked": job._asked, "result": result}
    job.file(results).write_text(json.dumps(kept))
    path = commands.write(plan, results, results / "quick")
    text = path.read_text()
    assert "| yacht | 1 | 0.40 ± 0.00 | 0.16 ± 0.24 | +1.00 | 9 | 3 |" in text
    pictures = [line.split("(")[-1].rstrip(")") for line in text.splitlines() if "![" in line]
    assert len(pictures) == 3
    assert all((path.parent / picture).stat().st_size > 5000 for picture in pictures)
    with pytest.raises(SystemExit):
        commands.main(["nonsense"])
    assert "unknown part 'nonsense'" in capsys.readouterr().err


def test_the_committed_report_has_every_set_and_its_pictures():
    text = (ROOT / "paper" / "report.md").read_text()
    for name in reported.NLL:
        most = 5 if name == "protein" else 20
        assert f"| {name} | {most} | " in text
    for line in text.splitlines():
        if line.startswith("!["):
            assert (ROOT / "paper" / line.split("(")[-1].rstrip(")")).exists()
