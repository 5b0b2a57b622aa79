"""What a search tries besides the evidence, and with how many trees."""

import numpy as np
import pytest

from wgboost import WGBClassifier, WGBRegressor, metrics
from wgboost.training import search_trials
from wgboost.training.search_trials import SearchSpace, smooth_margin

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (700, 4))
SIMPLE = np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * RNG.standard_normal(700)
FINE = np.sign(np.sin(9 * X[:, 0]) * np.sin(9 * X[:, 1])) + 0.02 * RNG.standard_normal(700)
FAST = {"init": "flow", "n_iter_no_change": 10, "random_state": 0, "n_jobs": 1}


def trees_by_stage(estimator, y, **fit_params):
    """Return the number of trees of a round in each stage of a fit."""
    found = {}

    def look(info):
        found.setdefault(info["stage"], set()).add(info["rounds"][-1].flat.trees_per_round)

    look.in_refit = True
    estimator.fit(X, y, callbacks=[look], **fit_params)
    return found


@pytest.mark.parametrize("estimator", [WGBRegressor(**FAST), WGBClassifier(**FAST)])
def test_stages_before_a_refit_have_few_trees(estimator):
    y = SIMPLE if isinstance(estimator, WGBRegressor) else SIMPLE > 0
    found = trees_by_stage(estimator, y)
    assert found.pop("refit") == {10}
    assert set.union(*found.values()) == {2}
    assert estimator.model_.ensemble.trees_per_round == 10


@pytest.mark.parametrize(
    ("settings", "trees"),
    [({"n_particles": 9}, 3), ({"n_particles": 7}, 1), ({"tree": 5}, 2), ({"tree": "shared"}, 1)],
)
def test_the_smallest_number_of_equal_groups_is_taken(settings, trees):
    found = trees_by_stage(WGBRegressor(**FAST, **settings), SIMPLE)
    found.pop("refit")
    assert set.union(*found.values()) == {trees}


def test_models_that_are_kept_have_all_trees():
    kept = trees_by_stage(WGBRegressor(**FAST, refit=False), SIMPLE)
    given = trees_by_stage(WGBRegressor(**FAST), SIMPLE, X_val=X[:200], y_val=SIMPLE[:200])
    assert set.union(*kept.values(), *given.values()) == {10}


def shares(y, **settings):
    model = WGBRegressor(**FAST, **settings).fit(X, y)
    [chosen] = [one for one in model.search_ if one.get("chosen")]
    return (
        model,
        chosen.get("leaf_share", 1.0),
        {one.get("leaf_share", 1.0) for one in model.search_},
    )


def test_simple_functions_have_few_leaves_and_fine_ones_many():
    simple, share, tried = shares(SIMPLE)
    assert (share, tried) == (0.25, {0.25, 1.0})
    fine, share, _ = shares(FINE)
    assert share == 1.0
    sizes = [np.diff(one.model_.ensemble.first_leaf).max() for one in (simple, fine)]
    assert sizes[0] <= sizes[1] / 3


def test_a_given_number_of_leaves_is_kept():
    _, _, tried = shares(SIMPLE, max_leaves=6)
    assert tried == {1.0}


def starts(smooth, flow, margin):
    """Return which start a search takes whose trials have these values."""
    space, trials = SearchSpace(("smooth", "flow"), level=1.0, margin=margin), []
    while (trial := space.next_trial(trials)) is not None:
        goal = space.goal(trial, trials)
        value = smooth if trial["init"] == "smooth" else flow
        trials.append({**trial, "value": value, "reached": value <= goal})
    best = trials[space.best(trials)]
    assert best["reached"]
    return best["init"]


def test_a_smooth_start_has_to_be_better_by_a_margin():
    assert starts(0.95, 1.0, margin=0.1) == "flow"
    assert starts(0.85, 1.0, margin=0.1) == "smooth"
    assert starts(0.95, 1.0, margin=0.0) == "smooth"
    assert smooth_margin("nll", 144.0) == pytest.approx(0.1)
    assert smooth_margin("rmse", 144.0) == 0.0


@pytest.mark.parametrize("rate", [0.2, 0.3])
@pytest.mark.parametrize("first", [(1.0, 3.0, 10.0, 30.0), (10.0, 30.0, 1.0, 3.0)])
def test_the_evidence_does_not_depend_on_what_is_tried_first(rate, first, monkeypatch):
    train, test = slice(0, 500), slice(500, 700)
    settings = {**FAST, "n_iter_no_change": 30, "learning_rate": rate}
    usual = WGBRegressor(**settings).fit(X[train], FINE[train])
    monkeypatch.setattr(search_trials, "_FIRST", first)
    other = WGBRegressor(**settings).fit(X[train], FINE[train])
    ladder = search_trials.LADDER
    assert abs(ladder.index(usual.evidence_) - ladder.index(other.evidence_)) <= 1
    losses = [metrics.nll(one.predict_dist(X[test]), FINE[test]) for one in (usual, other)]
    assert abs(losses[0] - losses[1]) <= 0.02
