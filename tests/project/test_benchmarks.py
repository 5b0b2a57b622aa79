"""Benchmarks: that of responses runs for every one of them, and names mean what they say."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wgboost import WGBRegressor
from wgboost.responses import RESPONSES

FOLDER = Path(__file__).parents[2] / "benchmarks"


def loaded(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"{name}_benchmark", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def small() -> Any:
    """The benchmark of responses, at a size where figures mean nothing."""
    module = loaded("responses")
    module.ROUNDS, module.PATIENCE, module.EVIDENCE = 4, 2, (10,)
    module.TRAIN, module.VALIDATION, module.TEST = 150, 50, 60
    module.find_spec = lambda _: None  # without the peers, which take longer
    return module


@pytest.mark.parametrize("name", RESPONSES)
def test_a_row_of_the_table(small: Any, name: str) -> None:
    row = small.family(name)
    assert row[0] == name
    assert np.isfinite(float(row[3]))
    assert int(row[6]) <= 4


@pytest.mark.parametrize("name", ["weibull", "lognormal"])
def test_censored_rows(small: Any, name: str) -> None:
    [(model, (loss, concordance))] = small.survival(name, 0).items()
    assert model == f"ours, {name}"
    assert np.isfinite(loss)
    assert 0 <= concordance <= 1


def test_what_is_called_the_papers_has_its_settings() -> None:
    theirs = WGBRegressor.paper().get_params()
    of_tables = loaded("calibration").MODELS["the paper's, 500 rounds"], loaded("models").model()
    for model in of_tables:
        ours = model.get_params()
        changed = {name for name, value in ours.items() if value != theirs[name]}
        assert changed == {"n_estimators", "early_stopping", "n_jobs", "random_state"}
        assert (ours["n_estimators"], ours["early_stopping"]) == (500, False)
