"""Derivatives of a log density that is written with jax.numpy: compiled over rows and particles."""

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

    The function "likelihood" returns its values (n, m) alone.
    """
    import jax

    basis = np.eye(n_params, dtype=np.float32)
    gradient = jax.grad(function)

    def curvature(theta: Any, y: Any) -> Any:
        score, along = jax.linearize(lambda t: gradient(t, y), theta)
        curvatures = [-along(basis[j])[j] for j in range(n_params)]
        return score, jax.numpy.stack(curvatures)

    functions = {
        "score": lambda t, y: (gradient(t, y), 0.0),
        "curvature": curvature,
        "hessian": lambda t, y: (gradient(t, y), jax.jacfwd(gradient)(t, y)),
        "log_density": lambda t, y: jax.value_and_grad(function)(t, y)[::-1],
        "likelihood": likelihood,
    }
    over_particles = {k: jax.vmap(f, (0, None)) for k, f in functions.items() if f is not None}
    return {name: jax.jit(jax.vmap(f)) for name, f in over_particles.items()}


def returned(function: Callable[..., Any], theta: Array, y: Array) -> Any:
    """Return the value of the function at one particle (d,) and the y of one row.

    JAX clips the index in theta[5] of two coordinates; here it is an IndexError.
    """
    import jax
    from jax.experimental import checkify

    traced = checkify.checkify(function, errors=checkify.index_checks)
    outside, value = jax.jit(traced)(theta, y)
    message = outside.get()
    if message is not None and f"array of shape {theta.shape}:" in message:
        raise IndexError(message.partition(": ")[2].strip(" ."))
    return value
