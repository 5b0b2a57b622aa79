"""Classes in order: labels for the classifier, ranks from 0 for the regressor."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import log_loss

from wgboost import Ordinal, WGBClassifier, WGBRegressor, metrics
from wgboost.estimators.paper import PAPER_TREES

RNG = np.random.default_rng(4)
N = 300
X = RNG.uniform(-2, 2, size=(N, 2))
RANK = np.digitize(X[:, 0] + 0.5 * RNG.logistic(size=N), [-1.0, 0.5])
LABELS = np.array(["low", "medium", "high"])
ORDERED = pd.Series(pd.Categorical(LABELS[RANK], categories=LABELS, ordered=True))
SETTINGS = {
    **PAPER_TREES, "evidence": 1.0, "n_estimators": 25, "learning_rate": 0.2, "random_state": 0,
    "n_jobs": 1,
}  # fmt: skip


def classifier(**options):
    return WGBClassifier(**{"response": "ordinal", **SETTINGS, **options})


FITTED = classifier().fit(X, ORDERED)


def test_the_order_of_a_categorical_is_taken():
    assert FITTED.ranks_.tolist() == ["low", "medium", "high"]
    assert FITTED.classes_.tolist() == ["high", "low", "medium"]
    by_rank = WGBRegressor(response="ordinal", **SETTINGS).fit(X, RANK).predict_dist(X)
    assert_allclose(FITTED.predict_proba(X)[:, [1, 2, 0]], by_rank.probabilities(), atol=1e-9)
    assert_array_equal(FITTED.predict(X), LABELS[by_rank.mode()])


def test_labels_and_probabilities_belong_together():
    shares = FITTED.predict_proba(X)
    assert FITTED.score(X, ORDERED) > 0.6
    assert log_loss(ORDERED, shares) < 0.9
    assert_allclose(metrics.get_scorer("nll")(FITTED, X, ORDERED), -log_loss(ORDERED, shares))
    assert_allclose(FITTED.predict_uncertainty(X)["total"], FITTED.predict_dist(X).entropy())
    drawn = FITTED.sample(X, 2000, random_state=0)
    assert_allclose((drawn == "low").mean(axis=1), shares[:, 1], atol=0.06)


def test_numbers_are_in_their_sorted_order():
    fitted = classifier().fit(X, RANK + 1)
    assert fitted.ranks_.tolist() == fitted.classes_.tolist() == [1, 2, 3]
    assert_allclose(fitted.predict_proba(X), FITTED.predict_proba(X)[:, [1, 2, 0]])
    same = classifier(response=Ordinal()).fit(X, RANK + 1)
    assert_array_equal(same.predict_proba(X), fitted.predict_proba(X))


def test_text_without_an_order_is_taken_by_the_alphabet_and_said():
    with pytest.warns(UserWarning, match="in the order high < low < medium"):
        fitted = classifier(n_estimators=2).fit(X, LABELS[RANK])
    assert fitted.ranks_.tolist() == ["high", "low", "medium"]


def test_early_stopping_and_class_weights_see_the_order():
    weight = {"low": 5.0, "medium": 1.0, "high": 1.0}
    fitted = classifier(early_stopping=True, class_weight=weight, refit=False).fit(X, ORDERED)
    assert fitted.predict_proba(X)[:, 1].mean() > FITTED.predict_proba(X)[:, 1].mean() + 0.02
    plain = classifier(early_stopping=True, refit=False).fit(X, ORDERED)
    held = plain.validation_rows_
    nll = log_loss(ORDERED[held], plain.predict_proba(X[held]))
    assert_allclose(min(plain.history_["validation"]["nll"]), nll, rtol=1e-5)


def test_probabilities_stay_where_trees_lack_support_and_their_error_grows():
    learner = replace(PAPER_TREES["learner"], support=False)
    far, plain = 3 * X, classifier(learner=learner).fit(X, ORDERED)
    assert_array_equal(FITTED.predict_proba(far), plain.predict_proba(far))
    unknown = FITTED.predict_support(far) < 0.5
    ours, theirs = (one.predict_dist(far).error[:, 0] for one in (FITTED, plain))
    assert unknown.mean() > 0.5
    assert (ours[unknown] > theirs[unknown]).all()
    assert_array_equal(*(one.predict_dist(X).error for one in (FITTED, plain)))


def test_a_single_class_is_certain_and_an_absent_category_is_none():
    one = classifier(n_estimators=2).fit(X, pd.Categorical(["b"] * N, ["a", "b"], ordered=True))
    assert_array_equal(one.predict_proba(X), np.ones((N, 1)))
    assert set(one.predict(X)) == {"b"}


def test_another_response_is_refused():
    with pytest.raises(ValueError, match=r"must be 'categorical' or 'ordinal'.*mean 'ordinal'"):
        classifier(response="ordinl").fit(X, RANK)


def test_ranks_of_a_regressor_start_at_0():
    with pytest.raises(ValueError, match=r"lowest rank in y is 1.*subtract 1.*WGBClassifier"):
        WGBRegressor(response="ordinal", **SETTINGS).fit(X, RANK + 1)
    fitted = WGBRegressor(response=Ordinal(n_classes=4), **SETTINGS).fit(X, RANK + 1)
    assert fitted.predict_dist(X).probabilities().shape == (N, 4)
