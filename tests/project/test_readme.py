"""The examples of the README and the documents run as they stand."""

import re

import matplotlib as mpl
import numpy as np
import pytest
from scipy import stats

import wgboost
from pages import ROOT, examples, ran

mpl.use("Agg")
EXAMPLES = examples("README.md")


def test_the_readme_has_an_example_of_ten_lines():
    assert len(EXAMPLES) == 1
    lines = [line for line in EXAMPLES[0].splitlines() if line.strip()]
    assert len(lines) <= 10


@pytest.mark.parametrize("source", EXAMPLES)
def test_the_example_runs_and_predicts_better_than_the_training_mean(source, capsys):
    names: dict = {}
    exec(source, names)
    nll = float(capsys.readouterr().out.split()[0])
    assert 5.0 < nll < 5.65  # a normal distribution of the training rows has 5.69
    inside = (names["low"] < names["y_test"]) & (names["y_test"] < names["high"])
    assert 0.8 < inside.mean() < 1.0


def rows_of(text):
    """The cells of the lines of a table, without what stands around figures."""
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines]


def test_the_figures_of_the_comparison_are_those_of_the_tables():
    tables = (ROOT / "paper/best.md").read_text()
    head, _, *rows = rows_of(tables[tables.index("## NLL") : tables.index("Some test rows")])
    readme = (ROOT / "README.md").read_text()
    comparison = readme[readme.index("## Comparison") : readme.index("27 % of the test rows of")]
    names, _, *own = rows_of(comparison)
    shown = {line[0].split(" (")[0]: dict(zip(names[1:], line[1:], strict=True)) for line in own}
    fewer = next(line[0] for line in own if line[0].startswith("`WGBRegressor()`"))
    for row in rows:
        told = dict(zip(head, row, strict=True))
        name, single = told["set"], re.match(r"(\S+)(?:.* \((\d+)\))?", told["single"])
        assert shown["splits"][name] == told["splits"]
        assert shown["`WGBRegressorCV()`"][name] == told["bag"].split()[0]
        assert shown["`WGBRegressor()`"][name] == single[1]
        assert (f"{name} {single[2]}" in fewer) if single[2] else (name not in fewer)
        assert shown["the paper's method"][name] == told["paper's own"]
        assert shown["the best of its six"][name] == told["best of its six"].split()[0]
    others = tables[tables.index("## Other methods") :]
    head, _, *rows = rows_of(others[others.index("NLL:") : others.index("Some test rows")])
    for name, *cells in rows:
        for method, cell in zip(head[1:], cells, strict=True):
            assert shown[method][name] == cell.split()[0]


def test_the_examples_of_the_algorithm_run_one_after_the_other():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(200, 2))
    labels = X[:, 1] + rng.normal(0, 0.3, 200) > 0
    names = {"np": np, "X": X, "y": 3 + X[:, 0], "labels": labels, **vars(wgboost)}
    for source in examples("docs/algorithm.md"):
        exec(source, names)
    assert names["order"].shape == (5,)
    assert names["particles"].shape == (200, 20, 1)
    assert abs(names["particles"].mean(axis=1)[:, 0] - names["y"]).mean() < 0.1


def test_the_examples_of_the_page_of_responses():
    names = ran("docs/responses.md")
    assert names["best"] == names["propose_response"](names["y"])[0] == "negative_binomial"
    assert "larger variance" in names["why"]
    assert names["nll"]["negative_binomial"] + 0.1 < names["nll"]["poisson"]


def test_the_examples_of_frames(capsys):
    names = ran("docs/frames.md")
    city, _, balcony = names["model"].feature_importances_
    assert balcony < 0.1 < city
    y = names["frame"]["price"].to_numpy()[500:]
    assert 0.75 < ((names["low"] < y) & (y < names["high"])).mean() <= 1
    assert len(names["left"]) > 0
    assert (np.diff(names["path"]) >= 0).all()
    assert names["path"][-1] > names["path"][0] + 5
    printed, page = capsys.readouterr().out, (ROOT / "docs/frames.md").read_text()
    assert [error for error in names["errors"] if error not in printed or error not in page] == []
    assert len(names["errors"]) == len(names["wrong"]) == 4


def test_the_examples_of_censored_data():
    names = ran("docs/censored.md")
    n, y = len(names["X"]), names["y_test"]
    assert 0.2 < np.isinf(y["upper"]).mean() < 0.6
    assert abs(names["share"] - names["level"]).max() < 0.15
    assert names["order"] > 0.65
    assert names["curves"].shape == (len(y), 50)
    assert (np.diff(names["curves"], axis=1) <= 0).all()
    assert ((names["left"] > 0) & (names["left"] < 1)).all()
    assert 0 < len(names["y_late"]) < n == len(names["limit"]) == len(names["rounded"])


