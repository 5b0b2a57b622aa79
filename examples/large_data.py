"""
Large data
==========

This example shows accuracy and cost by the number of rows. Features are binned into bytes once, and
the cost of a round is proportional to the number of rows.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from wgboost import WGBRegressor, callbacks, metrics

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(110_000, 10)).astype(np.float32)  # float32: half of the memory
centre = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
scale = np.exp(X[:, 3] / 2)
y = centre + scale * rng.normal(size=len(X))


def best(rows):
    """Return the NLL of the true distribution."""
    return -stats.norm(centre[rows], scale[rows]).logpdf(y[rows]).mean()


# %%
# We use the same settings for 1,000 to 100,000 rows. All particles share one tree in each round,
# which is much faster than one tree for each particle. The evidence is given, so there is no search
# for it. Validation rows are given, so no rows are held out and there is no refit; the best of 100
# rounds is kept. Each round uses half of the rows, and `MaxTime` limits the time.

sizes = (1_000, 5_000, 20_000, 100_000)
validation, test = slice(100_000, 105_000), slice(105_000, None)
models, gap, seconds = {}, {}, {}
for n in sizes:
    model = WGBRegressor(
        tree="shared", max_leaves=16, evidence=30, subsample=0.5, min_samples_leaf=50,
        learning_rate=0.15, n_estimators=100, early_stopping=True, n_iter_no_change=None,
        random_state=0,
    )
    start = time.process_time()
    stop = callbacks.MaxTime(60)
    model.fit(X[:n], y[:n], X_val=X[validation], y_val=y[validation], callbacks=[stop])
    seconds[n] = (time.process_time() - start) / 100
    gap[n] = metrics.nll(model.predict_dist(X[test]), y[test]) - best(test)
    models[n] = model
    print(f"{n:>7,} rows: {model.n_estimators_:>3} rounds, NLL {gap[n]:.3f} above the truth's, "
          f"{1000 * seconds[n]:4.0f} ms of CPU time a round")

# %%
# Left: the NLL of the validation rows, round by round. With a thousand rows the model soon
# overfits. Middle: accuracy by the number of rows. Right: their cost. The prediction of 5,000
# validation rows is a fixed part of a round; the rest is proportional to the number of rows.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", num="large_data")
shades = ("#c9d9ea", "#8fb4d9", "#5b93c9", "#1f5f99")
for (n, model), shade in zip(models.items(), shades, strict=True):
    curve = np.array(model.history_["validation"]["nll"]) - best(validation)
    axes[0].plot(curve, color=shade, lw=2, label=f"{n:,} rows")
axes[0].axhline(0, color="k", ls="--", lw=1)
axes[0].set(xlabel="rounds", ylabel="NLL above the truth's, nats", ylim=(-0.01, 0.4))
axes[0].legend(fontsize=8, frameon=False)
axes[1].plot(sizes, gap.values(), "o-", color="tab:blue")
axes[1].set(xlabel="training rows", ylabel="NLL above the truth's, nats", ylim=(0, None))
axes[2].plot(sizes, 1000 * np.array(list(seconds.values())), "o-", color="tab:orange")
axes[2].set(xlabel="training rows", ylabel="CPU time of a round, ms", ylim=(0, None))
axes[1].set_xscale("log")
axes[2].set_xticks([0, 50_000, 100_000], ["0", "50,000", "100,000"])
for axis in axes:
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
