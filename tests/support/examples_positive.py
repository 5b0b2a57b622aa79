"""Examples of the responses for positive numbers and for shares."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import betaln, gammaln
from scipy import stats

from response_examples import Example
from wgboost.responses import Beta, Exponential, Gamma, InverseGaussian, Weibull


def per_row(rng, second=None):
    names = ["prior_mean", "prior_scale"]
    if second:
        names += [f"prior_{second}_mean", f"prior_{second}_scale"]
    return {
        name: rng.uniform(0.5, 3, 6) if name.endswith("scale") else rng.normal(size=6)
        for name in names
    }


def thetas(rng, mean):
    return np.stack([rng.normal(0, 0.7, (6, 4)), rng.normal(mean, 0.5, (6, 4))], axis=-1)


def gamma(rng):
    frozen = lambda t: stats.gamma(np.exp(t[1]), scale=np.exp(t[0] - t[1]))  # noqa: E731

    def log_density(y, t):
        shape, rate = jnp.exp(t[1]), jnp.exp(t[1] - t[0])
        return shape * jnp.log(rate) - gammaln(shape) + (shape - 1) * jnp.log(y) - rate * y

    y = rng.gamma(2.0, 0.5, 6)
    priors = per_row(rng, "shape")
    return Example(Gamma(), y, thetas(rng, 0.8), priors, frozen, log_density, tail=1e-60)


def weibull(rng):
    frozen = lambda t: stats.weibull_min(np.exp(t[1]), scale=np.exp(t[0]))  # noqa: E731

    def log_density(y, t):
        scale, shape = jnp.exp(t[0]), jnp.exp(t[1])
        return jnp.log(shape / scale * (y / scale) ** (shape - 1)) - (y / scale) ** shape

    y = rng.weibull(1.5, 6)
    priors = per_row(rng, "shape")
    return Example(Weibull(), y, thetas(rng, 0.5), priors, frozen, log_density, tail=1e-60)


def exponential(rng):
    frozen = lambda t: stats.expon(scale=np.exp(t[0]))  # noqa: E731
    log_density = lambda y, t: -t[0] - y * jnp.exp(-t[0])  # noqa: E731
    y, theta = rng.exponential(size=6), rng.normal(0, 0.7, (6, 4, 1))
    return Example(Exponential(), y, theta, per_row(rng), frozen, log_density)


def inverse_gaussian(rng):
    frozen = lambda t: stats.invgauss(np.exp(t[0] - t[1]), scale=np.exp(t[1]))  # noqa: E731

    def log_density(y, t):
        mean, shape = jnp.exp(t[0]), jnp.exp(t[1])
        return 0.5 * jnp.log(shape / (2 * jnp.pi * y**3)) - shape * (y - mean) ** 2 / (
            2 * mean**2 * y
        )

    y = rng.wald(1.0, 2.0, 6)
    priors = per_row(rng, "shape")
    return Example(InverseGaussian(), y, thetas(rng, 0.8), priors, frozen, log_density)


def beta(rng):
    def pair(t, library):
        mean, precision = 1 / (1 + library.exp(-t[0])), library.exp(t[1])
        return mean * precision, (1 - mean) * precision

    def log_density(y, t):
        a, b = pair(t, jnp)
        return (a - 1) * jnp.log(y) + (b - 1) * jnp.log(1 - y) - betaln(a, b)

    frozen = lambda t: stats.beta(*pair(t, np))  # noqa: E731
    y = rng.beta(2.0, 3.0, 6)
    priors = per_row(rng, "precision")
    # Doubles near 1 are 1e-16 apart, so that the upper tail comes in steps.
    return Example(Beta(), y, thetas(rng, 1.5), priors, frozen, log_density, tail=1e-3)


EXAMPLES = {
    "gamma": gamma,
    "weibull": weibull,
    "exponential": exponential,
    "inverse_gaussian": inverse_gaussian,
    "beta": beta,
}
