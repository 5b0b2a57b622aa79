"""The rule that ends early stopping, on curves that are given."""

import numpy as np

from wgboost.boosting.early_stopping import StoppingRule


class _Constant:
    """A validation set with a history that is given."""

    def __init__(self, values):
        self.name, self.history = "validation", {"nll": list(values)}


def rounds_until_stop(values, **options):
    """Return the number of rounds after which a rule ends a curve, or None."""
    rule = StoppingRule(_Constant(values[:1]), "nll", **options)
    rule.begin(0)
    for r, value in enumerate(values[1:], start=1):
        rule.validation.history["nll"].append(value)
        if rule.update(r):
            return r, rule.best_round
    return None


def test_gains_that_are_not_worth_the_wait_do_not_extend_it():
    """Every round is a little better than the one before."""
    fast = np.linspace(2.0, 1.0, 21)
    slow = 1.0 - 1e-5 * np.arange(1, 200)
    stopped, best = rounds_until_stop(np.r_[fast, slow], patience=10)
    assert stopped == 20 + 10
    assert best == stopped  # the rounds that were trained are kept
    assert rounds_until_stop(np.r_[fast, 1.0 - 2e-3 * np.arange(1, 50)], patience=10) is None


def test_a_trial_ends_when_it_cannot_reach_its_goal():
    level = np.full(200, 1.0)
    assert rounds_until_stop(level, goal=0.9) == (30, 0)
    assert rounds_until_stop(level, goal=1.1) is None
    falling = 2.0 - 0.005 * np.arange(200)
    assert rounds_until_stop(falling, goal=1.5) is None
    assert rounds_until_stop(falling, goal=-9.0) == (30, 30)
    broken = np.where(np.arange(200) % 2, np.nan, level)
    assert rounds_until_stop(broken, goal=0.5)[0] <= 31
