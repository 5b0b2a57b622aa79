"""
Bayesian learning, evidential learning
======================================

This example compares two distributions over the parameters of a response, after figure 2 of the
paper. Bayesian learning has one posterior, of the weights of a model given all rows. Evidential
learning has a posterior for each row, of the parameter of the response given the y of this row, and
boosting learns the map from x to it. Both are computed for the same 40 rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from wgboost import Target, TreeLearner, WGBoost

NOISE, PRIOR = 0.4, 2.0  # standard deviations of y around theta and of the prior of theta


def draw(n, seed=0):
    """Return n rows: x, and y around a sine wave."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-3, 3, n))
    return x, np.sin(1.5 * x) + NOISE * rng.normal(size=n)


x, y = draw(40)
grid = np.linspace(-3.4, 3.4, 300)

# %%
# Bayesian: one posterior of w
# ----------------------------
# The model f(x, w) is a sum of nine bumps with weights w and a normal prior. The posterior given
# all rows is normal and known in closed form. A draw of w is a whole curve.

CENTRES = np.linspace(-3.2, 3.2, 9)


def bumps(x):
    """Return the basis functions at x."""
    return np.exp(-0.5 * ((x[:, None] - CENTRES) / 0.8) ** 2)


def posterior_of_weights(x, y):
    """Return the mean and covariance of w given all rows."""
    precision = bumps(x).T @ bumps(x) / NOISE**2 + np.eye(CENTRES.size) / PRIOR**2
    cov = np.linalg.inv(precision)
    return cov @ bumps(x).T @ y / NOISE**2, cov


mean, cov = posterior_of_weights(x, y)
weights = np.random.default_rng(1).multivariate_normal(mean, cov, size=10)
curves = weights @ bumps(grid).T

# %%
# Evidential: a posterior of theta for each row
# ---------------------------------------------
# theta is the mean of y at x. Its posterior given only the y of this row is normal. Ten particles
# of every row move towards it, and trees learn these movements as functions of x.

SHRINK = PRIOR**2 / (PRIOR**2 + NOISE**2)
row_scale = NOISE * np.sqrt(SHRINK)  # scale of the posterior of a row; its mean is SHRINK * y


def score(theta, y):
    """Return the derivative of the log posterior of each row at its particles."""
    return (SHRINK * y[:, :, None] - theta) / row_scale**2


def curvature(theta, y):  # noqa: ARG001
    """Return minus the second derivative."""
    return np.full_like(theta, 1 / row_scale**2)


def evidential(x, y):
    """Return a map from x to ten particles."""
    return WGBoost(
        Target(score, curvature), n_particles=10, n_estimators=100, learning_rate=0.1,
        max_depth=3, min_samples_leaf=5, learner=TreeLearner(leaf="newton"), random_state=0,
    ).fit(x[:, None], y)


model = evidential(x, y)
particles = model.predict_particles(grid[:, None])[..., 0]
CHOSEN = 25  # the row to show in detail
path = np.array(
    [model.predict_particles(x[CHOSEN, None, None], n_rounds=k)[0, :, 0] for k in range(101)]
)

# %%
# The effect of more rows
# -----------------------
# We compare the spread of the curves and of the particles with 40 and with 4,000 rows. The
# posterior of w narrows with more rows: it describes how well f is known. The particles keep the
# width of the posterior given one y, because trees average over neighbours and do not multiply
# likelihoods. The parameter `evidence` of `WGBRegressor` does that: it is the number of
# observations that a row counts as.

spreads = {}
for n in (40, 4000):
    many = draw(n)
    curve_spread = np.sqrt(np.sum((bumps(grid) @ posterior_of_weights(*many)[1]) * bumps(grid), 1))
    particle_spread = evidential(*many).predict_particles(grid[:, None])[..., 0].std(axis=1)
    inside = np.abs(grid) < 3
    spreads[n] = curve_spread[inside].mean(), particle_spread[inside].mean()
    print(f"{n:>5} rows: curves {spreads[n][0]:.3f}, particles {spreads[n][1]:.3f}")
print(f"a row's own posterior: {row_scale:.3f}")

# %%
# The figure
# ----------
# In the middle of the second row: the particles of one row do not settle at the posterior of this
# row but at a compromise with its neighbours in a leaf. This makes them a function of x.

figure = plt.figure(figsize=(10, 6.4), layout="constrained", num="bayesian_evidential")
above, below = figure.subfigures(2, 1, hspace=0.06)
above.suptitle("Bayesian learning: one posterior, of the weights w, given all rows", fontsize=11)
below.suptitle("Evidential learning: a posterior of theta for each row, given its y", fontsize=11)
bayes, evidence = above.subplots(1, 3), below.subplots(1, 3)
blue, orange = "#1f5f99", "#d8681d"

bayes[0].plot(x, y, "o", ms=4, color=blue)
bayes[0].plot(grid, np.sin(1.5 * grid), "k--", lw=1, label="truth")
bayes[0].legend(fontsize=8, loc="lower left", frameon=False)
bayes[0].set(title="all rows together", xlabel="x", ylabel="y")
two = [2, 3]  # two of the nine weights
around = [np.linspace(-3.5, 3.5, 120) * np.sqrt(cov[i, i]) + mean[i] for i in two]
places = np.stack(np.meshgrid(*around), axis=-1)
density = stats.multivariate_normal(mean[two], cov[np.ix_(two, two)]).pdf(places)
bayes[1].contourf(*around, density, levels=8, cmap="Blues")
bayes[1].plot(*weights[:, two].T, "o", ms=5, color=orange, mec="white", label="10 draws")
bayes[1].set(title="p(w | all rows), two of 9 weights", xlabel="third weight", ylabel="fourth")
bayes[1].legend(fontsize=8, loc="upper right")
bayes[2].plot(grid, curves.T, color=orange, lw=0.8)
bayes[2].plot(x, y, "o", ms=2, color="0.5")
bayes[2].set(title="a draw of w is a curve f(x, w)", xlabel="x", ylabel="theta = f(x, w)")

heights = np.linspace(-2.6, 2.6, 200)
for at, value in zip(x, y, strict=True):
    strip = stats.norm(SHRINK * value, row_scale).pdf(heights)
    evidence[0].fill_betweenx(heights, at, at + 0.22 * strip, color=blue, alpha=0.35, lw=0)
strip = stats.norm(SHRINK * y[CHOSEN], row_scale).pdf(heights)
evidence[0].fill_betweenx(heights, x[CHOSEN], x[CHOSEN] + 0.22 * strip, color=blue, lw=0)
evidence[0].plot(x, y, ".", ms=4, color=blue)
evidence[0].set(title="p(theta | y) of every row", xlabel="x", ylabel="theta")
evidence[1].plot(path, color=orange, lw=0.9)
evidence[1].fill_betweenx(heights, 101, 101 + 22 * strip, color=blue, lw=0)
evidence[1].set_xticks([0, 50, 100])
evidence[1].set(title="particles of the dark row, round by round", xlabel="rounds", ylabel="theta")
evidence[2].plot(grid, particles, color=orange, lw=0.8)
evidence[2].plot(x, y, "o", ms=2, color="0.5")
evidence[2].set(title="the model: x to 10 particles", xlabel="x", ylabel="theta")
for axis in (bayes[0], bayes[2], evidence[0], evidence[1], evidence[2]):
    axis.set_ylim(-2.6, 2.6)
for axis in (*bayes, *evidence):
    axis.title.set_fontsize(9)
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
