"""Fits from batches, whose features lie in files."""

import gc
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from wgboost import (
    Batches,
    ParquetBatches,
    TreeLearner,
    WGBClassifier,
    WGBRegressor,
    callbacks,
    load,
)
from wgboost.data.binning import Cuts
from wgboost.data.stored import StoredMatrix
from wgboost.training.flat_parameters import grouped_parameters

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 3))
X[rng.random(X.shape) < 0.05] = np.nan
Y = np.nan_to_num(X[:, 0]) + 0.3 * rng.normal(size=600)
WEIGHT = rng.integers(0, 3, 600)
ENGINES = ["native", "xgboost"]


def batches(size=170, *, weight=None, x=X, y=Y, **settings):
    def make():
        for begin in range(0, len(y), size):
            rows = slice(begin, begin + size)
            yield (x[rows], y[rows]) if weight is None else (x[rows], y[rows], weight[rows])

    return Batches(make, **settings)


def regressor(**settings):
    fixed = {"n_estimators": 8, "n_particles": 4, "random_state": 0, "n_jobs": 1}
    fixed |= {"init": "flow", "learning_rate": 0.1}
    return WGBRegressor(**grouped_parameters({**fixed, **settings}))


def equal(a, b):
    np.testing.assert_array_equal(a.predict_dist(X).mean(), b.predict_dist(X).mean())
    np.testing.assert_array_equal(a.predict_dist(X).std(), b.predict_dist(X).std())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [1000, 170, 7])
