"""Targets that are known: figure 1, and the four algorithms of the supplement compared."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge

from paper.drawing import plt, save
from wgboost import DiagonalNewton, Kernel, Target, WGBoost
from wgboost.directions import as_direction

Array = np.ndarray

__all__ = [
    "ALGORITHMS", "SCALE", "compare", "compared_in_words", "draw_comparison", "draw_figure1",
    "draw_outputs", "figure1", "squared_mmd",
]  # fmt: skip

KERNEL = Kernel("gaussian", 0.1)
SCALE = 0.5  # of every target N(sin x, 0.5)
ENDS = (-3.5, 3.5)
ALGORITHMS = {
    "smoothed": "smoothed gradient (first-order WEvidential)",
    "diagonal_newton": "diagonal Newton (WEvidential)",
    "full_newton": "full Newton",
    "langevin": "Langevin (LGBoost)",
}


def _grid(n: int) -> Array:
    return np.linspace(*ENDS, n)[:, None]


def _target() -> Target:
    """Normal targets; y is their mean."""
    return Target(
        score=lambda theta, y: -(theta - y[:, None]) / SCALE**2,
        curvature=lambda theta, y: np.full_like(theta, 1 / SCALE**2),  # noqa: ARG005
    )


def figure1(rounds: tuple[int, ...] = (0, 15, 100)) -> dict[int, Array]:
    """Particles (200, 10) after so many rounds of kernel regressors on 10 grid points."""
    X = _grid(10)
    model = WGBoost(
        _target(), n_estimators=max(rounds), learning_rate=0.1,
        direction=DiagonalNewton(KERNEL), learner=KernelRidge(kernel="rbf", gamma=1.0, alpha=0.1),
        init=np.linspace(-SCALE, SCALE, 10)[:, None], n_jobs=1, random_state=0,
    ).fit(X, np.sin(X))  # fmt: skip
    return {r: model.predict_particles(_grid(200), n_rounds=r)[..., 0] for r in rounds}


def squared_mmd(particles: Array, centre: Array, bandwidth: float = 0.025) -> Array:
    """MMD^2 between particles (..., m) and N(centre, 0.5), in closed form."""
    half = bandwidth / 2  # the kernel is a normal density of this variance, but for a factor
    between = np.exp(-np.square(particles[..., :, None] - particles[..., None, :]) / bandwidth)
    total = SCALE**2 + half
    to_target = np.exp(-np.square(particles - centre[..., None]) / (2 * total)) * np.sqrt(
        half / total
    )
    own = np.sqrt(half / (2 * SCALE**2 + half))
    squared: Array = between.mean(axis=(-1, -2)) - 2 * to_target.mean(axis=-1) + own
    return squared


def compare(rounds: int = 100, repeats: int = 5) -> dict[str, dict[str, Any]]:
    """Squared MMD and time of each algorithm by round, and its particles at the end.

    Times are CPU seconds up to a round, of which the least of several repeats counts.
    """
    X, test = _grid(200), _grid(500)
    out: dict[str, dict[str, Any]] = {}
    for direction in ALGORITHMS:
        spent = np.full(rounds, np.inf)
        for _ in range(repeats):
            times: list[float] = []
            model = WGBoost(
                _target(), direction=as_direction(direction, KERNEL), n_estimators=rounds,
                learning_rate=0.1, max_depth=3, init=np.linspace(-10, 10, 10)[:, None], n_jobs=1,
                random_state=1,
            )  # fmt: skip
            begin = time.process_time()
            model.fit(X, np.sin(X), callbacks=[lambda _, t=times: t.append(time.process_time())])
            spent = np.minimum(spent, np.array(times) - begin)
        staged = np.stack([p[..., 0].copy() for p in model.staged_predict_particles(test)])
        error = squared_mmd(staged, np.sin(test[:, 0])).mean(axis=1)
        out[direction] = {"error": error, "seconds": spent, "particles": staged[-1]}
    return out


def compared_in_words(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The figures that the paper's text speaks of."""
    words = {}
    for name, result in found.items():
        error = np.asarray(result["error"])
        reached = np.flatnonzero(error <= 0.05)
        words[name] = {
            "rounds_to_0.05": float(reached[0] + 1) if reached.size else float("inf"),
            "after_25": float(error[24]),
            "after_50": float(error[49]),
            "after_100": float(error[-1]),
            # of the last 40 rounds: how far a round's error is from that of its neighbours
            "jumps": float(np.abs(np.diff(error[-40:], 2)).mean()),
            "ms_a_round": 1e3 * float(np.asarray(result["seconds"])[-1]) / len(error),
        }
    return words


def _band(axes: Any, x: Array) -> None:
    centre = np.sin(x)
    reach = 1.96 * SCALE
    axes.fill_between(x, centre - reach, centre + reach, color="tab:blue", alpha=0.15, lw=0)


def draw_figure1(found: dict[int, Array], folder: Path) -> None:
    """Particles as functions of x, one picture for each number of rounds."""
    x = _grid(200)[:, 0]
    figure, panels = plt.subplots(1, len(found), figsize=(9, 3), sharey=True, layout="constrained")
    for axes, (rounds, particles) in zip(panels, found.items(), strict=True):
        _band(axes, x)
        axes.plot(x, particles, color="tab:red", lw=1)
        at = _grid(10)[:, 0]
        axes.errorbar(
            at, np.sin(at), 1.96 * SCALE, fmt="o", ms=3, color="tab:blue", lw=1, alpha=0.7
        )
        axes.set(title=f"{rounds} rounds", xlabel="x", ylim=(-2.6, 2.6))
    panels[0].set_ylabel("parameter")
    save(figure, folder / "figure1.png")


def draw_comparison(found: dict[str, dict[str, Any]], folder: Path) -> None:
    """Error and time against rounds."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for name, label in ALGORITHMS.items():
        result = found[name]
        rounds = np.arange(1, len(result["error"]) + 1)
        left.plot(rounds, result["error"], label=label)
        right.loglog(rounds[9:], result["seconds"][9:], label=label)
    left.set(xlabel="rounds", ylabel="squared MMD, mean over x", ylim=(0, 0.3))
    left.legend(fontsize=8, loc="upper right")
    right.set(xlabel="rounds", ylabel="CPU seconds")
    right.grid(which="both", alpha=0.2)
    save(figure, folder / "comparison.png")


def draw_outputs(found: dict[str, dict[str, Any]], folder: Path) -> None:
    """Particles of the four algorithms at the end."""
    x = _grid(500)[:, 0]
    figure, panels = plt.subplots(1, 4, figsize=(10, 2.8), sharey=True, layout="constrained")
    for axes, (name, label) in zip(panels, ALGORITHMS.items(), strict=True):
        _band(axes, x)
        axes.plot(x, found[name]["particles"], color="tab:red", lw=0.8)
        axes.set(xlabel="x", ylim=(-3.2, 3.2))
        axes.set_title(label.split(" (")[0], fontsize=10)
    panels[0].set_ylabel("parameter")
    save(figure, folder / "outputs.png")
