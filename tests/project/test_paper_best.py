"""paper/best.md from results that are all there, that are older, and that are few."""

import json
import re

import pytest

from paper import best, best_report
from paper.reported import NLL, RMSE


def result(job):
    """What a job would give, in figures that are easy to follow."""
    single, i = job.settings["method"] == "single", job.settings.get("repeat", 0)
    if "seed" in job.settings:
        figures = {"accuracy": 98.0, "nll": 0.1, "ood_max_variance": 99.0}
        figures |= {"ood_mutual_information": 99.5, "rows": 2310}
        return figures if single else {**figures, "recipe": "shared"}
    nll = (9.0 if single else -20.0) + i % 2
    figures = {"nll": nll, "rmse": 2e-4, "crps": 0.5, "coverage": [0.5, 0.8, 0.9, 0.95]}
    figures["nll_new"] = nll + 3
    if single:
        return {**figures, "rounds": 10, "evidence": 3.0}
    before = {**figures, "coverage": [0.6, 0.85, 0.95, 1.0], "nll": nll + 1}
    return {
        **figures, "copied": 0.25 * (job.settings["name"] == "naval"), "before": before,
        "recipe": "smooth" if i % 4 else "flow", "value": nll, "scale": 0.9, "spread": 0.8,
        "members": 10, "tried": 9, "models": 25,
    }  # fmt: skip


def keep(job, folder, without=()):
    """Write a hand-made result where the job would."""
    figures = {k: v for k, v in result(job).items() if k not in without}
    file = job.file(folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    timed = {**figures, "seconds": 60.0, "cpu_seconds": 60.0}
    file.write_text(json.dumps({"asked": job._asked, "result": timed}))


@pytest.fixture
def text(tmp_path):
    """The report of whatever results a test has kept, every paragraph on one line."""

    def unwrapped():
        path = best_report.write(tmp_path, tmp_path / "best.md", "## Peers\n")
        return re.sub(r"(?m)^([^|#\n].*)\n(?=[\w(\"`])", r"\1 ", path.read_text())

    return unwrapped


def test_all_results_make_all_tables(tmp_path, text):
    for job in best.jobs(None):
        keep(job, tmp_path)
    said = text()
    assert "missing" not in said
    assert "not one model but the 10 models" in said
    assert f"below the best of six on {len(NLL)} of {len(NLL)} sets" in said
    assert "below the paper's own row on 0 of 9.\n" in said
    assert "| naval | 20 | -19.50 ± 0.50 | 9.50 ± 0.50 |" in said
    assert "| naval (1e-4) | 20 | 2.000 ± 0.000 | 2.000 ± 0.000 |" in said
    assert "| naval | 25.0 | -16.50 ± 0.50 | 12.50 ± 0.50 |" in said
    assert said.count("| 25.0 |") == 1  # of the other sets no row is a copy
    assert "| segment (2,310 rows) | accuracy | 5 | 98.00 ± 0.00 | 98.00 ± 0.00 |" in said
    assert "| segment (2,310 rows) | OOD, mutual information | 5 | 99.50 ± 0.00 |" in said
    shares = (
        "60.0 / 85.0 / 95.0 / 100.0 | 0.5 | -18.500 | 50.0 / 80.0 / 90.0 / 95.0 | 0.5 | -19.500"
    )
    assert f"| yacht | {shares} | 0.90 | 0.80 |" in said
    assert "| yacht | 60 | smooth 15, flow 5 |" in said
    assert "175 minutes of CPU for 175 bags and 175 minutes of CPU for 175 single models" in said
    assert "about 175 minutes on two free cores" in said
    assert said.index("## What won") < said.index("## Peers") < said.index("## Time")


def test_figures_that_older_results_lack_are_left_out(tmp_path, text):
    for job in best.jobs(None, names=["naval", "yacht"], classes=["segment"]):
        old = job.settings["name"] == "yacht" or job.settings.get("repeat", 0) < 5
        keep(job, tmp_path, ("copied", "nll_new", "rows", "before") if old else ())
    said = text()
    assert "| naval | 25.0 | -16.47 ± 0.50 (15) | 12.53 ± 0.50 (15) |" in said
    assert "| segment | accuracy | 5 |" in said
    assert "| naval | 60.0 / 85.0" in said
    assert "| yacht | 60.0 / 85.0" not in said
    assert "Splits are missing of: boston," in said


def test_one_split_has_no_deviation_and_its_number_is_said(tmp_path, text):
    for job in best.jobs(None, names=["naval"], classes=()):
        if job.settings["method"] == "cv" or job.settings["repeat"] == 1:
            keep(job, tmp_path)
    said = text()
    assert "| naval | 20 | -19.50 ± 0.50 | 10.00 (1) |" in said
    assert "| naval (1e-4) | 20 | 2.000 ± 0.000 | 2.000 (1) |" in said
    assert "| naval | 25.0 | -16.50 ± 0.50 | 13.00 (1) |" in said


@pytest.mark.parametrize(("rmse", "below"), [(0.606, False), (0.604, True)])
def test_single_models_are_compared_at_the_printed_precision(
    tmp_path, text, monkeypatch, rmse, below
):
    monkeypatch.setitem(globals(), "result", lambda job, plain=result: {**plain(job), "rmse": rmse})
    for job in best.jobs(None, names=["wine"], classes=()):
        keep(job, tmp_path)
    assert RMSE["wine"][0][0] == 0.61
    assert ("row on 1 of 1: wine.\n" in text()) == below


@pytest.mark.parametrize("method", [None, "cv", "single"])
def test_few_results_or_none_make_what_they_can(tmp_path, text, method):
    for job in best.jobs(None, names=["yacht"], classes=(), most=2):
        if job.settings["method"] == method:
            keep(job, tmp_path)
    said = text()
    assert ("| yacht | 2 | -19.50 ± 0.50 | - |" in said) == (method == "cv")
    assert ("## Time" in said) == (method is not None)
    assert ("## What won" in said) == (method == "cv")
