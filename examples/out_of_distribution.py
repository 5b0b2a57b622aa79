"""
Rows from elsewhere
===================

`ood_score` is large where trees do not know the surroundings of a row, far from the nearest
training row, and where particles disagree. This example shows it in a plane and for images.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from wgboost import WGBClassifier, WGBRegressor, metrics

# %%
# In the plane
# ------------
# The rows lie on a ring, and y is a wave along it.

rng = np.random.default_rng(0)
angle = rng.uniform(0, 2 * np.pi, 800)
radius = 2 + 0.25 * rng.normal(size=angle.size)
ring = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
y = np.sin(3 * angle) + 0.1 * rng.normal(size=angle.size)
model = WGBRegressor(
    evidence=10, subsample=0.5, colsample=1, min_samples_leaf=5, n_estimators=150, random_state=0
).fit(ring, y)
inner = rng.uniform(-0.8, 0.8, size=(800, 2))
outer = rng.uniform(-3.5, 3.5, size=(8000, 2))
outer = outer[np.hypot(*outer.T) > 3][:800]
turned = ring[:, ::-1] * [1, -1]  # by 90 degrees
fresh = turned + 0.05 * rng.normal(size=ring.shape)
on_ring = model.ood_score(fresh)
areas = {}
for name, rows in (("inside the ring", inner), ("beyond the ring", outer)):
    areas[name] = metrics.ood_roc_auc(on_ring, model.ood_score(rows))
    print(f"{name:<18} ROC AUC {areas[name]:.3f}")

# %%
# New digits
# ----------
# A classifier of the digits 0 to 7 predicts eights and nines. Early stopping would take more than
# sixty rounds, but these are enough here. The mutual information of class and particle, which looks
# at disagreement alone, does nearly as well.

X, digit = load_digits(return_X_y=True)
known = digit < 8
X_train, X_test, y_train, y_test = train_test_split(X[known], digit[known], random_state=0)
classifier = WGBClassifier(n_estimators=60, random_state=0).fit(X_train, y_train)
score_in, score_out = classifier.ood_score(X_test), classifier.ood_score(X[~known])
digits_area = metrics.ood_roc_auc(score_in, score_out)
information = [
    classifier.ood_score(part, method="mutual_information") for part in (X_test, X[~known])
]
information_area = metrics.ood_roc_auc(*information)
print(f"digits             ROC AUC {digits_area:.3f}, by mutual information {information_area:.3f}")

# %%
# The score detects the hole in the ring and what lies beyond it. Most eights and nines have larger
# scores than the known digits; the last row of images shows some that do not.

figure = plt.figure(figsize=(9.5, 4), layout="constrained", num="out_of_distribution")
left, right = figure.subfigures(1, 2, width_ratios=(1, 1.15))
axis = left.subplots()
side = np.linspace(-3.5, 3.5, 250)
grid = np.meshgrid(side, side)
shade = model.ood_score(np.stack([g.ravel() for g in grid], axis=1))
drawn = axis.pcolormesh(*grid, shade.reshape(250, 250), cmap="magma_r", rasterized=True)
axis.plot(*ring[:300].T, ".", ms=2, color="tab:blue")
axis.set(xlabel="first feature", ylabel="second feature", aspect="equal")
axis.set_title("OOD score; dots: training rows", fontsize=9)
left.colorbar(drawn, ax=axis, shrink=0.8)

known_order, new_order = np.argsort(score_in), np.argsort(score_out)
rows = (
    (X_test, score_in, known_order[-7:], "known digits with the largest scores"),
    (X[~known], score_out, new_order[-7:], "8 and 9 with the largest scores"),
    (X[~known], score_out, new_order[:7], "8 and 9 with the smallest scores"),
)
for part, (pixels, score, chosen, title) in zip(right.subfigures(3, 1), rows, strict=True):
    part.suptitle(title, fontsize=9)
    axes = part.subplots(1, 7)
    for axis, row in zip(axes, chosen, strict=True):
        axis.imshow(pixels[row].reshape(8, 8), cmap="gray_r")
        axis.set_xlabel(f"{score[row]:.1f}", fontsize=7)
        axis.set(xticks=[], yticks=[])
plt.show()
