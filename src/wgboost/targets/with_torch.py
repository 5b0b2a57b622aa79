"""Derivatives of a log density that is written with PyTorch: vectorised over rows and particles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["compiled", "returned"]


def compiled(
    function: Callable[..., Any], likelihood: Callable[..., Any] | None, n_params: int
) -> dict[str, Callable[[Array, Array], Any]]:
    """Return functions of (particles (n, m, d), y (n, ...)) by what they return with the score.

    The function "likelihood" returns its values (n, m) alone. Rows and particles do not mix: the
    gradient of a sum over all of them holds the gradient at each.
    """
    import torch

    def everywhere(function: Callable[..., Any]) -> Any:
        return torch.func.vmap(torch.func.vmap(function, (0, None)))

    def slope(values: Any, at: Any) -> Any:
        """Return the gradient of values at each particle; zero where they do not depend on it."""
        if not values.requires_grad:
            return torch.zeros_like(at)
        (found,) = torch.autograd.grad(values.sum(), at, create_graph=True, materialize_grads=True)
        return found

    log_density = everywhere(function)

    def evaluated(name: str, particles: Array, y: Array) -> tuple[Array, Array | None]:
        with torch.enable_grad():
            theta = torch.tensor(particles, requires_grad=True)
            values = log_density(theta, torch.tensor(y))
            score = slope(values, theta)
            second = values if name == "log_density" else None
            if name in ("curvature", "hessian"):
                lines = [slope(score[..., j], theta) for j in range(n_params)]
                second = torch.stack(lines, dim=-2)
                if name == "curvature":
                    second = -torch.diagonal(second, dim1=-2, dim2=-1)
        return _array(score), None if second is None else _array(second)

    def named(name: str) -> Callable[[Array, Array], Any]:
        return lambda particles, y: evaluated(name, particles, y)

    functions = {name: named(name) for name in ("score", "curvature", "hessian", "log_density")}
    if likelihood is not None:
        logs = everywhere(likelihood)
        functions["likelihood"] = lambda t, y: _array(logs(torch.tensor(t), torch.tensor(y)))
    return functions


def returned(function: Callable[..., Any], theta: Array, y: Array) -> Any:
    """Return the value of the function at one particle (d,) and the y of one row.

    It is called through vmap, which does not support all of PyTorch.
    """
    import torch

    return torch.func.vmap(function, (0, None))(torch.tensor(theta[None]), torch.tensor(y))[0]


def _array(tensor: Any) -> Array:
    return np.asarray(tensor.detach().numpy())
