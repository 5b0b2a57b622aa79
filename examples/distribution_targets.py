"""
Targets that are distributions
==============================

The target of every row is a set of samples, here from two branches that cross, one rarer than the
other.
"""

import matplotlib.pyplot as plt
import numpy as np

from wgboost import WGBoost, metrics


def draw(x, size, rng):
    """Return samples (n, size, 1) of two branches that cross at 0."""
    upper = rng.random((len(x), size)) < 0.35
    centre = np.where(upper, 1.5 * x, -np.sin(2.5 * x))
    return (centre + (0.12 + 0.1 * upper) * rng.normal(size=centre.shape))[..., None]


rng = np.random.default_rng(0)
X = rng.uniform(-1.5, 1.5, size=(1200, 1))
samples = draw(X, 50, rng)

# %%
# We compare the particles with new samples at new x. For reference, we do the same with 20 samples
# of the truth.

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
# The particles are closer to the truth than 20 samples of it, because they average over neighbours
# and are not random.

figure = plt.figure(figsize=(8.5, 4), layout="constrained", num="distribution_targets")
main, *small = figure.subplot_mosaic(
    [["all", "a"], ["all", "b"], ["all", "c"]], width_ratios=(2, 1)
).values()
few = rng.choice(len(X), 250, replace=False)
main.scatter(
    np.repeat(X[few], 12), samples[few, :12].ravel(), s=3, color="0.75", label="samples given"
)
grid = np.linspace(-1.5, 1.5, 31)[:, None]
particles = model.predict_particles(grid)[..., 0]
main.plot(grid[:, 0], particles[:, 0], ".", ms=3, color="tab:blue", label="particles")
main.plot(grid[:, 0], particles[:, 1:], ".", ms=3, color="tab:blue")
main.set(xlabel="x", ylabel="target of a row")
main.legend(loc="upper left", fontsize=8, markerscale=2)
bins = np.linspace(-2.2, 2.9, 52)
for axis, at in zip(small, (-1.2, 0.3, 1.2), strict=True):
    truth = draw(np.full((1, 1), at), 20000, rng).ravel()
    axis.hist(truth, bins, density=True, color="0.8", label="truth")
    here = model.predict_particles([[at]]).ravel()
    axis.plot(here, np.full(here.size, -0.1), "|", ms=9, color="tab:blue")
    axis.set_yticks([])
    axis.set_title(f"x = {at:g}", fontsize=9, loc="left", y=0.75)
    axis.set_ylim(-0.25, None)
    axis.spines[["top", "right", "left"]].set_visible(False)
    main.axvline(at, color="k", lw=0.6, ls=":")
small[-1].set_xlabel("truth, and particles below")
plt.show()
