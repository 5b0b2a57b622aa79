"""Measure time per round and peak memory by number of rows, for the native and XGBoost engines.

The data are synthetic, with 20 features. The models have 10 particles of 2 parameters,
curvature-weighted leaves and evidence 10. A round has one tree of depth 3, with splits on the sum
of the outputs ("sum") or on all 20 outputs ("all"), or ten trees of 16 leaves, one for each
particle. Every fit runs in its own process. The time of a round is the median after the first
round, in seconds of wall time and of CPU. "start" is the time to the end of the first round, which
includes bins, the initial flow and the matrix of XGBoost. Memory is the peak beyond X and y. The
last column is the CPU time per row, relative to the smallest size.

    python benchmarks/scale.py                              # 1, 5 and 10 million rows: hours
    python benchmarks/scale.py 100000 --trees sum           # other sizes, one kind of trees
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np

from wgboost import TreeLearner, WGBRegressor

FEATURES, PARTICLES, CHUNK = 20, 10, 2**18
SHARED = {"tree": "shared", "max_depth": 3, "max_leaves": None, "colsample": 1.0}
TREES = {
    "sum": {**SHARED, "learner": TreeLearner(split_on="sum", growth="depth_wise")},
    "all": {**SHARED, "learner": TreeLearner(split_on="all", growth="depth_wise")},
    "sixteen": {"max_leaves": 16, "learner": TreeLearner()},
}


def make_data(n):
    """Return n rows of float32, made in chunks to save memory."""
    rng = np.random.default_rng(0)
    X, y = np.empty((n, FEATURES), dtype=np.float32), np.empty(n)
    for start in range(0, n, CHUNK):
        rows = slice(start, min(start + CHUNK, n))
        X[rows] = rng.uniform(-1, 1, size=X[rows].shape)
        noise = np.exp(X[rows, 1] / 2) * rng.normal(size=len(X[rows]))
        y[rows] = np.sin(2 * X[rows, 0]) + noise
    return X, y


def memory(line):
    """Return the memory of this process in bytes: VmRSS is current, VmHWM the peak."""
    with open("/proc/self/status") as status:
        return next(int(one.split()[1]) * 1024 for one in status if one.startswith(line))


def one(n, trees, engine, threads, rounds):
    """Print the cost of one fit."""
    if engine == "xgboost":
        import xgboost  # noqa: F401  the memory of the library does not count

    X, y = make_data(n)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # reset the peak
    before, clock, cpu = memory("VmRSS"), [], []

    def record(_):
        clock.append(time.monotonic())
        cpu.append(time.process_time())

    learner = replace(TREES[trees]["learner"], engine=engine)
    model = WGBRegressor(
        n_particles=PARTICLES, n_estimators=rounds, n_jobs=threads, random_state=0, evidence=10.0,
        **{**TREES[trees], "learner": learner},
    )  # fmt: skip
    start = time.monotonic()
    model.fit(X, y, callbacks=[record])
    cost = {
        "start": clock[0] - start, "round": float(np.median(np.diff(clock))),
        "cpu": float(np.median(np.diff(cpu))), "peak": memory("VmHWM"),
        "beyond": memory("VmHWM") - before,
    }  # fmt: skip
    print(json.dumps(cost))


def measured(*what):
    command = [sys.executable, __file__, "--one", json.dumps(what)]
    # Spinning threads would add CPU time that depends on the load of the machine.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    environment.setdefault("OMP_WAIT_POLICY", "passive")
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def main(sizes, kinds, threads, rounds):
    print(
        f"{FEATURES} features, {PARTICLES} particles of 2 parameters; load of the machine "
        f"{os.getloadavg()[0]:.1f} at the beginning, {os.cpu_count()} cores\n\n"
        "| trees | rows | threads | engine | start, s | round, s | round, CPU s | CPU of native "
        "| peak, GB | beyond the data, bytes a row | CPU of a row |\n" + "|---" * 11 + "|"
    )
    first = {}
    for trees in kinds:
        for n in sizes:
            for count in threads:
                native = None
                for engine in ("native", "xgboost"):
                    cost = measured(n, trees, engine, count, rounds)
                    native = cost["cpu"] if native is None else native
                    a_row = cost["cpu"] / n
                    linear = a_row / first.setdefault((trees, engine, count), a_row)
                    print(
                        f"| {trees} | {n:,} | {count} | {engine} | {cost['start']:.1f} "
                        f"| {cost['round']:.3f} | {cost['cpu']:.3f} | {cost['cpu'] / native:.1f} "
                        f"| {cost['peak'] / 1e9:.2f} | {cost['beyond'] / n:.0f} | {linear:.2f} |",
                        flush=True,
                    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(*json.loads(sys.argv[2]))
    else:
        parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
        parser.add_argument("rows", type=int, nargs="*", default=[1_000_000, 5_000_000, 10_000_000])
        parser.add_argument("--trees", choices=list(TREES), nargs="+", default=list(TREES))
        parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
        parser.add_argument("--rounds", type=int, default=5)
        given = parser.parse_args()
        main(given.rows, given.trees, given.threads, given.rounds)
