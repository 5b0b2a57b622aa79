"""
Classification
==============

A classifier predicts class probabilities and two kinds of uncertainty: classes may overlap, or
there may be little training data nearby.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from sklearn.datasets import load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate

from wgboost import WGBClassifier

data = load_wine(as_frame=True)
X = data.data[["alcohol", "flavanoids"]]
y = np.array(["Barolo", "Grignolino", "Barbera"])[data.target]  # labels of any kind

# %%
# The data are two features of 178 wines of three kinds. Each particle has its own trees, which
# differ where there are few rows. Here a tree uses half of the rows, both features and leaves of at
# least three rows. By default it would use half of the features, which is one.

model = WGBClassifier(subsample=0.5, colsample=1, min_samples_leaf=3, random_state=0).fit(X, y)

# %%
# We compute NLL and accuracy by cross-validation. Ordinary boosting is overconfident near the
# training labels; particles are less so. The kinds of wine are separated by nearly straight lines,
# so logistic regression is best here.

models = {
    "wgboost": model,
    "scikit-learn's boosting": HistGradientBoostingClassifier(random_state=0),
    "logistic regression": LogisticRegression(max_iter=5000),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
nll = {}
for name, one in models.items():
    scores = cross_validate(one, X, y, cv=folds, scoring=("neg_log_loss", "accuracy"))
    nll[name] = -scores["test_neg_log_loss"].mean()
    print(f"{name:<24} NLL {nll[name]:.3f}   accuracy {scores['test_accuracy'].mean():.3f}")

# %%
# The entropy of the predicted class has two parts. The aleatoric part is what remains if the
# probabilities are known, and is large where kinds overlap. The epistemic part measures how far the
# probabilities may be off, and is largest where kinds meet at the edge of the data.

grid = np.meshgrid(np.linspace(10.8, 15.1, 200), np.linspace(0, 5.4, 200))
points = X.iloc[[0] * grid[0].size].assign(alcohol=grid[0].ravel(), flavanoids=grid[1].ravel())
proba, parts = model.predict_proba(points), model.predict_uncertainty(points)

figure, axes = plt.subplots(
    1, 3, figsize=(10, 3.4), layout="constrained", sharey=True, num="classification"
)
colours = np.array([to_rgb(name) for name in ("tab:orange", "tab:blue", "tab:green")])
mixed = 1 - 0.6 * (1 - proba @ colours)  # a lighter mixture of the colours of the classes
extent = (grid[0].min(), grid[0].max(), grid[1].min(), grid[1].max())
axes[0].imshow(mixed.reshape(200, 200, 3), origin="lower", extent=extent, aspect="auto")
for kind, colour in zip(model.classes_, colours, strict=True):
    axes[0].scatter(*X[y == kind].T.to_numpy(), s=10, color=colour, ec="k", lw=0.4, label=kind)
axes[0].legend(fontsize=8, loc="upper right", framealpha=0.8)
axes[0].set(title="probability of each kind", ylabel="flavanoids")
for axis, part in zip(axes[1:], ("aleatoric", "epistemic"), strict=True):
    shades = axis.pcolormesh(*grid, parts[part].reshape(200, 200), cmap="magma_r", rasterized=True)
    axis.plot(*X.T.to_numpy(), ".", ms=2, color="0.3")
    axis.set_title(f"{part}, nats")
    figure.colorbar(shades, ax=axis)
for axis in axes:
    axis.set_xlabel("alcohol")
plt.show()
