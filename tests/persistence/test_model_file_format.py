"""The format of model files: safetensors that anyone can open."""

import json
import os
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from safetensors import safe_open
from safetensors.numpy import save_file

import wgboost
from wgboost import ModelFileError, WGBRegressor, load
from wgboost.data.schema import Schema

RNG = np.random.default_rng(7)
X = RNG.normal(size=(80, 3))
Y = np.sin(2 * X[:, 0]) + 0.2 * RNG.normal(size=80)
FILES = Path(__file__).parents[1] / "files"


@pytest.fixture(scope="module")
def fitted():
    return WGBRegressor(n_estimators=5, random_state=0, n_jobs=1).fit(X, Y)


def test_a_file_is_safetensors_that_others_open(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    with safe_open(tmp_path / "model", framework="numpy") as file:
        values = file.get_tensor("fitted.ensemble_.values")
        metadata = file.metadata()
        assert len([*file.keys()]) > 10
    assert_array_equal(values, fitted.model_.ensemble.values)
    assert (metadata["format"], metadata["format_version"]) == ("wgboost", "2")
    assert metadata["wgboost_version"] == wgboost.__version__
    told = json.loads(metadata["model"])
    assert told["class"] == "WGBRegressor"
    assert told["parameters"]["learning_rate"] == fitted.learning_rate
    assert told["fitted"]["response_"]["class"] == "Normal"


def frame(n=120):
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "town": rng.choice(["Ål", "Bø", "Å"], n),
            "x": rng.normal(size=n),
            "grade": pd.Categorical(rng.integers(1, 5, n)),
            "nothing": pd.Categorical([None] * n),
        }
    )


def test_categories_are_kept(tmp_path):
    table = frame()
    y = table["x"] + (table["town"] == "Bø") - table["grade"].astype(float)
    fitted = WGBRegressor(n_estimators=8, random_state=0, n_jobs=1).fit(table, y)
    assert len(fitted.model_.ensemble.sets) > 2
    fitted.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.model_.schema == fitted.model_.schema
    new = table[::-1].assign(town=lambda t: t["town"].replace("Å", "unseen"))
    assert_array_equal(again.predict_dist(new).particles, fitted.predict_dist(new).particles)
    head = again.model_.ensemble.head(3)
    assert_array_equal(
        head.predict(fitted.model_.schema.apply(new)),
        fitted.model_.ensemble.predict(fitted.model_.schema.apply(new), n_rounds=3),
    )
    again.set_params(warm_start=True, n_estimators=10).fit(table, y)
    longer = WGBRegressor(n_estimators=10, random_state=0, n_jobs=1).fit(table, y)
    assert_array_equal(again.predict_dist(new).particles, longer.predict_dist(new).particles)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("types", lambda a: a + 1),
        ("types", lambda a: a[:-1]),
        ("first_level", lambda a: a[::-1]),
        ("codes", lambda a: a + np.uint8(252)),
        ("codes", lambda a: a[1:]),
        ("numbers", lambda a: a[::-1]),
        ("numbers", lambda a: a * np.nan),
        ("text", lambda a: a[::-1]),
        ("text", lambda a: np.arange(a.size).astype(object)),
        ("names", lambda a: a[[0, 0, 1, 2]]),
        ("names", lambda a: a[1:]),
    ],
)
def test_columns_that_make_no_sense_are_refused(part, change):
    arrays = Schema.fit(frame())[0].to_arrays()
    assert Schema.from_arrays(**arrays).to_arrays()["codes"].tolist() == arrays["codes"].tolist()
    with pytest.raises(ValueError, match=r"column|levels|category|names"):
        Schema.from_arrays(**{**arrays, part: change(arrays[part])})


def test_safetensors_of_others_are_refused(tmp_path):
    save_file({"x": np.zeros(3)}, tmp_path / "other", metadata={"format": "pt"})
    with pytest.raises(ModelFileError, match="is not a wgboost model file"):
        load(tmp_path / "other")


def test_the_same_model_makes_the_same_file(fitted, tmp_path):
    for name in "ab":
        fitted.save(tmp_path / name)
    again = WGBRegressor(n_estimators=5, random_state=0, n_jobs=1).fit(X, Y)
    again.save(tmp_path / "c")
    assert len({(tmp_path / name).read_bytes() for name in "abc"}) == 1


def test_a_file_has_the_permissions_of_any_other_and_keeps_those_it_had(fitted, tmp_path):
    path, plain = tmp_path / "model", tmp_path / "plain"
    plain.touch()
    fitted.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    path.chmod(0o600)
    fitted.save(str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    os.symlink(path, tmp_path / "link")
    before = path.read_bytes()
    path.write_bytes(b"")
    fitted.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert path.read_bytes() == before