def test_the_examples_of_a_density_of_ones_own():
    names = ran("docs/own_density.md")
    X, particles = names["X"], names["particles"]
    new, y = X[400:], names["y"][400:]
    assert particles.shape == (100, 10, 2)
    assert abs(particles[..., 0].mean(axis=1) - 2 * new[:, 0]).mean() < 0.25
    true = stats.t(4, loc=2 * new[:, 0], scale=np.exp(new[:, 1] - 1))
    assert abs(names["nll"] + true.logpdf(y).mean()) < 0.2
    exact = stats.t(4, loc=particles[..., 0], scale=np.exp(particles[..., 1])).pdf(y[:, None])
    np.testing.assert_allclose(names["nll"], -np.log(exact.mean(axis=1)).mean(), rtol=1e-4)
    around = names["around"][..., 0]
    assert abs(around.mean(axis=1) - 2 * X[:, 0]).mean() < 0.1
    assert abs(around.std(axis=1).mean() - 0.5) < 0.1
    assert abs(names["listed"].predict(X) - X[:, 0]).mean() < 0.2


def test_the_examples_of_targets_that_are_distributions():
    names = ran("docs/distribution_targets.md")
    X = names["X"][:, 0]
    assert names["distance"].mean() < 0.3 * names["chance"].mean()
    assert names["transport"].mean() < 0.2
    assert names["discrepancy"].mean() < 0.02
    quantiles = names["model"].predict_particles(names["X"])[..., 0]
    assert abs(np.quantile(quantiles, 0.25, axis=1) + 1 + X).mean() < 0.3
    for fitted in (names["known"], names["between"]):
        assert abs(fitted.predict(names["X"]) - X).mean() < 0.05
        assert 0.35 < fitted.predict_particles(names["X"]).std(axis=1).mean() < 0.5
    smooth = names["smooth"].predict_particles(names["X"])
    ours = names["metrics"].energy_distance(smooth, names["fresh"]).mean()
    assert ours < names["chance"].mean()
    stopped, curve = names["searched"], names["curve"]
    assert stopped.n_estimators_ == np.argmin(curve) == len(curve) - 21
    off = names["centred"].history_["validation"]["off_centre"]
    assert names["centred"].n_estimators_ == np.argmin(off)
    assert min(off) < 0.3 * off[0]


def test_the_examples_of_model_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = ran("docs/model_files.md")
    assert (names["again"].predict(names["X"]) == names["model"].predict(names["X"])).all()
    assert names["resumed"] == names["whole"]
    assert (
        names["evaluations"]["validation"]["nll"]
        == names["stopped"].history_["validation"]["nll"][1:]
    )
    assert "has a target of your own, 'log_density'" in capsys.readouterr().out


def test_the_examples_of_settings_by_cross_validation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ran("docs/cv.md")
    model, X = names["model"], names["X"]
    assert model.best_recipe_ in names["recipes"]
    assert (names["same"].predict(X) == model.predict(X)).all()
    assert abs(model.predict(X) - np.sin(2 * X[:, 0])).mean() < 0.25
    assert (names["low"] < names["high"]).all()


def test_the_examples_of_metrics():
    names = ran("docs/metrics.md")
    assert 0.7 < names["held"] <= 1
    assert 0 < names["off"] < 0.15
    assert (names["scores"] < 0).all()
    assert names["crps"] < abs(names["y"] - names["y"].mean()).mean()
    assert names["search"].best_score_ == names["search"].cv_results_["mean_test_nll"].max()
    assert (names["brier"] > -0.4).all()
    assert (names["own"] < 0).all()
    assert (names["low"] > 0).all()
    assert names["search_dist"].mean().shape == names["y_test"].shape


def test_the_examples_of_calibration(capsys):
    names = ran("docs/calibration.md")
    y, nll = names["y"][names["test"]], names["metrics"].nll
    assert names["after"] < names["before"] - 0.3
    assert "Calibration(scale=" in capsys.readouterr().out
    assert nll(names["better"], y) == pytest.approx(names["after"])
    assert 0.86 < names["inside"] < 0.97
    assert 0.86 < names["right"] < 0.97
    for low, high in (names["ends"], names["ends_cross"]):
        assert 0.86 < ((low <= y) & (y <= high)).mean() < 0.97


def test_the_examples_of_rows_unlike_the_training_data():
    names = ran("docs/out_of_distribution.md")
    assert np.median(names["p"]) < 0.1 < np.median(names["usual"])
    assert np.median(names["rare"]) < 0.1
    assert (names["rare"] == names["same"]).all()
    assert names["score"].shape == names["information"].shape == (100,)


def test_the_examples_of_pictures():
    names = ran("docs/pictures.md")
    assert names["along"].feature == "bmi"
    assert names["coverage"].ax_ is names["axes"][0]
    assert names["far"] < 0.2
    assert (abs(names["reliability"].share - names["reliability"].level) < 0.2).all()
    assert names["ood"].roc_auc > 0.6
    page = names["path"].read_text()
    assert f"{names['numbers']['NLL']:.4g}" in page


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_links_and_pictures_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#:]+)", page.read_text()):
        assert (page.parent / link).exists(), link
