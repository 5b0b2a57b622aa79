"""Compare bandwidths by number of particles: `python benchmarks/bandwidth.py`.

The rows form two groups, separated by one feature, with normal noise around the mean of each group.
A few rounds learn the means. The remaining difference to the NLL of the truth is due to the spread
of the converged particles, which depends on the kernel.
"""

from __future__ import annotations

import argparse

import numpy as np

from wgboost import DiagonalNewton, Kernel, WGBRegressor, metrics

NOISES = (1.0, 0.2, 0.05)  # in units of the standard deviation of all y
PARTICLES = (3, 5, 10, 20, 30, 50)
BANDWIDTHS = (1.0, 0.1, 0.02)


def excess(m: int, h: float | None, noise: float, seed: int = 0, evidence: float = 1.0) -> float:
    """Return the NLL of new rows minus that of the truth."""
    rng = np.random.default_rng(seed)

    def rows(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        x = rng.integers(0, 2, n)
        mean = (2 * x - 1) * np.sqrt(1 - noise**2)
        return x[:, None].astype(float), mean + noise * rng.standard_normal(n), mean

    X, y, _ = rows(2000)
    X_new, y_new, mean = rows(20_000)
    model = WGBRegressor(
        n_particles=m, direction=DiagonalNewton(Kernel("gaussian", h)), evidence=evidence,
        n_estimators=400, learning_rate=0.1, max_leaves=2, early_stopping=False, colsample=1.0,
        l2=0.0, tree="shared", random_state=seed,
    ).fit(X, y)  # fmt: skip
    truth = 0.5 * np.mean(((y_new - mean) / noise) ** 2) + np.log(noise * np.sqrt(2 * np.pi))
    return metrics.nll(model.predict_dist(X_new), y_new) - float(truth)


def main() -> None:
    """Print a table for every noise level, with the default bandwidth last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evidence", type=float, default=1.0)
    evidence = parser.parse_args().evidence
    for noise in NOISES:
        print(f"noise {noise}: NLL above the truth's, by bandwidth and number of particles")
        print("h".rjust(8), *(f"m={m}".rjust(7) for m in PARTICLES))
        for h in (*BANDWIDTHS, None):
            row = [excess(m, h, noise, evidence=evidence) for m in PARTICLES]
            name = "default" if h is None else f"{h:g}"
            print(name.rjust(8), *(f"{one:7.3f}" for one in row), flush=True)


if __name__ == "__main__":
    main()
