"""
A first look
============

Regression, classification, and particles where there are no data. `make demo` runs this example.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.model_selection import train_test_split

from wgboost import WGBClassifier, WGBRegressor, metrics

# %%
# Numbers
# -------
# A model of the diabetes data predicts a distribution for each row. Early stopping chooses the
# number of rounds and the evidence, the number of observations that a row counts as. OOD scores are
# large away from the data; as an example we shift the test rows by ten standard deviations.

X, y = load_diabetes(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
regressor = WGBRegressor(random_state=0).fit(X_train, y_train)
dist = regressor.predict_dist(X_test)
far = X_test + 10 * X_test.std(axis=0)
precision = metrics.ood_average_precision(regressor.ood_score(X_test), regressor.ood_score(far))

print(f"diabetes, {len(y_test)} test rows, {regressor.n_estimators_} rounds")
print(f"  NLL                          {metrics.nll(dist, y_test):8.3f}")
print(f"  RMSE                         {metrics.rmse(dist, y_test):8.2f}")
print(f"  CRPS                         {metrics.crps(dist, y_test):8.2f}")
print(f"  coverage of the 90% interval {metrics.coverage(dist, y_test, 0.9):8.1%}")
print(f"  OOD average precision        {precision:8.3f}   (rows moved by 10 deviations)")

# %%
# Classes
# -------
# A classifier is trained on the digits 0 to 7, without eights and nines. It has 150 rounds for
# speed; early stopping would take many more and be slightly better.

X, y = load_digits(return_X_y=True)
inside = y < 8
X_train, X_test, y_train, y_test = train_test_split(
    X[inside], y[inside], random_state=0, stratify=y[inside]
)
classifier = WGBClassifier(n_estimators=150, random_state=0).fit(X_train, y_train)
dist = classifier.predict_dist(X_test)
scores_in, scores_out = classifier.ood_score(X_test), classifier.ood_score(X[~inside])
precision = metrics.ood_average_precision(scores_in, scores_out)

print(f"digits 0 to 7, {len(y_test)} test rows; 8 and 9 unseen")
print(f"  NLL                          {metrics.nll(dist, y_test):8.3f}")
print(f"  accuracy                     {metrics.accuracy(dist, y_test):8.1%}")
print(f"  OOD average precision        {precision:8.3f}   (8 and 9 as out of distribution)")

# %%
# Scores of most eights and nines are larger than those of other digits.

figure, axes = plt.subplots(figsize=(8, 2.8), layout="constrained", num="digits")
both = np.concatenate([scores_in, scores_out])
bins = np.linspace(both.min(), both.max(), 40)
for scores, label in ((scores_in, "digits 0 to 7, new rows"), (scores_out, "8 and 9, unseen")):
    axes.hist(scores, bins, weights=np.full(len(scores), 1 / len(scores)), alpha=0.6, label=label)
axes.set(
    xlabel="ood_score: lack of support, distance to training rows and disagreement of particles",
    ylabel="share of rows",
    title="Digits: scores of classes that were never shown",
)
axes.legend(fontsize=8)

# sphinx_gallery_thumbnail_number = 2

# %%
# One feature
# -----------
# Rows are missing in a gap and beyond the data. What the model does not know grows there, most of
# all beyond the data, as it does in a Gaussian process, and the noise stays.

rng = np.random.default_rng(0)
x = np.concatenate([rng.uniform(-3, -0.8, 150), rng.uniform(0.8, 3, 150)])
y = np.sin(2 * x) + (0.1 + 0.15 * (x > 0)) * rng.normal(size=x.size)
model = WGBRegressor(random_state=0).fit(x[:, None], y)

print("one feature, deviation of y by what the model does not know")
places = {"where data are": x, "in the gap": np.linspace(-0.7, 0.7), "beyond": [-4.5, 4.5]}
unknown = {}
for place, at in places.items():
    epistemic = model.predict_uncertainty(np.reshape(at, (-1, 1)))["epistemic"]
    unknown[place] = np.sqrt(epistemic.mean())
    print(f"  {place:<28} {unknown[place]:8.3f}")

# %%
grid = np.linspace(-5, 5, 500)
dist = model.predict_dist(grid[:, None])
kernel = ConstantKernel() * RBF() + WhiteKernel()
process = GaussianProcessRegressor(kernel, normalize_y=True).fit(x[:, None], y)
mean, deviation = process.predict(grid[:, None], return_std=True)
noise = process.kernel_.k2.noise_level * y.var()
known = np.sqrt(np.maximum(deviation**2 - noise, 0))
panels = {
    "WGBRegressor()": (dist.mean(), dist.band("mean", 0.9), dist.interval(0.9)),
    "Gaussian process": (
        mean,
        mean + 1.645 * np.outer([-1, 1], known),
        mean + 1.645 * np.outer([-1, 1], deviation),
    ),
}

figure, axes = plt.subplots(
    1, 2, figsize=(10, 3.6), layout="constrained", sharey=True, num="curve"
)
for axis, (name, (middle, band, interval)) in zip(axes, panels.items(), strict=True):
    axis.fill_between(grid, *interval, color="tab:blue", alpha=0.15, label="90% interval of y")
    axis.fill_between(grid, *band, color="tab:blue", alpha=0.35, label="90% band of the mean")
    axis.plot(grid, middle, color="tab:blue", label="mean")
    axis.plot(grid, np.sin(2 * grid), color="tab:orange", lw=1, ls="--", label="truth")
    axis.scatter(x, y, s=6, color="black", alpha=0.5, label="training rows")
    axis.set(xlabel="x", title=name, ylim=(-3, 3))
axes[0].set_ylabel("y")
axes[0].legend(loc="lower center", fontsize=7, ncols=3)
plt.show()
