"""Bayes actions: decisions of least expected loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost.predictive import Mixture
from wgboost.predictive.cost_matrix import expected_costs
from wgboost.predictive.discretization import discretize
from wgboost.predictive.golden_section import minimize_bracketed, minimum_of_grid
from wgboost.typing import Array
from wgboost.validation import check_choice, nearest_name

__all__ = ["bayes_action", "minimize_risk", "risk_over_particles"]

_GRID = np.linspace(0.0, 1.0, 65)
_LEVELS = np.array([0.005, 0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95, 0.995])
_EXTENSIONS = 12  # of the range of actions, which each triple it
_SEEDS = 64

_Risk = Callable[[Any], Array]  # maps an action to the mean loss of each row, (n,)


def _not_a_number(*_: Any, **__: Any) -> Any:
    raise TypeError(
        "theta has parameters by name, such as theta['mean']; for a loss of (action, y) give "
        'over="y"'
    )


class _Named(dict[str, Array]):
    """Parameters by name; the error for an unknown name suggests the nearest."""

    def __missing__(self, name: Any) -> Array:
        names = ", ".join(map(repr, self))
        raise ValueError(f"theta has no {name!r}; it has {names}{nearest_name(name, self)}")

    __array_ufunc__ = __array__ = _not_a_number
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _not_a_number
    __rtruediv__ = __neg__ = __abs__ = __pow__ = _not_a_number
    __lt__ = __le__ = __gt__ = __ge__ = _not_a_number


def bayes_action(
    dist: Mixture, loss: Any = None, actions: Any = None, *, utility: Any = None,
    over: str = "theta", return_risks: bool = False,
) -> Any:  # fmt: skip
    """Find the action of least mean loss for each row.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    loss : callable or array-like of shape (k, a)
        With over="theta" a function loss(action, theta) -> (n, m). `theta` maps parameter names to
        arrays (n, m) in the user's units (for classes "probability_0", "probability_1", ...), one
        value for each particle. With over="y" a function loss(action, y) -> (n, g) of possible
        values y (n, g); classes are labels. `action` is one of the actions, or (n, 1). Values that
        belong to rows have to be (n, 1) too. A number is a constant loss.

        For classes it may be a matrix: loss[i, j] is the cost of action j when the class is i, in
        the order of `classes_`, or a data frame with classes as its index and actions as its
        columns.
    actions : array-like of shape (a,), optional
        The actions to choose from. By default they are the columns of a frame, the classes for a
        matrix or a loss of classes, or else all real numbers: the risk is minimised on a grid that
        has the medians of the particles and quantiles of y and extends as long as the risk falls,
        and then by golden-section search. No point of the grid is better than the result.
    utility : callable or array-like, optional
        A utility instead of a loss; its mean is maximised.
    over : {"theta", "y"}, default="theta"
        Whether the loss is a function of the action and the parameters of the particles, or of the
        action and y. The mean is taken over the same.
    return_risks : bool, default=False
        Whether to return the risks too.

    Returns
    -------
    actions : ndarray of shape (n,)
        The best action of each row.
    risks : ndarray of shape (n, a) or (n,)
        Mean losses or utilities of all actions, or of the chosen ones without `actions`. Only
        returned if `return_risks`.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import Mixture, Normal
    >>> from wgboost.predictive.decisions import bayes_action
    >>> demand = Mixture(Normal(), [[[100.0, 2.0], [110.0, 2.0]]])
    >>> def profit(order, demand):
    ...     return 5 * np.minimum(order, demand) - 2 * order
    >>> order = bayes_action(demand, utility=profit, over="y")
    >>> bool(abs(order - demand.ppf(1 - 2 / 5)) < 1e-3)
    True
    """
    if (loss is None) == (utility is None):
        raise ValueError("give either a loss to minimise or a utility to maximise")
    given, sign = (loss, 1.0) if utility is None else (utility, -1.0)
    check_choice("over", over, ["theta", "y"])
    if not callable(given):
        actions, costs = expected_costs(dist, given, actions)
        best = actions[(sign * costs).argmin(axis=1)]
        return (best, costs) if return_risks else best
    if over == "y":
        risk = _risk_over_outcomes(dist, given, sign)
        if actions is None and dist.response.nominal:
            actions = dist.classes
    else:
        n, m = dist.particles.shape[:2]
        weights = np.full((n, m), 1.0 / m) if dist.weights is None else dist.weights
        risk = risk_over_particles(_Named(dist.params()), weights, given, sign)

    def search() -> tuple[Array, Array, Array]:
        if dist.response.nominal:
            raise ValueError("give actions: for classes there is no range of actions to search")
        medians = np.sort(dist.particle_median(), axis=1)
        some = np.linspace(0, medians.shape[1] - 1, min(_SEEDS, medians.shape[1]))
        quantiles = dist.ppf(_LEVELS[None])
        return *dist.interval(1 - 1e-6), np.hstack(
            [medians[:, some.round().astype(int)], quantiles]
        )

    chosen, risks = minimize_risk(risk, search, actions)
    return (chosen, sign * risks) if return_risks else chosen


def risk_over_particles(theta: Any, weights: Array, loss: Any, sign: float = 1.0) -> _Risk:
    """Return the mean of a loss of (action, theta) over particles with weights (n, m)."""
    if not callable(loss):
        raise TypeError(f"{loss!r} must be a function of (action, theta)")

    def risk(action: Any) -> Array:
        values = _checked(loss(action, theta), weights.shape, "each row and particle")
        mean: Array = np.sum(weights * values, axis=1)
        return sign * mean

    return risk


def _risk_over_outcomes(dist: Mixture, loss: Any, sign: float) -> _Risk:
    """Return the mean of a loss of (action, y) over the predictive distributions."""
    if dist.response.y_shape:
        raise ValueError("a loss of y is for one column: bayes_action(dist.marginal(j), ...)")
    every, n = discretize(dist), len(dist)

    known = every.values if dist.classes is None else dist.classes[every.values.astype(int)]

    def risk(action: Any) -> Array:
        mean = every.mean(_checked(loss(action, known), known.shape, "each row and y"))
        if np.asarray(action).dtype.kind not in "iuf" or not np.isfinite(mean).all():
            return sign * mean
        # Most losses have a kink where y equals the action.
        cut = every.cut_at(np.broadcast_to(np.ravel(action), n).astype(np.float64))
        if cut is not None:
            values = _checked(loss(action, cut.values), cut.values.shape, "each row and y")
            mean = mean + cut.mean(values)
        return sign * mean

    return risk


def _checked(values: Any, shape: tuple[int, ...], each: str) -> Array:
    """Return losses (n, g); raise ValueError if the shape is wrong or one is NaN."""
    values = np.asarray(values, dtype=np.float64)
    if values.shape not in ((), (shape[0], 1), shape):
        raise ValueError(
            f"the loss returned shape {values.shape}; one value for {each}, {shape}, is needed"
        )
    if np.isnan(values).any():
        raise ValueError("the loss returned nan; every action needs a number")
    return np.broadcast_to(values, shape)


def minimize_risk(
    risk: _Risk, search: Callable[[], tuple[Array, Array, Array]], actions: Any = None
) -> tuple[Array, Array]:
    """Return the action of least risk for each row, and the risks (n, a), or (n,) of the chosen.

    Without actions, `search` returns the ends (n,) of a range to search, and points (n, s) in it.
    """
    if actions is None:
        return _minimize_on_line(risk, *search())
    actions = np.asarray(actions)
    if actions.ndim != 1 or actions.size == 0:
        raise ValueError(f"actions have shape {actions.shape}; give a list of one or more")
    risks = np.stack([risk(action) for action in actions], axis=1)
    return actions[risks.argmin(axis=1)], risks


def _minimize_on_line(risk: _Risk, low: Array, high: Array, seeds: Array) -> tuple[Array, Array]:
    """Return the best point of a grid, refined between its neighbours, and its risk."""
    seeds = np.where(np.isfinite(seeds), seeds, low[:, None])
    for _ in range(_EXTENSIONS):
        even = low[:, None] + (high - low)[:, None] * _GRID
        grid = np.sort(np.hstack([even, seeds]), axis=1)
        values = np.stack([risk(column[:, None]) for column in grid.T], axis=1)
        best, last = values.argmin(axis=1), grid.shape[1] - 1
        at_end = (best == 0) | (best == last)
        at_end &= values.min(axis=1) < values.max(axis=1)  # a constant loss has no minimum
        if not at_end.any():
            break
        width = high - low
        low = np.where(at_end & (best == 0), low - 2 * width, low)
        high = np.where(at_end & (best == last), high + 2 * width, high)
    else:
        row = int(np.argmax(at_end))
        raise ValueError(
            f"the loss of row {row} still falls at action {grid[row, best[row]]:g}; give a bounded "
            "loss, or actions"
        )
    return minimize_bracketed(lambda action: risk(action[:, None]), *minimum_of_grid(grid, values))
