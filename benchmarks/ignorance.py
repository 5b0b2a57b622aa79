"""Compare the epistemic uncertainty of models with their errors, on made data of known truth.

    python benchmarks/ignorance.py inside            # numbers, rows like the training data
    python benchmarks/ignorance.py classes           # class probabilities
    python benchmarks/ignorance.py beyond            # a gap in the data, and beyond their edge
    python benchmarks/ignorance.py seeds             # the same data, with another seed of the fit

"inside" and "classes" print, for each kind of data and number of rows: the coverage of 90 %
credible bands of the mean (or of the probabilities), the smallest of any seed, the epistemic
variance over the squared error, and the predicted over the true deviation of the noise. The same
figures follow for the spread of the particles themselves.

The constants of `training/error_estimates.py` and `training/smooth_errors.py` were chosen with
--group chosen, and with --group bent, whose function is a constant of two features in one half. The
data of --group confirmed have another function. "inside" takes the start as --init.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost import Mixture, WGBClassifier, WGBRegressor

Z90 = 1.6449
KINDS = ("dense", "sparse", "heteroscedastic", "skewed", "50 columns", "little noise")


def chosen_function(X: np.ndarray) -> np.ndarray:
    return np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + np.abs(X[:, 3]) / 2


def confirmed_function(X: np.ndarray) -> np.ndarray:
    corner = np.maximum(X[:, 0] + X[:, 1], 0)
    return np.cos(4 * X[:, 2]) / 2 + corner + np.where(X[:, 3] > 0.2, 0.7, 0.0) * X[:, 4]


def bent_function(X: np.ndarray) -> np.ndarray:
    right = np.maximum(X[:, 0], 0)
    steps = np.where(X[:, 2] > -0.3, 0.5, 0.0) + np.square(X[:, 3]) / 2
    return 0.8 * np.sin(6 * right) + 2 * right * X[:, 1] + steps


FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "chosen": chosen_function,
    "bent": bent_function,
    "confirmed": confirmed_function,
}


def features(kind: str, n: int, rng: np.random.Generator, *, even: bool) -> np.ndarray:
    X = rng.uniform(-1, 1, (n, 50 if kind == "50 columns" else 5))
    if kind == "sparse" and not even:  # nine rows of ten are in one half
        X[:, 0] = np.abs(X[:, 0]) * np.where(rng.random(n) < 0.9, -1, 1)
    return X


def noise_deviation(kind: str, X: np.ndarray) -> np.ndarray:
    if kind == "heteroscedastic":
        return 0.5 * np.exp(X[:, 1])
    return np.full(len(X), 0.05 if kind == "little noise" else 0.5)


def draw_noise(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.exponential(size=n) - 1 if kind == "skewed" else rng.standard_normal(n)


def figures(
    error: np.ndarray, variance: np.ndarray, noise: np.ndarray, true_noise: np.ndarray
) -> tuple[float, float, float]:
    """Return coverage, variance over squared error, and the deviation of noise over the true."""
    covered = np.abs(error) < Z90 * np.sqrt(variance)
    ratio = variance.mean() / np.square(error).mean()
    return float(covered.mean()), float(ratio), float(np.sqrt(noise).mean() / true_noise.mean())


def inside(kind: str, n: int, seed: int, group: str, init: str) -> list[tuple[float, ...]]:
    rng, function = np.random.default_rng([seed, KINDS.index(kind), n]), FUNCTIONS[group]
    X = features(kind, n, rng, even=False)
    y = function(X) + noise_deviation(kind, X) * draw_noise(kind, n, rng)
    dist = (
        WGBRegressor(init=init, random_state=seed, n_jobs=1)
        .fit(X, y)
        .predict_dist(new := features(kind, 2000, rng, even=True))
    )
    error, true = dist.mean() - function(new), noise_deviation(kind, new)
    plain = Mixture(dist.response, dist.particles, dist.units)
    return [figures(error, one.epistemic(), one.aleatoric(), true) for one in (dist, plain)]


def probabilities(X: np.ndarray, group: str) -> np.ndarray:
    strength = 1.5 if group == "chosen" else 3.0
    logits = np.stack(
        [strength * FUNCTIONS[group](X), 2 * X[:, 1] - X[:, 3], np.zeros(len(X))], axis=1
    )
    share = np.exp(logits - logits.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)


def classes(n: int, seed: int, group: str) -> list[tuple[float, ...]]:
    rng = np.random.default_rng([seed, n])
    X, new = rng.uniform(-1, 1, (n, 5)), rng.uniform(-1, 1, (2000, 5))
    y = (rng.random((n, 1)) > probabilities(X, group).cumsum(axis=1)).sum(axis=1)
    dist = WGBClassifier(random_state=seed, n_jobs=1).fit(X, y).predict_dist(new)
    true, found = probabilities(new, group), dist.probabilities()
    each = dist.response.probabilities(dist.theta())
    spread = each.var(axis=1)
    total = np.asarray(dist.error)[:, 0] / (found * (1 - found)).sum(axis=1)
    dirichlet = found * (1 - found) * np.minimum(total, 1)[:, None]
    one = np.ones(1)
    return [figures(found - true, variance, one, one) for variance in (dirichlet, spread)]


def ring(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows on both sides of a gap along the first of two features."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    X[:, 0] = np.where(X[:, 0] < 0, -0.35 + 0.65 * X[:, 0], 0.35 + 0.65 * X[:, 0])
    return X, np.sin(3 * X[:, 0]) + X[:, 1] / 2 + 0.2 * rng.standard_normal(n)


def beyond(seed: int, settings: dict[str, Any]) -> dict[str, float]:
    """Return the coverage of bands of the mean inside, in the gap and half a range beyond."""
    X, y = ring(400, seed)
    model = WGBRegressor(random_state=seed, n_jobs=1, **settings).fit(X, y)
    rng, found = np.random.default_rng([seed, 1]), {}
    places = {
        "inside": X[:, 0], "gap": rng.uniform(-0.25, 0.25, 400),
        "beyond": np.r_[rng.uniform(1.1, 2, 200), rng.uniform(-2, -1.1, 200)],
    }  # fmt: skip
    for place, first in places.items():
        new = np.column_stack([first, rng.uniform(-1, 1, len(first))])
        dist = model.predict_dist(new)
        error = dist.mean() - (np.sin(3 * first) + new[:, 1] / 2)
        found[place] = float(np.mean(np.abs(error) < Z90 * np.sqrt(dist.epistemic())))
        found[f"noise {place}"] = float(np.sqrt(dist.aleatoric()).mean() / 0.2)
    return found


def seeds(kind: str, n: int, group: str, n_seeds: int) -> tuple[list[float], ...]:
    """Return evidence, epistemic variance and that of the particles, of fits to the same data."""
    rng, function = np.random.default_rng([0, KINDS.index(kind), n]), FUNCTIONS[group]
    X = features(kind, n, rng, even=False)
    y = function(X) + noise_deviation(kind, X) * draw_noise(kind, n, rng)
    new, found = features(kind, 2000, rng, even=True), []
    for seed in range(n_seeds):
        model = WGBRegressor(random_state=seed, n_jobs=1).fit(X, y)
        dist = model.predict_dist(new)
        found.append((model.evidence_, dist.epistemic().mean(), dist.disagreement().mean()))
    return tuple(list(map(float, column)) for column in zip(*found, strict=True))


def print_seeds(options: argparse.Namespace) -> None:
    print("| data | rows | evidence | epistemic variance, largest over smallest | of the particles "
          "|\n|---|--:|---|--:|--:|")  # fmt: skip
    for n in options.rows:
        for kind in options.kinds:
            evidence, *spreads = seeds(kind, n, options.group, options.seeds)
            cells = " | ".join(f"{max(one) / min(one):.2f}" for one in spreads)
            values = ", ".join(f"{one:g}" for one in sorted(evidence))
            print(f"| {kind} | {n:,} | {values} | {cells} |", flush=True)


def print_row(name: str, runs: list[list[tuple[float, ...]]]) -> None:
    cells = []
    for each in np.moveaxis(np.array(runs), 1, 0):
        coverage, ratio, noise = each.T
        cells += [f"{coverage.mean():.2f}", f"{coverage.min():.2f}", f"{ratio.mean():.2f}"]
        cells.append(f"{noise.mean():.2f}")
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("inside", "classes", "beyond", "seeds"))
    parser.add_argument("--rows", type=int, nargs="*", default=[200, 2000, 20000])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS)
    parser.add_argument("--group", default="confirmed", choices=tuple(FUNCTIONS))
    parser.add_argument("--init", default="flow", choices=("flow", "smooth", "auto"))
    options = parser.parse_args()
    if options.part == "seeds":
        print_seeds(options)
        return
    if options.part == "beyond":
        print("| model | where | coverage | noise |\n|---|---|--:|--:|")
        for name in ("flow", "smooth", "auto"):
            settings = {"init": name}
            runs = [beyond(seed, settings) for seed in range(options.seeds)]
            for place in ("inside", "gap", "beyond"):
                mean = [np.mean([run[key] for run in runs]) for key in (place, f"noise {place}")]
                print(f"| {name} | {place} | {mean[0]:.2f} | {mean[1]:.2f} |", flush=True)
        return
    print("| data | rows | coverage | least | ratio | noise | particles: coverage | least | ratio "
          "| noise |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")  # fmt: skip
    for n in options.rows:
        for kind in options.kinds if options.part == "inside" else ("classes",):
            runs = [
                inside(kind, n, seed, options.group, options.init) if options.part == "inside"
                else classes(n, seed, options.group) for seed in range(options.seeds)
            ]  # fmt: skip
            print_row(f"{kind} | {n:,}", runs)


if __name__ == "__main__":
    main()
