"""The examples of the gallery run, draw legible pictures and show what they say they show."""

import runpy
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from pages import ROOT

mpl.use("Agg")
FOLDER = ROOT / "examples"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))


@pytest.fixture
def run():
    """Run an example and return its names; its figures are open until the test ends."""

    def names_of(name):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
            return runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")

    yield names_of
    plt.close("all")


def calibrated(names):
    reached = names["curves"]
    off = {name: abs(share - level)[level <= 0.9].max() for name, (level, share) in reached.items()}
    return off["bounds"] < 0.06 and min(off[name] for name in off if name != "bounds") > 0.1


CLAIMS = {
    "bayesian_evidential": [
        lambda n: n["spreads"][4000][0] < 0.15 * n["spreads"][40][0],
        lambda n: 0.8 * n["row_scale"] < n["spreads"][4000][1] < 1.1 * n["row_scale"],
        lambda n: 0.8 * n["row_scale"] < n["spreads"][40][1] < 1.1 * n["row_scale"],
    ],
    "calibration": [
        lambda n: n["coverage"]["evidence 1"] > 0.97,
        lambda n: abs(n["coverage"]["evidence 10, early stopping"] - 0.9) < 0.04,
        lambda n: n["coverage"]["evidence 10, 500 rounds"] < 0.82,
        lambda n: min(n["nll"], key=n["nll"].get) == "evidence 10, early stopping",
    ],
    "censored": [calibrated, lambda n: min(n["nll"], key=n["nll"].get) == "bounds"],
    "classification": [
        lambda n: n["nll"]["logistic regression"] < n["nll"]["wgboost"],
        lambda n: n["nll"]["wgboost"] < n["nll"]["scikit-learn's boosting"] - 0.1,
    ],
    "counts": [
        lambda n: n["nll"]["negative_binomial"] < n["best"] + 0.02,
        lambda n: min(n["nll"].values()) == n["nll"]["negative_binomial"],
        lambda n: n["models"]["negative_binomial"].predict([[20]]) < n["rate"](20),
    ],
    "decisions": [
        lambda n: n["paid"]["decide"] < 0.9 * n["paid"]["the mean and 20 more"],
        lambda n: n["paid"]["decide"] < 0.9 * n["paid"]["the mean"],
        lambda n: min(n["spent"], key=n["spent"].get) == "decide",
    ],
    "demo": [
        lambda n: n["unknown"]["in the gap"] > 2 * n["unknown"]["where data are"],
        lambda n: n["unknown"]["beyond"] > n["unknown"]["in the gap"],
        lambda n: np.median(n["scores_out"]) > np.quantile(n["scores_in"], 0.9),
    ],
    "distribution_targets": [lambda n: n["distance"] < 0.2 * n["chance"]],
    "large_data": [
        lambda n: list(n["gap"].values()) == sorted(n["gap"].values(), reverse=True),
        lambda n: n["gap"][100_000] < 0.02,
        lambda n: n["models"][1000].n_estimators_ < 40,
    ],
    "messy_frames": [
        lambda n: n["widths"]["area missing"] > 2 * n["widths"]["all known"],
        lambda n: n["widths"]["city missing"] > 2 * n["widths"]["all known"],
        lambda n: all(held > 0.88 for held in n["held"].values()),
        lambda n: n["answers"].median()[2] == n["answers"].median()[4],
    ],
    "out_of_distribution": [
        lambda n: min(n["areas"].values()) > 0.95,
        lambda n: np.median(n["score_out"]) > np.quantile(n["score_in"], 0.8),
        lambda n: abs(n["information_area"] - n["digits_area"]) < 0.05,
    ],
    "own_density": [
        lambda n: np.exp(n["model"].predict([[0.95]])[0, 0]) == pytest.approx(1.95, rel=0.1),
    ],
    "pictures": [lambda n: n["figure"].number == 4],
    "priors": [
        lambda n: n["spread"]["y_std given"] < 0.35 < 0.6 < n["spread"]["y_std left out"],
        lambda n: n["off"]["y_std given"] < n["off"]["y_std left out"],
        lambda n: n["misses"][40, True] < n["misses"][40, False],
        lambda n: n["misses"][4000, True] > n["misses"][4000, False],
    ],
    "regression": [
        lambda n: n["nll"]["wgboost"] < n["nll"]["one deviation for all"] - 0.1,
        lambda n: 0.85 < n["metrics"].coverage(n["dist"], n["y"][n["test"]], 0.9) < 0.95,
        lambda n: np.corrcoef(n["dist"].std(), n["scale"][n["test"]])[0, 1] > 0.85,
    ],
    "responses": [
        lambda n: n["order"][-2:] == ["weibull", "gamma"],
        lambda n: n["nll"]["gamma"] < n["best"] + 0.01,
        lambda n: (n["models"]["normal"].predict_dist(n["grid"][:, None]).cdf(0) > 0.01).any(),
    ],
    "several_columns": [
        lambda n: n["nll"]["one model of both"] < n["nll"]["a model of each"] - 0.2,
        lambda n: n["nll"]["the truth"] < n["nll"]["one model of both"],
    ],
}  # fmt: skip
"""What the text of an example says, in terms of the names that it leaves behind."""


@pytest.mark.parametrize("name", NAMES)
def test_an_example_shows_what_it_says(run, name):
    names = run(name)
    failed = [i for i, claim in enumerate(CLAIMS[name]) if not claim(names)]
    assert failed == []
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    for figure in figures:
        assert (ROOT / "docs/figures" / f"{figure.get_label()}.png").exists()
        drawn = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
        lowest = [ax for ax in drawn if ax.get_subplotspec().is_last_row()]
        assert [ax.get_title() for ax in lowest if not ax.get_xlabel()] == []
