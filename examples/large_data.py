"""
Large data
==========

What more rows buy, and what they cost. Features are binned once into bytes; a round passes over
those, and its cost grows in proportion to the number of rows.
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
    """The NLL of the truth."""
    return -stats.norm(centre[rows], scale[rows]).logpdf(y[rows]).mean()


# %%
# The same settings from 1,000 to 100,000 rows: one tree a round for all particles, which costs a
# fraction of one for each, and an evidence that is given and not searched for. Rows to watch are
# given, so that nothing is held out and fitted twice, and the best of 100 rounds by them is kept.
# Half of the rows make up a round; `MaxTime` is a promise to whoever waits.

sizes = (1_000, 5_000, 20_000, 100_000)
watch, unseen = slice(100_000, 105_000), slice(105_000, None)
models, gap, seconds = {}, {}, {}
for n in sizes:
    model = WGBRegressor(
        tree="shared", max_leaves=16, evidence=30, subsample=0.5, min_samples_leaf=50,
        learning_rate=0.15, n_estimators=100, early_stopping=True, n_iter_no_change=None,
        random_state=0,
    )
    begin = time.process_time()
    stop = callbacks.MaxTime(60)
    model.fit(X[:n], y[:n], X_val=X[watch], y_val=y[watch], callbacks=[stop])
    seconds[n] = (time.process_time() - begin) / 100
    gap[n] = metrics.nll(model.predict_dist(X[unseen]), y[unseen]) - best(unseen)
    models[n] = model
    print(f"{n:>7,} rows: {model.n_estimators_:>3} rounds, NLL {gap[n]:.3f} above the truth's, "
          f"{1000 * seconds[n]:4.0f} ms of CPU time a round")

# %%
# Left: the NLL of the rows that are watched, round by round. A thousand rows are soon learnt by
# heart. Middle: what more rows buy. Right: what they cost. A part of a round, to watch 5,000 rows,
# is the same for all; the rest grows with the rows.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", num="large_data")
shades = ("#c9d9ea", "#8fb4d9", "#5b93c9", "#1f5f99")
for (n, model), shade in zip(models.items(), shades, strict=True):
    curve = np.array(model.history_["validation"]["nll"]) - best(watch)
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
