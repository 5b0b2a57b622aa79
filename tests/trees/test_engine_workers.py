"""The engine on rows that are spread over processes: every one gets the same trees."""

import multiprocessing as mp

import numpy as np
import pytest
from xgboost import RabitTracker, collective

from making import made
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.trees import TreeSettings
from wgboost.trees.xgboost import XGBoostGrower
from wgboost.trees.xgboost.collective import weighted_mean

X, G = made(3, 500, 3, 2, 2, missing=0.1, distinct=12)  # few values: bins do not depend on rows
WEIGHT = np.random.default_rng(1).integers(0, 3, 500).astype(np.float32)
CURVATURE = np.exp(np.random.default_rng(2).normal(size=G.shape)).astype(np.float32)
PARTS = (slice(0, 450), slice(450, 500))
SETTINGS = ({"split_on": "sum"}, {"split_on": "all"}, {"min_samples_leaf": 40})


def learner(**settings):
    return HistTree(TreeSettings(**settings), grower=XGBoostGrower())


def run_worker(rank, address, queue):
    """Grow rounds on some of the rows, and answer with what is predicted at all of them."""
    rows, everything = PARTS[rank], Features.from_raw(X)
    features = Features(X[rows], everything.cuts, everything.cuts.apply(X[rows]))
    given = (features, G[rows], CURVATURE[rows])
    none = WEIGHT[rows] * (rank == 0)  # rows of the second worker do not count
    # A worker may be anywhere in its own random numbers.
    rng, rounds = np.random.default_rng(rank), []
    with collective.CommunicatorContext(**address):
        for settings in SETTINGS:
            rounds.append(learner(**settings).fit(*given, WEIGHT[rows], rng))
        rounds.append(learner(split_on="sum").fit(*given, none, rng))
        mean = weighted_mean(float(G[rows].mean()), len(G[rows]))
        first = weighted_mean(float("nan") if rank else 3.0, 0 if rank else 450)
    queue.put([(one.predict(X), one.flat.cover) for one in rounds] + [(mean, first)])


@pytest.fixture(scope="module")
def answers():
    """What two processes answer, each of them the same rounds and then their means."""
    tracker = RabitTracker(n_workers=2, host_ip="127.0.0.1")
    tracker.start()
    spawn = mp.get_context("spawn")
    queue = spawn.Queue()
    given = tracker.worker_args(), queue
    workers = [spawn.Process(target=run_worker, args=(rank, *given)) for rank in (0, 1)]
    for worker in workers:
        worker.start()
    found = [queue.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join(timeout=60)
    return found


@pytest.mark.parametrize("i", range(len(SETTINGS)), ids=map(str, SETTINGS))
def test_the_trees_of_two_workers_are_those_of_all_rows(answers, i):
    alone = learner(**SETTINGS[i]).fit(Features.from_raw(X), G, CURVATURE, WEIGHT)
    counted = WEIGHT > 0
    for worker in answers:
        predicted, cover = worker[i]
        np.testing.assert_allclose(predicted[counted], alone.predict(X)[counted], atol=1e-5)
        np.testing.assert_array_equal(np.sort(cover), np.sort(alone.flat.cover))


def test_a_worker_whose_rows_count_for_nothing_changes_nothing(answers):
    mine = np.where(np.arange(500) < PARTS[0].stop, WEIGHT, 0)
    alone = learner(split_on="sum").fit(Features.from_raw(X), G, CURVATURE, mine)
    for worker in answers:
        predicted, cover = worker[-2]
        np.testing.assert_allclose(predicted[mine > 0], alone.predict(X)[mine > 0], atol=1e-5)
        assert cover[0] == np.count_nonzero(mine)


def test_means_are_those_of_all_rows_and_of_no_empty_worker(answers):
    for worker in answers:
        assert worker[-1] == (pytest.approx(float(G.mean()), abs=1e-6), 3.0)
