"""
Missing values and categories
=============================

A data frame may have text, booleans and missing values. No encoding or imputation is needed, and
missing values make predictions wider where they matter.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from wgboost import WGBRegressor, metrics

rng = np.random.default_rng(0)
n = 4000
level = {"Aachen": 2.0, "Bergen": 4.5, "Bonn": 3.0, "Oslo": 5.0, "Turku": 2.5}
flats = pd.DataFrame(
    {
        "city": rng.choice(list(level), n, p=[0.3, 0.2, 0.2, 0.25, 0.05]),
        "area": rng.uniform(30, 150, n),
        "balcony": rng.random(n) < 0.5,
    }
)
price = flats["city"].map(level) * flats["area"] + 30 * flats["balcony"] + rng.normal(0, 25, n)
flats.loc[rng.random(n) < 0.2, "area"] = np.nan  # not measured
flats.loc[rng.random(n) < 0.1, "city"] = None  # not given
print(flats.head(4).to_string(index=False))

# %%
# Text columns are categorical, and splits are sets of cities. In each node, missing values go to
# the side that was better in training.

train, test = flats[:3000], flats[3000:]
model = WGBRegressor(
    init="flow", evidence=10, min_samples_leaf=10, n_iter_no_change=20, random_state=0
)
model.fit(train, price[:3000])
dist = model.predict_dist(test)
y_test = price[3000:].to_numpy()
low, high = dist.interval(0.9)
known = test["area"].notna() & test["city"].notna()
widths, held = {}, {}
for name, rows in (
    ("all known", known), ("area missing", test["area"].isna() & test["city"].notna()),
    ("city missing", test["city"].isna() & test["area"].notna()),
):
    widths[name] = np.median((high - low)[rows])
    held[name] = metrics.coverage(dist[rows.to_numpy()], y_test[rows], 0.9)
    print(f"{name:<13} {rows.sum():>4} rows: 90% intervals {widths[name]:4.0f} wide, "
          f"{held[name]:.0%} of prices inside")
print(dict(zip(model.feature_names_in_, model.feature_importances_.round(2), strict=True)))

# %%
# The bands are 90% intervals, which are slightly too wide, as the numbers above show. If the area
# is missing, the interval has to contain small and large flats. A new city is treated as a missing
# value.

figure, axes = plt.subplots(
    1, 2, figsize=(9.5, 3.5), width_ratios=(1.4, 1), layout="constrained", num="messy_frames"
)
area = np.linspace(30, 150, 200)
for city, colour in (("Oslo", "tab:blue"), ("Aachen", "tab:orange")):
    rows = pd.DataFrame({"city": city, "area": area, "balcony": False})
    axes[0].fill_between(
        area, *model.predict_dist(rows).interval(0.9), color=colour, alpha=0.25, label=city, lw=0
    )
    axes[0].plot(area, level[city] * area, "k--", lw=1)
    here = (train["city"] == city) & ~train["balcony"] & train["area"].notna()
    axes[0].plot(train["area"][here], price[:3000][here], ".", ms=3, color=colour)
axes[0].plot([], [], "k--", lw=1, label="truth")
axes[0].set(xlabel="area", ylabel="price", title="two cities, no balcony")
axes[0].legend(fontsize=8, frameon=False, loc="upper left")
questions = pd.DataFrame(
    {
        "city": ["Oslo", "Oslo", None, None, "Paris"],
        "area": [90, np.nan, 90, np.nan, 90],
        "balcony": False,
    }
)
names = ["Oslo, 90", "Oslo, area missing", "city missing, 90", "both missing", "Paris (unseen), 90"]
answers = model.predict_dist(questions)
for confidence, width in ((0.9, 3), (0.5, 8)):
    axes[1].hlines(range(5), *answers.interval(confidence), color="tab:blue", lw=width, alpha=0.5)
axes[1].plot(answers.median(), range(5), "o", color="k", ms=4)
axes[1].set_yticks(range(5), names, fontsize=8)
axes[1].invert_yaxis()
axes[1].set(xlabel="price", title="50% and 90% intervals")
for axis in axes:
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
