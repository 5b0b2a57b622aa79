"""Section 4.1: conditional densities of two small sets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from paper.data import Source
from paper.drawing import plt, save
from paper.faithful import normal_posterior
from paper.plain import averaged_start, nll
from wgboost import DiagonalNewton, Kernel, TreeLearner, WGBoost, WGBRegressor, metrics

Array = np.ndarray

__all__ = ["PICTURES", "Picture", "draw", "estimate", "predictive"]

SETTINGS: dict[str, Any] = {
    "max_depth": 1, "learning_rate": 0.1, "n_estimators": 500, "n_particles": 10,
    "direction": DiagonalNewton(Kernel("gaussian", 0.1)), "learner": TreeLearner(split_on="sum"),
    "n_jobs": 1, "random_state": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """What is shown of a set."""

    title: str
    xlabel: str
    ylabel: str
    at: tuple[float, ...]  # where densities are drawn
    width: float  # of the highest density drawn, in units of x


PICTURES = {
    "bone": Picture("bone mineral density", "age", "relative change", (12.5, 18.0, 22.0), 3.2),
    "geyser": Picture(
        "Old Faithful", "waiting (minutes)", "eruption (minutes)", (55.5, 70.5, 84.5), 9.0
    ),
}


def estimate(x: Array, y: Array) -> WGBoost:
    """Particles of (mean, log scale) as functions of x.

    As in the author's program y is not standardised here, which `WGBRegressor` always does: the
    general estimator takes the posterior of y as it is, and starts where its average settles.
    """
    return WGBoost(normal_posterior(), init=averaged_start(y), **SETTINGS).fit(x[:, None], y)


def predictive(particles: Array, y: Array) -> Array:
    """Density (n, len(y)) of the mixtures over particles (n, m, 2) at common values y."""
    mean, scale = particles[..., 0, None], np.exp(particles[..., 1, None].astype(np.float64))
    z = (y - mean) / scale
    density: Array = (np.exp(-0.5 * z * z) / (np.sqrt(2 * np.pi) * scale)).mean(axis=1)
    return density


def draw(name: str, source: Source, folder: Path) -> dict[str, float]:
    """Write both pictures of a set; return the NLL of its rows without and with standardised y."""
    picture = PICTURES[name]
    x, y = source.bone() if name == "bone" else source.geyser()
    model = estimate(x, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
    for axes in (left, right):
        axes.scatter(x, y, s=8, color="0.6", lw=0)
        axes.set(xlabel=picture.xlabel)
    left.set(ylabel=picture.ylabel, title=f"{picture.title}: particles of the mean")
    grid = np.linspace(x.min(), x.max(), 300)
    left.plot(grid, model.predict_particles(grid[:, None])[..., 0], color="tab:red", lw=1)
    at = np.array(picture.at)
    room = 0.15 * np.ptp(y)
    levels = np.linspace(y.min() - room, y.max() + room, 400)
    density = predictive(model.predict_particles(at[:, None]), levels)
    for where, values in zip(at, density, strict=True):
        right.axvline(where, color="0.4", lw=0.8, ls="--")
        right.plot(where + picture.width * values / density.max(), levels, color="tab:red")
    right.set_title("predictive density at three inputs")
    save(figure, folder / f"density_{name}.png")
    usual = WGBRegressor(**SETTINGS).fit(x[:, None], y)
    return {
        "raw": nll(model.predict_particles(x[:, None]), y),
        "standardised": metrics.nll(usual.predict_dist(x[:, None]), y),
    }
