"""Examples of responses for counts and for classes in order; see response_examples."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from scipy import special, stats

from wgboost.responses import (
    NegativeBinomial,
    Ordinal,
    Poisson,
    ZeroInflatedNegativeBinomial,
    ZeroInflatedPoisson,
)

Y = np.array([0.0, 1, 2, 5, 0, 13])


def log_factorial(y):
    return jax.scipy.special.gammaln(y + 1)


def poisson_log_mass(y, t):
    return y * t[0] - jnp.exp(t[0]) - log_factorial(y)


def negative_binomial_log_mass(y, t):
    size, mean = jnp.exp(-t[1]), jnp.exp(t[0])
    log_binomial = jax.scipy.special.gammaln(y + size) - jax.scipy.special.gammaln(size)
    share = mean / (mean + size)
    return log_binomial - log_factorial(y) + size * jnp.log(1 - share) + y * jnp.log(share)


def zero_inflated(log_mass):
    def log_density(y, t):
        extra = 1 / (1 + jnp.exp(-t[-1]))
        counted = (1 - extra) * jnp.exp(log_mass(y, t[:-1]))
        return jnp.log(jnp.where(y == 0, extra + counted, counted))

    return log_density


class ExtraZeros:
    """A discrete distribution of scipy.stats of which a share is replaced by zeros."""

    def __init__(self, part, logit):
        self.part, self.extra = part, special.expit(logit)

    def pmf(self, y):
        return (1 - self.extra) * self.part.pmf(y) + self.extra * (np.asarray(y) == 0)

    def logpmf(self, y):
        return np.log(self.pmf(y))

    def cdf(self, y):
        return (1 - self.extra) * self.part.cdf(y) + self.extra * (np.asarray(y) >= 0)

    def sf(self, y):
        return 1 - self.cdf(y) if np.ndim(y) == 0 else np.where(
            np.asarray(y) < 0, 1, (1 - self.extra) * self.part.sf(y)
        )  # fmt: skip

    def ppf(self, q):
        counts = np.arange(10_000)
        return counts[np.argmax(self.cdf(counts) >= np.asarray(q)[:, None], axis=1)]

    def isf(self, q):
        counts = np.arange(10_000)
        return counts[np.argmax(self.sf(counts) <= np.asarray(q)[:, None], axis=1)]

    def mean(self):
        return self.pmf(np.arange(10_000)) @ np.arange(10_000)

    def var(self):
        return self.pmf(np.arange(10_000)) @ (np.arange(10_000) - self.mean()) ** 2

    def entropy(self):
        return special.entr(self.pmf(np.arange(10_000))).sum()


def frozen_negative_binomial(t):
    return stats.nbinom(np.exp(-t[1]), 1 / (1 + np.exp(t[0] + t[1])))


def location_prior(rng):
    return {"prior_mean": rng.normal(size=6), "prior_scale": rng.uniform(0.5, 3, 6)}


def dispersion_prior(rng):
    return {
        "prior_dispersion_mean": rng.normal(size=6),
        "prior_dispersion_scale": rng.uniform(0.5, 3, 6),
    }


def zero_prior(rng):
    return {"prior_zero_mean": rng.normal(size=6), "prior_zero_scale": rng.uniform(0.5, 3, 6)}


def make(*arguments):
    from response_examples import Example

    return Example(*arguments)


def poisson(rng):
    theta = rng.normal(1, 0.7, (6, 4, 1))
    frozen = lambda t: stats.poisson(np.exp(t[0]))  # noqa: E731
    return make(Poisson(), Y, theta, location_prior(rng), frozen, poisson_log_mass)


def negative_binomial(rng):
    theta = np.stack([rng.normal(1, 0.7, (6, 4)), rng.normal(-0.5, 1, (6, 4))], axis=-1)
    per_row = location_prior(rng) | dispersion_prior(rng)
    frozen, log_density = frozen_negative_binomial, negative_binomial_log_mass
    return make(NegativeBinomial(), Y, theta, per_row, frozen, log_density)


def zero_inflated_poisson(rng):
    theta = np.stack([rng.normal(1, 0.7, (6, 4)), rng.normal(-0.5, 1, (6, 4))], axis=-1)
    per_row = location_prior(rng) | zero_prior(rng)
    frozen = lambda t: ExtraZeros(stats.poisson(np.exp(t[0])), t[1])  # noqa: E731
    log_density = zero_inflated(poisson_log_mass)
    return make(ZeroInflatedPoisson(), Y, theta, per_row, frozen, log_density)


def zero_inflated_negative_binomial(rng):
    theta = rng.normal([1, -0.5, -0.5], [0.7, 0.7, 1], (6, 4, 3))
    per_row = location_prior(rng) | dispersion_prior(rng) | zero_prior(rng)
    frozen = lambda t: ExtraZeros(frozen_negative_binomial(t), t[2])  # noqa: E731
    log_density = zero_inflated(negative_binomial_log_mass)
    return make(ZeroInflatedNegativeBinomial(), Y, theta, per_row, frozen, log_density)


def ordinal(rng):
    per_row = location_prior(rng) | {
        "prior_gap_mean": rng.normal(size=6),
        "prior_gap_scale": rng.uniform(0.5, 3, 6),
    }

    def probabilities(t, xp):
        cuts = xp.concatenate([xp.zeros(1), xp.cumsum(xp.exp(t[1:]))])
        reached = xp.concatenate([xp.zeros(1), 1 / (1 + xp.exp(t[0] - cuts)), xp.ones(1)])
        return xp.diff(reached)

    def log_density(y, t):
        return jnp.log(probabilities(t, jnp)[y.astype(int)])

    frozen = lambda t: stats.rv_discrete(values=(range(5), probabilities(t, np)))  # noqa: E731
    y, theta = np.array([0.0, 1, 2, 3, 4, 2]), rng.normal([1, 0, 0, 0], 0.7, (6, 4, 4))
    return make(Ordinal(n_classes=5), y, theta, per_row, frozen, log_density)


EXAMPLES = {
    "poisson": poisson,
    "negative_binomial": negative_binomial,
    "zero_inflated_poisson": zero_inflated_poisson,
    "zero_inflated_negative_binomial": zero_inflated_negative_binomial,
    "ordinal": ordinal,
}
