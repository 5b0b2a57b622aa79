"""
Decisions
=========

`decide` returns the action with the smallest expected loss for each row. The first example chooses
an amount, the second one of several actions, including a further test.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from wgboost import WGBClassifier, WGBRegressor

# %%
# How much to bake
# ----------------
# A loaf that is not sold costs 2, and a customer who leaves without one costs 8. The mean and the
# variance of the demand depend on the temperature. A loss is a function of the action and of the
# parameters theta of the particles. Here it is the expected cost if the demand is normal with this
# mean and scale.

OVER, UNDER = 2.0, 8.0


def cost(loaves, theta):
    """Return the expected cost of loaves left over and of customers without a loaf."""
    z = (loaves - theta["mean"]) / theta["scale"]
    left_over = theta["scale"] * (z * stats.norm.cdf(z) + stats.norm.pdf(z))
    return OVER * left_over + UNDER * (left_over - (loaves - theta["mean"]))


def demand(temperature, rng):
    """Draw the demand of days; warm days vary more."""
    mean = 120 - 60 / (1 + np.exp(-(temperature - 18) / 3))
    return mean + np.exp(1.5 + 0.06 * temperature) * rng.normal(size=mean.shape)


rng = np.random.default_rng(0)
day = rng.uniform(0, 32, size=(1500, 1))
wanted = demand(day[:, 0], rng)
baker = WGBRegressor(
    evidence=10, subsample=0.5, min_samples_leaf=30, n_estimators=60, random_state=0
).fit(day, wanted)
new = rng.uniform(0, 32, size=(5000, 1))
came = demand(new[:, 0], rng)

plans = {
    "the mean": baker.predict(new),
    "the mean and 20 more": baker.predict(new) + 20,
    "decide": baker.decide(new, cost),
}
paid = {}
for name, loaves in plans.items():
    paid[name] = np.mean(OVER * np.maximum(loaves - came, 0) + UNDER * np.maximum(came - loaves, 0))
    print(f"{name:<22} {paid[name]:6.1f} a day")

# %%
# Whom to test
# ------------
# A tumour is benign or malignant. Sending a patient with a malignant tumour home costs 20, treating
# a benign tumour costs 5, and a further test costs 1 and is never wrong. `decide` takes a list of
# actions, and theta has the probabilities of the classes.

ACTIONS = np.array(["send home", "treat", "test"])


def harm(action, theta):
    """Return the expected cost of an action; probability_1 belongs to "malignant"."""
    malignant = theta["probability_1"]
    return {"send home": 20 * malignant, "treat": 5 * (1 - malignant), "test": 1 + 0 * malignant}[
        str(action)
    ]


data = load_breast_cancer()
kind = np.where(data.target == 1, "benign", "malignant")
X, X_test, y, y_test = train_test_split(
    data.data, kind, test_size=0.5, stratify=kind, random_state=0
)
doctor = WGBClassifier(n_estimators=1000, random_state=0).fit(X, y)
chosen = doctor.decide(X_test, harm, ACTIONS)
likeliest = np.where(doctor.predict(X_test) == "malignant", "treat", "send home")
ill = y_test == "malignant"
spent = {}
for name, done in (
    ("the likeliest class", likeliest), ("test everybody", np.full(len(ill), "test")),
    ("decide", chosen),
):
    each = np.where(done == "test", 1, np.where(done == "treat", 5 * ~ill, 20 * ill))
    spent[name] = each.mean()
    missed = ((done == "send home") & ill).sum()
    print(f"{name:<22} {spent[name]:5.2f} a patient, {(done == 'test').mean():4.0%} tested, "
          f"{missed} sent home ill")

# %%
# Left: the best number of loaves exceeds the mean demand, by more on days when the demand varies
# more. A fixed reserve is too large on cold days and too small on warm ones. Right: the decisions
# about patients, sorted by their probability of a malignant tumour.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.5), layout="constrained", num="decisions")
grid = np.linspace(0, 32, 300)[:, None]
axes[0].plot(day[:400], wanted[:400], ".", ms=3, color="0.75", label="demand")
axes[0].plot(grid, baker.predict(grid), color="tab:orange", label="the mean")
axes[0].plot(grid, baker.decide(grid, cost), color="tab:blue", lw=2, label="decide")
axes[0].set(xlabel="temperature", ylabel="loaves", title="how much to bake")
axes[0].legend(fontsize=8, frameon=False, loc="lower left")
proba = doctor.predict_proba(X_test)[:, 1]
order = np.argsort(proba)
rank = np.arange(len(order))
for action, colour in zip(ACTIONS, ("tab:green", "tab:red", "tab:blue"), strict=True):
    here = chosen[order] == action
    axes[1].plot(rank[here], proba[order][here], ".", color=colour, label=f"{action}: {here.sum()}")
axes[1].plot(
    rank[ill[order]], np.full(ill.sum(), -0.06), "|", color="k", ms=7, mew=0.7, label="malignant"
)
axes[1].set(
    xlabel="patients, by probability", ylabel="probability of a malignant tumour",
    title="whom to test", ylim=(-0.12, 1.05),
)
axes[1].legend(fontsize=8, frameon=False, loc="upper left")
for axis in axes:
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
