"""p-values of OOD scores of bags."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import wgboost
from wgboost import WGBClassifierCV, WGBRegressorCV
from wgboost.selection.ood_references import mix_with_neighbours

SMALL = {"cv": 5, "n_estimators": 60, "random_state": 0, "n_jobs": 1}
RECIPE = {"evidence": 10.0, "learning_rate": 0.2}


def made(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    return X, np.sin(3 * X[:, 0]) + 0.3 * np.exp(X[:, 1]) * rng.normal(size=n)


def test_new_rows_are_about_as_rare_to_a_bag_of_classes_as_p_says():
    p = []
    for seed in range(3):
        X, y = made(300, 10 * seed)
        bag = WGBClassifierCV([RECIPE], **SMALL).fit(X, np.digitize(y, [-0.5, 0.5]))
        p.append(bag.ood_pvalue(made(1500, 10 * seed + 1)[0]))
    assert 0.02 <= (np.array(p) <= 0.1).mean() <= 0.15
    assert 0.065 <= (np.array(p) <= 0.2).mean() <= 0.26


def test_new_rows_are_as_rare_to_a_bag_of_numbers_as_p_says():
    X, y = made(300, 2)
    p = WGBRegressorCV([RECIPE], **SMALL).fit(X, y).ood_pvalue(made(1500, 3)[0])
    assert 0.04 <= (p <= 0.1).mean() <= 0.16
    assert 0.12 <= (p <= 0.2).mean() <= 0.3


def test_a_bag_knows_which_scores_are_usual_by_each_of_its_methods(tmp_path):
    X, y = made(200, 5)
    new, labels = made(600, 6)[0], np.digitize(y, [-0.5, 0.5])
    bag = WGBClassifierCV([RECIPE], **SMALL).fit(X, labels)
    of_novelty = ["combined", "novelty", "support", "distance"]
    assert list(bag.ood_references_) == [*of_novelty, "max_variance", "mutual_information"]
    assert_array_equal(bag.ood_pvalue(new), bag.ood_pvalue(new, "combined"))
    for name in of_novelty[:2]:
        p = bag.ood_pvalue(new, name)
        assert 0.02 <= (p <= 0.1).mean() <= 0.16
        assert 0.35 <= (p <= 0.5).mean() <= 0.65
    p = bag.ood_pvalue(new, "mutual_information")
    usual = bag.ood_references_["mutual_information"]
    assert_array_equal(p, usual.pvalue(bag.ood_score(new, "mutual_information")))
    assert 0.3 <= (p <= 0.5).mean() <= 0.7
    assert not np.array_equal(p, bag.ood_pvalue(new))
    bag.save(tmp_path / "bag.wgb")
    again = wgboost.load(tmp_path / "bag.wgb")
    assert_array_equal(again.ood_pvalue(new, "mutual_information"), p)

    numbers = WGBRegressorCV([RECIPE], **SMALL).fit(X, y)
    assert list(numbers.ood_references_) == [*of_novelty, "epistemic", "max_variance"]
    with pytest.raises(ValueError, match=r"'mutual_information' are usual is not known; there are"):
        numbers.ood_pvalue(new, "mutual_information")
    numbers.calibrate_ood(new[:100], method="mutual_information")
    assert len(numbers.ood_pvalue(new[:3], "mutual_information")) == 3
    with pytest.raises(ValueError, match="reference='entropy'"):
        numbers.ood_pvalue(new, "entropy")


def test_a_file_with_references_under_another_name_is_refused(tmp_path):
    X, y = made(60, 7)
    bag = WGBRegressorCV([RECIPE], cv=2, n_estimators=5, random_state=0, n_jobs=1).fit(X, y)
    bag.ood_references_ = {"max_variance": bag.ood_references_["epistemic"]}
    bag.save(tmp_path / "bag.wgb")
    with pytest.raises(wgboost.ModelFileError, match="OOD references"):
        wgboost.load(tmp_path / "bag.wgb")


def test_rows_between_are_mixed_with_rows_that_are_near():
    rng = np.random.default_rng(4)
    place = np.repeat([0.0, 1.0], 50)
    level = np.where(place == 0, 3.0, 5.0)
    number = np.where(rng.random(100) < 0.3, np.nan, 10 * place + rng.random(100))
    matrix = np.column_stack([place + 0.1 * rng.random(100), number, level])
    mixed = mix_with_neighbours(matrix, np.array([False, False, True]), rng)
    for column, given in zip(mixed.T, matrix.T, strict=True):
        assert np.isin(column[~np.isnan(column)], given).all()
    assert_array_equal(mixed[:, 2], level)  # each place has more than 20 rows
    assert_array_equal(mixed[:, 0] > 0.5, place == 1)
    assert (mixed[:, 1] != matrix[:, 1])[~np.isnan(matrix[:, 1])].any()
    rows = {tuple(np.nan_to_num(row)) for row in matrix}
    assert sum(tuple(np.nan_to_num(row)) not in rows for row in mixed) > 30


def test_rows_between_of_two_rows():
    matrix = np.array([[0.0, 2.0], [1.0, 3.0]])
    mixed = mix_with_neighbours(matrix, np.array([False, False]), np.random.default_rng(0))
    assert np.isin(mixed[:, 0], [0, 1]).all()
    assert np.isin(mixed[:, 1], [2, 3]).all()
