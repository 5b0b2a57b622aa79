"""What the paper reports, and what its author's repeats gave."""

from __future__ import annotations

import csv
from pathlib import Path

__all__ = [
    "CLASSIFICATION", "CLASSIFICATION_METHODS", "METHODS", "NLL", "REGRESSION_SHAPES",
    "RMSE", "author_repeats", "deviation",
]  # fmt: skip

REGRESSION_SHAPES = {
    "boston": (506, 13), "concrete": (1030, 8), "energy": (768, 8), "kin8nm": (8192, 8),
    "naval": (11934, 16), "power": (9568, 4), "protein": (45730, 9), "wine": (1599, 11),
    "yacht": (308, 6),
}  # fmt: skip

# Table 1: mean and standard deviation; the first column is the paper's own method.
METHODS = ("WEvidential", "MCDropout", "DEnsemble", "CDropout", "NGBoost", "DEvidential")
NLL = {
    "boston": ((2.47, 0.16), (2.46, 0.06), (2.41, 0.25), (2.72, 0.01), (2.43, 0.15), (2.35, 0.06)),
    "concrete": (
        (2.83, 0.11), (3.04, 0.02), (3.06, 0.18), (3.51, 0.00), (3.04, 0.17), (3.01, 0.02)
    ),
    "energy": ((0.53, 0.08), (1.99, 0.02), (1.38, 0.22), (2.30, 0.00), (0.60, 0.45), (1.39, 0.06)),
    "kin8nm": (
        (-0.44, 0.03), (-0.95, 0.01), (-1.20, 0.02), (-0.65, 0.00), (-0.49, 0.02), (-1.24, 0.01)
    ),
    "naval": (
        (-5.47, 0.03), (-3.80, 0.01), (-5.63, 0.05), (-5.87, 0.05), (-5.34, 0.04), (-5.73, 0.07)
    ),
    "power": ((2.60, 0.04), (2.80, 0.01), (2.79, 0.04), (2.75, 0.01), (2.79, 0.11), (2.81, 0.07)),
    "protein": ((2.70, 0.01), (2.89, 0.00), (2.83, 0.02), (2.81, 0.00), (2.81, 0.03), (2.63, 0.00)),
    "wine": ((0.95, 0.08), (0.93, 0.01), (0.94, 0.12), (1.70, 0.00), (0.91, 0.06), (0.89, 0.05)),
    "yacht": ((0.16, 0.24), (1.55, 0.03), (1.18, 0.21), (1.75, 0.00), (0.20, 0.26), (1.03, 0.19)),
}  # fmt: skip
RMSE = {
    "boston": ((2.78, 0.60), (2.97, 0.19), (3.28, 1.00), (2.65, 0.17), (2.94, 0.53), (3.06, 0.16)),
    "concrete": (
        (4.15, 0.52), (5.23, 0.12), (6.03, 0.58), (4.46, 0.16), (5.06, 0.61), (5.85, 0.15)
    ),
    "energy": ((0.42, 0.07), (1.66, 0.04), (2.09, 0.29), (0.46, 0.02), (0.46, 0.06), (2.06, 0.10)),
    "kin8nm": ((0.15, 0.00), (0.10, 0.00), (0.09, 0.00), (0.07, 0.00), (0.16, 0.00), (0.09, 0.00)),
    "naval": ((0.00, 0.00), (0.01, 0.00), (0.00, 0.00), (0.00, 0.00), (0.00, 0.00), (0.00, 0.00)),
    "power": ((3.19, 0.25), (4.02, 0.04), (4.11, 0.17), (3.70, 0.04), (3.79, 0.18), (4.23, 0.09)),
    "protein": ((4.09, 0.02), (4.36, 0.01), (4.71, 0.06), (3.85, 0.02), (4.33, 0.03), (4.64, 0.03)),
    "wine": ((0.61, 0.05), (0.62, 0.01), (0.64, 0.04), (0.62, 0.00), (0.63, 0.04), (0.61, 0.02)),
    "yacht": ((0.48, 0.18), (1.11, 0.09), (1.58, 0.48), (0.57, 0.05), (0.50, 0.20), (1.57, 0.56)),
}  # fmt: skip

# Table 2, in percent.
CLASSIFICATION_METHODS = ("WEvidential", "MCDropout", "DEnsemble", "DDistillation", "PNetwork")
CLASSIFICATION = {
    ("segment", "accuracy"): ((96.57, 0.6), (95.25, 0.1), (97.27, 0.1), (96.21, 0.1), (96.92, 0.1)),
    ("segment", "ood"): ((99.67, 0.2), (43.11, 0.6), (58.13, 1.7), (35.83, 0.4), (96.74, 0.9)),
    ("sensorless", "accuracy"): (
        (99.54, 0.1), (89.32, 0.2), (99.37, 0.0), (93.66, 1.5), (99.52, 0.0)
    ),
    ("sensorless", "ood"): ((81.13, 5.3), (40.61, 0.7), (50.62, 0.1), (31.17, 0.2), (88.65, 0.4)),
}  # fmt: skip


def deviation(value: float, reported: tuple[float, float], digits: int = 2) -> float:
    """How far a value is from the reported mean, in reported standard deviations.

    A deviation that rounds to zero counts as half of its last digit.
    """
    mean, spread = reported
    return (value - mean) / max(spread, 0.5 * 10.0**-digits)


def author_repeats(path: Path) -> dict[tuple[str, str], dict[int, tuple[float, int]]]:
    """Value and rounds of each of the author's repeats, by set and criterion."""
    out: dict[tuple[str, str], dict[int, tuple[float, int]]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            key = row["dataset"], row["criterion"]
            out.setdefault(key, {})[int(row["repeat"])] = float(row["value"]), int(row["rounds"])
    return out
