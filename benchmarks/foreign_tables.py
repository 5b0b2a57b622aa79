"""Measure how well OOD scores of regressors detect rows of another data set, for docs/.

A regressor is fitted to half of a data set. It scores the other half and rows of another data set
with as many columns. All columns are standardised. It takes a minute on one core.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

from wgboost import WGBRegressor, metrics

METHODS = ("combined", "support", "epistemic", "max_variance", "mutual_information")


def standard(X: np.ndarray) -> np.ndarray:
    """Return standardised columns."""
    return (X - X.mean(axis=0)) / X.std(axis=0)


def tables() -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return features, y and foreign rows by name."""
    diabetes, y = load_diabetes(return_X_y=True)
    wine, cancer = load_wine().data, load_breast_cancer().data
    digits = load_digits().data[:, 18:31]
    area = cancer[:, 3]
    return {
        "diabetes, breast cancer": (standard(diabetes), y, standard(cancer[:, :10])),
        "diabetes, wine": (standard(diabetes), y, standard(wine[:, :10])),
        "wine, digits": (standard(wine[:, 1:]), wine[:, 0], standard(digits[:, :12])),
        "breast cancer, diabetes": (standard(cancer[:, 10:20]), area, standard(diabetes)),
    }


def main() -> None:
    """Print the areas under the ROC curve, by table and score."""
    print("| trained on, foreign | " + " | ".join(METHODS) + " |\n|---|" + "--:|" * len(METHODS))
    found = []
    for name, (X, y, foreign) in tables().items():
        order = np.random.default_rng(0).permutation(len(X))
        train, test = np.array_split(order, 2)
        model = WGBRegressor(random_state=0, n_jobs=1).fit(X[train], y[train])
        known, unknown = (model.predict_dist(rows) for rows in (X[test], foreign[:200]))
        areas = [
            metrics.ood_roc_auc(*(metrics.ood_scores(dist, method) for dist in (known, unknown)))
            for method in METHODS
        ]
        found.append(areas)
        print(f"| {name} | " + " | ".join(f"{area:.2f}" for area in areas) + " |", flush=True)
    print("| mean | " + " | ".join(f"{area:.2f}" for area in np.mean(found, axis=0)) + " |")


if __name__ == "__main__":
    main()
