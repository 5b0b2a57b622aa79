"""
A tour of the displays
======================

`wgboost.plotting` has displays in the style of scikit-learn. They draw into given axes or a new
figure, from an estimator or from predictions.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes, load_digits, load_wine
from sklearn.model_selection import train_test_split

from wgboost import WGBClassifier, WGBRegressor, metrics, plotting

# %%
# Regression
# ----------
# These are the diabetes data of scikit-learn. The plots show rows sorted by prediction, one feature
# with the others at their medians, densities and particles of three rows, the learning curve of
# early stopping, and the epistemic share of the variance.

data = load_diabetes(as_frame=True, scaled=False)
y = data.target.rename("progression")
X, X_test, y, y_test = train_test_split(data.data, y, random_state=0)
model = WGBRegressor(random_state=0).fit(X, y)
figure, axes = plt.subplots(
    3, 2, figsize=(9, 10), layout="constrained", num="pictures_regression"
)
test = model, X_test, y_test
plotting.PredictiveDisplay.from_estimator(*test, ax=axes[0, 0])
plotting.PredictiveDisplay.from_estimator(*test, feature="bmi", ax=axes[0, 1])
plotting.DensityDisplay.from_estimator(*test, rows=[0, 36, 73], ax=axes[1, 0])
plotting.ParticlesDisplay.from_estimator(model, X_test, rows=[0, 36, 73], ax=axes[1, 1])
plotting.LearningCurveDisplay.from_estimator(model, ax=axes[2, 0])
plotting.PartialDependenceDisplay.from_estimator(
    model, X_test, feature="bmi", quantity="epistemic_share", ax=axes[2, 1]
)

# %%
# Classes
# -------
# The classes are three kinds of wine. Bands show the spread of a class probability over particles.

data = load_wine(as_frame=True)
labels = np.array(["Barolo", "Grignolino", "Barbera"])[data.target]
X, X_test, y, y_test = train_test_split(data.data, labels, random_state=1, test_size=0.5)
model = WGBClassifier(random_state=0).fit(X, y)
print(f"wine: accuracy {metrics.accuracy(model.predict_dist(X_test), y_test):.3f}")
figure, axes = plt.subplots(2, 2, figsize=(9, 6.6), layout="constrained", num="pictures_classes")
test = model, X_test, y_test
plotting.PredictiveDisplay.from_estimator(*test, ax=axes[0, 0])
plotting.PredictiveDisplay.from_estimator(*test, feature="flavanoids", ax=axes[0, 1])
plotting.UncertaintyDisplay.from_estimator(*test, n_bins=4, ax=axes[1, 0])
plotting.ImportanceDisplay.from_estimator(model, max_features=8, ax=axes[1, 1])

# %%
# Calibration
# -----------
# The data are synthetic, with 1,000 test rows. Bands show where the curves fall by chance if the
# predictions are right.

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(3000, 2))
y = np.sin(3 * X[:, 0]) + np.exp(X[:, 1] - 1) * rng.normal(size=3000)
model = WGBRegressor(evidence=10, n_iter_no_change=20, random_state=0).fit(X[:2000], y[:2000])
test = model, X[2000:], y[2000:]
figure, axes = plt.subplots(
    1, 4, figsize=(13, 3.5), layout="constrained", num="pictures_calibration"
)
plotting.CalibrationDisplay.from_estimator(*test, ax=axes[0])
plotting.PITDisplay.from_estimator(*test, ax=axes[1])
plotting.CoverageDisplay.from_estimator(*test, ax=axes[2])
plotting.UncertaintyDisplay.from_estimator(*test, ax=axes[3])

# sphinx_gallery_thumbnail_number = 2

# %%
# Rows from elsewhere
# -------------------
# This model of digits is trained without eights and nines.

X, y = load_digits(return_X_y=True)
inside = y < 8
X_train, X_test, y_train, _ = train_test_split(X[inside], y[inside], random_state=0)
model = WGBClassifier(n_estimators=60, random_state=0).fit(X_train, y_train)
figure, axis = plt.subplots(figsize=(7, 3.2), layout="constrained", num="pictures_ood")
plotting.OODDisplay.from_estimator(model, X_test, X[~inside], ax=axis)
plt.show()
