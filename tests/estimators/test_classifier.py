"""WGBClassifier: labels in, probabilities and decisions out."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wgboost import Categorical, TreeLearner, WGBClassifier, metrics
from wgboost.training.encoding import ClassEncoder

RNG = np.random.default_rng(21)
X = RNG.normal(size=(240, 2))
CODES = np.digitize(X[:, 0] + 0.2 * RNG.normal(size=240), [-0.6, 0.6])
NAMES = np.array(["ash", "beech", "cedar"])
LABELS = NAMES[CODES]
NEW = np.random.default_rng(22).normal(size=(50, 2))


def model(**options):
    return WGBClassifier(**{"n_estimators": 20, "random_state": 1, "n_jobs": 1, **options})


FITTED = model().fit(X, LABELS)


def test_labels_of_any_kind_come_back():
    assert_array_equal(FITTED.classes_, NAMES)
    assert FITTED.score(X, LABELS) > 0.9
    for values in (CODES, CODES * 10 - 7, CODES.astype(float), CODES > 0):
        fitted = model(n_estimators=5).fit(X, values)
        assert fitted.predict(NEW).dtype == values.dtype
        assert set(fitted.predict(NEW)) <= set(values)


def test_the_names_of_labels_change_nothing():
    without_labels = model().fit(X, CODES)
    assert_array_equal(without_labels.predict_proba(NEW), FITTED.predict_proba(NEW))
    assert_array_equal(NAMES[without_labels.predict(NEW)], FITTED.predict(NEW))


def test_probabilities_are_means_over_particles_and_sum_to_one():
    shares = FITTED.predict_proba(NEW)
    assert shares.shape == (50, 3)
    assert_allclose(shares.sum(axis=1), 1, rtol=1e-6)
    particles = FITTED.predict_dist(NEW).particles.astype(float)
    ratios = np.concatenate([np.exp(particles), np.ones((50, 10, 1))], axis=2)
    expected = (ratios / ratios.sum(axis=2, keepdims=True)).mean(axis=1)
    assert_allclose(shares, expected, rtol=1e-5)
    assert_array_equal(FITTED.predict(NEW), NAMES[shares.argmax(axis=1)])


def test_two_classes_have_one_log_ratio():
    fitted = model().fit(X, X[:, 0] > 0)
    assert fitted.predict_dist(NEW).particles.shape == (50, 10, 1)
    assert fitted.predict_proba(NEW).shape == (50, 2)
    assert fitted.score(NEW, NEW[:, 0] > 0) > 0.9


def test_a_single_class_is_predicted_with_certainty():
    fitted = model().fit(X, np.full(240, "ash"))
    assert_array_equal(fitted.classes_, ["ash"])
    assert_array_equal(fitted.predict_proba(NEW), np.ones((50, 1)))
    assert set(fitted.predict(NEW)) == {"ash"}
    assert set(fitted.sample(NEW, 3, random_state=0).ravel()) == {"ash"}
    assert_array_equal(fitted.predict_dist(NEW).probabilities(), [[1, 0]] * 50)
    assert_array_equal(fitted.predict_dist(NEW).pmf(0), np.ones(50))
    assert_array_equal(fitted.predict_particles(NEW)["probability_0"], np.ones((50, 10)))
    assert_array_equal(fitted.predict_uncertainty(NEW)["total"], np.zeros(50))


def test_class_weights_count_like_sample_weights():
    weights = {"ash": 3.0, "beech": 1.0, "cedar": 0.5}
    by_class = model(class_weight=weights).fit(X, LABELS)
    by_row = model().fit(X, LABELS, sample_weight=[weights[label] for label in LABELS])
    assert_array_equal(by_class.predict_proba(NEW), by_row.predict_proba(NEW))
    shares = model(class_weight=weights, n_estimators=0).fit(X, LABELS).predict_proba(NEW)[0]
    plain = model(n_estimators=0).fit(X, LABELS).predict_proba(NEW)[0]
    assert shares[0] > plain[0] + 0.1
    balanced = model(class_weight="balanced", n_estimators=0).fit(X, LABELS)
    assert_allclose(balanced.predict_proba(NEW)[0], 1 / 3, atol=0.05)


def test_uncertainty_is_entropy_in_two_parts():
    parts = FITTED.predict_uncertainty(NEW)
    shares = FITTED.predict_proba(NEW)
    entropy = -np.sum(shares * np.log(shares), axis=1)
    assert_allclose(parts["total"], entropy, rtol=1e-4, atol=1e-6)
    assert_allclose(parts["aleatoric"] + parts["epistemic"], parts["total"])
    assert (parts["epistemic"] > -1e-9).all()


def test_max_variance_is_the_largest_variance_of_a_probability():
    dist = FITTED.predict_dist(NEW)
    shares = Categorical(3).probabilities(dist.particles.astype(float))
    score = FITTED.ood_score(NEW, method="max_variance")
    assert_allclose(score, shares.var(axis=1).max(axis=1), rtol=1e-5)


def test_the_ood_score_combines_support_distance_and_disagreement():
    assert_array_equal(FITTED.ood_score(NEW), FITTED.ood_score(NEW, method="combined"))
    dist, distance = FITTED.predict_dist(NEW), FITTED.model_.distance(NEW)
    assert_allclose(FITTED.ood_score(NEW), metrics.ood_scores(dist, distance=distance))
    without = model(n_estimators=5, learner=TreeLearner(support=False)).fit(X, LABELS)
    score = without.ood_score(NEW, method="max_variance")
    assert_array_equal(without.ood_score(NEW), score)


def test_rows_whose_labels_say_little_have_the_larger_ood_score():
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.uniform(-2, 0, 300), rng.uniform(1, 2, 30)])[:, None]
    y = np.where(x[:, 0] < -1, 0, 1)
    y[300:] = rng.integers(2, size=30)
    fitted = model(n_estimators=60, max_depth=2, min_samples_leaf=20).fit(x, y)
    away, inside = (np.median(fitted.ood_score(a)) for a in (np.full((4, 1), 3.0), x[:300]))
    assert away > 2 * inside


def test_decisions_weigh_errors_by_their_cost():
    costs = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])

    def loss(action, theta):
        columns = [theta[f"probability_{j}"] for j in range(3)]
        return sum(cost * column for cost, column in zip(costs[action], columns, strict=True))

    chosen, risks = FITTED.decide(NEW, loss, actions=[0, 1, 2], return_risks=True)
    assert_array_equal(NAMES[chosen], FITTED.predict(NEW))
    assert_allclose(risks, 1 - FITTED.predict_proba(NEW), atol=1e-6)
    costs[1:, 0] = 100.0  # to take another tree for an ash is dear
    assert (FITTED.decide(NEW, loss, actions=[0, 1, 2]) == 0).sum() > (chosen == 0).sum()
    with pytest.raises(ValueError, match="give actions"):
        FITTED.decide(NEW, loss)


def test_samples_are_labels():
    draws = FITTED.sample(NEW, 2000, random_state=0)
    assert draws.shape == (50, 2000)
    shares = FITTED.predict_proba(NEW)
    for j, name in enumerate(NAMES):
        assert_allclose((draws == name).mean(axis=1), shares[:, j], atol=0.06)


def test_stages_are_models_of_fewer_rounds():
    stages = list(FITTED.staged_predict_proba(NEW))
    assert len(stages) == FITTED.n_estimators_ == 20
    assert_array_equal(stages[-1], FITTED.predict_proba(NEW))
    assert_array_equal(stages[6], model(n_estimators=7).fit(X, LABELS).predict_proba(NEW))
    assert_array_equal(list(FITTED.staged_predict(NEW))[-1], FITTED.predict(NEW))


@pytest.mark.parametrize("metric", ["nll", "brier", "error_rate"])
def test_early_stopping_keeps_the_best_round_by_the_metric(metric):
    stopped = model(early_stopping=True, eval_metric=metric, n_estimators=25, refit=False)
    history = stopped.fit(X, LABELS).history_["validation"][metric]
    assert len(history) == 26
    assert stopped.n_estimators_ == np.argmin(history)


def test_validation_labels_that_training_lacks_are_refused():
    with pytest.raises(ValueError, match=r"y_val: y has the label 'oak', .*drop those rows"):
        model().fit(X, LABELS, X_val=NEW[:2], y_val=["ash", "oak"])


def test_a_held_out_share_has_every_class():
    rare = np.where(np.arange(240) < 10, "rare", "common")
    fitted = model(early_stopping=True).fit(X, rare)
    assert_array_equal(fitted.classes_, ["common", "rare"])


def test_classes_of_one_row_do_not_stop_early_stopping():
    labels = LABELS.copy()
    labels[0] = "dogwood"
    fitted = model(early_stopping=True).fit(X, labels)
    assert fitted.predict_proba(NEW).shape == (50, 4)


def test_zero_weight_classes_are_kept_as_labels_or_refused():
    weight = (CODES > 0).astype(float)
    fitted = model().fit(X, LABELS, sample_weight=weight)
    assert set(fitted.predict(NEW)) <= {"beech", "cedar"}


def test_the_papers_settings_are_at_hand():
    paper = WGBClassifier.paper()
    assert (paper.learning_rate, paper.n_estimators, paper.n_particles) == (0.4, 4000, 10)
    assert WGBClassifier.paper(n_estimators=10).fit(X, LABELS).score(X, LABELS) > 0.9


def test_the_classifier_works_among_the_tools_of_scikit_learn():
    thawed = pickle.loads(pickle.dumps(FITTED))
    assert_array_equal(thawed.predict_proba(NEW), FITTED.predict_proba(NEW))
    assert_array_equal(clone(FITTED).fit(X, LABELS).predict(NEW), FITTED.predict(NEW))
    pipeline = make_pipeline(StandardScaler(), model(n_estimators=5))
    assert pipeline.fit(X, LABELS).score(X, LABELS) > 0.8
    search = GridSearchCV(
        model(n_estimators=5), {"max_depth": [1, 2]}, cv=2, scoring="neg_log_loss"
    )
    assert search.fit(X, LABELS).best_score_ > -1
    assert cross_val_score(model(n_estimators=5), X, LABELS, cv=3).min() > 0.7


def test_a_response_for_another_number_of_classes_is_refused():
    with pytest.raises(ValueError, match="is for 4 classes, y has 3"):
        model(response=Categorical(4)).fit(X, LABELS)
    with pytest.raises(ValueError, match="response='normal' must be 'categorical'"):
        model(response="normal").fit(X, LABELS)


def test_warm_start_goes_on_with_the_classes_it_has():
    paused = model(n_estimators=5, warm_start=True).fit(X, LABELS).set_params(n_estimators=10)
    some = CODES > 0
    again = clone(paused).fit(X, LABELS)
    again.set_params(n_estimators=12).fit(X[some], LABELS[some])
    assert_array_equal(again.classes_, NAMES)
    with pytest.raises(ValueError, match="oak"):
        paused.fit(X, np.where(CODES == 0, "oak", LABELS))


def test_a_start_estimator_may_miss_a_class_in_a_fold():
    labels = np.where(np.arange(20) == 4, "rare", "common")
    fitted = model(init=LogisticRegression()).fit(X[:20], labels)
    assert fitted.predict_proba(NEW).shape == (50, 2)


def test_balanced_classes_count_weights_and_not_rows():
    weight = np.random.default_rng(8).integers(0, 3, size=len(LABELS)).astype(float)
    model = WGBClassifier(n_estimators=15, class_weight="balanced", random_state=0)
    weighted = model.fit(X, LABELS, sample_weight=weight).predict_proba(X)
    kept = weight > 0
    dropped = model.fit(X[kept], np.asarray(LABELS)[kept], sample_weight=weight[kept])
    assert_allclose(weighted, dropped.predict_proba(X), atol=1e-6)
    codes = np.unique(LABELS, return_inverse=True)[1]
    labels = np.unique(LABELS)
    encoder = ClassEncoder("categorical", labels, labels, "balanced")
    counted = encoder.weight(codes, weight, len(codes))
    assert_allclose(np.bincount(codes, weights=counted), weight.sum() / labels.size, rtol=1e-6)
    with pytest.raises(ValueError, match="class_weight='balance' must be one of"):
        WGBClassifier(class_weight="balance").fit(X, LABELS)
