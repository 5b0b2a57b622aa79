"""Compare bags of cross-validation with single models, and ways to calibrate them, for docs/cv.md.

The data are `load_diabetes` and synthetic rows with large and with little noise. The argument is
the number of splits; 3 take some minutes on one core.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import ShuffleSplit

from wgboost import Calibration, Mixture, WGBRegressor, WGBRegressorCV, metrics

TREES = {
    "max_depth": None, "max_leaves": 8, "l2": 1.0, "subsample": 0.6, "colsample": 0.7,
    "learning_rate": 0.1,
}  # fmt: skip
RECIPES = {f"evidence {e:g}": {**TREES, "evidence": e} for e in (1.0, 3.0, 10.0, 30.0)}
SETTINGS = {"n_estimators": 1000, "n_iter_no_change": 30, "random_state": 0, "n_jobs": 1}


def made(n: int, seed: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with mean sin(2 x0) + x2 x3 / 2 and scale noise * exp(x1)."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 4))
    mean = np.sin(2 * X[:, 0]) + X[:, 2] * X[:, 3] / 2
    return X, mean + noise * np.exp(X[:, 1]) * rng.normal(size=n)


def splits(repeats: int):
    """Yield the name of a data set with training and test rows."""
    X, y = load_diabetes(return_X_y=True)
    for train, test in ShuffleSplit(repeats, test_size=0.25, random_state=0).split(X):
        yield "diabetes", X[train], y[train], X[test], y[test]
    for name, noise in (("made, noisy", 0.5), ("made, little noise", 0.03)):
        for seed in range(repeats):
            yield name, *made(500, seed, noise), *made(3000, 100 + seed, noise)


def mixed(dists: list[Mixture]) -> Mixture:
    """Return the equal mixture of the predictions of several models."""
    particles = np.concatenate([dist.theta() for dist in dists], axis=1)
    return Mixture(dists[0].response, particles, dists[0].units)


def spread(member: Mixture, others: list[Mixture]) -> Mixture:
    """Return a member shifted by the differences of other members, like a bag at new rows."""
    means = np.stack([one.theta().mean(axis=1) for one in others])  # (K - 1, n, d)
    moves = means - means.mean(axis=0)
    return mixed([member.with_particles(member.theta() + move[:, None]) for move in moves])


def ways(model: WGBRegressorCV, X, y, new, truth):
    """Yield ways to calibrate the bag, with the predictions of new rows."""
    members, tests = model.members_, [one.validation_rows_ for one in model.members_]
    raw = mixed([one.predict_dist(new) for one in members])
    yield "as it is", raw
    own = [one.predict_dist(X[rows]) for one, rows in zip(members, tests, strict=True)]
    observed = [y[rows] for rows in tests]
    single = Calibration.fit(own, observed)
    yield "factors of members, on the bag", single(raw)
    yield (
        "factors of members, on each member",
        mixed([single(m.predict_dist(new)) for m in members]),
    )
    likely = [
        spread(own[i], [one.predict_dist(X[rows]) for j, one in enumerate(members) if j != i])
        for i, rows in enumerate(tests)
    ]
    yield "factors of shifted members", Calibration.fit(likely, observed)(raw)
    narrow = Calibration.fit(own, observed, allow_widening=False)
    yield "factors of members, at most 1", narrow(raw)
    yield "factors of the test rows", Calibration.fit(raw, truth)(raw)


def main(repeats: int) -> None:
    """Print the table."""
    rows: dict[str, list[list[float]]] = {}

    def add(name: str, dist: Mixture, truth: np.ndarray) -> None:
        held = [metrics.coverage(dist, truth, level) for level in (0.5, 0.9)]
        scores = [metrics.nll(dist, truth), metrics.rmse(dist, truth), metrics.crps(dist, truth)]
        rows.setdefault(name, []).append([*scores, *held])

    for name, X, y, new, truth in splits(repeats):
        paper = WGBRegressor(early_stopping=True, **SETTINGS).fit(X, y)
        add(f"{name} | WGBRegressor(early_stopping=True)", paper.predict_dist(new), truth)
        model = WGBRegressorCV(RECIPES, **SETTINGS).fit(X, y)
        single = WGBRegressor(**model.best_params_, early_stopping=True, **SETTINGS).fit(X, y)
        add(f"{name} | one model of the best recipe", single.predict_dist(new), truth)
        for way, dist in ways(model, X, y, new, truth):
            add(f"{name} | bag, {way}", dist, truth)
    print("| | NLL | RMSE | CRPS | in 50% | in 90% |\n|---|---|---|---|---|---|")
    for name, values in rows.items():
        print(f"| {name} | {' | '.join(f'{v:.4g}' for v in np.mean(values, axis=0))} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
