"""
Regression
==========

A model predicts a distribution of y for each row, with separate parts for noise and for the
uncertainty of the model. The data are Friedman's, with ten features of which five matter. The noise
grows with one of them. The true distribution is known.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from sklearn.datasets import make_friedman1
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import train_test_split

from wgboost import WGBRegressor, metrics

X, centre = make_friedman1(n_samples=4000, n_features=10, random_state=0)
scale = 0.5 + 3 * X[:, 4] ** 2
y = centre + scale * np.random.default_rng(0).normal(size=len(centre))
rows, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=0)

# %%
# All parameters have defaults. The model holds out a fifth of the rows to choose the number of
# rounds and the `evidence`, the number of observations that a row counts as, by their NLL. It is
# then trained on all rows.

model = WGBRegressor(random_state=0).fit(X[rows], y[rows])
dist = model.predict_dist(X[test])
low, high = dist.interval(0.9)
print(f"{model.n_estimators_} rounds, evidence {model.evidence_:.3g}")
print(f"90% intervals hold {metrics.coverage(dist, y[test], 0.9):.1%} of new rows")
parts = model.predict_uncertainty(X[test])
share = (parts["epistemic"] / parts["total"]).mean()
print(f"the epistemic part of the variance is {share:.1%}")

# %%
# We compare with the truth and with the boosting of scikit-learn, which predicts only the mean. For
# a distribution we give it the same noise everywhere, the standard deviation of its errors on
# held-out rows.

first, held = train_test_split(rows, test_size=0.2, random_state=0)
point = HistGradientBoostingRegressor(random_state=0).fit(X[first], y[first])
constant = np.std(y[held] - point.predict(X[held]))
point.fit(X[rows], y[rows])
nll = {
    "one deviation for all": -stats.norm(point.predict(X[test]), constant).logpdf(y[test]).mean(),
    "wgboost": metrics.nll(dist, y[test]),
    "the truth": -stats.norm(centre[test], scale[test]).logpdf(y[test]).mean(),
}
for name, value in nll.items():
    print(f"{name:<22} NLL {value:.3f}")
print(f"RMSE: wgboost {metrics.rmse(dist, y[test]):.3f}, scikit-learn's boosting "
      f"{np.sqrt(np.mean((y[test] - point.predict(X[test])) ** 2)):.3f}, "
      f"the truth {np.sqrt(np.mean((y[test] - centre[test]) ** 2)):.3f}")

# %%
# Left: errors of new rows with their predicted 90% bands, sorted by the predicted standard
# deviation. Middle: the predicted standard deviation follows the true one. It is larger where the
# noise is small, because it includes the uncertainty of the mean.

figure, axes = plt.subplots(
    1, 3, figsize=(10, 3.4), width_ratios=(1.25, 1, 0.85), layout="constrained", num="regression"
)
order, mean = np.argsort(dist.std()), dist.mean()
rank = np.arange(len(test))
axes[0].fill_between(
    rank, (low - mean)[order], (high - mean)[order], color="tab:blue", alpha=0.25, lw=0,
    label="90% band",
)
axes[0].plot(rank, (y[test] - mean)[order], ".", ms=2, color="0.25", label="y less its mean")
axes[0].set(xlabel="new rows, by predicted deviation", ylabel="error of the mean")
axes[0].legend(loc="upper left", fontsize=8, frameon=False)
axes[1].plot(scale[test], dist.std(), ".", ms=2, color="tab:blue", alpha=0.5)
axes[1].plot([0.4, 3.6], [0.4, 3.6], "k--", lw=1)
axes[1].set(xlabel="true deviation of y", ylabel="predicted deviation")
best = nll.pop("the truth")
excess = [value - best for value in nll.values()]
bars = axes[2].barh(
    ["one deviation\nfor all", "wgboost"], excess, color=["tab:orange", "tab:blue"], height=0.5
)
axes[2].bar_label(bars, fmt="%.2f", padding=3, fontsize=8)
axes[2].set(xlabel="NLL above the truth's", xlim=(0, 1.2 * max(excess)))
axes[2].tick_params(axis="y", labelsize=8)
for axis in axes:
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
