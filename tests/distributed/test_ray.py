"""Fits on two workers of Ray Train: the model is the one of all rows in one process."""

import time

import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install wgboost[ray]")

import wgboost  # noqa: E402
from ray_examples import (  # noqa: E402
    COARSE,
    FEW,
    FRAME,
    NAMES,
    RNG,
    WEIGHT,
    Y,
    alone,
    blocks,
    two_workers,
)
from wgboost import TreeLearner  # noqa: E402
from wgboost.callbacks import Checkpoint  # noqa: E402
from wgboost.distributed.ray.partitions import RayPartitions  # noqa: E402
from wgboost.ray import WGBClassifier, WGBRegressor  # noqa: E402

pytestmark = [
    pytest.mark.slow,  # Ray Train takes ten seconds to start its workers
    pytest.mark.filterwarnings("default"),  # Ray has warnings of its own
]


@pytest.fixture(scope="module", autouse=True)
def cluster():
    with two_workers():
        yield


def test_blocks_go_to_workers_by_their_rows():
    parts = RayPartitions(blocks(400, 150, 50), "X", 2)
    assert parts.lengths == [400, 150, 50]
    first, second, third = parts.locate()
    assert first != second == third
    for uneven in (blocks(600), blocks(600, 0), blocks(590, 10)):
        again = RayPartitions(uneven, "X", 2)
        assert sum(again.lengths) == 600
        assert len(set(again.locate())) == 2
        assert max(again.lengths) <= 300


def test_rows_keep_their_order_when_a_later_block_is_ready_first():
    def slow(part):
        time.sleep(1.0 if part["id"][0] == 0 else 0.0)
        return part

    lazy = ray.data.range(80, override_num_blocks=4).map_batches(slow, batch_size=None)
    parts = RayPartitions(lazy, "X", 1)
    assert parts.take_columns({"y": "id"})["y"].tolist() == list(range(80))


@pytest.mark.parametrize("lengths", [(400, 150, 50), (500, 0, 100)], ids=str)
def test_predictions_are_those_of_one_process(lengths, tmp_path):
    data = blocks(*lengths, price=Y, n=WEIGHT)
    model = WGBRegressor(**FEW).fit(data, "price", "n", scaling_config=2)
    one = alone(WEIGHT)
    assert model.feature_names_in_.tolist() == NAMES
    np.testing.assert_allclose(model.predict(FRAME), one.predict(FRAME), atol=1e-5)
    model.save(tmp_path / "model")
    assert type(wgboost.load(tmp_path / "model")) is wgboost.WGBRegressor
    batches = data.map_batches(
        lambda part: {"mean": model.predict(part[NAMES])}, batch_format="pandas"
    )
    together = np.concatenate([one["mean"] for one in batches.iter_batches(batch_format="numpy")])
    np.testing.assert_allclose(np.sort(together), np.sort(model.predict(FRAME)))


def test_early_stopping_uses_validation_rows_of_all_workers():
    settings = {"early_stopping": True, "n_iter_no_change": 2, "learning_rate": 0.5}
    settings |= {"n_estimators": 40, "evidence": 10.0}
    other = np.sin(COARSE[:, 0]) + RNG.normal(size=600)
    watched = {"X_val": blocks(590, 10, y=other), "y_val": "y"}
    model = WGBRegressor(**FEW | settings).fit(
        blocks(350, 250, y=Y), "y", scaling_config=2, **watched
    )
    one = wgboost.WGBRegressor(**FEW | settings).fit(FRAME, Y, X_val=FRAME, y_val=other)
    assert model.n_estimators_ == one.n_estimators_ < 40
    values = [run.history_["validation"]["nll"] for run in (model, one)]
    np.testing.assert_allclose(*values, atol=1e-5)


def test_classes_are_those_of_all_blocks():
    labels = np.where(COARSE[:, 0] > 5, "high", "low")
    labels[:3] = "odd"  # in the first block alone
    model = WGBClassifier(**FEW).fit(blocks(400, 200, label=labels), "label", scaling_config=2)
    one = wgboost.WGBClassifier(**FEW).fit(FRAME, labels)
    assert model.classes_.tolist() == ["high", "low", "odd"]
    np.testing.assert_allclose(model.predict_proba(FRAME), one.predict_proba(FRAME), atol=1e-5)


def test_a_fit_that_a_callback_ended_resumes_from_its_checkpoint(tmp_path):
    def stop(info):
        if info["round"] == 4:
            raise RuntimeError("power cut")

    data, file = blocks(300, 300, y=Y), tmp_path / "checkpoint"
    with pytest.raises(RuntimeError, match="power cut"):
        WGBRegressor(**FEW).fit(
            data, "y", scaling_config=2, callbacks=[Checkpoint(file, every_rounds=3), stop]
        )
    model = WGBRegressor(**FEW).fit(data, "y", scaling_config=2, resume_from=file)
    np.testing.assert_allclose(model.predict(FRAME), alone().predict(FRAME), atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "given", "said"),
    [
        (
            {"learner": TreeLearner(engine="native")},
            {},
            "one process; wgboost.ray has TreeLearner",
        ),
        ({"init": "smooth"}, {}, "wgboost.ray starts at"),
        ({}, {"y": "z"}, "y='z' is no column of X; columns: .*'a', 'b', 'c', 'y', 'text'"),
        ({}, {"sample_weight": "w"}, "sample_weight='w' is no column of X"),
        ({}, {"y": Y[1:]}, "X has 600 rows, y has 599"),
        ({}, {"y": ["high"] * 600}, "not numeric: .*'high'"),  # labels, not names
        ({}, {"scaling_config": 0}, "num_workers=0; it must be a number of at least 1"),
        ({}, {"scaling_config": "two"}, "scaling_config='two' must be a number of workers"),
        ({}, {"X": FRAME}, "X is a pandas DataFrame; wgboost.ray takes a ray.data.Dataset"),
        ({}, {"y": "text"}, "not numeric: .*'u'; labels are for WGBClassifier"),
        ({}, {"y": Y}, "column 'text' .* partitions are of numbers"),
    ],
)
def test_bad_input_is_named_with_the_remedy(settings, given, said):
    text = {} if "rows" in said or "high" in said else {"text": ["u", "v"] * 300}
    data = blocks(400, 200, y=Y, **text)
    model = WGBRegressor(**{**FEW, **settings})
    before = dict(vars(model))
    with pytest.raises((ValueError, TypeError), match=said):
        model.fit(**{"X": data, "y": "y", **given})
    assert vars(model) == before


def test_a_dataset_without_rows_and_one_for_y_are_named():
    with pytest.raises(ValueError, match="X has no rows"):
        WGBRegressor(**FEW).fit(blocks(600, y=Y).filter(lambda row: row["y"] > 99), "y")
    with pytest.raises(TypeError, match="y is a Dataset of its own; y is the name of a column"):
        WGBRegressor(**FEW).fit(blocks(600), blocks(600))


def test_predictions_of_a_dataset_are_refused():
    model = wgboost.WGBRegressor(**FEW).fit(FRAME, Y)
    spread = WGBRegressor(**FEW)
    spread.__dict__.update(vars(model))
    with pytest.raises(TypeError, match=r"rows in memory: X.to_pandas\(\).*map_batches"):
        spread.predict(blocks(600))
