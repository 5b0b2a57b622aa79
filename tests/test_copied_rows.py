"""Rows that are there several times: held out, they say nothing about new ones."""

import warnings

import numpy as np
import pytest

from wgboost import WGBRegressor, WGBRegressorCV

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
X[::7, 1] = np.nan
Y = X[:, 0] + 0.1 * RNG.normal(size=80)
SHORT = {"n_estimators": 5, "random_state": 0, "n_jobs": 1}


def doubled(n):
    """The rows, and the first n of them once more, in another order."""
    order = np.random.default_rng(1).permutation(np.r_[np.arange(80), np.arange(n)])
    return X[order], Y[order]


def held_out(**settings):
    return WGBRegressor(early_stopping=True, evidence=3.0, **SHORT, **settings)


def test_early_stopping_by_copies_is_told():
    with pytest.warns(UserWarning, match=r"\d\d% of the rows held out have the features") as told:
        held_out().fit(*doubled(80))
    assert told[0].filename == __file__


def test_a_bag_by_copies_is_told_once():
    with pytest.warns(UserWarning, match="groups in WGBRegressorCV") as told:
        WGBRegressorCV([{"evidence": 3.0}, {}], cv=3, **SHORT).fit(*doubled(80))
    assert len(told) == 1
    assert told[0].filename == __file__


def test_what_is_meant_or_may_happen_is_not_told():
    rows, y = doubled(80)
    which = np.unique(rows[:, 0], return_inverse=True)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        held_out().fit(*doubled(10))
        held_out().fit(rows, y + 0.01 * RNG.normal(size=160))  # another y each
        held_out().fit(np.round(rows), np.round(y))
        held_out().fit(rows, np.ones(160))
        held_out(response="poisson").fit(rows, np.round(np.exp(y)))
        held_out().fit(rows, y, validation_rows=np.arange(40))
        WGBRegressor(evidence=3.0, **SHORT).fit(rows, y)
        bag = WGBRegressorCV([{"evidence": 3.0}], cv=3, **SHORT)
        bag.fit(rows, y, groups=which)
