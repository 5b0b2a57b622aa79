"""Cost of a round and peak memory by number of rows: the native engine against XGBoost's.

Made rows of 20 features, 10 particles of 2 parameters. Every fit runs in a process of its own; a
round is the median of the rounds after the first, which has XGBoost's matrix to build. The last
column says whether the cost is linear in the number of rows: the cost of a row, relative to that of
the smallest size.

    python benchmarks/scale.py                    # 1, 5 and 10 million rows: hours
    python benchmarks/scale.py 100000 500000      # other sizes
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np

FEATURES, ROUNDS, PARTICLES, CHUNK = 20, 6, 10, 2**20
SETTINGS = {"split_on": "sum", "leaf": "newton", "l2": 30.0, "evidence": 30.0}


def made(n):
    """Return n rows, float32: what is made at a time stays small beside them."""
    rng = np.random.default_rng(0)
    X, y = np.empty((n, FEATURES), dtype=np.float32), np.empty(n)
    for begin in range(0, n, CHUNK):
        rows = slice(begin, min(begin + CHUNK, n))
        X[rows] = rng.uniform(-1, 1, size=X[rows].shape)
        noise = np.exp(X[rows, 1] / 2) * rng.normal(size=len(X[rows]))
        y[rows] = np.sin(2 * X[rows, 0]) + noise
    return X, y


def highest_memory():
    """Return the most memory that this process has had, in bytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def one(n, engine, threads):
    """Print what one fit costs."""
    from wgboost import WGBRegressor

    X, y = made(n)
    before, seconds = highest_memory(), []
    model = WGBRegressor(
        n_particles=PARTICLES, n_estimators=ROUNDS, engine=engine, n_jobs=threads, random_state=0,
        **SETTINGS,
    )  # fmt: skip
    model.fit(X, y, callbacks=[lambda info: seconds.append(info["seconds"])])
    cost = {"round": float(np.median(np.diff(seconds))), "data": before, "peak": highest_memory()}
    print(json.dumps(cost))


def measured(n, engine, threads):
    command = [sys.executable, __file__, "--one", json.dumps([n, engine, threads])]
    # Threads that wait in a loop for others would measure the machine's other work.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    environment.setdefault("OMP_WAIT_POLICY", "passive")
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def main(sizes):
    print(
        f"{FEATURES} features, {PARTICLES} particles of 2 parameters, {SETTINGS}\n\n"
        "| rows | threads | engine | seconds a round | of native | peak memory, GB | without the "
        "data, bytes a row | cost of a row |\n|---|---|---|---|---|---|---|---|"
    )
    first = {}
    for n in sizes:
        for threads in (1, 2):
            native = None
            for engine in ("native", "xgboost"):
                cost = measured(n, engine, threads)
                native = cost["round"] if native is None else native
                a_row = cost["round"] / n
                linear = a_row / first.setdefault((engine, threads), a_row)
                beyond = (cost["peak"] - cost["data"]) / n
                print(
                    f"| {n:,} | {threads} | {engine} | {cost['round']:.3f} "
                    f"| {cost['round'] / native:.1f} | {cost['peak'] / 1e9:.2f} | {beyond:.0f} "
                    f"| {linear:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(*json.loads(sys.argv[2]))
    else:
        main([int(n) for n in sys.argv[1:]] or [1_000_000, 5_000_000, 10_000_000])
