"""Examples of responses with several columns of y."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from scipy import stats

from response_examples import Example
from wgboost.responses import MultivariateNormal


def unit_triangle(slopes, q, xp):
    """I minus the slopes, which come by row: what residuals are multiplied by."""
    rows = [xp.zeros(q)]
    for i in range(1, q):
        start = i * (i - 1) // 2
        rows.append(xp.concatenate([slopes[start : start + i], xp.zeros(q - i)]))
    return xp.eye(q) - xp.stack(rows)


def multivariate_normal(rng):
    q = 3
    theta = rng.normal(0, 0.6, (6, 4, 9))
    per_row = {
        "prior_mean": rng.normal(size=6),
        "prior_scale": rng.uniform(0.5, 3, 6),
        "prior_shape": rng.uniform(0.5, 3, 6),
        "prior_rate": rng.uniform(0.5, 3, 6),
        "prior_slope_scale": rng.uniform(0.5, 3, 6),
    }

    def frozen(t):
        inverse = np.linalg.inv(unit_triangle(t[2 * q :], q, np))
        return stats.multivariate_normal(
            t[:q], inverse @ np.diag(np.exp(2 * t[q : 2 * q])) @ inverse.T
        )

    def log_density(y, t):
        # From the precision matrix and its determinant, not from the chain.
        triangle = unit_triangle(t[2 * q :], q, jnp)
        precision = triangle.T @ jnp.diag(jnp.exp(-2 * t[q : 2 * q])) @ triangle
        square = (y - t[:q]) @ precision @ (y - t[:q])
        return 0.5 * (jnp.linalg.slogdet(precision)[1] - square - q * jnp.log(2 * jnp.pi))

    response = MultivariateNormal(n_dims=q)
    return Example(response, rng.normal(size=(6, q)), theta, per_row, frozen, log_density)


EXAMPLES = {"multivariate_normal": multivariate_normal}
