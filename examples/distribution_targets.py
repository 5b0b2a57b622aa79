"""
Targets that are distributions
==============================

Every row comes with samples of its own: two branches, one rarer than the other, that cross.
"""

import matplotlib.pyplot as plt
import numpy as np

from wgboost import WGBoost, metrics


def draw(x, size, rng):
    """Samples (n, size, 1): two branches around 0 that part as x grows, the upper one rarer."""
    upper = rng.random((len(x), size)) < 0.35
    centre = np.where(upper, 1.5 * x, -np.sin(2.5 * x))
    return (centre + (0.12 + 0.1 * upper) * rng.normal(size=centre.shape))[..., None]


rng = np.random.default_rng(0)
X = rng.uniform(-1.5, 1.5, size=(1200, 1))
samples = draw(X, 50, rng)

# %%
# The particles are compared with fresh samples at new x, and so are as many samples of the truth.

new = rng.uniform(-1.5, 1.5, size=(300, 1))
fresh = draw(new, 1000, rng)
chance = metrics.energy_distance(draw(new, 20, rng), fresh).mean()
model = WGBoost(
    direction="energy", n_particles=20, n_estimators=300, learning_rate=0.2, min_samples_leaf=5,
    random_state=0,
).fit(X, samples)
distance = metrics.energy_distance(model.predict_particles(new), fresh).mean()
print(f"energy distance to the truth: {distance:.4f}; of 20 samples of the truth {chance:.4f}")

# %%
# The particles are nearer to the truth than 20 fresh samples of it are: they average over
# neighbours and do not come in random clumps.

figure = plt.figure(figsize=(8.5, 4), layout="constrained", num="distribution_targets")
wide, *narrow = figure.subplot_mosaic(
    [["all", "a"], ["all", "b"], ["all", "c"]], width_ratios=(2, 1)
).values()
few = rng.choice(len(X), 250, replace=False)
wide.scatter(
    np.repeat(X[few], 12), samples[few, :12].ravel(), s=3, color="0.75", label="samples given"
)
grid = np.linspace(-1.5, 1.5, 31)[:, None]
particles = model.predict_particles(grid)[..., 0]
wide.plot(grid[:, 0], particles[:, 0], ".", ms=3, color="tab:blue", label="particles")
wide.plot(grid[:, 0], particles[:, 1:], ".", ms=3, color="tab:blue")
wide.set(xlabel="x", ylabel="target of a row")
wide.legend(loc="upper left", fontsize=8, markerscale=2)
bins = np.linspace(-2.2, 2.9, 52)
for axis, at in zip(narrow, (-1.2, 0.3, 1.2), strict=True):
    truth = draw(np.full((1, 1), at), 20000, rng).ravel()
    axis.hist(truth, bins, density=True, color="0.8", label="truth")
    here = model.predict_particles([[at]]).ravel()
    axis.plot(here, np.full(here.size, -0.1), "|", ms=9, color="tab:blue")
    axis.set_yticks([])
    axis.set_title(f"x = {at:g}", fontsize=9, loc="left", y=0.75)
    axis.set_ylim(-0.25, None)
    axis.spines[["top", "right", "left"]].set_visible(False)
    wide.axvline(at, color="k", lw=0.6, ls=":")
narrow[-1].set_xlabel("truth, and particles below")
plt.show()
