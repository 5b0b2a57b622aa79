"""Bags of time series: models of the latest rows, not of early ones alone."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, TimeSeriesSplit

from wgboost import Interrupted, WGBClassifierCV, WGBRegressorCV, load, metrics
from wgboost.selection.folds import is_time_ordered

RECIPE = {"learning_rate": 0.3, "evidence": 3.0}
SMALL = {
    "n_estimators": 30,
    "n_iter_no_change": 8,
    "n_particles": 4,
    "random_state": 0,
    "n_jobs": 1,
}


def drifting(n, seed=0):
    """A level that rises with time, which is no feature."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + 3 * np.arange(n) / n + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize(
    ("cv", "expected"),
    [
        (TimeSeriesSplit(3), True),
        (TimeSeriesSplit(3, max_train_size=20, gap=2), True),
        (KFold(3), False),
        (RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), False),
        (ShuffleSplit(1, random_state=0), False),
    ],
)
def test_which_folds_are_in_the_order_of_time(cv, expected):
    assert is_time_ordered(list(cv.split(np.zeros((90, 1))))) == expected


def test_members_are_fitted_to_all_rows_in_the_end():
    X, y = drifting(120)
    bag = WGBRegressorCV([RECIPE], cv=TimeSeriesSplit(3), **SMALL).fit(X, y)
    assert len(bag.members_) == 3
    assert all(one.refitted_ and one.validation_rows_ is None for one in bag.members_)
    assert len({one.seed_ for one in bag.members_}) == 3
    changed = y.copy()
    changed[-5:] += 100.0
    other = WGBRegressorCV([RECIPE], cv=TimeSeriesSplit(3), **SMALL).fit(X, changed)
    assert other.predict(X).mean() > bag.predict(X).mean() + 1


def test_a_window_that_moves_leaves_early_rows_out():
    X, y = drifting(120)
    cv = TimeSeriesSplit(3, max_train_size=30)
    early = y.copy()
    early[:30] = -1000.0
    settings = {**SMALL, "cv": cv, "response": "laplace", "calibrated": False}
    bag = WGBRegressorCV([RECIPE], **settings).fit(X, early)
    assert bag.predict(X).min() > -100


def test_what_follows_is_predicted_better_than_by_models_of_early_rows():
    gains = []
    for seed in range(4):
        X, y = drifting(200, seed)
        bag = WGBRegressorCV([RECIPE], cv=TimeSeriesSplit(4), **SMALL).fit(X[:160], y[:160])
        pairs = [(t, s) for t, s in TimeSeriesSplit(4).split(X[:160])]
        # Each pair alone is a bag of one model, as it was in the bag of all.
        alone = [
            WGBRegressorCV([RECIPE], cv=[pair], **SMALL).fit(X[:160], y[:160]) for pair in pairs
        ]
        density = np.mean([one.predict_dist(X[160:]).pdf(y[160:]) for one in alone], axis=0)
        after = metrics.nll(bag.predict_dist(X[160:]), y[160:])
        gains.append(-np.log(density).mean() - after)
    assert min(gains) > 0.1


def test_such_a_bag_is_calibrated_saved_and_loaded(tmp_path):
    X, y = drifting(90)
    bag = WGBRegressorCV([RECIPE], cv=TimeSeriesSplit(3), **SMALL).fit(X, y)
    assert len(bag.ood_reference_) == 66  # rows that judged
    assert bag.calibration_.nll_before > 0
    bag.save(tmp_path / "bag.wgb")
    again = load(tmp_path / "bag.wgb")
    np.testing.assert_array_equal(again.predict(X), bag.predict(X))
    labels = (y > y.mean()).astype(int)
    folds = [(np.arange(0, 60), np.arange(60, 75)), (np.arange(0, 75), np.arange(75, 90))]
    bag = WGBClassifierCV([RECIPE], cv=folds, **SMALL).fit(X, labels)
    assert len(bag.members_) == 2
    assert bag.predict_dist(X).particles.shape[1] == 2 * 4


def test_ctrl_c_while_models_are_refitted_leaves_those_that_are_ready():
    X, y = drifting(90)
    stages = []

    def interrupt(info):
        stages.append((info["member"]["fold"], info["stage"]))
        if stages[-1] == (1, "refit"):
            raise KeyboardInterrupt

    interrupt.in_refit = True
    with pytest.warns(Interrupted, match="the bag consists of 1 models"):
        bag = WGBRegressorCV([RECIPE], cv=TimeSeriesSplit(3), **SMALL).fit(
            X, y, callbacks=[interrupt]
        )
    assert bag.members_[0].refitted_
