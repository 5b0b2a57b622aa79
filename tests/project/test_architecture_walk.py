"""The walk through the code in docs/architecture.md is true."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import wgboost
from wgboost import WGBRegressor, WGBRegressorCV

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
PACKAGE = Path(wgboost.__file__).parent
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
Y = X[:, 0] + 0.1 * RNG.normal(size=80)
FAST = {"n_estimators": 3, "n_particles": 2, "random_state": 0, "n_jobs": 1}


def steps(title):
    """Return the files and functions that a section of the page names, in order."""
    text = PAGE.read_text(encoding="utf-8").split(f"### `{title}`\n")[1]
    section = re.split(r"\n##", text)[0]
    return re.findall(r"`([\w/]+\.py)` `(\w+)`", section)


def called(function):
    """Return the files and functions of the package that a function calls, in order."""
    found = []

    def look(frame, event, _):
        if event == "call":
            code = frame.f_code
            path = Path(code.co_filename)
            if path.is_relative_to(PACKAGE):
                found.append((path.relative_to(PACKAGE).as_posix(), code.co_name))

    sys.setprofile(look)
    try:
        function()
    finally:
        sys.setprofile(None)
    return found


@pytest.fixture(scope="module")
def model():
    return WGBRegressor(early_stopping=True, **FAST).fit(X, Y)


@pytest.mark.parametrize(
    ("title", "call"),
    [
        (
            "WGBRegressor().fit(X, y)",
            lambda *_: WGBRegressor(early_stopping=True, **FAST).fit(X, Y),
        ),
        ("model.predict_dist(X)", lambda model, _: model.predict_dist(X)),
        ("model.save(path)", lambda model, path: model.save(path)),
        (
            "WGBRegressorCV().fit(X, y)",
            lambda *_: WGBRegressorCV([{"evidence": 3.0}], cv=2, **FAST).fit(X, Y),
        ),
    ],
)
def test_the_steps_are_called_in_this_order(title, call, model, tmp_path):
    named, found = steps(title), called(lambda: call(model, tmp_path / "model.wgb"))
    assert len(named) > 3
    places = [found.index(step) if step in found else None for step in named]
    assert None not in places, [s for s, p in zip(named, places, strict=True) if p is None]
    assert places == sorted(places)
