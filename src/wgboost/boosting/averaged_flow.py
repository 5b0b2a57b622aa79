"""Start particles from the flow of the averaged posterior."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from wgboost import _core
from wgboost.boosting.mean_step import MeanStep, likeliest_centre
from wgboost.directions import Kernel
from wgboost.responses import Response
from wgboost.responses.observations import Observations, Observed
from wgboost.typing import Array
from wgboost.validation import check_choice, check_integer, check_number

__all__ = ["AveragedFlow", "averaged_flow"]

_SUBSAMPLE = 1000  # rows of a sample, where averages have no sufficient statistics
_STILL = 1e-7  # largest movement of a flow that has settled
_STILL_OF_ROWS, _ROW_STEPS = 1e-5, 1000  # where a step costs a pass over rows
_STILL_OF_BOUNDS, _STILL_ROUGHLY = 2e-4, 1e-2  # where that pass is expensive; before it
_CONDENSED = 256  # values that represent y
_BOUNDED = 64  # rows that represent rows with bounds, whose likelihood is more expensive


@dataclass(frozen=True)
class AveragedFlow:
    """Start all rows at the particles where a flow without features settles.

    Parameters
    ----------
    steps : int, default=5000
        Largest number of steps from standard normal draws. The flow ends when it has settled, and
        after 1,000 steps for counts and for responses without sufficient statistics.
    rate : float, default=0.1
        Size of a step.
    of : {"posterior", "directions"}, default="posterior"
        "posterior" follows the averaged posterior, mean score over mean curvature, as the author's
        code does. "directions" follows the average of the rows' directions, as the paper's text
        says; it costs a pass over a sample of 1,000 rows per step.

    Examples
    --------
    >>> from wgboost.boosting import AveragedFlow
    >>> AveragedFlow(steps=100).rate
    0.1
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
    y: Observed,
    weight: Array | None,
    evidence: Any,
    kernel: Kernel,
    n_particles: int,
    rng: np.random.Generator,
) -> Array:
    """Compute the start particles.

    Parameters
    ----------
    flow : AveragedFlow
        Settings of the flow.
    response : Response
        The response, with its prior.
    y : array (n,), (n, q) or Observations
        Standardised outcomes.
    weight : array (n,) or None
        Sample weights.
    evidence : float or array (n,)
        Power of the likelihood.
    kernel : Kernel
        Kernel of the repulsion.
    n_particles : int
        Number of particles m.
    rng : numpy.random.Generator
        Source of the first particles.

    Returns
    -------
    array (m, d)
        Particles in float64.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.boosting import AveragedFlow
    >>> from wgboost.boosting.averaged_flow import averaged_flow
    >>> from wgboost.directions import Kernel
    >>> from wgboost.responses import Normal
    >>> rng = np.random.default_rng(0)
    >>> y = rng.standard_normal(50)
    >>> averaged_flow(AveragedFlow(), Normal(), y, None, 1.0, Kernel(), 4, rng).shape
    (4, 2)
    """
    value = y.value if isinstance(y, Observations) else y
    theta = response.initial_theta(value, weight) + rng.standard_normal(
        (n_particles, response.n_params)
    )
    if flow.steps == 0:
        return theta
    statistics, still, steps = None, _STILL, flow.steps
    if flow.of == "posterior" and response.has_statistics and not isinstance(y, Observations):
        # A row's likelihood counts by its weight and its evidence.
        power = weight
        if np.ndim(evidence):
            power = evidence if weight is None else weight * evidence
            evidence = float(np.average(evidence, weights=weight))
        statistics = response.statistics(y, power)
        rows = _RowData(response, y, weight, evidence)
        if response.statistics_are_values:
            still, steps = _STILL_OF_ROWS, min(steps, _ROW_STEPS)
    else:
        rows = _RowData(response, y, weight, evidence)
        common = not response.per_row() and not np.ndim(evidence)
        if common and isinstance(y, Observations):
            rows = _condensed_bounds(rows, y)
            theta = _settled_at_middles(flow, rows, kernel, theta)
        elif common and not isinstance(y, Observations) and y.ndim == 1:
            rows = _condensed(rows)
        else:
            rows = _sampled(rows, rng)
        still = _STILL_OF_BOUNDS if isinstance(y, Observations) else _STILL_OF_ROWS
        steps = min(steps, _ROW_STEPS)
    theta = _settled(replace(flow, steps=steps), rows, kernel, theta, statistics, still)
    if isinstance(rows.y, Observations) and rows.y.truncated:
        # A single truncated row says little, so that particles drift along a ridge.
        centre = theta.mean(axis=0)
        step = MeanStep(rows.response, rows.y, rows.evidence, rows.weight)
        theta += likeliest_centre(step, centre) - centre
    return theta


