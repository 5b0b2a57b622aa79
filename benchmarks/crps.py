"""Measure the time of the CRPS and of conformal intervals, for every response.

    python benchmarks/crps.py

It prints process time on one thread, the best of several repeats: milliseconds per row for
`metrics.crps`, and seconds for the conformal intervals of `--intervals` rows.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost import Mixture, metrics
from wgboost.conformal import conformal_interval, cross_conformal_interval, interval_scores
from wgboost.responses import as_response

LOG = np.log
CASES = [
    ("normal", [0, 0]), ("student_t", [0, 0, 1]), ("cauchy", [0, 0]), ("laplace", [0, 0]),
    ("logistic", [0, 0]), ("gumbel", [0, 0]), ("lognormal", [0, 0]), ("exponential", [0]),
    ("gamma", [0, 1]), ("gamma", [0, LOG(0.13)]), ("weibull", [0, 0.5]), ("beta", [0, 2]),
    ("beta", [4, 1]), ("inverse_gaussian", [0, 1]),
    ("poisson", [LOG(6)]), ("poisson", [LOG(100)]), ("poisson", [LOG(4000)]),
    ("poisson", [LOG(1e6)]),
    ("negative_binomial", [LOG(6), -0.5]), ("negative_binomial", [LOG(100), -0.5]),
    ("negative_binomial", [LOG(4000), -0.5]), ("negative_binomial", [LOG(1e6), -0.5]),
    ("negative_binomial", [LOG(4000), -5]), ("negative_binomial", [LOG(6), 2]),
    ("zero_inflated_poisson", [LOG(6), -0.5]), ("zero_inflated_poisson", [LOG(4000), -0.5]),
    ("zero_inflated_negative_binomial", [LOG(6), -1, -1]),
    ("zero_inflated_negative_binomial", [LOG(4000), -1, -1]),
]  # fmt: skip
INTERVALS = [("gamma", [0, 1]), ("negative_binomial", [LOG(6), -0.5])]
FOLDS = 5


def rows_of(name: str, centre: list[float], n: int, particles: int, spread: float) -> Mixture:
    """Return rows whose particles differ from the centre by a normal deviation."""
    rng = np.random.default_rng(0)
    theta = np.array(centre, dtype=float) + spread * rng.normal(size=(n, particles, len(centre)))
    return Mixture(as_response(name), theta)


def fastest(call: Callable[[], Any], repeats: int) -> float:
    """Return the smallest process time of a call in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def crps_time(dist: Mixture, repeats: int) -> float:
    """Return milliseconds per row of the CRPS at draws."""
    y = dist.rvs(random_state=0)
    return 1000 * fastest(lambda: metrics.crps(dist, y), repeats) / len(dist)


def interval_times(name: str, centre: list[float], n: int, particles: int) -> tuple[float, float]:
    """Return seconds for split conformal intervals, and for those of the models of folds."""
    dist = rows_of(name, centre, n, particles, 0.2)
    y, rng = dist.rvs(random_state=0), np.random.default_rng(1)
    split = fastest(lambda: conformal_interval(dist[: n // 10], y[: n // 10], dist), 2)
    noise = [0.05 * rng.normal(size=dist.particles.shape) for _ in range(FOLDS)]
    folds = [dist.with_particles(dist.particles + one) for one in noise]
    scores = [interval_scores(one[k::FOLDS], y[k::FOLDS]) for k, one in enumerate(folds)]
    return split, fastest(lambda: cross_conformal_interval(folds, scores), 2)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--particles", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--intervals", type=int, default=20_000)
    options = parser.parse_args()
    print(f"metrics.crps, {options.rows} rows of {options.particles} particles")
    for name, centre in CASES:
        times = [
            crps_time(rows_of(name, centre, options.rows, options.particles, s), options.repeats)
            for s in (0.05, 0.2)
        ]
        shown = ", ".join(f"{value:.4g}" for value in centre)
        print(f"{name + f' ({shown})':48s} {times[0]:7.3f} {times[1]:7.3f} ms a row", flush=True)
    print(f"conformal intervals of {options.intervals} rows: split, CV+ of {FOLDS} folds")
    for name, centre in INTERVALS:
        split, folds = interval_times(name, centre, options.intervals, options.particles)
        print(f"{name:48s} {split:7.2f} {folds:7.2f} s", flush=True)


if __name__ == "__main__":
    main()