def test_the_model_is_that_of_the_same_rows_in_memory(engine, size):
    equal(
        regressor(engine=engine).fit(batches(size)),
        regressor(engine=engine).fit(X, Y),
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_samples_of_rows_are_those_of_memory(engine):
    settings = {"engine": engine, "subsample": 0.6, "leaf": "newton", "l2": 1.0}
    equal(regressor(**settings).fit(batches()), regressor(**settings).fit(X, Y))


@pytest.mark.parametrize("engine", ENGINES)
def test_weights_of_rows_are_those_of_memory(engine):
    # Rows with weights are ordered by content in memory: sums differ in their last digits.
    settings = {"engine": engine, "leaf": "newton", "l2": 1.0}
    stored = regressor(**settings).fit(batches(weight=WEIGHT))
    memory = regressor(**settings).fit(X, Y, WEIGHT)
    for part in ("mean", "std"):
        one, other = (getattr(model.predict_dist(X), part)() for model in (stored, memory))
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_are_held_out_and_the_model_is_refitted(engine):
    coarse = np.round(X)  # the rows to train on have all values, so that their bins are the same
    settings = {
        "engine": engine, "early_stopping": True, "n_estimators": 20, "learning_rate": 0.5,
        "evidence": 1.0,
    }  # fmt: skip
    stored = regressor(**settings).fit(batches(x=coarse))
    memory = regressor(**settings).fit(coarse, Y)
    assert stored.refitted_
    assert stored.history_ == memory.history_
    equal(stored, memory)


@pytest.mark.parametrize("engine", ENGINES)
def test_rounds_and_evidence_are_sought_where_nothing_is_said(engine):
    settings = {"n_particles": 3, "n_iter_no_change": 3, "learning_rate": 0.5, "random_state": 0}
    settings["init"] = "flow"  # batches never start at a process
    settings |= {"learner": TreeLearner(engine=engine), "n_jobs": 1}
    coarse = np.round(X)
    stored = WGBRegressor(**settings).fit(batches(x=coarse))
    memory = WGBRegressor(**settings).fit(coarse, Y)
    assert stored.refitted_
    for mine, theirs in zip(stored.search_, memory.search_, strict=True):
        assert {**mine, "chosen": None} == {**theirs, "chosen": None}


def test_batches_without_rows_are_passed_over():
    empty = (X[:0], Y[:0])
    equal(regressor().fit(Batches([empty, (X[:500], Y[:500]), empty, (X[500:], Y[500:])])),
          regressor().fit(X, Y))  # fmt: skip


def test_classes_are_those_of_all_batches():
    labels = np.where(Y > 1, "high", np.where(Y < -1, "low", "middle"))
    order = np.argsort(labels)  # the first batch has one class only
    settings = {"n_estimators": 5, "random_state": 0, "n_jobs": 1}
    stored = WGBClassifier(**settings).fit(batches(x=X[order], y=labels[order]))
    memory = WGBClassifier(**settings).fit(X[order], labels[order])
    assert stored.classes_.tolist() == ["high", "low", "middle"]
    np.testing.assert_array_equal(stored.predict_proba(X), memory.predict_proba(X))


@pytest.mark.parametrize("engine", ENGINES)
def test_bins_are_those_of_weighted_classes(engine):
    rare = np.where(Y > 1.5, "rare", "common")  # features of many values: bins go by weight
    settings = {"n_estimators": 5, "random_state": 0, "n_jobs": 1, "class_weight": "balanced"}
    settings |= {"learner": TreeLearner(engine=engine, max_bins=20)}
    stored = WGBClassifier(**settings).fit(batches(y=rare, weight=WEIGHT))
    memory = WGBClassifier(**settings).fit(X, rare, WEIGHT)
    np.testing.assert_array_equal(stored.predict_proba(X), memory.predict_proba(X))


def test_a_validation_set_in_memory_is_watched():
    model = regressor(early_stopping=True).fit(batches(), X_val=X[:100], y_val=Y[:100])
    assert len(model.history_["validation"]["nll"]) == 9


@pytest.mark.parametrize("engine", ENGINES)
def test_a_checkpoint_goes_on_with_the_same_batches(tmp_path, engine):
    whole = regressor(engine=engine).fit(batches())
    path = tmp_path / "half.wgb"
    stop = [callbacks.Checkpoint(path, every_rounds=3), lambda info: info["round"] == 3]
    regressor(engine=engine).fit(batches(), callbacks=stop)
    equal(regressor(engine=engine).fit(batches(50), resume_from=path), whole)
    whole.save(tmp_path / "model.wgb")
    equal(load(tmp_path / "model.wgb"), whole)


def test_rounds_are_added_where_the_bins_are_those_of_before():
    part = regressor(n_estimators=3, warm_start=True).fit(batches())
    equal(part.set_params(n_estimators=8).fit(batches()), regressor().fit(X, Y))
    with pytest.raises(ValueError, match=r"the model splits feature \d at .*warm_start=False"):
        part.set_params(n_estimators=9).fit(batches(x=X + 0.001))


@pytest.mark.parametrize("engine", ENGINES)
def test_files_go_with_the_fit(tmp_path, engine):
    def there(info):
        if info["round"] == 1:
            suffixes.update(path.suffix for path in Path(tmp_path).rglob("*") if path.is_file())

    suffixes: set[str] = set()
    regressor(engine=engine).fit(batches(folder=tmp_path), callbacks=[there])
    assert suffixes >= ({".codes", ".page"} if engine == "xgboost" else {".codes"})
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_stored_matrix_has_values_of_the_same_codes():
    cuts = Cuts.find(X)
    codes = cuts.apply(X).codes
    stored = StoredMatrix(codes, cuts, folder=None)
    again = cuts.apply(stored.values(slice(0, 600))).codes
    np.testing.assert_array_equal(again, codes)
    assert stored[np.array([5, 2])].shape == (2, 3)


# --- Parquet --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=Y, w=WEIGHT)
    for part, rows in enumerate(np.array_split(np.arange(600), 3)):
        pl.from_pandas(frame.iloc[rows]).write_parquet(tmp_path / f"part-{part}.parquet")
    return tmp_path


def test_parquet_files_are_read_by_name(folder):
    source = ParquetBatches(folder, y="y", sample_weight="w", batch_rows=64)
    model = regressor(support=False).fit(source)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    memory = regressor(support=False).fit(frame, Y, WEIGHT)
    np.testing.assert_allclose(model.predict(frame), memory.predict(frame), rtol=1e-10)
    few = regressor().fit(ParquetBatches(folder / "part-0.parquet", y="y", columns=["a"]))
    assert few.n_features_in_ == 1


def test_several_columns_of_y_come_from_parquet(folder):
    source = ParquetBatches(folder, y=["y", "w"], columns=["a", "b"])
    model = regressor(response="multivariate_normal").fit(source)
    memory = regressor(response="multivariate_normal").fit(X[:, :2], np.stack([Y, WEIGHT], axis=1))
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(model.predict(X[:, :2]), memory.predict(X[:, :2]))
