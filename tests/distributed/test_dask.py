"""Fits on a Dask cluster of two processes: the model is the one of all rows in one process."""

import numpy as np
import pytest

da = pytest.importorskip("dask.array")
import dask.dataframe as dd  # noqa: E402
import pandas as pd  # noqa: E402

import wgboost  # noqa: E402
from clusters import two_processes  # noqa: E402
from wgboost import TreeLearner  # noqa: E402
from wgboost.callbacks import Checkpoint  # noqa: E402
from wgboost.dask import WGBClassifier, WGBRegressor  # noqa: E402
from wgboost.data.binning import Cuts  # noqa: E402
from wgboost.data.schema import Schema  # noqa: E402
from wgboost.distributed.cuts import find_cuts  # noqa: E402
from wgboost.distributed.dask.partitions import DaskPartitions  # noqa: E402
from wgboost.metrics import nll, rmse  # noqa: E402

RNG = np.random.default_rng(0)
COARSE = RNG.integers(0, 12, size=(600, 3)).astype(np.float64)
Y = np.sin(COARSE[:, 0]) + np.exp(COARSE[:, 1] / 12 - 1) * RNG.normal(size=600)
WEIGHT = RNG.integers(0, 3, 600).astype(np.float64)
FEW = {
    "n_estimators": 6, "n_particles": 4, "max_leaves": 16, "random_state": 0,
    "learner": TreeLearner(engine="xgboost"), "n_jobs": 1, "learning_rate": 0.1,
}  # fmt: skip


@pytest.fixture(scope="module")
def client():
    with two_processes() as client:
        yield client


def parts(values, *lengths):
    """An array in chunks of so many rows, the first of them on one worker, the last on another."""
    return da.from_array(values, chunks=(lengths, *((size,) for size in values.shape[1:])))


def alone(X, y, weight=None, **settings):
    return wgboost.WGBRegressor(**{**FEW, **settings}).fit(X, y, weight)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {
            "learner": TreeLearner(leaf="newton", split_on="particle_mean", engine="xgboost"),
            "l2": 1.0,
        },
    ],
    ids=str,
)
def test_predictions_are_those_of_one_process(client, settings):
    X = parts(COARSE, 400, 150, 50)
    assert len(set(DaskPartitions(client, X, "X").locate())) == 2
    model = WGBRegressor(**{**FEW, **settings}).fit(X, parts(Y, 400, 150, 50), client=client)
    one = alone(COARSE, Y, **settings)
    np.testing.assert_allclose(model.predict(COARSE), one.predict(COARSE), atol=1e-5)
    assert model.model_.units == one.model_.units
    lazy = model.predict(X)
    assert lazy.chunks == ((400, 150, 50),)
    np.testing.assert_array_equal(lazy.compute(), model.predict(COARSE))


def test_weights_count_and_an_empty_partition_does_not(client):
    X, y, weight = (parts(one, 500, 0, 100) for one in (COARSE, Y, WEIGHT))
    model = WGBRegressor(**FEW).fit(X, y, weight, client=client)
    one = alone(COARSE, Y, WEIGHT)
    np.testing.assert_allclose(model.predict(COARSE), one.predict(COARSE), atol=1e-5)


@pytest.mark.parametrize(("share", "near"), [(1.0, 0.01), (0.7, 0.05)])
def test_fine_features_give_about_the_same_model(client, share, near):
    X = RNG.normal(size=(1500, 3))
    y = np.sin(X[:, 0]) + np.exp(X[:, 1] / 2) * RNG.normal(size=1500)
    settings = {
        **FEW,
        "n_estimators": 20,
        "learner": TreeLearner(leaf="newton", engine="xgboost"),
        "l2": 10.0,
        "subsample": share,
    }
    train, test = slice(0, 1000), slice(1000, 1500)
    model = WGBRegressor(**settings).fit(
        parts(X[train], 900, 100), parts(y[train], 900, 100), client=client
    )
    one = alone(X[train], y[train], **settings)
    difference = nll(model.predict_dist(X[test]), y[test]) - nll(one.predict_dist(X[test]), y[test])
    assert abs(difference) < near


def test_an_estimator_with_default_parameters_grows_the_trees_of_one_process(client):
    X = RNG.normal(size=(3000, 4))
    y = np.sin(2 * X[:, 0]) * X[:, 1] + X[:, 2] + 0.2 * RNG.normal(size=3000)
    train, test = slice(0, 2000), slice(2000, 3000)
    settings = {"n_estimators": 5, "random_state": 0}
    model = WGBRegressor(**settings).fit(
        parts(X[train], 1200, 800), parts(y[train], 1200, 800), client=client
    )
    one = wgboost.WGBRegressor(**settings).fit(X[train], y[train])
    leaves = [max(tree.n_leaves for tree in each.model_.ensemble.trees) for each in (model, one)]
    assert leaves == [31, 31]
    difference = nll(model.predict_dist(X[test]), y[test]) - nll(one.predict_dist(X[test]), y[test])
    assert abs(difference) < 0.01


