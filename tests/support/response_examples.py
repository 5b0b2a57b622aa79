"""One example for each response, which the contract tests run over, and a response of our own.

`default_example` serves a response without a function in one of the files examples_*.py or here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from scipy import special, stats

from wgboost.responses import RESPONSES, Categorical, Normal, Response
from wgboost.responses.coordinate_priors import NormalPrior


@dataclass(frozen=True, eq=False)
class Poisson(Response):
    """A count, written by the recipe in Response and by nothing beyond what it asks for."""

    prior_mean: Any = 0.0
    prior_scale: Any = 2.0

    name: ClassVar[str] = "toy_poisson"
    discrete: ClassVar[bool] = True
    positive: ClassVar[tuple[str, ...]] = ("prior_scale",)

    param_names = ("log_mean",)
    support = (0.0, np.inf)
    support_text = "whole numbers >= 0"

    def in_support(self, y):
        return (y >= 0) & (np.floor(y) == y) & (y < np.inf)

    def natural(self, theta, units):
        del units
        return {"mean": self.mean(theta)}

    def coordinate_priors(self, dtype):
        values = (self.column(value, dtype) for value in (self.prior_mean, self.prior_scale))
        return (NormalPrior(*values),)

    def logpdf(self, y, theta):
        y = np.asarray(y, dtype=theta.dtype)
        known = self.in_support(y)
        count = np.where(known, y, 0)
        logs = count * theta[..., 0] - self.mean(theta) - special.gammaln(count + 1)
        return np.where(known, logs, -np.inf).astype(theta.dtype)

    def likelihood_score(self, y, theta):
        return (y - self.mean(theta))[..., None]

    def likelihood_hessian(self, y, theta):
        return (0 * y - self.mean(theta))[..., None, None]

    def likelihood_fisher(self, theta):
        return np.exp(theta)

    def cdf(self, y, theta):
        return stats.poisson.cdf(y, self.mean(theta))

    def ppf(self, q, theta):
        return stats.poisson.ppf(q, self.mean(theta))

    def mean(self, theta):
        return np.exp(theta[..., 0])

    def var(self, theta):
        return self.mean(theta)

    def entropy(self, theta):
        return stats.poisson.entropy(self.mean(theta))


@dataclass(frozen=True)
class Example:
    response: Response
    y: Any  # (n,) or (n, q), standardised
    theta: Any  # (n, m, d)
    per_row: dict[str, Any]  # prior parameters, one value per row
    scipy: Any = None  # theta (d,) -> the same distribution in scipy.stats, if it has it
    log_density: Any = None  # (y, theta (d,)) -> the log density in jax.numpy, from the formula
    tail: float = 1e-300  # the smallest probability at which quantiles invert the cdf
    light: bool = True  # whether moments can be integrated between the quantiles 1e-14


def normal(rng):
    theta = np.stack([rng.normal(size=(6, 4)), rng.normal(-0.3, 0.5, (6, 4))], axis=-1)
    per_row = {
        "prior_mean": rng.normal(size=6),
        "prior_scale": rng.uniform(0.5, 3, 6),
        "prior_shape": rng.uniform(0.5, 3, 6),
        "prior_rate": rng.uniform(0.5, 3, 6),
    }
    frozen = lambda t: stats.norm(t[0], np.exp(t[1]))  # noqa: E731

    def log_density(y, t):
        return -0.5 * ((y - t[0]) / jnp.exp(t[1])) ** 2 - t[1] - 0.5 * jnp.log(2 * jnp.pi)

    return Example(Normal(), rng.normal(size=6), theta, per_row, frozen, log_density)


def categorical(rng):
    y = np.array([0, 1, 2, 3, 3, 1])
    per_row = {"prior_mean": rng.normal(size=6), "prior_scale": rng.uniform(0.5, 3, 6)}

    def frozen(theta):
        return stats.rv_discrete(values=(range(4), special.softmax([*theta, 0])))

    def log_density(y, t):
        return jnp.log(jnp.exp(jnp.append(t, 0.0)) / (1 + jnp.exp(t).sum()))[y.astype(int)]

    theta = rng.normal(size=(6, 4, 3))
    return Example(Categorical(n_classes=4), y.astype(float), theta, per_row, frozen, log_density)


def toy_poisson(rng):
    per_row = {"prior_mean": rng.normal(size=6), "prior_scale": rng.uniform(0.5, 3, 6)}
    frozen = lambda t: stats.poisson(np.exp(t[0]))  # noqa: E731
    y = np.array([0.0, 1, 2, 5, 9, 3])

    def log_density(y, t):
        return y * t[0] - jnp.exp(t[0]) - jax.scipy.special.gammaln(y + 1)

    return Example(Poisson(), y, rng.normal(1, 0.7, (6, 4, 1)), per_row, frozen, log_density)


def default_example(kind, rng):
    """An example of a response that has no oracle: derivatives, masses and moments are checked."""
    response = kind()
    theta = rng.normal(0, 0.5, (6, 4, response.n_params))
    names = [field.name for field in fields(response) if field.name.startswith("prior_")]
    per_row = {
        name: rng.uniform(0.5, 3, 6) if name in response.positive else rng.normal(size=6)
        for name in names
    }
    return Example(response, response.rvs(theta[:, 0], rng).astype(float), theta, per_row)


EXAMPLES = {name: partial(default_example, kind) for name, kind in RESPONSES.items()}
EXAMPLES |= {"normal": normal, "categorical": categorical, "toy_poisson": toy_poisson}
for _file in sorted(Path(__file__).parent.glob("examples_*.py")):
    EXAMPLES |= import_module(_file.stem).EXAMPLES


def example(name) -> Example:
    return EXAMPLES[name](np.random.default_rng(len(name)))