@dataclass(frozen=True, eq=False)
class _RowData:
    """The rows whose posteriors are averaged."""

    response: Response
    y: Observed
    weight: Array | None
    evidence: Any


def _settled(
    flow: AveragedFlow, rows: _RowData, kernel: Kernel, theta: Array, statistics: Array | None,
    still: float,
) -> Array:  # fmt: skip
    """Return the particles after all steps, or when none moves by more than `still`."""
    response, evidence = rows.response, rows.evidence
    average = None if statistics is None else response.compiled_average(statistics, evidence)
    if average is not None and kernel.bandwidth != "median":
        bandwidth = float(kernel.bandwidths(theta[None], None)[0])
        return average.settled(
            particles=theta, scaled=kernel.uses_metric, bandwidth=bandwidth, rate=flow.rate,
            still=still, steps=flow.steps,
        )  # fmt: skip
    before = theta
    for _ in range(flow.steps):
        if statistics is not None:
            score = response.average_score(theta, statistics, evidence)
            curvature = response.average_curvature(theta, statistics, evidence)
            step = _step(kernel, theta, score, curvature, response, evidence)
        else:
            step = _row_step(kernel, theta, rows, flow.of)
        earlier, before, theta = before, theta, theta + flow.rate * step
        # A flow that has settled stands still or alternates between two states. Which state comes
        # last depends on rounding, so it ends at their midpoint.
        if np.abs(theta - earlier).max() < still:
            return (theta + before) / 2
    return theta


def _condensed(rows: _RowData) -> _RowData:
    """Return few values and weights with nearly the same distribution as y."""
    y: Any = rows.y
    share = np.ones(len(y)) if rows.weight is None else rows.weight
    values, inverse = np.unique(y, return_inverse=True)
    mass = np.bincount(inverse, weights=share)
    if len(values) <= _CONDENSED:
        return replace(rows, y=values, weight=mass)
    reached = (np.cumsum(mass) - mass / 2) / mass.sum()
    levels = (np.arange(_CONDENSED) + 0.5) / _CONDENSED
    return replace(rows, y=np.interp(levels, reached, values), weight=None)


def _condensed_bounds(rows: _RowData, y: Observations) -> _RowData:
    """Return few rows and weights with nearly the same distribution of values and of bounds.

    Equal rows are merged. Then rows are picked in even steps of weight along their order, for
    values and for bounds separately.
    """
    share = np.ones(len(y)) if rows.weight is None else np.asarray(rows.weight, dtype=np.float64)
    parts = (y.lower, y.upper, y.above, y.below, y.offset, y.noise)
    table = np.stack([part for part in parts if part is not None], axis=1)
    _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    mass, exact = np.bincount(which.ravel(), weights=share), y.exact[first]
    indices, shares = [], []
    for some, most in ((exact, _CONDENSED), (~exact, _BOUNDED)):
        index, own = first[some], mass[some]
        if len(index) > most and own.sum() > 0:
            reached = (np.cumsum(own) - own / 2) / own.sum()
            picked = np.searchsorted(reached, (np.arange(most) + 0.5) / most)
            index = index[np.minimum(picked, len(index) - 1)]
            own = np.full(most, own.sum() / most)
        indices.append(index)
        shares.append(own)
    return replace(rows, y=y[np.concatenate(indices)], weight=np.concatenate(shares))


