"""
Priors and known errors
=======================

This example adds knowledge about the measurement errors of y, and a prior for each row.
"""

import matplotlib.pyplot as plt
import numpy as np

from wgboost import Poisson, WGBRegressor

# %%
# y with a known error
# --------------------
# y is measured by two instruments, one of which is poor. `y_std` is the standard deviation of each
# measurement error. The model then predicts y without this error.

rng = np.random.default_rng(0)
x = rng.uniform(-2, 2, 1500)
error = rng.choice([0.05, 1.0], x.size)
measured = np.sin(2 * x) + 0.2 * rng.normal(size=x.size) + error * rng.normal(size=x.size)
settings = {"evidence": 10, "min_samples_leaf": 10, "n_estimators": 80, "random_state": 0}
grid = np.linspace(-2, 2, 300)[:, None]
with_std = WGBRegressor(**settings).fit(x[:, None], measured, y_std=error).predict_dist(grid)
without_std = WGBRegressor(**settings).fit(x[:, None], measured).predict_dist(grid)
off, spread = {}, {}
for name, dist in (("y_std given", with_std), ("y_std left out", without_std)):
    off[name] = np.sqrt(np.mean((dist.mean() - np.sin(2 * grid[:, 0])) ** 2))
    spread[name] = dist.std().mean()
    print(f"{name:<15} deviation of y {spread[name]:.2f} (truth 0.20), error of the mean "
          f"{off[name]:.3f}")

# %%
# A prior for each row
# --------------------
# We predict the sales in 40 weeks from the money spent on advertising. An expert expects the log of
# sales to be 0.5 + 0.5 times the money, with a standard deviation of 0.3, and is nearly right. This
# is the prior of each row.


def log_rate(money):
    return 0.3 + 0.6 * money


def expected(money):
    return 0.5 + 0.5 * money


def fitted(n, prior):
    """Return sales of n weeks and a model, with the expert's prior or the default."""
    rng = np.random.default_rng(1)
    money = rng.uniform(0, 4, n)
    sold = rng.poisson(np.exp(log_rate(money)))
    response = Poisson(prior_mean=expected(money), prior_scale=0.3) if prior else Poisson()
    model = WGBRegressor(
        response=response, evidence=1, min_samples_leaf=max(3, n // 40), n_estimators=100,
        random_state=0,
    )
    return money, sold, model.fit(money[:, None], sold)


spent = np.linspace(0, 4, 300)
rates, misses = {}, {}
for n in (40, 4000):
    for prior in (False, True):
        money, sold, model = fitted(n, prior)
        rates[n, prior] = model.predict(spent[:, None])
        misses[n, prior] = np.sqrt(np.mean((np.log(rates[n, prior]) - log_rate(spent)) ** 2))
        print(f"{n:>4} weeks, {'expert' if prior else 'vague'} prior: the log rate is off by "
              f"{misses[n, prior]:.3f}")

# %%
# With 40 weeks the prior helps. With 4,000 it does harm: it is a part of the target of every row,
# so its influence does not decrease with more rows. A larger `evidence` or a wider prior reduces
# it.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.5), layout="constrained", num="priors")
good = error < 0.5
axes[0].plot(x[~good], measured[~good], ".", ms=2, color="0.8", label="poor instrument")
axes[0].plot(x[good], measured[good], ".", ms=2, color="0.4", label="good instrument")
for dist, colour, name in (
    (without_std, "tab:red", "y_std left out"),
    (with_std, "tab:blue", "y_std given"),
):
    low, high = dist.interval(0.9)
    axes[0].fill_between(grid[:, 0], low, high, color=colour, alpha=0.3, lw=0, label=f"90%, {name}")
for side in (-1.645, 1.645):
    label = "90%, truth" if side > 0 else None
    axes[0].plot(grid, np.sin(2 * grid) + 0.2 * side, "k--", lw=1, label=label)
axes[0].set(xlabel="x", ylabel="y", title="y with a known error", ylim=(-5.2, 3.4))
axes[0].legend(fontsize=7, frameon=False, ncols=2, loc="lower center")
money, sold, _ = fitted(40, False)
axes[1].plot(money, sold, "o", ms=4, color="0.5", label="40 weeks")
axes[1].plot(spent, rates[40, False], color="tab:red", label="vague prior")
axes[1].plot(spent, rates[40, True], color="tab:blue", lw=2, label="the expert's prior")
axes[1].plot(spent, np.exp(expected(spent)), ":", color="tab:blue", label="the expert alone")
axes[1].plot(spent, np.exp(log_rate(spent)), "k--", lw=1, label="truth")
axes[1].set(xlabel="money", ylabel="sales a week", title="a prior for each row")
axes[1].legend(fontsize=8, frameon=False)
for axis in axes:
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
