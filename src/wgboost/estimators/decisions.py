"""The Bayes action: what to do when the parameters are known only as particles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import nearest_name

__all__ = ["bayes_action", "least_risk"]

_GRID = 65
_WIDER = 12  # times the range of actions is tripled
_GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


class _Named(dict[str, Array]):
    """Parameters by name; a name that there is not is answered with the nearest."""

    def __missing__(self, name: Any) -> Array:
        names = ", ".join(map(repr, self))
        raise ValueError(f"theta has no {name!r}; it has {names}{nearest_name(name, self)}")


def bayes_action(
    dist: Mixture, loss: Any = None, actions: Any = None, *, utility: Any = None,
    return_risks: bool = False,
) -> Any:  # fmt: skip
    """Return the action of least mean loss for each row.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions; their particles stand for the parameters theta.
    loss : callable
        loss(action, theta) -> (n, m). `theta` maps parameter names to arrays (n, m) in the user's
        units (for classes "probability_0", "probability_1", ...); `action` is a number or (n, 1).
    actions : array (a,), optional
        The actions to choose from. Without, the least risk is sought over the real line, in the
        range that the predictive distribution covers: a grid, then golden sections.
    utility : callable, optional
        Instead of a loss: its mean is maximised.
    return_risks : bool
        Return the risks (n, a) of all actions, or (n,) of the chosen ones without `actions`, too.
    """
    (n, m), weights = dist.particles.shape[:2], dist.weights
    weights = np.full((n, m), 1.0 / m) if weights is None else weights

    def span() -> tuple[Array, Array]:
        if dist.response.nominal:
            raise ValueError("classes have no continuum of actions; give actions")
        return dist.interval(1 - 1e-6)

    return least_risk(
        _Named(dist.params()), weights, span, loss, actions, utility=utility,
        return_risks=return_risks,
    )  # fmt: skip


def least_risk(
    theta: Any, weights: Array, span: Callable[[], tuple[Array, Array]], loss: Any = None,
    actions: Any = None, *, utility: Any = None, return_risks: bool = False,
) -> Any:  # fmt: skip
    """Return the action of least mean loss over parameters theta with weights (n, m).

    `span` returns the two ends (n,) of the range to look for it first. See `bayes_action`.
    """
    if (loss is None) == (utility is None):
        raise ValueError("give a loss to minimise or a utility to maximise, one of the two")
    given = utility if loss is None else loss
    if not callable(given):
        raise TypeError(f"{given!r} must be a function of (action, theta)")
    n, m = weights.shape

    def risk(action: Any) -> Array:
        values = loss(action, theta) if utility is None else -np.asarray(utility(action, theta))
        values = np.asarray(values, dtype=np.float64)
        if values.shape != (n, m):
            raise ValueError(
                f"the loss returned shape {values.shape}; one value for each row and particle, "
                f"({n}, {m}), is needed"
            )
        if np.isnan(values).any():
            raise ValueError("the loss returned nan; every action needs a loss to be compared by")
        mean: Array = np.sum(weights * values, axis=1)
        return mean

    if actions is not None:
        actions = np.asarray(actions)
        if actions.ndim != 1 or actions.size == 0:
            raise ValueError(f"actions have shape {actions.shape}; a list of one or more is needed")
        risks = np.stack([risk(action) for action in actions], axis=1)
        chosen = actions[risks.argmin(axis=1)]
    else:
        chosen, risks = _over_the_line(span, risk)
    if not return_risks:
        return chosen
    return chosen, risks if utility is None else -risks


def _over_the_line(
    span: Callable[[], tuple[Array, Array]], risk: Callable[[Any], Array]
) -> tuple[Array, Array]:
    """The best point of a grid, refined between its neighbours."""
    low, high = span()
    for _ in range(_WIDER):
        step = (high - low) / (_GRID - 1)
        grid = np.stack([risk((low + i * step)[:, None]) for i in range(_GRID)], axis=1)
        best = grid.argmin(axis=1)
        at_end = (best == 0) | (best == _GRID - 1)
        at_end &= grid.min(axis=1) < grid.max(axis=1)  # a flat loss has no better side
        if not at_end.any():
            break
        width = high - low
        low = np.where(best == 0, low - 2 * width, low)
        high = np.where(best == _GRID - 1, high + 2 * width, high)
    else:
        row = int(np.argmax(at_end))
        end = low[row] if best[row] == 0 else high[row]
        raise ValueError(
            f"the loss of row {row} still falls at action {end:g}; bound it, or give actions"
        )
    centre = low + best * step
    a, b = centre - step, centre + step
    for _ in range(60):
        left, right = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
        lower = risk(left[:, None]) <= risk(right[:, None])
        a, b = np.where(lower, a, left), np.where(lower, right, b)
    chosen = (a + b) / 2
    return chosen, risk(chosen[:, None])
