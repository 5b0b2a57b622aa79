"""
Counts and exposure
===================

We predict the number of claims of insurance policies of different durations. A count has a
probability for each of 0, 1, 2, ..., and its mean is proportional to the duration.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from sklearn.model_selection import train_test_split

from wgboost import WGBRegressor, metrics, propose_response

rng = np.random.default_rng(0)
age = rng.uniform(18, 80, 6000)
years = rng.uniform(0.1, 3.0, age.size)  # duration of each policy
DISPERSION = 1.5


def rate(age):
    """Return the claims per year: high for the young, and rising again for the old."""
    return 0.3 + 1.5 * np.exp(-(age - 18) / 8) + 0.4 / (1 + np.exp(-(age - 70) / 3))


def truth(age, years):
    """Return a negative binomial distribution: its variance exceeds its mean."""
    mean = rate(age) * years
    return stats.nbinom(1 / DISPERSION, 1 / (1 + DISPERSION * mean))


claims = truth(age, years).rvs(random_state=rng)
print("proposed: {} ({})".format(*propose_response(claims)))

# %%
# The mean is proportional to the `exposure`. Without it a policy of two months would count the same
# as one of three years.

train, test = train_test_split(np.arange(age.size), test_size=0.5, random_state=0)
X = age[:, None]
models, nll = {}, {}
for name, with_years in (
    ("negative_binomial", True), ("poisson", True), ("negative_binomial", False),
):
    given = {"exposure": years[train]} if with_years else {}
    model = WGBRegressor(
        response=name, evidence=30, min_samples_leaf=50, n_iter_no_change=20, random_state=0
    ).fit(X[train], claims[train], **given)
    label = name if with_years else f"{name}, exposure left out"
    dist = model.predict_dist(X[test], exposure=years[test] if with_years else None)
    models[label], nll[label] = model, metrics.nll(dist, claims[test])
    print(f"{label:<38} NLL {nll[label]:.3f}")
best = -truth(age[test], years[test]).logpmf(claims[test]).mean()
print(f"{'the truth':<38} NLL {best:.3f}")

# %%
# Predictions without an exposure are for one year, and with it for any duration. The variance of
# the Poisson distribution is too small: it misses the many policies without a claim and the few
# with several. Trees smooth the rate where it is steep: at age 20 they predict slightly too few
# claims.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", num="counts")
grid = np.linspace(18, 80, 300)
particles = models["negative_binomial"].predict_particles(grid[:, None])["mean"]
axes[0].plot(grid, particles, color="tab:blue", lw=0.6, alpha=0.5)
axes[0].plot([], [], color="tab:blue", lw=1, label="particles")
axes[0].plot(grid, rate(grid), "k--", lw=1.2, label="truth")
axes[0].set(xlabel="age", ylabel="claims a year", title="rate", ylim=(0, None))
axes[0].legend(fontsize=8, frameon=False)
values = np.arange(9)
for axis, (at, long) in zip(axes[1:], ((20, 0.5), (20, 3.0)), strict=True):
    axis.bar(values, truth(at, long).pmf(values), color="0.85", label="truth")
    for name, marker, colour in (
        ("negative_binomial", "o", "tab:blue"), ("poisson", "s", "tab:red"),
    ):
        one = models[name].predict_dist([[at]], exposure=long)
        axis.plot(values, one.pmf(values), marker, ms=5, color=colour, label=name)
    axis.set(xlabel="claims", ylabel="probability", title=f"age {at}, {long:g} years")
    axis.legend(fontsize=8, frameon=False)
for axis in axes:
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
