"""The race of recipes, without models: who runs when, and who wins."""

import math

import pytest

from wgboost.selection.successive_halving import (
    FoldResult,
    Job,
    best_recipe,
    kept_results,
    mean_value,
    next_fit,
    successive_halving,
    unbiased_value,
)


class Track:
    """Recipes of known value; the clock moves by what each of them takes."""

    def __init__(self, values, seconds=1.0, interrupt_at=None, share=1.0):
        self.values, self.seconds, self.interrupt_at = values, seconds, interrupt_at
        self.now, self.trials, self.members, self.share = 0.0, [], [], share

    def fit(self, job):
        if len(self.trials) + len(self.members) == self.interrupt_at:
            raise KeyboardInterrupt
        (self.trials if job.trial else self.members).append((job.recipe, job.fold))
        taken = self.seconds[job.recipe] if isinstance(self.seconds, dict) else self.seconds
        taken *= 1.0 if job.trial else self.share
        self.now += taken
        value = self.values[job.recipe]
        return FoldResult(
            job.recipe, job.fold, value[job.fold] if isinstance(value, list) else value, 1.0,
            taken, trial=job.trial, member_share=self.share if job.trial else 1.0,
        )  # fmt: skip

    def run(self, n_folds, budget=None):
        return successive_halving(
            list(self.values), n_folds, self.fit, budget=budget, clock=lambda: self.now
        )


def test_the_better_half_goes_on_and_the_best_is_fitted_on_all_folds():
    track = Track({"a": 4.0, "b": 1.0, "c": 3.0, "d": 2.0})
    entries, interrupted = track.run(4)
    assert track.trials == [("a", 0), ("b", 0), ("c", 0), ("d", 0)]
    assert track.members == [("b", 1), ("d", 1), ("b", 0), ("b", 2), ("b", 3)]
    assert best_recipe(entries) == "b"
    assert not interrupted


def test_a_single_recipe_has_no_rivals_and_no_trials():
    track = Track({"only": 1.0})
    track.run(3)
    assert not track.trials
    assert track.members == [("only", 0), ("only", 1), ("only", 2)]


def test_a_bad_first_fold_can_be_made_up_for():
    track = Track({"a": [1.0, 9.0, 9.0], "b": [2.0, 1.0, 1.0], "c": 5.0})
    entries, _ = track.run(3)
    assert track.members == [("a", 1), ("b", 1), ("b", 0), ("b", 2)]
    assert best_recipe(entries) == "b"


def test_equal_recipes_keep_their_order():
    assert best_recipe(Track({"z": 1.0, "a": 1.0}).run(3)[0]) == "z"


def test_folds_count_by_the_weight_of_their_rows():
    entries = [FoldResult("a", 0, 1.0, 3.0, 0.1), FoldResult("a", 1, 5.0, 1.0, 0.1)]
    assert mean_value(entries, "a") == 2.0
    assert mean_value(entries, "a", 1) == 1.0


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_a_recipe_without_a_finite_value_comes_last(odd):
    assert best_recipe(Track({"odd": odd, "good": 100.0}).run(2)[0]) == "good"


def test_with_a_budget_the_best_so_far_is_finished_in_time():
    track = Track({"a": 3.0, "b": 1.0, "c": 2.0, "d": 0.0}, seconds=10.0)
    # After a and b 20 s are gone, and the four members of b take 40 more.
    track.run(4, budget=60.0)
    assert track.trials == [("a", 0), ("b", 0)]
    assert track.members == [("b", 0), ("b", 1), ("b", 2), ("b", 3)]
    assert track.now == 60.0


def test_members_that_take_longer_than_trials_need_more_of_a_budget():
    quick, slow = (Track({"a": 3.0, "b": 1.0, "c": 2.0}, share=share) for share in (1.0, 4.0))
    quick.run(2, budget=9.0)
    slow.run(2, budget=9.0)
    assert len(quick.trials) == 3
    assert slow.trials == [("a", 0)]
    assert slow.now == 9.0


def test_a_budget_that_is_too_small_still_finishes_one_recipe():
    track = Track({"a": 3.0, "b": 1.0}, seconds=10.0)
    track.run(3, budget=1.0)
    assert track.trials == [("a", 0)]
    assert track.members == [("a", 0), ("a", 1), ("a", 2)]


