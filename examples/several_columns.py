"""
Several columns of y
====================

Wind has two correlated components. One model predicts both, with their correlation at x.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from wgboost import WGBRegressor, metrics

# %%
# The direction of the wind and of its gusts turns during the day.

rng = np.random.default_rng(0)


def truth(hour):
    """Return the mean (2,) and covariance (2, 2) of the wind at an hour."""
    angle = 2 * np.pi * hour / 24
    mean = 4 * np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-mean[1], mean[0]])
    return mean, (2.0**2 * np.outer(mean, mean) + 0.5**2 * np.outer(across, across)) / 4**2


hours = rng.uniform(0, 24, 6000)
wind = np.array([rng.multivariate_normal(*truth(hour)) for hour in hours])
train, test = slice(0, 4000), slice(4000, None)
X = hours[:, None]

# %%
# Two models of one column each predict the spread of a component but no correlation. The energy
# score is the CRPS of both columns together, each in units of its standard deviation.

settings = {
    "evidence": 30, "min_samples_leaf": 50, "learning_rate": 0.2, "n_estimators": 100,
    "random_state": 0,
}
joint = WGBRegressor(response="multivariate_normal", **settings).fit(X[train], wind[train])
separate = [WGBRegressor(**settings).fit(X[train], wind[train, j]) for j in range(2)]
logs = [
    stats.multivariate_normal(*truth(hour)).logpdf(value)
    for hour, value in zip(hours[test], wind[test], strict=True)
]
dist = joint.predict_dist(X[test])
nll = {
    "one model of both": metrics.nll(dist, wind[test]),
    "a model of each": sum(
        metrics.nll(one.predict_dist(X[test]), wind[test, j]) for j, one in enumerate(separate)
    ),
    "the truth": -np.mean(logs),
}
for name, value in nll.items():
    print(f"{name:<18} NLL {value:.3f}")
print(f"energy score of one model of both: {metrics.energy_score(dist, wind[test]):.3f}")

# %%
# The ellipses show two standard deviations of the predicted mean and covariance.


def ellipse(mean, cov):
    """Return points two standard deviations from the mean."""
    round_ = np.linspace(0, 2 * np.pi, 100)
    return mean[:, None] + 2 * np.linalg.cholesky(cov) @ np.stack([np.cos(round_), np.sin(round_)])


figure, axes = plt.subplots(
    1, 2, figsize=(8.5, 4), layout="constrained", sharex=True, sharey=True, num="several_columns"
)
shown = np.array([2.0, 10.0, 18.0])
given = joint.predict_dist(shown[:, None])
means, covs = given.mean(), given.cov()
for axis, title in zip(axes, ("one model of both", "a model of each"), strict=True):
    axis.plot(*wind[:1500].T, ".", ms=2, color="0.85")
    for i, colour in enumerate(("tab:blue", "tab:orange", "tab:green")):
        mean, cov = means[i], covs[i]
        if axis is axes[1]:
            alone = [one.predict_dist(shown[i : i + 1, None]) for one in separate]
            mean = np.array([one.mean()[0] for one in alone])
            cov = np.diag([one.var()[0] for one in alone])
        axis.plot(*ellipse(mean, cov), color=colour, lw=2, label=f"{shown[i]:.0f} h")
        axis.plot(*ellipse(*truth(shown[i])), "k--", lw=1)
    axis.plot([], [], "k--", lw=1, label="truth")
    axis.set(title=title, xlabel="wind from west to east", aspect="equal")
    axis.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("wind from south to north")
axes[1].legend(fontsize=8, frameon=False, loc="upper right")
plt.show()
