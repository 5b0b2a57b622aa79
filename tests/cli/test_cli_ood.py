"""`fit` computes reference OOD scores, and `predict` writes p-values."""

import numpy as np
import polars as pl
import pytest

import wgboost
from cli_files import FAST, call, error_of

RNG = np.random.default_rng(0)


def table(n, far=0.0):
    x = RNG.uniform(-1, 1, size=(n, 2)) + far
    return pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": x[:, 0] + 0.1 * RNG.normal(size=n)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("ood")
    for name, rows in (("train", table(120)), ("val", table(60)), ("new", table(50))):
        rows.write_csv(place / f"{name}.csv")
    return place


def predicted(folder):
    call("predict", folder / "m.wgb", folder / "new.csv", "--out", folder / "p.csv")
    return pl.read_csv(folder / "p.csv")


@pytest.mark.parametrize("how", ["--ood-folds", "--validation-data"])
def test_predict_writes_p_values_with_reference_scores(folder, how):
    more = [how, "2" if how == "--ood-folds" else folder / "val.csv"]
    fit = ["fit", folder / "train.csv", "--target", "y", "--out", folder / "m.wgb", *FAST]
    call(*fit, *more)
    found = predicted(folder)
    model = wgboost.load(folder / "m.wgb")
    assert len(model.ood_reference_) == (120 if how == "--ood-folds" else 60)
    X = pl.read_csv(folder / "new.csv")[["a", "b"]]
    assert found["ood_pvalue"].to_list() == model.ood_pvalue(X).tolist()
    assert 0.25 < found["ood_pvalue"].mean() < 0.75  # uniform over rows like these
    again = (folder / "m.wgb").read_bytes()
    call(*fit, *more)
    assert (folder / "m.wgb").read_bytes() == again
    call(*fit)
    model = wgboost.load(folder / "m.wgb")  # without reference scores the support is compared
    assert predicted(folder)["ood_pvalue"].to_list() == model.ood_pvalue(X).tolist()


def test_number_of_folds_is_checked_before_the_fit(folder):
    fit = ["fit", folder / "nothing.csv", "--target", "y", "--out", folder / "n.wgb"]
    assert "--ood-folds=1 must be >= 2" in error_of(*fit, "--ood-folds", "1")
