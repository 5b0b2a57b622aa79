"""Compare two installed versions of wgboost: times of fits, predictions and the import.

Each job runs in a process of its own, by turns under the Python that runs this script and under
another one, so that both meet the same load of the machine. The table has the best of several
repeats, in seconds of CPU, and the ratio of this version to the other.

    python benchmarks/versions.py OTHER_PYTHON --repeats 5
"""

from __future__ import annotations

import argparse
import subprocess
import sys

DATA = """
import time, warnings
import numpy as np
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
def made(n, p):
    X = rng.normal(size=(n, p))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
"""
FIT = """
from wgboost import WGBClassifier, WGBRegressor, WGBRegressorCV
start = time.process_time()
"""
PREDICT = """
from wgboost import WGBRegressor
model = WGBRegressor(n_estimators=100, evidence=10.0, n_jobs=1, random_state=0).fit(*made(2000, 10))
"""
END = "print(time.process_time() - start)"
SHORT = "n_jobs=1, random_state=0"
JOBS = {
    "import": "import time\nstart = time.process_time()\nimport wgboost\n",
    "regressor, untouched, 2,000 x 10": (
        f"{DATA}X, y = made(2000, 10)\n{FIT}WGBRegressor({SHORT}).fit(X, y)\n"
    ),
    "regressor, 100 rounds, 10,000 x 10": (
        f"{DATA}X, y = made(10000, 10)\n{FIT}"
        f"WGBRegressor(n_estimators=100, evidence=10.0, {SHORT}).fit(X, y)\n"
    ),
    "regressor, 100 rounds of shared trees, 100,000 x 10": (
        f"{DATA}X, y = made(100000, 10)\n{FIT}"
        f"WGBRegressor(n_estimators=100, evidence=10.0, tree='shared', {SHORT}).fit(X, y)\n"
    ),
    "classifier, 50 rounds, 5,000 x 10": (
        f"{DATA}X, y = made(5000, 10)\n{FIT}"
        f"WGBClassifier(n_estimators=50, {SHORT}).fit(X, np.digitize(y, [-1, 1]))\n"
    ),
    "bag, 400 x 5": f"{DATA}X, y = made(400, 5)\n{FIT}WGBRegressorCV({SHORT}).fit(X, y)\n",
    "mean and deviation of 50,000 rows": (
        f"{DATA}{PREDICT}X, _ = made(50000, 10)\nstart = time.process_time()\n"
        "dist = model.predict_dist(X)\ndist.mean(), dist.std()\n"
    ),
    "1,000 rows, one at a time": (
        f"{DATA}{PREDICT}X, _ = made(1000, 10)\nstart = time.process_time()\n"
        "for row in X: model.predict(row[None])\n"
    ),
}


def seconds(python: str, code: str) -> float:
    """Return the seconds that a process prints."""
    done = subprocess.run(
        [python, "-c", code + END], capture_output=True, text=True, check=True, cwd="/"
    )
    return float(done.stdout.split()[-1])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", help="Python of an environment with another version of wgboost")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    print("| job | other, s | this, s | ratio |\n|---|---|---|---|")
    for name, code in JOBS.items():
        times: dict[str, list[float]] = {given.other: [], sys.executable: []}
        for _ in range(given.repeats):
            for python, found in times.items():
                found.append(seconds(python, code))
        other, this = (min(found) for found in times.values())
        print(f"| {name} | {other:.3f} | {this:.3f} | {this / other:.2f} |", flush=True)


if __name__ == "__main__":
    main()
