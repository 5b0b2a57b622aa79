"""
Calibration
===========

Do 90% intervals contain 90% of new rows? Predictions can be too wide or too narrow. Three models of
the same data show both cases and how to avoid them.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from wgboost import WGBRegressor, metrics, plotting

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(5000, 5))
centre, scale = np.sin(2 * X[:, 0]), np.exp(X[:, 1] / 2)
y = centre + scale * rng.normal(size=len(X))
train, test = slice(0, 2000), slice(2000, None)
best = -stats.norm(centre[test], scale[test]).logpdf(y[test]).mean()

# %%
# The noise is large. With `evidence=1` the particles of a row are as spread as the posterior given
# a single y, and the intervals are too wide. With 10, and the number of rounds of early stopping,
# the intervals are about right. Many more rounds overfit the noise. For speed, all particles share
# one tree in each round.

common = {"tree": "shared", "max_leaves": 16, "min_samples_leaf": 20, "random_state": 0}
models = {
    "evidence 1": WGBRegressor(**common, evidence=1, n_estimators=80),
    "evidence 10, early stopping": WGBRegressor(**common, evidence=10),
    "evidence 10, 500 rounds": WGBRegressor(**common, evidence=10, n_estimators=500),
}
dists = {name: m.fit(X[train], y[train]).predict_dist(X[test]) for name, m in models.items()}
coverage, nll = {}, {}
for name, dist in dists.items():
    coverage[name], nll[name] = metrics.coverage(dist, y[test], 0.9), metrics.nll(dist, y[test])
    print(f"{name:<28} 90% intervals hold {coverage[name]:.1%}   "
          f"calibration error {metrics.calibration_error(dist, y[test]):.3f}   "
          f"NLL {nll[name] - best:.3f} above the truth's")

# %%
# A hump in the PIT histogram and coverage above the line mean that predictions are too wide. High
# ends and coverage below the line mean that they are too narrow. The shaded bands are where 3,000
# rows fall by chance if the predictions are right.

figure, axes = plt.subplots(2, 3, figsize=(9.5, 6), layout="constrained", num="calibration")
for above, below, (name, dist) in zip(*axes, dists.items(), strict=True):
    plotting.PITDisplay.from_predictions(y[test], dist, ax=above)
    plotting.CoverageDisplay.from_predictions(y[test], dist, ax=below)
    above.set_title(name)
    below.set_title(f"90% intervals hold {coverage[name]:.0%}")
plt.show()
