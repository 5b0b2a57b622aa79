"""Predictions as tables, and distributions and metrics that know labels."""

import doctest

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics as sklearn_metrics

from mixture_examples import categorical_mixture, normal_mixture
from wgboost import Cauchy, Mixture, WGBClassifier, WGBRegressor, metrics
from wgboost.estimators import base, base_classifier
from wgboost.predictive import JointMixture, table
from wgboost.responses import MultivariateNormal

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(200, 2))
Y = 3 * X[:, 0] + RNG.normal(size=200)
FRAME = pd.DataFrame(X, columns=["a", "b"], index=[f"row {i}" for i in range(200)])
LABELS = np.where(Y > 1, "high", np.where(Y < -1, "low", "middle"))
SETTINGS = {"n_estimators": 10, "evidence": 10, "random_state": 0}
NUMBERS = WGBRegressor(**SETTINGS).fit(FRAME, Y)
CLASSES = WGBClassifier(**SETTINGS).fit(FRAME, LABELS)


def test_a_table_has_the_index_of_the_frame_and_the_numbers_of_the_distribution():
    found = NUMBERS.predict_table(FRAME[:5], [0.1, 0.9])
    dist = NUMBERS.predict_dist(FRAME[:5])
    assert list(found.index) == list(FRAME.index[:5])
    assert_array_equal(found["mean"], NUMBERS.predict(FRAME[:5]))
    assert_allclose(found["std"], dist.std(), rtol=1e-12)
    parts = NUMBERS.predict_uncertainty(FRAME[:5])
    assert_allclose(found["std_epistemic"], np.sqrt(parts["epistemic"]))
    assert_array_equal(found[["q0.1", "q0.9"]], NUMBERS.predict_quantiles(FRAME[:5], [0.1, 0.9]))
    assert_array_equal(found["ood_score"], NUMBERS.ood_score(FRAME[:5]))
    assert_array_equal(found["ood_pvalue"], NUMBERS.ood_pvalue(FRAME[:5]))
    assert list(dist.to_frame([0.1, 0.9]).columns) == list(found.columns[:-2])
    assert list(dist.to_frame(None).columns) == ["mean", "std", "std_aleatoric", "std_epistemic"]


def test_a_table_is_of_the_library_of_the_frame():
    rows = pl.DataFrame({"a": X[:4, 0], "b": X[:4, 1]})
    found = NUMBERS.predict_table(rows)
    assert isinstance(found, pl.DataFrame)
    assert_allclose(found["mean"].to_numpy(), NUMBERS.predict(FRAME[:4]))
    plain = WGBRegressor(**SETTINGS).fit(X, Y).predict_table(X[:4])
    assert isinstance(plain, pd.DataFrame)
    assert list(plain.index) == [0, 1, 2, 3]


def test_a_model_that_knows_usual_scores_tabulates_p_values():
    model = WGBRegressor(**SETTINGS).fit(FRAME[:150], Y[:150]).calibrate_ood(FRAME[150:])
    assert_array_equal(model.predict_table(FRAME[:9])["ood_pvalue"], model.ood_pvalue(FRAME[:9]))


def test_a_table_of_classes_has_their_labels():
    found = CLASSES.predict_table(FRAME[:7])
    shares = CLASSES.predict_proba(FRAME[:7])
    assert_array_equal(found["prediction"], CLASSES.predict(FRAME[:7]))
    assert_array_equal(found[["p_high", "p_low", "p_middle"]], shares)
    total = CLASSES.predict_uncertainty(FRAME[:7])["total"]
    assert_allclose(found["entropy"], total)
    codes = categorical_mixture().to_frame()
    assert list(codes.columns[:3]) == ["prediction", "p_0", "p_1"]


def test_responses_without_a_mean_and_several_columns():
    assert list(Mixture(Cauchy(), np.zeros((2, 1, 2))).to_frame([0.5])) == ["median", "q0.5"]
    dist = JointMixture(MultivariateNormal(2), np.zeros((3, 4, 5)))
    assert {"0_mean", "1_q0.95"} <= set(dist.to_frame())
    found = dist.to_frame(index=[7, 8, 9], names=["up", "down"])
    assert {"up_mean", "down_q0.95"} <= set(found)
    assert list(found.index) == [7, 8, 9]
    with pytest.raises(ValueError, match="names has 1 names, y has 2 columns"):
        dist.to_frame(names=["up"])


def test_quantiles_that_make_no_sense_are_refused():
    for levels in ([0.5, 1.5], [0.5, 0.5]):
        with pytest.raises(ValueError, match="quantiles="):
            normal_mixture().to_frame(levels)


# --- labels -----------------------------------------------------------------------------------


def test_metrics_of_a_classifier_take_labels_and_are_scikit_learns():
    dist, shares = CLASSES.predict_dist(FRAME), CLASSES.predict_proba(FRAME)
    assert_array_equal(dist.classes, CLASSES.classes_)
    assert_allclose(metrics.nll(dist, LABELS), sklearn_metrics.log_loss(LABELS, shares))
    assert_allclose(metrics.log_loss(dist, LABELS), sklearn_metrics.log_loss(LABELS, shares))
    assert metrics.accuracy(dist, LABELS) == CLASSES.score(FRAME, LABELS)
    hits = LABELS[:, None] == CLASSES.classes_
    assert_allclose(metrics.brier(dist, LABELS), np.square(shares - hits).sum(axis=1).mean())
    some = dist[10:20]
    assert_array_equal(some.classes, CLASSES.classes_)
    assert metrics.nll(some, LABELS[10:20]) == metrics.nll(
        some.without_labels(), dist.encode_labels(LABELS)[10:20]
    )
    with pytest.raises(
        ValueError, match="y has the label 'huge', which is not among the training labels"
    ):
        metrics.nll(dist[:1], ["huge"])


@pytest.mark.filterwarnings("ignore:.* rows that the model was trained on")
def test_numbers_as_labels_are_labels_not_codes():
    model = WGBClassifier(**SETTINGS).fit(X, (Y > 0) + 1)  # 1 and 2
    dist = model.predict_dist(X)
    assert metrics.accuracy(dist, (Y > 0) + 1) == model.score(X, (Y > 0) + 1)
    assert metrics.accuracy(dist.without_labels(), Y > 0) == model.score(X, (Y > 0) + 1)
    with pytest.raises(
        ValueError, match=r"label 0, which is not among the training labels \[1, 2\]"
    ):
        metrics.accuracy(dist, np.zeros(200, dtype=int))
    calibrated_dist = model.calibrate(X, (Y > 0) + 1).predict_dist(X)
    assert_array_equal(calibrated_dist.classes, [1, 2])
    assert calibrated_dist.expect(lambda y: y == 2) == pytest.approx(model.predict_proba(X)[:, 1])


def test_logs_of_probabilities_are_their_logs():
    logs = CLASSES.predict_log_proba(FRAME)
    assert_allclose(logs, np.log(CLASSES.predict_proba(FRAME)), rtol=1e-9)
    alone = WGBClassifier(**SETTINGS).fit(X, np.zeros(200))
    assert_array_equal(alone.predict_log_proba(X[:3]), np.zeros((3, 1)))


def test_the_examples_in_docstrings_are_right():
    for module in (table, base, base_classifier):
        found = doctest.testmod(module)
        assert found.attempted > 0
        assert found.failed == 0
