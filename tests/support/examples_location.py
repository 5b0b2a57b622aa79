"""Examples of responses with a location and a scale, for the contract tests."""

import jax
import jax.numpy as jnp
import numpy as np
from scipy import stats

from response_examples import Example
from wgboost.responses import Cauchy, Gumbel, Laplace, Logistic, LogNormal, StudentT


def priors(rng):
    return {
        "prior_mean": rng.normal(size=6),
        "prior_scale": rng.uniform(0.5, 3, 6),
        "prior_shape": rng.uniform(0.5, 3, 6),
        "prior_rate": rng.uniform(0.5, 3, 6),
    }


def thetas(rng):
    return np.stack([rng.normal(size=(6, 4)), rng.normal(-0.3, 0.5, (6, 4))], axis=-1)


def located(rng, response, family, log_standard, **facts):
    """An example of y = location + scale * z, from the log density of z."""

    def log_density(y, t):
        return log_standard((y - t[0]) / jnp.exp(t[1])) - t[1]

    return Example(
        response, rng.normal(size=6), thetas(rng), priors(rng),
        lambda t: family(t[0], np.exp(t[1])), log_density, **facts,
    )  # fmt: skip


def laplace(rng):
    return located(rng, Laplace(), stats.laplace, lambda z: -jnp.abs(z) - jnp.log(2))


def logistic(rng):
    def log_standard(z):
        return jnp.log(jnp.exp(-z) / (1 + jnp.exp(-z)) ** 2)

    return located(rng, Logistic(), stats.logistic, log_standard)


def gumbel(rng):
    return located(rng, Gumbel(), stats.gumbel_r, lambda z: -z - jnp.exp(-z))


def cauchy(rng):
    def log_standard(z):
        return -jnp.log(jnp.pi * (1 + z**2))

    return located(rng, Cauchy(), frozen_cauchy, log_standard, light=False)


def frozen_cauchy(location, scale):
    """scipy's distribution, with quantiles of Student's t: those of `stats.cauchy` were right to
    6 digits only, in the tails, before scipy 1.15."""
    frozen, student = stats.cauchy(location, scale), stats.t(1, location, scale)
    frozen.ppf, frozen.isf = student.ppf, student.isf
    return frozen


def lognormal(rng):
    def log_density(y, t):
        z = (jnp.log(y) - t[0]) / jnp.exp(t[1])
        return -(z**2) / 2 - jnp.log(2 * jnp.pi) / 2 - t[1] - jnp.log(y)

    y, frozen = rng.lognormal(size=6), lambda t: stats.lognorm(np.exp(t[1]), scale=np.exp(t[0]))
    return Example(LogNormal(), y, thetas(rng), priors(rng), frozen, log_density)


def student_log_density(y, t, df):
    gammas = jax.scipy.special.gammaln((df + 1) / 2) - jax.scipy.special.gammaln(df / 2)
    root = jnp.log(jnp.pi * df) / 2 + t[1]
    return gammas - root - (df + 1) / 2 * jnp.log(1 + ((y - t[0]) / jnp.exp(t[1])) ** 2 / df)


def student_t(rng):
    log_df = rng.uniform(0.5, 4, (6, 4, 1))
    per_row = {"prior_df": rng.uniform(2, 20, 6), "prior_df_spread": rng.uniform(0.5, 2, 6)}
    return Example(
        StudentT(), rng.normal(size=6), np.concatenate([thetas(rng), log_df], axis=-1),
        priors(rng) | per_row, lambda t: stats.t(1 + np.exp(t[2]), t[0], np.exp(t[1])),
        lambda y, t: student_log_density(y, t, 1 + jnp.exp(t[2])), light=False,
    )  # fmt: skip


def student_t_of_known_df(rng):
    return Example(
        StudentT(df=5.0), rng.normal(size=6), thetas(rng), priors(rng),
        lambda t: stats.t(5, t[0], np.exp(t[1])), lambda y, t: student_log_density(y, t, 5.0),
        light=False,
    )  # fmt: skip


EXAMPLES = {
    "laplace": laplace,
    "logistic": logistic,
    "gumbel": gumbel,
    "cauchy": cauchy,
    "lognormal": lognormal,
    "student_t": student_t,
    "student_t_of_known_df": student_t_of_known_df,
}
