"""
A first look
============

Regression, classification, and particles where there are no data. `make demo` runs this example.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from sklearn.model_selection import train_test_split

from wgboost import WGBClassifier, WGBRegressor, metrics

# %%
# Numbers
# -------
# A model of the diabetes data predicts a distribution for each row. Early stopping chooses the
# number of rounds and the evidence, the number of observations that a row counts as. Particles
# spread out away from the data; as an example we shift the test rows by ten standard deviations.

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
# The particles disagree on most eights and nines, and on few other digits.

figure, axes = plt.subplots(figsize=(8, 2.8), layout="constrained", num="digits")
bins = np.linspace(0, max(scores_in.max(), scores_out.max()), 40)
for scores, label in ((scores_in, "digits 0 to 7, new rows"), (scores_out, "8 and 9, unseen")):
    axes.hist(scores, bins, weights=np.full(len(scores), 1 / len(scores)), alpha=0.6, label=label)
axes.set(
    xlabel="ood_score: largest variance of a class probability over particles",
    ylabel="share of rows", title="Digits: particles disagree on what was never shown",
)
axes.legend(fontsize=8)

# sphinx_gallery_thumbnail_number = 2

# %%
# One feature
# -----------
# Each particle has its own trees, on half of the rows. They agree where there are data and less so
# in the gap. Beyond the data they are constant, and so is the spread.

rng = np.random.default_rng(0)
x = np.concatenate([rng.uniform(-3, -0.8, 150), rng.uniform(0.8, 3, 150)])
y = np.sin(2 * x) + (0.1 + 0.15 * (x > 0)) * rng.normal(size=x.size)
model = WGBRegressor(evidence=10, subsample=0.5, min_samples_leaf=10, random_state=0)
model.fit(x[:, None], y)

print("one feature, deviation of y by what the model does not know")
places = {"where data are": x, "in the gap": np.linspace(-0.7, 0.7), "beyond": [-3.5, 3.5]}
unknown = {}
for place, at in places.items():
    epistemic = model.predict_uncertainty(np.reshape(at, (-1, 1)))["epistemic"]
    unknown[place] = np.sqrt(epistemic.mean())
    print(f"  {place:<28} {unknown[place]:8.3f}")

# %%
grid = np.linspace(-3.5, 3.5, 400)
dist = model.predict_dist(grid[:, None])
low, high = dist.interval(0.9)
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained", num="curve")
axes.fill_between(grid, low, high, alpha=0.25, label="90% of the predictive distribution")
axes.plot(grid, dist.params()["mean"], color="tab:orange", lw=0.6, alpha=0.6)
axes.plot([], [], color="tab:orange", lw=1, label="particles: mean of y")
axes.plot(grid, dist.mean(), color="tab:blue", label="mean")
axes.scatter(x, y, s=8, color="black", alpha=0.5, label="training rows")
axes.set(xlabel="x", ylabel="y", title="One feature: noise in the band, ignorance in the particles")
axes.set_ylim(-2.2, 1.6)
axes.legend(loc="lower left", fontsize=8)
plt.show()
