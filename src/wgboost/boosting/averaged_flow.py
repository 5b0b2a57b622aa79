"""Start particles from the flow of the averaged posterior."""

from __future__ import annotations

from dataclasses import dataclass
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

_SUBSAMPLE = 1000  # rows that stand for all where averages have no sufficient statistics
_STILL = 1e-7
_STILL_ENOUGH, _ROW_STEPS = 1e-5, 1000  # for these: a step costs a pass over them
_STILL_OF_BOUNDS, _ROUGHLY = 2e-4, 1e-2  # where that pass is dear; before it
_CONDENSED = 256  # values of y that stand for all of them
_BOUNDED = 64  # the same of rows with bounds, whose likelihood costs many times that of a value


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
    """Return the start particles.

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
        if response.statistics_are_values:
            still, steps = _STILL_ENOUGH, min(steps, _ROW_STEPS)
    else:
        common = not response.per_row() and not np.ndim(evidence)
        if common and isinstance(y, Observations):
            y, weight = _condensed_bounds(y, weight)
            theta = _near_the_middles(flow, response, y, weight, evidence, kernel, theta)
        elif common and not isinstance(y, Observations) and y.ndim == 1:
            y, weight = _condensed(y, weight)
        else:
            response, y, weight, evidence = _sampled(response, y, weight, evidence, rng)
        still = _STILL_OF_BOUNDS if isinstance(y, Observations) else _STILL_ENOUGH
        steps = min(steps, _ROW_STEPS)
    theta = _settled(flow, response, y, weight, evidence, kernel, theta, statistics, still, steps)
    if isinstance(y, Observations) and y.truncated:
        # One truncated row says so little that particles drift along what it cannot tell apart.
        centre = theta.mean(axis=0)
        theta += likeliest_centre(MeanStep(response, y, evidence, weight), centre) - centre
    return theta


def _settled(
    flow: AveragedFlow, response: Response, y: Observed, weight: Array | None, evidence: Any,
    kernel: Kernel, theta: Array, statistics: Array | None, still: float, steps: int,
) -> Array:  # fmt: skip
    """Return the particles after so many steps, or once the flow stands still."""
    average = None if statistics is None else response.compiled_average(statistics, evidence)
    if average is not None and kernel.bandwidth != "median":
        bandwidth = float(kernel.bandwidths(theta[None], None)[0])
        return average.settled(
            particles=theta, scaled=kernel.uses_metric, bandwidth=bandwidth, rate=flow.rate,
            still=still, steps=steps,
        )  # fmt: skip
    before = theta
    for _ in range(steps):
        if statistics is not None:
            score = response.average_score(theta, statistics, evidence)
            curvature = response.average_curvature(theta, statistics, evidence)
            step = _step(kernel, theta, score, curvature, response, evidence)
        else:
            step = _row_step(kernel, theta, response, y, weight, evidence, flow.of)
        earlier, before, theta = before, theta, theta + flow.rate * step
        # A flow that has settled stands still or swings between two states. It ends between the
        # two: which one comes last is a matter of rounding.
        if np.abs(theta - earlier).max() < still:
            return (theta + before) / 2
    return theta


def _condensed(y: Any, weight: Array | None) -> tuple[Array, Array | None]:
    """Return a few values and weights with all but the same distribution as y."""
    share = np.ones(len(y)) if weight is None else weight
    values, inverse = np.unique(y, return_inverse=True)
    mass = np.bincount(inverse, weights=share)
    if len(values) <= _CONDENSED:
        return values, mass
    reached = (np.cumsum(mass) - mass / 2) / mass.sum()
    levels = (np.arange(_CONDENSED) + 0.5) / _CONDENSED
    return np.interp(levels, reached, values), None


def _condensed_bounds(y: Observations, weight: Array | None) -> tuple[Observations, Array]:
    """Return a few rows and weights with all but the same distribution of what is known.

    Values and bounds each: equal rows as one, then rows in even steps of weight along their order.
    """
    share = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    parts = (y.lower, y.upper, y.above, y.below, y.offset, y.noise)
    table = np.stack([part for part in parts if part is not None], axis=1)
    _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    mass, exact = np.bincount(which.ravel(), weights=share), y.exact[first]
    rows, shares = [], []
    for some, most in ((exact, _CONDENSED), (~exact, _BOUNDED)):
        index, own = first[some], mass[some]
        if len(index) > most and own.sum() > 0:
            reached = (np.cumsum(own) - own / 2) / own.sum()
            picked = np.searchsorted(reached, (np.arange(most) + 0.5) / most)
            index = index[np.minimum(picked, len(index) - 1)]
            own = np.full(most, own.sum() / most)
        rows.append(index)
        shares.append(own)
    return y[np.concatenate(rows)], np.concatenate(shares)


def _near_the_middles(
    flow: AveragedFlow, response: Response, y: Observations, weight: Array, evidence: Any,
    kernel: Kernel, theta: Array,
) -> Array:  # fmt: skip
    """Return where the flow settles if the middle of its bounds were known of every row."""
    value = y.value
    useful = response.in_support(value) & (weight > 0)
    if not useful.any() or response.discrete:
        return theta
    known = value[useful], weight[useful]
    return _settled(
        flow, response, *known, evidence, kernel, theta, None, _ROUGHLY, min(flow.steps, _ROW_STEPS)
    )


def _sampled(
    response: Response, y: Observed, weight: Array | None, evidence: Any, rng: np.random.Generator
) -> tuple[Response, Observed, Array | None, Any]:
    size = _CONDENSED if isinstance(y, Observations) else _SUBSAMPLE
    if len(y) <= size:
        return response, y, weight, evidence
    rows = np.sort(rng.choice(len(y), size=size, replace=False))
    evidence = evidence[rows] if np.ndim(evidence) else evidence
    return response.take(rows), y[rows], None if weight is None else weight[rows], evidence


def _step(
    kernel: Kernel, theta: Array, score: Array, curvature: Array, response: Response, evidence: Any,
    metric: Array | None = None,
) -> Array:  # fmt: skip
    """The movement g / c of common particles (m, d); the metric (1, d) is that of a known y."""
    if kernel.uses_metric and metric is None:
        metric = response.fisher(theta.mean(axis=0)[None], evidence)
    bandwidth = float(kernel.bandwidths(theta[None], metric)[0])
    scale = np.ones(theta.shape[1]) if metric is None else metric[0]
    return _core.newton_step(
        particles=theta, score=score, curvature=curvature, metric=scale, bandwidth=bandwidth
    )


def _row_step(
    kernel: Kernel, theta: Array, response: Response, y: Observed, weight: Array | None,
    evidence: Any, of: str,
) -> Array:  # fmt: skip
    """The same from the rows themselves."""
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
    # What does not depend on the row is computed once.
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
