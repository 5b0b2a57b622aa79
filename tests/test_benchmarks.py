"""The benchmark of responses runs for every one of them, at a size where figures mean nothing."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wgboost.responses import RESPONSES

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture(scope="module")
def small() -> Any:
    spec = importlib.util.spec_from_file_location("responses_benchmark", FOLDER / "responses.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.ROUNDS, module.PATIENCE, module.EVIDENCE = 4, 2, (1, 10)
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
