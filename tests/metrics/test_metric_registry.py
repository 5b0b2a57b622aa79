"""One row per metric, which early stopping, scorers, summaries, pages and clusters read."""

import pickle

import numpy as np
import pytest

from mixture_examples import categorical_mixture, normal_mixture
from wgboost import WGBRegressor, metrics
from wgboost.metrics.registry import (
    METRICS,
    as_metric,
    early_stopping_metrics,
    find_metric,
)
from wgboost.responses import Categorical, Normal

SETTINGS = {"n_particles": 4, "n_estimators": 8, "evidence": 10, "random_state": 0, "n_jobs": 1}
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
Y = X[:, 0] + rng.normal(size=60)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_public_and_has_a_scorer(name):
    row = METRICS[name]
    assert row.name == name
    assert getattr(metrics, name) is row.function
    assert row.description
    assert metrics.get_scorer(name).greater_is_better == row.greater_is_better
    assert find_metric(row.function) is row


def test_the_scorer_of_a_worse_model_is_smaller():
    dist, classes = normal_mixture(), categorical_mixture()
    near, far = dist.median(), dist.median() + 5 * dist.std()
    for name in early_stopping_metrics(Normal()):
        loss = metrics.as_metric(name, Normal())
        assert loss(dist, near) < loss(dist, far) or name == "concordance"
    best = classes.probabilities().argmax(axis=1)
    worst = classes.probabilities().argmin(axis=1)
    for name in early_stopping_metrics(Categorical()):
        loss = metrics.as_metric(name, Categorical())
        assert loss(classes, best) <= loss(classes, worst)


@pytest.mark.parametrize("name", ["nll", "crps", "rmse", "mae", "pinball", "interval_score"])
def test_the_reduction_of_two_workers_is_the_metric_of_all_rows(name):
    dist = normal_mixture()
    y, row = dist.rvs(random_state=0), METRICS[name]
    values = np.array([row(dist[:2], y[:2]), row(dist[2:], y[2:])])
    mass = np.array([2, len(dist) - 2])
    if row.reduction == "root_mean_square":
        assert np.sqrt(np.average(values**2, weights=mass)) == pytest.approx(row(dist, y))
    else:
        assert row.reduction == "mean"
        assert np.average(values, weights=mass) == pytest.approx(row(dist, y))


def close_share(dist, y):
    """The share of rows within one unit of the median; larger is better."""
    return np.mean(np.abs(dist.median() - y) < 1)


CLOSE = metrics.Metric(
    "close_share", close_share, greater_is_better=True, kinds=("numbers",),
    summary=(metrics.SummaryLine("Within one unit", "larger is better", ("numbers",)),),
)  # fmt: skip


def test_a_metric_from_outside_works_everywhere(monkeypatch):
    monkeypatch.setitem(METRICS, "close_share", CLOSE)
    model = WGBRegressor(
        **SETTINGS, eval_metric="close_share", early_stopping=True, refit=False
    ).fit(X, Y)
    history = model.history_["validation"]["one_minus_close_share"]
    assert model.n_estimators_ == np.argmin(history)
    dist = model.predict_dist(X)
    value = close_share(dist, Y)
    assert metrics.get_scorer("close_share")(model, X, Y) == value
    assert metrics.get_scorer(CLOSE)(model, X, Y) == value
    last = metrics.summary(dist, Y, sample_weight=np.ones(60))[-1]
    assert (last.name, last.value) == ("Within one unit", value)
    with pytest.raises(ValueError, match="'categorical'='close_share' must be one of"):
        metrics.as_metric("close_share", Categorical())
    assert pickle.loads(pickle.dumps(CLOSE.as_loss()))(dist, Y) == 1 - value


def test_bad_rows_are_refused():
    with pytest.raises(ValueError, match="kinds='number' must be one of"):
        metrics.Metric("mine", close_share, kinds=("number",))
    with pytest.raises(ValueError, match="reduction='sum' must be one of"):
        metrics.Metric("mine", close_share, reduction="sum")
    with pytest.raises(TypeError, match="must be a function"):
        metrics.Metric("mine", "close_share")


@pytest.mark.parametrize("name", ["auc", "accuracy"])
def test_a_metric_of_which_more_is_better_is_not_minimised_as_a_function_either(name):
    dist, codes = categorical_mixture(), np.array([0, 1])[np.arange(len(categorical_mixture())) % 2]
    by_name, by_function = (
        as_metric(one, Categorical(n_classes=2)) for one in (name, getattr(metrics, name))
    )
    assert by_function(dist, codes) == by_name(dist, codes)
    assert not by_function.greater_is_better
