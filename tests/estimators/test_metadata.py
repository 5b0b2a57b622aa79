"""What a model file says beside the model."""

import json

import numpy as np
import pytest

from wgboost import ModelFileError, WGBRegressor, load
from wgboost.persistence.container import read_file, write_file

X = np.random.default_rng(0).normal(size=(40, 2))
Y = X[:, 0]
NOTES = {"target": ["price"], "run": 3, "share": 0.5, "nested": {"ok": True, "none": None}}


@pytest.fixture
def fitted():
    return WGBRegressor(n_estimators=2, random_state=0, n_jobs=1).fit(X, Y)


def test_metadata_come_back_and_stay(fitted, tmp_path):
    fitted.save(tmp_path / "a", metadata=NOTES)
    again = load(tmp_path / "a")
    assert again.metadata_ == NOTES
    again.save(tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    again.save(tmp_path / "b", metadata={})
    assert load(tmp_path / "b").metadata_ == {}
    assert not hasattr(fitted, "metadata_")
    fitted.save(tmp_path / "b")
    assert not hasattr(load(tmp_path / "b"), "metadata_")


def test_another_fit_is_another_model(fitted, tmp_path):
    fitted.save(tmp_path / "a", metadata=NOTES)
    again = load(tmp_path / "a").fit(X, Y)
    assert not hasattr(again, "metadata_")


@pytest.mark.parametrize("wrong", [["price"], {1: "x"}, {"x": {1, 2}}, {"x": np.nan}, "text"])
def test_what_json_cannot_say_is_refused(fitted, tmp_path, wrong):
    with pytest.raises(TypeError, match=r"metadata=.* must be"):
        fitted.save(tmp_path / "a", metadata=wrong)
    assert not (tmp_path / "a").exists()


def test_metadata_of_another_kind_are_damage(fitted, tmp_path):
    fitted.save(tmp_path / "a", metadata=NOTES)
    contents = read_file(tmp_path / "a")
    assert json.dumps(contents.model["metadata"]) == json.dumps(NOTES)
    contents.model["metadata"] = [1]
    write_file(tmp_path / "a", contents)
    with pytest.raises(ModelFileError, match="the metadata are not a dict"):
        load(tmp_path / "a")
