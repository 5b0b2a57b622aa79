"""Coverage of 90 % credible bands on data of known truth: `python benchmarks/bands.py`.

It prints the table of docs/credible_bands.md: how often the mean, the standard deviation of the
noise, a quantile and the probability of a class are inside of their bands, on a grid.
"""

import numpy as np
from scipy import special, stats

from wgboost import WGBClassifier, WGBRegressor

ROWS, SEEDS = (300, 1000), 4
GRID = np.linspace(0.02, 0.98, 200)


def truth(x):
    """Return the mean and the standard deviation of y, and the probability of the class."""
    mean, scale = np.sin(6 * x), np.exp(-1.5 + 1.2 * x)
    return mean, scale, special.expit(3 * mean)


def share_inside(band, values):
    """Return how often values are between the ends of a band."""
    return np.mean((band[:, 0] <= values) & (values <= band[:, 1]))


def coverage(n, seed):
    """Return the coverage of the mean, the scale, a quantile and a probability."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    mean, scale, probability = truth(x)
    y = mean + scale * rng.normal(size=n)
    labels = rng.random(n) < probability
    numbers = WGBRegressor(random_state=seed, n_jobs=1).fit(x[:, None], y)
    classes = WGBClassifier(random_state=seed, n_jobs=1).fit(x[:, None], labels)
    mean, scale, probability = truth(GRID)
    wanted = {"mean": mean, "scale": scale, 0.9: mean + stats.norm.ppf(0.9) * scale}
    rows = GRID[:, None]
    found = [share_inside(numbers.predict_band(rows, of), wanted[of]) for of in wanted]
    return [*found, share_inside(classes.predict_band(rows)[:, 1], probability)]


def main():
    """Print the table."""
    print("| | mean | noise | 0.9 quantile | probability of a class |")
    print("|---|--:|--:|--:|--:|")
    for n in ROWS:
        mean = np.mean([coverage(n, seed) for seed in range(SEEDS)], axis=0)
        print(f"| {n:,} rows | " + " | ".join(f"{one:.2f}" for one in mean) + " |")


if __name__ == "__main__":
    main()