def test_cuts_beyond_the_sample_are_exact_for_few_values(client):
    X = np.column_stack([COARSE[:, 0], RNG.normal(size=600)])
    X[599, 0] = 99.0  # a value that a sample may miss
    schema = Schema.fit(X)[0]
    cuts = find_cuts(DaskPartitions(client, parts(X, 450, 150), "X"), schema, 20, None, sample=100)
    exact = Cuts.find(X, max_bins=20)
    np.testing.assert_array_equal(cuts.edges[0], exact.edges[0])
    assert len(cuts.edges[1]) == 19
    share = [np.mean(X[:, 1] <= edge) for edge in cuts.edges[1]]
    np.testing.assert_allclose(share, np.arange(1, 20) / 20, atol=0.15)


@pytest.mark.parametrize("lengths", [(4500, 500), (5000,)], ids=["uneven", "all on one worker"])
def test_metrics_are_those_of_all_validation_rows(client, lengths):
    X = RNG.integers(0, 12, size=(5000, 3)).astype(np.float64)
    y = np.sin(X[:, 0]) + RNG.normal(size=5000)
    weight = RNG.uniform(size=5000)
    model = WGBRegressor(**{**FEW, "eval_metric": ["nll", "rmse"]}).fit(
        parts(COARSE, 300, 300), parts(Y, 300, 300), client=client,
        X_val=parts(X, *lengths), y_val=parts(y, *lengths),
        sample_weight_val=parts(weight, *lengths),
    )  # fmt: skip
    for name, metric in (("nll", nll), ("rmse", rmse)):
        exact = [metric(d, y, sample_weight=weight) for d in model.staged_predict_dist(X)]
        np.testing.assert_allclose(model.history_["validation"][name][1:], exact, rtol=1e-5)


def test_early_stopping_holds_out_rows_of_all_workers_and_refits(client):
    settings = {**FEW, "early_stopping": True, "n_iter_no_change": 2, "learning_rate": 0.5}
    settings |= {"n_estimators": 40}
    model = WGBRegressor(**settings).fit(parts(COARSE, 350, 250), parts(Y, 350, 250), client=client)
    one = alone(COARSE, Y, **settings)
    assert model.n_estimators_ == one.n_estimators_ < 40
    assert model.refitted_
    values = [run.history_["validation"]["nll"] for run in (model, one)]
    np.testing.assert_allclose(*values, atol=1e-5)
    np.testing.assert_allclose(model.predict(COARSE), one.predict(COARSE), atol=1e-4)


def test_frames_bring_names_and_the_model_file_needs_no_dask(client, tmp_path):
    frame = pd.DataFrame(COARSE, columns=["a", "b", "c"]).assign(price=Y)
    lazy = dd.from_pandas(frame, npartitions=2, sort=True)
    model = WGBRegressor(**FEW).fit(lazy, "price", client=client)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    X = lazy[["a", "b", "c"]]
    predicted = model.predict(X).compute()
    assert predicted.index.equals(frame.index)
    model.save(tmp_path / "model")
    loaded = wgboost.load(tmp_path / "model")
    assert type(loaded) is wgboost.WGBRegressor
    np.testing.assert_array_equal(loaded.predict(frame[["a", "b", "c"]]), predicted)
    dist = loaded.predict_dist(frame[["a", "b", "c"]])
    lazily = model.predict_dist(X)
    np.testing.assert_array_equal(lazily.std().compute(), dist.std())
    np.testing.assert_array_equal(lazily.ppf([0.1, 0.9]).compute(), dist.ppf([[0.1, 0.9]]))


def test_classes_are_those_of_all_partitions(client):
    labels = np.where(COARSE[:, 0] > 5, "high", "low")
    labels[:3] = "odd"  # in the first partition alone
    settings = {**FEW, "learning_rate": 0.4}
    X = parts(COARSE, 400, 200)
    model = WGBClassifier(**settings).fit(X, parts(labels, 400, 200), client=client)
    one = wgboost.WGBClassifier(**settings).fit(COARSE, labels)
    assert model.classes_.tolist() == ["high", "low", "odd"]
    np.testing.assert_allclose(
        model.predict_proba(X).compute(), one.predict_proba(COARSE), atol=1e-5
    )
    np.testing.assert_array_equal(model.predict(X).compute(), one.predict(COARSE))


def test_a_fit_resumed_from_a_checkpoint_gives_the_same_model(client, tmp_path):
    def stop(info):
        if info["round"] == 4:
            raise RuntimeError("power cut")

    X, y, file = parts(COARSE, 300, 300), parts(Y, 300, 300), tmp_path / "checkpoint"
    saved = Checkpoint(file, every_rounds=3)
    with pytest.raises(RuntimeError, match="power cut"):
        WGBRegressor(**FEW).fit(X, y, client=client, callbacks=[saved, stop])
    assert wgboost.load(file).n_estimators_ == 3
    model = WGBRegressor(**FEW).fit(X, y, client=client, resume_from=file)
    one = alone(COARSE, Y)
    np.testing.assert_allclose(model.predict(COARSE), one.predict(COARSE), atol=1e-5)
    with pytest.raises(ValueError, match="made with other data"):
        WGBRegressor(**FEW).fit(X + 1, y, client=client, resume_from=file)
