"""Time `WGBRegressorCV()` and `WGBClassifierCV()`: `python benchmarks/selection_time.py`.

The data are Friedman's function of 10 features: numbers with noise, and three classes of the same
numbers. Seconds are CPU time on one thread.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.datasets import make_friedman1

from wgboost import WGBClassifierCV, WGBRegressorCV, metrics


def main() -> None:
    """Print a line for each kind of y."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    n = parser.parse_args().rows
    X, y = make_friedman1(n + 2000, n_features=10, noise=1.0, random_state=0)
    classes = np.digitize(y, [12.0, 17.0])
    truth = 0.5 * (1 + np.log(2 * np.pi))  # expected NLL of the numbers
    for kind, target, least in ((WGBRegressorCV, y, truth), (WGBClassifierCV, classes, None)):
        start = time.process_time()
        model = kind(random_state=0, n_jobs=1).fit(X[:n], target[:n])
        seconds = time.process_time() - start
        nll = metrics.nll(model.predict_dist(X[n:]), target[n:])
        best = "" if least is None else f" (of the truth {least:.3f})"
        table = model.cv_results_
        print(
            f"{kind.__name__}, {n:,} x 10: {seconds:.0f} s, {len(table['recipe'])} models, "
            f"{model.best_recipe_!r}, "
            f"a bag of {len(model.members_)}, NLL of new rows {nll:.3f}{best}",
            flush=True,
        )


if __name__ == "__main__":
    main()
