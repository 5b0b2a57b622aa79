"""Whether the model knows where it has not been."""

import numpy as np

from wgboost import WGBRegressor


def test_rows_away_from_the_training_data_look_out_of_distribution():
    # y is known well where x < 0 and hardly at all beyond; the edge leaf reaches out of the data.
    ratios = []
    for seed in range(5, 13):
        rng = np.random.default_rng(seed)
        x = np.concatenate([rng.uniform(-2, 0, 300), rng.uniform(0.9, 1, 3)])[:, None]
        y = np.where(x[:, 0] < 0, np.sin(3 * x[:, 0]), 4 * rng.normal(size=303))
        fitted = WGBRegressor(n_estimators=150, random_state=0, n_jobs=1).fit(x, y)
        inside, outside = (np.median(fitted.ood_score(a)) for a in (x[:300], np.full((5, 1), 3.0)))
        ratios.append(outside / inside)
    assert np.median(ratios) > 2
