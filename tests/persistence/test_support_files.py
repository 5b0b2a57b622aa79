"""Ranges and supports in model files: the same after loading, and refused if they make no sense."""

from dataclasses import replace

import numpy as np
import pytest

import wgboost
from file_parts import loaded, made, parts
from wgboost import WGBClassifierCV, WGBoost, WGBRegressor
from wgboost.callbacks import Checkpoint
from wgboost.persistence.errors import ModelFileError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
X[:, 2] = RNG.integers(0, 4, 80)
X[:9, 0] = np.nan
Y = np.nan_to_num(X[:, 0]) + X[:, 1] + X[:, 2]
FAR = np.concatenate([X[:20], X[:20] * 3])
FEW = {
    "n_estimators": 4, "n_particles": 3, "random_state": 0, "n_jobs": 1, "early_stopping": False,
    "categorical_features": [2],
}  # fmt: skip


def same(a, b):
    one, other = a.model_.support(FAR), b.model_.support(FAR)
    np.testing.assert_array_equal(one.support, other.support)
    np.testing.assert_array_equal(one.lost, other.lost)
    np.testing.assert_array_equal(a.explain_support(FAR), b.explain_support(FAR))
    for ours, theirs in zip(a.model_.left_out_rows, b.model_.left_out_rows, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    "model",
    [
        WGBRegressor(**FEW),
        WGBRegressor(**{**FEW, "tree": "shared"}),
        WGBoost(direction="energy", **FEW),
    ],
    ids=["particles", "shared", "targets"],
)
def test_a_loaded_model_knows_the_same(model, tmp_path):
    y = np.repeat(Y[:, None], 5, axis=1) if isinstance(model, WGBoost) else Y
    model.fit(X, y).save(tmp_path / "model")
    again = wgboost.load(tmp_path / "model")
    same(model, again)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_a_bag_has_the_mean_support_of_its_members(tmp_path):
    few = {**FEW, "cv": 2, "recipes": {"few": {"max_leaves": 4}}}
    few.pop("early_stopping")
    bag = WGBClassifierCV(**few).fit(X, Y > 1)
    models = bag.model_.models
    expected = np.mean([one.support(FAR).support for one in models], axis=0)
    np.testing.assert_array_equal(bag.predict_support(FAR), expected)
    particles, shift, error, support = bag.model_.predict_particles(FAR)
    assert shift is None
    assert (error > 0).all()
    np.testing.assert_array_equal(support, expected)
    found, _, result = bag.model_.predict_supported(FAR)
    np.testing.assert_array_equal(found, particles)  # of classes they stay
    assert result.lost.shape == particles.shape
    *_, (last, _, stage) = bag.model_.staged_supported(FAR)
    np.testing.assert_array_equal(last, particles)
    np.testing.assert_allclose(stage.support, expected, atol=1e-12)
    bag.save(tmp_path / "bag")
    same(bag, wgboost.load(tmp_path / "bag"))


def test_a_continued_and_a_resumed_fit_know_what_one_fit_knows(tmp_path):
    whole = WGBRegressor(**FEW).fit(X, Y)
    continued = WGBRegressor(**{**FEW, "n_estimators": 2, "warm_start": True}).fit(X, Y)
    continued.set_params(n_estimators=4).fit(X, Y)
    same(whole, continued)

    def stop(info):
        if info["round"] == 3:
            raise RuntimeError("power cut")

    file = tmp_path / "checkpoint"
    saved = Checkpoint(file, every_rounds=2)
    with pytest.raises(RuntimeError, match="power cut"):
        WGBRegressor(**FEW).fit(X, Y, callbacks=[saved, stop])
    with pytest.raises(ValueError, match="checkpoint of a fit that has not ended"):
        wgboost.load(file).predict_support(X)
    same(whole, WGBRegressor(**FEW).fit(X, Y, resume_from=file))


def test_a_fit_continued_with_other_rows_has_two_tables():
    model = WGBRegressor(**{**FEW, "n_estimators": 2, "warm_start": True}).fit(X[:40], Y[:40])
    with pytest.warns(UserWarning, match="rows"):
        model.set_params(n_estimators=4).fit(X[40:] + np.array([1, 1, 0]), Y[40:])
    ranges = model.model_.ensemble.ranges
    assert ranges.rows.tolist() == [40, 40]
    assert sorted(set(ranges.table.tolist())) == [0, 1]
    first = model.model_.ensemble.head(2)
    alone = WGBRegressor(**{**FEW, "n_estimators": 2}).fit(X[:40], Y[:40]).model_.ensemble
    np.testing.assert_array_equal(first.ranges.codes, alone.ranges.codes)
    assert (model.predict_support(FAR) <= 1).all()


def changed(model, name, change):
    """The trees of a model with another array of ranges."""
    trees = model.model_.ensemble
    array = getattr(trees.ranges, name).copy()
    return replace(trees, ranges=replace(trees.ranges, **{name: change(array)}))


def entry(index, value):
    def change(array):
        array[index] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("codes", entry((1, 0), 254), "range out of order"),
        ("codes", entry((1, 3), 255), "beyond the bins"),
        ("codes", entry((1, slice(None)), 250), "beyond the bins|out of order"),
        ("codes", lambda a: a[:-1], "differ in length"),
        ("codes", lambda a: a.astype(np.int64), "uint8 array"),
        ("missing", entry(0, 3), "missing values"),
        ("missing", lambda a: a[:-1], "differ in length"),
        ("categories", lambda a: a[:, :8].copy(), "differ in length"),
        ("table", entry(0, 1), "no table of bins"),
        ("table", entry(0, -1), "no table of bins"),
        ("rows", entry(0, 0), "no rows"),
        ("first_bin", entry(1, 2**40), "out of order"),
        ("first_bin", entry(0, -1), "do not cover"),
        ("first_bin", lambda a: a[:-1], "differ in length"),
        ("low", lambda a: a + 100, "ends out of order"),
        ("low", entry(slice(None), np.nan), "ends out of order"),
        ("high", lambda a: a[:-1], "differ in length"),
    ],
)
def test_ranges_that_make_no_sense_are_refused(name, change, said):
    model = WGBRegressor(**FEW).fit(X, Y)
    with pytest.raises(ValueError, match=said):
        changed(model, name, change).check_arrays()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fitted._support.spread", np.inf),
        ("fitted._support.contrast", np.nan),
        ("fitted._support.contrast", 3e38),
        ("fitted._support.reference", 2.0),
        ("fitted._support.asked", -1.0),
        ("fitted._support.low", 1e300),
        ("fitted.ensemble_.ranges.codes", 254),
    ],
)
def test_a_file_with_numbers_out_of_order_is_refused(name, value, tmp_path):
    WGBRegressor(**FEW).fit(X, Y).save(tmp_path / "model")
    header, model, body = parts((tmp_path / "model").read_bytes())
    begin, end = header[name]["data_offsets"]
    kind = {"F64": np.float64, "F32": np.float32, "U8": np.uint8}[header[name]["dtype"]]
    array = np.frombuffer(body[begin:end], kind).copy()
    array[: max(1, array.size // 2)] = value
    body = body[:begin] + array.tobytes() + body[end:]
    with pytest.raises(ModelFileError):
        loaded(made(header, model, body), tmp_path)
