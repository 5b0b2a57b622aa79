"""
Your own density
================

This example defines a log posterior of its own, which JAX differentiates: a dose-response curve for
each subject that rises to a plateau, from five measurements of which some are missing.
"""

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

from wgboost import LogDensity, TreeLearner, WGBoost

DOSES = np.array([0.5, 1.0, 2.0, 4.0, 8.0], np.float32)
NOISE = 0.15


def response(theta, dose):
    """Return the response; exp(theta[0]) is the plateau, exp(theta[1]) the dose at half of it."""
    return jnp.exp(theta[0]) * dose / (dose + jnp.exp(theta[1]))


def log_posterior(theta, y):
    """Return the log posterior of one row; y (5,) are the responses to the doses, or NaN."""
    missing = jnp.isnan(y)
    residual = jnp.where(missing, 0.0, y - response(theta, DOSES)) / NOISE
    prior = -0.5 * theta[0] ** 2 - 0.5 * (theta[1] - 0.5) ** 2
    return -0.5 * jnp.sum(residual**2) + prior


# %%
# The plateau and the half dose depend on age. The model learns from noisy measurements which curves
# are plausible at an age.

rng = np.random.default_rng(0)
age = rng.uniform(0, 1, 1200)
plateau, half = 1 + age, np.exp(1.5 * np.sin(5 * age))
y = plateau[:, None] * DOSES / (DOSES + half[:, None]) + NOISE * rng.normal(size=(1200, 5))
y[(rng.random(y.shape) < 0.3)] = np.nan  # 30% of the measurements are missing
model = WGBoost(
    LogDensity(log_posterior, n_params=2), n_particles=20, n_estimators=200,
    learning_rate=0.2, min_samples_leaf=10, learner=TreeLearner(leaf="newton"), random_state=0,
).fit(age[:, None], y)

# %%
# A particle is a whole curve. The spread is that of the posterior of one subject. If the half dose
# is larger than most doses, five measurements contain little information about the plateau.

figure, axes = plt.subplots(
    1, 3, figsize=(9.5, 3.2), layout="constrained", sharey=True, num="own_density"
)
fine = np.linspace(0, 9, 100)
for axis, at in zip(axes, (0.05, 0.35, 0.95), strict=True):
    for i, theta in enumerate(model.predict_particles([[at]])[0]):
        label = "particles" if i == 0 else None
        axis.plot(fine, response(theta, fine), color="tab:blue", lw=0.8, alpha=0.5, label=label)
    half = np.exp(1.5 * np.sin(5 * at))
    axis.plot(fine, (1 + at) * fine / (fine + half), "k--", lw=1.2, label="truth")
    near = np.abs(age - at) < 0.01
    doses = np.tile(DOSES, (near.sum(), 1))
    axis.scatter(doses, y[near], s=8, color="tab:orange", label="subjects nearby", zorder=3)
    axis.set(title=f"age = {at:g}", xlabel="dose")
    axis.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("response")
handles, labels = axes[0].get_legend_handles_labels()
figure.legend(handles, labels, fontsize=8, frameon=False, loc="outside lower center", ncols=3)
plt.show()