def test_an_expensive_recipe_ends_the_comparison_but_not_the_best_recipe():
    track = Track({"a": 1.0, "slow": 2.0, "c": 0.0}, seconds={"a": 1.0, "slow": 50.0, "c": 1.0})
    entries, _ = track.run(3, budget=30.0)
    assert track.trials == [("a", 0), ("slow", 0)]
    assert best_recipe(entries) == "a"


def test_a_large_budget_changes_nothing():
    one, other = (Track({"a": 3.0, "b": 1.0, "c": 2.0}) for _ in range(2))
    one.run(3)
    other.run(3, budget=1000.0)
    assert one.trials == other.trials


def test_ctrl_c_returns_what_there_is():
    entries, interrupted = Track({"a": 2.0, "b": 1.0, "c": 3.0}, interrupt_at=4).run(4)
    assert interrupted
    assert best_recipe(entries) == "b"
    assert len(entries) == 4


def test_ctrl_c_before_the_first_result_is_raised():
    with pytest.raises(KeyboardInterrupt):
        Track({"a": 2.0}, interrupt_at=0).run(2)


def test_before_the_first_member_trials_are_kept():
    entries, interrupted = Track({"a": 2.0, "b": 1.0}, interrupt_at=2).run(3)
    assert interrupted
    assert [(one.recipe, one.trial) for one in kept_results(entries, "b")] == [("b", True)]
    entries, _ = Track({"a": 2.0, "b": 1.0}, interrupt_at=3).run(3)
    assert [(one.recipe, one.trial) for one in kept_results(entries, "b")] == [("b", False)]


def test_the_value_of_the_winner_is_that_of_members_on_folds_that_did_not_choose_it():
    entries, _ = Track({"a": 3.0, "b": [1.0, 2.0, 4.0, 5.0]}).run(4)
    assert unbiased_value(entries, "b") == pytest.approx((2.0 + 4.0 + 5.0) / 3)


def test_the_next_fit_depends_only_on_the_results():
    entries, _ = Track({"a": 2.0, "b": 1.0}).run(3)
    assert next_fit(entries, ["a", "b"], 3) is None
    assert next_fit(entries[:2], ["a", "b"], 3) == Job("b", 0)
    assert next_fit(entries[:3], ["a", "b"], 3) == Job("b", 1)
    assert next_fit(entries[:1], ["a", "b"], 3, only_best=True) == Job("a", 0)


def test_trials_choose_who_goes_on_and_no_more():
    track = Track({"a": [-5.0, 3.0, 3.0], "b": [1.0, 2.0, 3.0], "c": 9.0})
    entries, _ = track.run(3)  # over both folds "a" is better
    assert best_recipe(entries) == "b"


def test_a_trial_has_to_be_among_those_that_go_on():
    values, jobs = {"a": 5.0, "b": 1.0, "c": 3.0, "d": 2.0, "e": 4.0}, []

    def fit(job):
        jobs.append(job)
        return FoldResult(job.recipe, job.fold, values[job.recipe], 1.0, 0.1, trial=job.trial)

    successive_halving(list(values), 3, fit)
    goals = [job.goal for job in jobs if job.trial]
    assert goals == [math.inf, math.inf, math.inf, 5.0, 3.0]  # three of five go on
    assert all(job.goal == math.inf for job in jobs if not job.trial)


def test_the_last_two_recipes_are_compared_on_min_folds_folds():
    values = {"a": [1.0, 9.0, 9.0, 9.0, 9.0], "b": 2.0}
    one, three = Track(values), Track(values)
    assert best_recipe(one.run(5)[0]) == "a"
    entries, _ = successive_halving(list(values), 5, three.fit, min_folds=3)
    assert [job for job in three.members if job[0] == "a"] == [("a", 1), ("a", 2)]
    assert best_recipe(entries) == "b"


def test_min_folds_changes_nothing_where_two_recipes_go_on_anyway():
    track, plain = (Track({name: float(i) for i, name in enumerate("abcdefghi")}) for _ in "ab")
    plain.run(10)
    successive_halving(list(track.values), 10, track.fit, min_folds=3)
    assert (track.trials, track.members) == (plain.trials, plain.members)
    assert (len(track.trials), len(track.members)) == (9, 5 + 3 + 2 + 7)
