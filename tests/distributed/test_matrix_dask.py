"""A model that was fitted on a Dask cluster, in every public place: see `test_matrix.py`."""

import json
import pickle

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

da = pytest.importorskip("dask.array")

import wgboost  # noqa: E402
from cli_files import call  # noqa: E402
from clusters import two_processes  # noqa: E402
from matrix_objects import CLASSES, DATA, SMALL, TEST, TRAIN  # noqa: E402
from wgboost import dask, plotting  # noqa: E402

FEW = {**SMALL, "n_estimators": 4, "max_leaves": 4, "evidence": 5.0}
KINDS = {"numbers": dask.WGBRegressor, "classes": dask.WGBClassifier}
LAZY = da.from_array(DATA["numbers"].X[TEST], chunks=(20, 3))


@pytest.fixture(scope="module")
def models():
    """A model of each kind, and another that a clone of it was fitted to."""
    with two_processes() as client:

        def pair(data):
            X, y, _ = DATA[data].part(TRAIN)
            rows = da.from_array(X, chunks=(45, 3)), da.from_array(np.asarray(y), chunks=45)
            model = KINDS[data](**FEW).fit(*rows, client=client)
            return model, clone(model).fit(*rows, client=client)

        return {data: pair(data) for data in KINDS}


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.mark.parametrize("data", KINDS)
def test_copies(models, data, tmp_path):
    X, _, _ = DATA[data].part(TEST)
    model, again = models[data]
    model.save(tmp_path / "model.wgb")
    loaded = wgboost.load(tmp_path / "model.wgb")
    assert type(loaded).__module__.startswith("wgboost.estimators")
    pipe = make_pipeline(FunctionTransformer(), model)
    for copy in (again, pickle.loads(pickle.dumps(model)), loaded):
        assert_array_equal(copy.predict_dist(X).theta(), model.predict_dist(X).theta())
    assert_array_equal(pipe.predict(X), model.predict(X))


@pytest.mark.parametrize("data", KINDS)
def test_pictures_and_the_report(models, data, tmp_path):
    X, y, _ = DATA[data].part(TEST)
    model = models[data][0]
    told = wgboost.report(model, X, y, tmp_path / "page.html", X_out=X, n_dependence=1)
    assert np.isfinite(list(told.values())).all()
    plotting.LearningCurveDisplay.from_estimator(model, X, y)
    plotting.ParticlesDisplay.from_estimator(model, X)
    plotting.PredictiveDisplay.from_estimator(model, X, y, feature=0, grid_size=9)


def test_collections_are_to_be_computed_before_they_are_drawn(models, tmp_path):
    model, y = models["numbers"][0], DATA["numbers"].y[TEST]
    with pytest.raises(TypeError, match=r"X is a dask Array.*X.compute\(\)"):
        wgboost.report(model, LAZY, y, tmp_path / "page.html")
    with pytest.raises(TypeError, match=r"X is a dask Array.*X.compute\(\)"):
        plotting.PITDisplay.from_estimator(model, LAZY, y)
    shown = plotting.OODDisplay.from_estimator(model, LAZY, LAZY)
    assert_array_equal(shown.score_in, shown.score_out)
    assert shown.roc_auc == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("data", KINDS)
def test_methods(models, data):
    X, y, _ = DATA[data].part(TEST)
    model = pickle.loads(pickle.dumps(models[data][0]))
    assert np.isfinite(model.ood_pvalue(X)).all()
    support = model.predict_support(X)
    assert_allclose(model.explain_support(X).sum(axis=1), 1 - support, atol=1e-5)
    band = model.predict_band(X)
    assert (band[..., 0] <= band[..., 1]).all()
    assert model.calibrate(X, y).calibration_.scale > 0
    assert np.isfinite(model.calibrate_ood(X).ood_pvalue(X)).all()
    first = "probability_0" if data in CLASSES else "mean"
    chosen = model.decide(X, lambda a, theta: np.square(a - theta[first]), [0.1, 30.0])
    assert np.isin(chosen, [0.1, 30.0]).all()
    assert_array_equal([*model.staged_predict(X)][-1], model.predict(X))


@pytest.mark.parametrize("data", KINDS)
def test_commands(models, data, tmp_path):
    path, table = tmp_path / "model.wgb", tmp_path / "rows.csv"
    models[data][0].save(path)
    DATA[data].table(TEST).to_csv(table, index=False)
    flags = DATA[data].flags
    kind = type(models[data][0]).__name__
    assert json.loads(call("info", path, "--json").stdout)["estimator"] == kind
    told = json.loads(call("evaluate", path, table, *flags, "--json").stdout)
    assert np.isfinite(list(told["metrics"].values())).all()
    call("plot", path, table, *flags, "--out", tmp_path / "drawn", "--only", "importance")
    assert (tmp_path / "drawn" / "importance.png").exists()
