"""The peers on the paper's splits: each method on made data, jobs, tables and the command."""

import importlib.util
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from threadpoolctl import threadpool_limits

from paper import commands, methods, peers
from paper.data import REGRESSION
from paper.methods import PEERS, answer
from paper.networks import MEMBERS, epochs_for

ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (260, 2))
NOISE = np.exp(1.5 * X[:, 1] - 1.5)
Y = 3 * X[:, 0] + NOISE * RNG.standard_normal(len(X))
TRAIN, TEST = np.arange(200), np.arange(200, 260)
HELD = np.arange(40)


def there(name):
    """The name of a method, or why its test is skipped."""
    peer = PEERS[name]
    reason = f"{peer.package} is not installed"
    return pytest.param(name, marks=pytest.mark.skipif(not peer.is_there, reason=reason))


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Networks of fewer steps."""
    quick = replace(PEERS["networks"], predict=partial(methods.networks, steps=600))
    monkeypatch.setitem(PEERS, "networks", quick)


def asked(name, y):
    return answer(name, X[TRAIN], y[TRAIN], HELD, X[TEST], 3)


@pytest.mark.parametrize("name", [there(name) for name in PEERS])
def test_a_peer_predicts_mean_and_noise_of_made_data(name):
    found = asked(name, Y)
    nll = -found.dist.logpdf(Y[TEST]).mean()
    ideal = -stats.norm.logpdf(Y[TEST], 3 * X[TEST, 0], NOISE[TEST]).mean()
    plain = -stats.norm.logpdf(Y[TEST], Y[TRAIN].mean(), Y[TRAIN].std()).mean()
    assert ideal - 0.1 < nll < plain - 0.8
    assert np.corrcoef(found.dist.mean(), 3 * X[TEST, 0])[0, 1] > 0.98
    if name != "process":  # its noise is even
        related = np.corrcoef(np.log(found.dist.std()), np.log(NOISE[TEST]))[0, 1]
        assert related > 0.6
    assert found.seconds > 0


@pytest.mark.parametrize("name", [there(name) for name in ("catboost", "process")])
def test_answers_follow_the_units_of_y(name):
    found, other = asked(name, Y), asked(name, 1024 * Y)
    # A power of two: the standardised y, and so the trained model, are the same to the last bit.
    np.testing.assert_array_equal(other.dist.particles, found.dist.particles)
    np.testing.assert_allclose(other.dist.mean(), 1024 * found.dist.mean(), rtol=1e-12)
    assert other.chosen == found.chosen


def test_networks_are_the_plain_formula_member_by_member():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from paper.networks import Networks, train

    found = Networks(2, 7, torch.Generator().manual_seed(0))
    particles = found.particles(X)
    enter, enter_bias, leave, leave_bias = (w.detach().numpy() for w in found.weights)
    for j in range(MEMBERS):
        inner = np.maximum(X @ enter[j] + enter_bias[j], 0)
        mean, raw = (inner @ leave[j] + leave_bias[j]).T
        np.testing.assert_allclose(particles[:, j, 0], mean, atol=1e-6)
        deviation = np.sqrt(np.log1p(np.exp(raw)) + 1e-6)
        np.testing.assert_allclose(np.exp(particles[:, j, 1]), deviation, rtol=1e-5)
    assert len(np.unique(particles[0, :, 0])) == MEMBERS
    # Of no information in x, the best variance is that of y.
    y = np.random.default_rng(1).normal(2, 0.3, 2000)
    nothing = np.zeros((2000, 1))
    with threadpool_limits(1):
        late = train(nothing, y, hidden=5, rate=0.01, epochs=50, seed=0).particles(nothing[:1])
    np.testing.assert_allclose(late[0, :, 0], y.mean(), atol=0.05)
    np.testing.assert_allclose(np.exp(late[0, :, 1]), y.std(), rtol=0.1)


def test_small_sets_get_more_epochs_than_forty():
    assert epochs_for(41_157) == 40
    assert epochs_for(222) == 1667  # three batches each


def test_jobs_come_in_order_of_what_they_cost():
    listed = peers.jobs(None)
    names = [job.name for job in listed]
    assert len(set(names)) == len(names)
    count = {(m, s): sum(f"peers/{m}/{s}/" in n for n in names) for m in PEERS for s in REGRESSION}
    assert [count["process", s] for s in ("yacht", "wine", "kin8nm", "protein")] == [20, 20, 5, 0]
    assert [count["ngboost", s] for s in ("wine", "kin8nm", "naval", "protein")] == [20, 5, 5, 5]
    assert [count["catboost", s] for s in ("naval", "protein")] == [20, 5]
    assert listed[0].settings["name"] == "yacht"
    minutes = [peers.slow(job.settings["method"], job.settings["name"]) for job in listed]
    assert minutes == sorted(minutes)
    assert {job.settings["method"] for job in listed[-sum(minutes) :]} == {"ngboost", "process"}
    assert sum(minutes) == 35  # five splits of seven pairs
    assert listed[-1].settings == {"method": "ngboost", "name": "protein", "repeat": 4}
    assert len(peers.jobs(None, sets=["naval"], methods=["ngboost"], most=30)) == 20


@pytest.fixture
def folder(tmp_path):
    """A data folder with one small set and two splits in it."""
    (tmp_path / "uci").mkdir()
    tests = np.stack([np.arange(20), np.arange(20, 40)])
    np.savez(tmp_path / "uci" / "yacht.npz", X=X[:120], y=Y[:120], test_index=tests)
    return tmp_path


def test_the_command_runs_what_is_asked_once_and_shows_it(folder, capsys, monkeypatch):
    monkeypatch.setattr(methods, "find_spec", lambda _: None)
    arguments = ["peers", "--data", str(folder), "--sets", "yacht", "--splits", "2"]
    arguments += ["--methods", "process", "ngboost", "--jobs", "1"]
    arguments += ["--results", str(folder / "results")]
    commands.main(arguments)
    said = capsys.readouterr().out
    assert "NGBoost is left out: ngboost is not installed" in said
    kept = [
        json.loads(file.read_text())["result"]
        for file in sorted((folder / "results/peers/process/yacht").iterdir())
    ]
    assert [sorted(one) for one in kept] == [
        sorted([
            "nll", "nll_new", "copied", "rmse", "crps", "in_50", "in_80", "in_90", "in_95",
            "fit_seconds", "chosen", "seconds", "cpu_seconds",
        ])
    ] * 2  # fmt: skip
    for one in kept:
        assert one["in_50"] <= one["in_80"] <= one["in_90"] <= one["in_95"]
        assert one["crps"] < one["rmse"]
    mean = (kept[0]["nll"] + kept[1]["nll"]) / 2
    error = abs(kept[0]["nll"] - kept[1]["nll"]) / 2
    assert f"| yacht | - | - | - | {mean:.2f} ± {error:.2f} (2) |" in said
    monkeypatch.setattr(peers, "one_split", None)  # what is kept is not run again
    commands.main(arguments)
    assert said.split("## ")[1] == capsys.readouterr().out.split("## ")[1]


def test_tables_hold_standard_errors_and_naval_in_small_units(tmp_path):
    assert peers.section(tmp_path) == ""
    for job in peers.jobs(None, sets=["naval", "protein"], methods=["catboost"]):
        i = job.settings["repeat"]
        result = {"nll": float(i), "rmse": 2e-4 + 1e-5 * i, "crps": 0.5, "fit_seconds": 3.0}
        result |= {"nll_new": float(i) + 1, "copied": 0.3 * (job.settings["name"] == "naval")}
        result |= dict.fromkeys(("in_50", "in_80", "in_90", "in_95"), 0.25)
        file = job.file(tmp_path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"asked": job._asked, "result": result}))
    text = peers.section(tmp_path)
    assert f"| naval | - | 9.50 ± {np.sqrt(35 / 20):.2f} | - | - |" in text  # variance of 0..19: 35
    assert "| naval, 1e-4 | - | 2.95 ± 0.13 | - | - |" in text
    assert "| protein | - | 2.00 ± 0.71 | - | - |" in text
    assert "| protein | - | 25 25 25 25 | - | - |" in text
    assert "| boston |" not in text
    assert "features of a training row (30.0 % of naval)" in text
    assert "| naval | - | 10.50 ± 1.32 | - | - |" in text
    assert "| protein | - | 3.00" not in text  # none to leave out


def test_copies_are_rows_of_the_same_features():
    rows = np.array([[0.0, 1], [1, 0], [0, 1], [2, 2], [1, 0]])
    found = peers.copied(rows, np.array([0, 3]), np.array([1, 2, 4]))
    np.testing.assert_array_equal(found, [False, True, False])


def test_the_comparison_on_other_data_uses_the_same_peers():
    spec = importlib.util.spec_from_file_location("comparison", ROOT / "benchmarks/comparison.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.load = lambda _: (X, Y)
    nll, crps, share, width, rmse, seconds = module.measured("made", "process")
    assert nll < 1
    assert 0 < crps < rmse
    assert 80 < share < 99
    assert 0 < width < 1
    assert seconds > 0
