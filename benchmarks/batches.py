"""Measure the memory of a fit from batches: bytes per row that are not in files, by engine.

Every fit runs in its own process, which records its memory that is not backed by a file. The cost
of a row is the difference between two numbers of rows, so that the sizes of programs and batches
cancel. A round has one tree of depth 3, or ten trees of 16 leaves, one for each particle.

    python benchmarks/batches.py 250000 500000
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np

from wgboost import Batches, TreeLearner, WGBRegressor

FEATURES, BATCH, ROUNDS, PARTICLES = 20, 65_536, 5, 10
SHARED = {"tree": "shared", "max_depth": 3, "max_leaves": None, "colsample": 1.0, "l2": 0.0}
MEAN = TreeLearner(leaf="mean", growth="depth_wise")
SETTINGS = {
    "split_on=sum": {**SHARED, "learner": replace(MEAN, split_on="sum")},
    "split_on=particle_mean": {**SHARED, "learner": replace(MEAN, split_on="particle_mean")},
    "split_on=sum, leaf=newton": {
        **SHARED, "learner": TreeLearner(split_on="sum", growth="depth_wise")
    },
    "split_on=all": {**SHARED, "learner": replace(MEAN, split_on="all")},
    "ten of 16 leaves": {"max_leaves": 16, "learner": TreeLearner()},
}  # fmt: skip


def batches(n):
    """Yield n rows in batches, the same ones every time."""
    rng = np.random.default_rng(0)
    for start in range(0, n, BATCH):
        size = min(BATCH, n - start)
        X = rng.uniform(-1, 1, size=(size, FEATURES)).astype(np.float32)
        yield X, np.sin(2 * X[:, 0]) + np.exp(X[:, 1] / 2) * rng.normal(size=size)


def own_memory():
    """Return the bytes of this process that are not backed by a file."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon"))


def one(n, engine, name):
    """Print the largest memory of one fit and the seconds of a round."""
    settings = SETTINGS[name]
    peak, done = [0], threading.Event()

    def record():
        while not done.wait(0.002):
            peak[0] = max(peak[0], own_memory())

    seconds = []
    model = WGBRegressor(
        n_particles=PARTICLES, n_estimators=ROUNDS, evidence=1.0, n_jobs=1, random_state=0,
        **{**settings, "learner": replace(settings["learner"], engine=engine)},
    )  # fmt: skip
    thread = threading.Thread(target=record)
    thread.start()
    try:
        model.fit(
            Batches(lambda: batches(n)),
            callbacks=[lambda info: seconds.append(info["seconds"] or time.time())],
        )
    finally:
        done.set()
        thread.join()
    rounds = np.diff(seconds)
    print(json.dumps({"peak": peak[0], "round": float(rounds.min())}))


def main(sizes):
    print(
        f"{FEATURES} features, {PARTICLES} particles of 2 parameters, one thread\n\n"
        "| engine | settings | bytes a row | seconds a round, "
        f"{max(sizes):,} rows |\n|---|---|---|---|"
    )
    for engine in ("native", "xgboost"):
        for name in SETTINGS:
            found = []
            for n in sizes:
                command = [sys.executable, __file__, "--one", json.dumps([n, engine, name])]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                found.append(json.loads(done.stdout))
            slope = (found[-1]["peak"] - found[0]["peak"]) / (sizes[-1] - sizes[0])
            print(f"| {engine} | {name} | {slope:.0f} | {found[-1]['round']:.2f} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(*json.loads(sys.argv[2]))
    else:
        main([int(n) for n in sys.argv[1:]] or [1_000_000, 2_000_000])
