"""A fit whose evidence a sample chooses goes on from a checkpoint in any of its stages."""

import numpy as np
import pytest

from evidence_examples import MANY, SAMPLE, SETTINGS, WATCHED, X, Y
from wgboost import WGBRegressor
from wgboost.training import search


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(search, "_SAMPLE", SAMPLE)
    monkeypatch.setattr(search, "_WATCHED", WATCHED)


@pytest.mark.parametrize("stop", range(3, 60, 9))
def test_a_checkpoint_anywhere_goes_on_to_the_same_model(tmp_path, stop):
    whole = WGBRegressor(**SETTINGS).fit(X, Y)
    path, rounds = tmp_path / "half.wgb", []

    def pause(info):
        rounds.append(info["round"])
        if len(rounds) == stop:
            info["save"](path)
            raise RuntimeError("the machine goes down")

    pause.in_refit = True
    with pytest.raises(RuntimeError, match="goes down"):
        WGBRegressor(**SETTINGS).fit(X, Y, callbacks=[pause])
    again = WGBRegressor(**SETTINGS).fit(X, Y, resume_from=path)
    np.testing.assert_array_equal(again.predict(X), whole.predict(X))
    assert again.search_ == whole.search_
    assert again.history_ == whole.history_


@pytest.mark.parametrize("stage", ["fit", "refit"])
def test_a_checkpoint_after_the_search_keeps_its_evidence(tmp_path, monkeypatch, stage):
    monkeypatch.setattr(search, "_SAMPLE", 400)
    monkeypatch.setattr(search, "_WATCHED", 200)
    path = tmp_path / "half.wgb"

    def pause(info):
        if info["stage"] == stage and info["round"] == 2:
            info["save"](path)

    pause.in_refit = True
    settings = SETTINGS | {"init": "flow"}
    whole = WGBRegressor(**settings).fit(*MANY, callbacks=[pause])
    again = WGBRegressor(**settings).fit(*MANY, resume_from=path)
    np.testing.assert_array_equal(again.predict(MANY[0]), whole.predict(MANY[0]))
    assert again.evidence_ == whole.evidence_