def _settled_at_middles(flow: AveragedFlow, rows: _RowData, kernel: Kernel, theta: Array) -> Array:
    """Return where the flow settles if the y of every row were the middle of its bounds."""
    y: Any = rows.y
    weight: Any = rows.weight
    useful = rows.response.in_support(y.value) & (weight > 0)
    if not useful.any() or rows.response.discrete:
        return theta
    rows = replace(rows, y=y.value[useful], weight=weight[useful])
    flow = replace(flow, steps=min(flow.steps, _ROW_STEPS))
    return _settled(flow, rows, kernel, theta, None, _STILL_ROUGHLY)


def _sampled(rows: _RowData, rng: np.random.Generator) -> _RowData:
    """Return a sample of many rows."""
    y, weight, evidence = rows.y, rows.weight, rows.evidence
    size = _CONDENSED if isinstance(y, Observations) else _SUBSAMPLE
    if len(y) <= size:
        return rows
    index = np.sort(rng.choice(len(y), size=size, replace=False))
    return _RowData(
        rows.response.take(index), y[index], None if weight is None else weight[index],
        evidence[index] if np.ndim(evidence) else evidence,
    )  # fmt: skip


def _step(
    kernel: Kernel, theta: Array, score: Array, curvature: Array, response: Response, evidence: Any,
    metric: Array | None = None,
) -> Array:  # fmt: skip
    """Return the movement g / c of common particles (m, d); the metric is (1, d)."""
    if kernel.uses_metric and metric is None:
        metric = response.fisher(theta.mean(axis=0)[None], evidence)
    bandwidth = float(kernel.bandwidths(theta[None], metric)[0])
    scale = np.ones(theta.shape[1]) if metric is None else metric[0]
    return _core.newton_step(
        particles=theta, score=score, curvature=curvature, metric=scale, bandwidth=bandwidth
    )


def _row_step(kernel: Kernel, theta: Array, rows: _RowData, of: str) -> Array:
    """Return the movement of common particles (m, d) from the rows themselves."""
    response, weight, evidence = rows.response, rows.weight, rows.evidence
    y: Any = rows.y
    n = len(y)
    power = np.broadcast_to(evidence, n)
    share = np.full(n, 1.0 / n) if weight is None else weight / weight.sum()
    mean_power = share @ power
    if of == "directions" or isinstance(y, Observations):
        particles = np.broadcast_to(theta, (n, *theta.shape))
        score = response.score(y, particles, evidence)
        curvature = response.curvature(y, particles, evidence)
        metrics: Array | None = None  # (n, 1, d), where errors of y are known
        if kernel.uses_metric and isinstance(y, Observations) and y.noise is not None:
            metrics = response.fisher(particles.mean(axis=1), evidence, y)[:, None]
        if of != "directions":
            mean_score, mean_curvature = (np.tensordot(share, p, 1) for p in (score, curvature))
            metric = None if metrics is None else np.tensordot(share, metrics, 1)
            return _step(kernel, theta, mean_score, mean_curvature, response, mean_power, metric)
        each = [None] * n if metrics is None else metrics
        steps = [
            _step(kernel, theta, score[i], curvature[i], response, power[i], each[i])
            for i in range(n)
        ]
        averaged: Array = np.tensordot(share, steps, 1)
        return averaged
    # Parts that do not depend on the row are computed once.
    common = theta[None] if not response.per_row() else np.broadcast_to(theta, (n, *theta.shape))
    score, curvature = (
        np.average(part, axis=0, weights=share if len(part) > 1 else None)
        for part in (response.prior_score(common), response.prior_curvature(common))
    )
    with np.errstate(over="ignore"):
        score += np.tensordot(share * power, response.likelihood_score(y[:, None], theta[None]), 1)
        if response.curvature_kind == "fisher":
            curvature += mean_power * response.likelihood_fisher(theta)
        else:
            each = response.likelihood_curvature(y[:, None], theta[None])
            curvature += np.tensordot(share * power, each, 1)
    return _step(kernel, theta, score, curvature, response, mean_power)
