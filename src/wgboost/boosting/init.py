"""Where the particles start: the flow of the averaged posterior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from wgboost import _core
from wgboost.directions import Kernel
from wgboost.responses import Response
from wgboost.typing import Array
from wgboost.validation import check_choice, check_integer, check_number

__all__ = ["AveragedFlow", "averaged_flow"]

_SUBSAMPLE = 2000  # rows that stand for all where averages have no sufficient statistics
_STILL = 1e-7


@dataclass(frozen=True)
class AveragedFlow:
    """Start all rows at the particles that a flow without features settles at.

    Attributes
    ----------
    steps, rate : int, float
        So many steps of this size from standard normal draws; fewer when the flow has settled.
    of : "posterior" or "directions"
        The direction of the averaged posterior, mean score over mean curvature (the author's
        code), or the average of the rows' directions (the paper's text; costs a pass over
        a sample of 2,000 rows per step).
    """

    steps: int = 5000
    rate: float = 0.1
    of: Literal["posterior", "directions"] = "posterior"

    def __post_init__(self) -> None:
        check_integer("steps", self.steps, low=0)
        check_number("rate", self.rate, above=0)
        check_choice("of", self.of, ["posterior", "directions"])


def averaged_flow(
    flow: AveragedFlow,
    response: Response,
    y: Array,
    weight: Array | None,
    evidence: Any,
    kernel: Kernel,
    n_particles: int,
    rng: np.random.Generator,
) -> Array:
    """Return start particles (m, d), float64."""
    theta = response.near(y, weight) + rng.standard_normal((n_particles, response.n_params))
    if flow.steps == 0:
        return theta
    statistics = None
    if flow.of == "posterior" and response.has_statistics:
        # A row's likelihood counts by its weight and its evidence.
        power = weight
        if np.ndim(evidence):
            power = evidence if weight is None else weight * evidence
            evidence = float(np.average(evidence, weights=weight))
        statistics = response.statistics(y, power)
    else:
        response, y, weight, evidence = _sampled(response, y, weight, evidence, rng)
    before = theta
    for _ in range(flow.steps):
        if statistics is not None:
            score = response.average_score(theta, statistics, evidence)
            curvature = response.average_curvature(theta, statistics, evidence)
            step = _step(kernel, theta, score, curvature, response, evidence)
        else:
            step = _row_step(kernel, theta, response, y, weight, evidence, flow.of)
        earlier, before, theta = before, theta, theta + flow.rate * step
        # A flow that has settled stands still or swings between two states. It ends between the
        # two: which one comes last is a matter of rounding.
        if np.abs(theta - earlier).max() < _STILL:
            return (theta + before) / 2
    return theta


def _sampled(
    response: Response, y: Array, weight: Array | None, evidence: Any, rng: np.random.Generator
) -> tuple[Response, Array, Array | None, Any]:
    if len(y) <= _SUBSAMPLE:
        return response, y, weight, evidence
    rows = np.sort(rng.choice(len(y), size=_SUBSAMPLE, replace=False))
    evidence = evidence[rows] if np.ndim(evidence) else evidence
    return response.take(rows), y[rows], None if weight is None else weight[rows], evidence


def _step(
    kernel: Kernel, theta: Array, score: Array, curvature: Array, response: Response, evidence: Any
) -> Array:
    """The movement g / c of common particles (m, d)."""
    metric = None
    if kernel.uses_metric:
        metric = response.fisher(theta.mean(axis=0)[None], evidence)
    bandwidth = float(kernel.bandwidths(theta[None], metric)[0])
    scale = np.ones(theta.shape[1]) if metric is None else metric[0]
    return _core.newton_step(theta, score, curvature, scale, bandwidth)


def _row_step(
    kernel: Kernel, theta: Array, response: Response, y: Array, weight: Array | None,
    evidence: Any, of: str,
) -> Array:  # fmt: skip
    """The same from the rows themselves."""
    n = len(y)
    particles = np.broadcast_to(theta, (n, *theta.shape))
    score = response.score(y, particles, evidence)
    curvature = response.curvature(y, particles, evidence)
    power = np.broadcast_to(evidence, n)
    if of == "directions":
        steps = [_step(kernel, theta, score[i], curvature[i], response, power[i]) for i in range(n)]
        averaged: Array = np.average(steps, axis=0, weights=weight)
        return averaged
    score = np.average(score, axis=0, weights=weight)
    curvature = np.average(curvature, axis=0, weights=weight)
    return _step(kernel, theta, score, curvature, response, np.average(power, weights=weight))
