"""Every object that can be saved, in every command of the command line: see `test_matrix.py`."""

import json
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cli_files import call, error_of
from matrix_objects import CLASSES, DATA, TEST, file_of, fitted, saved_objects
from wgboost.metrics.summaries import summary

DRAWN = ("frame_classes", "columns", "counts")  # by the command line too


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("matrix")


@pytest.fixture(scope="module")
def saved(folder):
    """Return the file of an object, written once."""
    return partial(file_of, folder)


@pytest.fixture(scope="module")
def tables(folder):
    """Return the test rows as files: with y, and without."""

    def path_of(data):
        both = folder / f"{data}.csv", folder / f"{data}_features.csv"
        if not both[0].exists():
            table = DATA[data].table(TEST)
            table.to_csv(both[0], index=False)
            lost = [name for name in DATA[data].columns if name != "time"]
            table.drop(columns=lost).to_csv(both[1], index=False)
        return both

    return path_of


@saved_objects
def test_info(family, data, saved):
    path, model = saved(family, data), fitted(family, data)
    told = json.loads(call("info", path, "--json").stdout)
    assert told["estimator"] == type(model).__name__
    assert [one["name"] for one in told["features"]]
    assert_allclose(
        sorted(one["importance"] for one in told["features"]), np.sort(model.feature_importances_)
    )
    text = call("info", path).stdout
    if family == "bag":
        kept = [one.n_rounds for one in model.model_.models]
        assert told["rounds"] == kept
        assert (told["members"], told["recipe"]) == (len(model.members_), model.best_recipe_)
        assert f"members     {len(model.members_)}, recipe {model.best_recipe_}" in text
    else:
        assert told["rounds"] == model.n_estimators_
        assert "members" not in text


@saved_objects
def test_predict(family, data, saved, tables):
    arguments = ["predict", saved(family, data), tables(data)[1], "--quantiles", "0.5"]
    if family == "general":
        assert "open it in Python with wgboost.load" in error_of(*arguments)
        return
    if data == "counts":
        arguments += ["--exposure", "time"]
    rows = json.loads(call(*arguments, "--json").stdout)["predictions"]
    model, (X, _, row_params) = fitted(family, data), DATA[data].part(TEST)
    name = "prediction" if data in CLASSES else "0_mean" if data == "columns" else "mean"
    found, expected = np.array([row[name] for row in rows]), model.predict(X, **row_params)
    if data in CLASSES:
        assert_array_equal(found, expected)
    else:
        assert_allclose(found, expected[:, 0] if data == "columns" else expected)


@saved_objects
def test_evaluate(family, data, saved, tables, tmp_path):
    page = tmp_path / "page.html"
    arguments = ["evaluate", saved(family, data), tables(data)[0], *DATA[data].flags]
    paged = family == "bag" and data in DRAWN  # what others show is in `test_report`
    if paged:
        arguments += ["--report", page]
    if family == "general":
        assert "open it in Python with wgboost.load" in error_of(*arguments)
        return
    told = json.loads(call(*arguments, "--json").stdout)["metrics"]
    model, (X, y, row_params) = fitted(family, data), DATA[data].part(TEST)
    expected = summary(model.predict_dist(X, **row_params), y)
    assert_allclose([told[one.name] for one in expected], [one.value for one in expected])
    assert page.exists() == paged


@saved_objects
def test_plot(family, data, saved, tables, tmp_path):
    arguments = ["plot", saved(family, data), tables(data)[0], *DATA[data].flags]
    arguments += ["--out", tmp_path, "--along", "1", "--format", "svg"]
    if family == "general":
        assert "open it in Python with wgboost.load" in error_of(*arguments)
        return
    all_of_them = family == "bag" and data in DRAWN
    if not all_of_them:  # the others are those of the report
        arguments += ["--only", "particles"]
    drawn = json.loads(call(*arguments, "--json").stdout)["plots"]
    names = {path.name.removesuffix(".svg") for path in tmp_path.iterdir()}
    assert len(drawn) == len(names)
    assert "particles" in names
    if all_of_them:
        end = "_of_u" if data == "columns" else ""
        assert {f"predictive{end}", f"density{end}", "importance", "learning_curve"} <= names
