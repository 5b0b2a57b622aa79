"""Files of the present format and of every kind keep loading, and predict what they did."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from golden_models import EARLIER, FILES, answers, checkpoints, kinds, new_rows
from wgboost import WGBRegressor, load, metrics
from wgboost.persistence.container import read_file, write_file
from wgboost.responses import RESPONSES

NAMES = sorted(path.stem for path in FILES.glob("*.wgb"))


def test_there_is_a_file_of_every_kind():
    expected = {*kinds(), *checkpoints(FILES)}
    assert {*NAMES} - EARLIER <= expected
    assert {*NAMES} >= EARLIER
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


@pytest.mark.parametrize("parameter", ["wide", "ood_members"])
def test_a_bag_of_an_earlier_version_has_members_that_only_ood_scores_use(parameter, tmp_path):
    contents = read_file(FILES / "wide_bag.wgb")
    contents.model["parameters"][parameter] = contents.model["parameters"].pop("wide")
    write_file(tmp_path / "bag", contents)
    bag, rows = load(tmp_path / "bag"), new_rows("wide_bag")
    assert not {"wide", "ood_members"} & bag.get_params().keys()
    assert (len(bag.members_), bag.model_.n_predictive) == (3, 2)
    every, dist = bag.predict_dist(rows, calibrated=False), bag.predict_dist(rows)
    mean = np.mean([one.predict_proba(rows) for one in bag.members_], axis=0)
    assert_allclose(every.probabilities(), mean, atol=1e-6)
    assert_array_equal(bag.ood_score(rows, "max_variance"), metrics.ood_scores(every))
    *_, stage = bag.staged_predict_dist(rows)
    assert every.particles.shape[1] == 3 * 2
    assert dist.particles.shape[1] == stage.particles.shape[1] == 2 * 2
    del bag.calibration_
    mean = np.mean([one.predict_proba(rows) for one in bag.members_[:2]], axis=0)
    assert_allclose(bag.predict_proba(rows), mean, atol=1e-6)


def test_the_checkpoint_goes_on_with_its_data():
    """The data are those of another session: they are refused, not the file."""
    model = WGBRegressor(
        n_estimators=3, n_particles=3, random_state=0, n_jobs=1, max_leaves=3, early_stopping=True,
        learning_rate=0.1, init="flow", n_iter_no_change=50,
    )  # fmt: skip
    rng = np.random.default_rng(5)
    with pytest.raises(ValueError, match="was made with other data"):
        model.fit(
            rng.normal(size=(60, 3)), rng.normal(size=60), resume_from=FILES / "checkpoint.wgb"
        )
