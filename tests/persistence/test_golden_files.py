"""Files of the present format and of every kind keep loading, and predict what they did."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from golden_models import FILES, answers, checkpoints, kinds, new_rows
from wgboost import WGBRegressor, load
from wgboost.responses import RESPONSES

NAMES = sorted(path.stem for path in FILES.glob("*.wgb"))


def test_there_is_a_file_of_every_kind():
    expected = {*kinds(), *checkpoints(FILES)}
    assert {*NAMES} <= expected
    assert expected - {*NAMES} <= {*RESPONSES}  # a new response gets its file with the next ones
    assert all((FILES / f"{name}.wgb").stat().st_size < 50_000 for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_predicts_what_it_did(name):
    known = json.loads((FILES / f"{name}.json").read_text())
    model = load(FILES / f"{name}.wgb")
    found = answers(model, new_rows(name))
    assert [*found] == [*known]
    for what, values in found.items():
        expected = np.array(known[what])
        if expected.dtype.kind == "U":
            assert_array_equal(values, expected)
        else:
            # A quantile is searched for, and a smooth start goes through BLAS.
            digits = 1e-5 if what == "quantiles" else 1e-7
            assert_allclose(values, expected, rtol=digits, atol=1e-9, err_msg=what)
    if not name.startswith("checkpoint"):
        assert model.metadata_ == {"kind": name}


@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_model_is_saved_as_itself(name, tmp_path):
    model, rows = load(FILES / f"{name}.wgb"), new_rows(name)
    model.save(tmp_path / "again")
    again = load(tmp_path / "again")
    for what, values in answers(model, rows).items():
        assert_array_equal(answers(again, rows)[what], values)


def test_the_checkpoint_goes_on_with_its_data():
    """The data are those of another session: they are refused, not the file."""
    model = WGBRegressor(
        n_estimators=3, n_particles=3, random_state=0, n_jobs=1, max_leaves=3, early_stopping=True
    )
    rng = np.random.default_rng(5)
    with pytest.raises(ValueError, match="was made with other data"):
        model.fit(
            rng.normal(size=(60, 3)), rng.normal(size=60), resume_from=FILES / "checkpoint.wgb"
        )
