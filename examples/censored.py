"""
Censored times
==============

We model the lifetimes of machines, many of which are still running at their last inspection. For
these only a lower bound of the lifetime is known, which `censored` describes.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from sklearn.model_selection import train_test_split

from wgboost import WGBRegressor, censored, metrics


def truth(x):
    """Return a Weibull distribution whose scale oscillates and whose shape grows with x."""
    return stats.weibull_min(np.exp(0.5 + 0.3 * x), scale=10 * np.exp(0.8 * np.sin(2 * x)))


rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, 6000)
life = truth(x).rvs(random_state=rng)
end = rng.uniform(2, 20, x.size)  # time of the last inspection
observed, time = life < end, np.minimum(life, end)
print(f"{1 - observed.mean():.0%} still running")

# %%
# We train with bounds and with two shortcuts. One takes the last inspection as the end of every
# machine, the other leaves out the machines that are still running. All are evaluated on new
# machines with bounds: by the density at an end, and by the probability of still running.

rows_train, rows_test = train_test_split(np.arange(x.size), random_state=0)
given = {
    "bounds": censored(time, np.where(observed, time, np.inf)),
    "running taken for ended": time,
    "running left out": time,
}
y_test = given["bounds"][rows_test]
grid = np.array([-0.8, 0.0, 0.8])
dists, curves, nll = {}, {}, {}
for name, y in given.items():
    rows = rows_train[observed[rows_train]] if name == "running left out" else rows_train
    model = WGBRegressor(
        response="weibull", evidence=100, min_samples_leaf=20, n_iter_no_change=20, random_state=0
    ).fit(x[rows, None], y[rows])
    test = model.predict_dist(x[rows_test, None])
    curves[name] = metrics.calibration_curve(test, y_test)
    dists[name] = model.predict_dist(grid[:, None])
    nll[name] = metrics.nll(test, y_test)
    print(f"{name:<24} NLL {nll[name]:.3f}   concordance {metrics.concordance(test, y_test):.3f}")

# %%
# With bounds the model is close to the true survival curves, with errors of up to 0.1, and it is
# calibrated on new rows. Beyond the last observed time only the shape of the response determines
# the curves. Both shortcuts predict the end far too early. The concordance does not show this,
# because it depends only on the order of predictions.

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained", num="censored")
at = np.linspace(0, 40, 200)
alive = dists["bounds"].sf(at[None])
for i, colour in enumerate(("tab:purple", "tab:blue", "tab:green")):
    axes[0].plot(at, alive[i], color=colour, lw=2, label=f"x = {grid[i]:g}")
    axes[0].plot(at, truth(grid[i]).sf(at), "k--", lw=1)
axes[0].plot([], [], "k--", lw=1, label="truth")
axes[0].axvspan(20, 40, color="0.92", lw=0)
axes[0].text(30, 0.5, "nothing\nobserved", ha="center", color="0.4", fontsize=8)
axes[0].set(title="still running at time t", xlabel="t", ylabel="probability", xlim=(0, 40))
axes[0].legend(fontsize=8, frameon=False)
styles = {"bounds": ("tab:blue", 2), "running taken for ended": ("tab:red", 1.2)}
axes[1].plot([0, 1], [0, 1], "k--", lw=1)
for name, (level, reached) in curves.items():
    colour, width = styles.get(name, ("tab:orange", 1.2))
    inside = level <= 0.9
    axes[1].plot(level[inside], reached[inside], color=colour, lw=width, label=name)
axes[1].set(title="calibration on new rows", xlabel="predicted probability", ylabel="share of rows")
axes[1].legend(fontsize=8, frameon=False)
for axis in axes:
    axis.set_ylim(0, 1)
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
