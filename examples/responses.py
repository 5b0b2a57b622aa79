"""
Choosing a response
===================

We compare several responses for the same positive y, by their intervals and their NLL on test rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from sklearn.model_selection import train_test_split

from wgboost import WGBRegressor, metrics, propose_response


def truth(x):
    """Return a gamma distribution whose mean oscillates and whose shape grows with x."""
    mean, shape = 5 * np.exp(0.8 * np.sin(2 * x)), np.exp(0.8 + 0.6 * x)
    return stats.gamma(shape, scale=mean / shape)


rng = np.random.default_rng(0)
x = rng.uniform(-1.5, 1.5, 3000)
y = truth(x).rvs(random_state=rng)
print("proposed: {} ({})".format(*propose_response(y)))

# %%
# The proposal uses only the values of y. Given x, another response may do better, so we compare
# them.

x_train, x_test, y_train, y_test = train_test_split(x, y, random_state=0)
best = -truth(x_test).logpdf(y_test).mean()
models, nll = {}, {}
for name in ("gamma", "weibull", "exponential", "lognormal", "student_t", "normal"):
    models[name] = WGBRegressor(
        response=name, evidence=100, max_leaves=4, n_iter_no_change=20, random_state=0
    ).fit(x_train[:, None], y_train)
    nll[name] = metrics.nll(models[name].predict_dist(x_test[:, None]), y_test)
    print(f"{name:<12} NLL {nll[name]:.3f}   the truth {best:.3f}")

# %%
# The normal response has probability below zero, and is symmetric although y is not. The response
# of the true distribution is the best; Weibull, which is similar, is close behind.

figure, axes = plt.subplots(
    1, 3, figsize=(9.5, 3.2), width_ratios=(1, 1, 0.9), layout="constrained", num="responses"
)
grid = np.linspace(-1.5, 1.5, 200)
low, high = truth(grid).interval(0.9)
for axis, name, colour in ((axes[0], "normal", "tab:red"), (axes[1], "gamma", "tab:blue")):
    band = models[name].predict_dist(grid[:, None]).interval(0.9)
    axis.scatter(x_train[:300], y_train[:300], s=4, color="0.6")
    axis.fill_between(grid, *band, color=colour, alpha=0.3, label="predicted")
    axis.plot(grid, low, "k--", lw=1, label="truth")
    axis.plot(grid, high, "k--", lw=1)
    axis.axhline(0, color="k", lw=0.5)
    axis.set(title=f'response="{name}": 90 %', xlabel="x", ylim=(-6, 28))
    axis.legend(loc="upper left", fontsize=8, frameon=False)
axes[0].set_ylabel("y")
order = sorted(nll, key=nll.get, reverse=True)
excess = [nll[name] - best for name in order]
colours = [{"normal": "tab:red", "gamma": "tab:blue"}.get(name, "0.6") for name in order]
bars = axes[2].barh(order, excess, color=colours)
axes[2].bar_label(bars, fmt="%.2f", padding=3, fontsize=8)
axes[2].set(title="NLL above the truth's", xlabel="nats a row", xlim=(0, 1.2 * max(excess)))
axes[2].tick_params(axis="y", labelsize=8)
axes[2].spines[["top", "right"]].set_visible(False)
plt.show()
