"""How rare a score is, by rows that the model has not seen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wgboost import OODReference, TreeLearner, WGBClassifier, WGBRegressor, load, metrics
from wgboost.calibration.ood import aligned_scores
from wgboost.folds import out_of_fold

MODEL = WGBRegressor(max_leaves=16, n_estimators=30, random_state=0, n_jobs=1)


def made(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    return X, np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)


def test_it_counts_scores_that_are_as_large():
    reference = [3.0, 1.0, 2.0, 2.0]
    assert_allclose(
        metrics.ood_pvalue([0.0, 2.0, 2.5, 3.0, 9.0, np.inf], reference),
        np.array([5, 4, 2, 2, 1, 1]) / 5,
    )


@given(st.lists(st.integers(0, 9), min_size=2, max_size=30))
def test_of_rows_that_take_turns_no_more_than_a_share_a_are_below_a(scores):
    """Exchangeability in the finite, ties included."""
    scores, n = np.array(scores, dtype=float), len(scores)
    p = [metrics.ood_pvalue(scores[[i]], np.delete(scores, i))[0] for i in range(n)]
    for level in np.arange(1, n + 1) / n:
        assert np.sum(np.array(p) <= level + 1e-12) <= level * n + 1e-9


def test_of_rows_like_the_reference_it_is_uniform():
    rng = np.random.default_rng(0)
    first = [
        metrics.ood_pvalue(rng.gamma(2, size=1), rng.gamma(2, size=99))[0] for _ in range(2000)
    ]
    hits = np.bincount(np.round(np.array(first) * 100).astype(int) - 1, minlength=100)
    assert stats.chisquare(hits.reshape(20, 5).sum(axis=1)).pvalue > 1e-3


@pytest.mark.parametrize("method", ["epistemic", "mutual_information"])
def test_of_held_out_rows_the_p_values_are_uniform_and_far_rows_are_rare(method):
    X, y = made(300)
    model = clone(MODEL).fit(X, y)
    held, new = made(400, seed=1)[0], made(400, seed=2)[0]
    model.calibrate_ood(held, method=method)
    p = model.ood_pvalue(new)
    assert stats.kstest(p, "uniform").pvalue > 1e-3
    assert_array_equal(p, metrics.ood_pvalue(model.ood_score(new, method),
                                             model.ood_score(held, method)))  # fmt: skip
    again = OODReference.held_out(model, held, method)
    assert_array_equal(model.ood_pvalue(new, again), p)


@pytest.mark.parametrize("evidence", [1, 10])
def test_out_of_fold_scores_make_p_values_nearly_uniform(evidence):
    X, y = made(400)
    model = clone(MODEL).set_params(evidence=evidence).fit(X, y).calibrate_ood(X, y, cv=5)
    assert len(model.ood_reference_) == 400
    p = model.ood_pvalue(made(1000, seed=3)[0])
    assert stats.kstest(p, "uniform").statistic < 0.12
    for level in (0.01, 0.05, 0.1):  # with the chance of 400 reference rows and 1,000 new ones
        chance = np.sqrt(level * (1 - level) * (1 / 400 + 1 / 1000))
        assert abs((p <= level).mean() - level) < 3 * chance


def test_scores_are_aligned_by_the_training_rows_of_both_models():
    rng = np.random.default_rng(6)
    trained, new = rng.gamma(2, size=500), rng.gamma(2, size=200)
    given = metrics.ood_pvalue(new, trained)
    moved = aligned_scores(new, trained, 3 * trained**2)
    inside = new <= trained.max()
    assert_allclose(moved[inside], 3 * new[inside] ** 2, rtol=0.2, atol=0.05)
    assert_array_equal(metrics.ood_pvalue(moved, 3 * trained**2)[inside], given[inside])
    assert_allclose(aligned_scores([2.0, 8.0], [1.0, 4.0], [10.0, 20.0]), [10 + 10 / 3, 40.0])
    with pytest.raises(ValueError, match="fold_scores has 2 rows, model_scores 1"):
        aligned_scores([1.0], [1.0, 2.0], [1.0])


def test_a_gap_in_the_data_is_found_out():
    rng = np.random.default_rng(4)
    x = np.concatenate([rng.uniform(-1, -0.3, 300), rng.uniform(0.3, 1, 300)])[:, None]
    labels = np.where(x[:, 0] + 0.1 * rng.normal(size=600) > 0, "b", "a")
    model = WGBClassifier(n_estimators=40, random_state=0, n_jobs=1).fit(x, labels)
    model.calibrate_ood(x, labels, cv=5)
    inside = model.ood_pvalue(rng.uniform(-1, -0.4, (200, 1)))
    assert model.ood_pvalue(np.array([[0.0]]))[0] <= np.quantile(inside, 0.05)


def test_the_reference_is_kept_with_the_model_and_forgotten_with_the_next_fit(tmp_path):
    X, y = made(120)
    model = clone(MODEL).fit(X, y).calibrate_ood(X, y, cv=3, method="max_variance")
    model.save(tmp_path / "model.wgb")
    again = load(tmp_path / "model.wgb")
    assert again.ood_reference_.method == "max_variance"
    assert_array_equal(again.ood_pvalue(X), model.ood_pvalue(X))
    model.fit(X, y)
    support, distance = model.model_.left_out_rows
    usual = np.log1p((1 - support) / 0.03) + np.log1p(100 * distance)
    new = model.ood_score(X, "novelty")
    assert_array_equal(model.ood_pvalue(X), metrics.ood_pvalue(new, usual))
    model.set_params(learner=TreeLearner(support=False)).fit(X, y)
    with pytest.raises(ValueError, match=r"calibrate_ood\(X, y, cv=5\)"):
        model.ood_pvalue(X)


def test_the_folds_of_a_pipeline_and_of_groups():
    X, y = made(100)
    piped = make_pipeline(StandardScaler(), clone(MODEL))
    reference = OODReference.out_of_fold(piped.fit(X, y), X, y, cv=4, groups=np.arange(100) % 8)
    assert len(reference) == 100
    assert (np.diff(reference.scores) >= 0).all()


def test_clones_get_fit_parameters_and_rows_of_weight_zero_have_no_effect():
    X, y = made(120)
    offset, weight = 100 * (np.arange(120) % 2.0), (np.arange(120) < 90).astype(float)
    few = clone(MODEL).set_params(n_estimators=5)
    model = few.fit(X, y + offset, sample_weight=weight, offset=offset)
    model.calibrate_ood(X, y + offset, weight, cv=3, offset=offset)
    assert len(model.ood_reference_) == 90
    odd = np.where(weight[:, None] > 0, X, 1e3 + X)
    again = few.fit(odd, y + offset, sample_weight=weight, offset=offset)
    again.calibrate_ood(odd, y + offset, weight, cv=3, offset=offset)
    assert_array_equal(again.ood_reference_.scores, model.ood_reference_.scores)
    folds = list(out_of_fold(few, X, y + offset, cv=3, random_state=model.seed_,
                             sample_weight=weight, offset=offset))  # fmt: skip
    assert max(fold.estimator.predict(X).max() for fold in folds) < 10
    own, aligned, plain = model.ood_score(X, "epistemic"), [], []
    for fold in folds:
        test, train = fold.rows[weight[fold.rows] > 0], fold.train_rows[weight[fold.train_rows] > 0]
        by_fold = [fold.estimator.ood_score(X[rows], "epistemic") for rows in (test, train)]
        aligned.append(aligned_scores(*by_fold, own[train]))
        plain.append(fold.estimator.ood_score(X[test]))
    assert_array_equal(model.ood_reference_.scores, np.sort(np.concatenate(plain)))
    model.calibrate_ood(X, y + offset, weight, cv=3, offset=offset, method="epistemic")
    assert_array_equal(model.ood_reference_.scores, np.sort(np.concatenate(aligned)))


def test_bad_input_is_named():
    X, y = made(60)
    model = clone(MODEL).fit(X, y)
    with pytest.raises(TypeError, match="must be an OODReference"):
        model.ood_pvalue(X, reference=[1.0, 2.0])
    with pytest.raises(ValueError, match="scores is nan at row 1"):
        OODReference([1.0, np.nan])
    with pytest.raises(ValueError, match=r"reference has shape \(0,\)"):
        metrics.ood_pvalue([1.0], [])
    with pytest.raises(ValueError, match="method='variance' must be one of"):
        model.calibrate_ood(X, method="variance")
    with pytest.raises(ValueError, match="y is None"):
        model.calibrate_ood(X, cv=3)
    with pytest.raises(ValueError, match="read-only"):
        OODReference([2.0, 1.0]).scores[0] = 5
