"""Names from elsewhere and y of another form are answered with what to do."""

import numpy as np
import pandas as pd
import pytest

from wgboost import LogDensity, Normal, Target, WGBClassifier, WGBoost, WGBRegressor, censored
from wgboost.training.flat_parameters import grouped_parameters

X = np.linspace(-1, 1, 40)[:, None]
Y = X[:, 0]
EVENTS = np.zeros(40, dtype=[("event", bool), ("time", float)])
BOUNDS = pd.DataFrame({"lower": Y, "upper": Y + 1})


def regressor(**options):
    return WGBRegressor(n_estimators=1, **grouped_parameters(options))


NAMES = [
    (regressor(response="guassian"), "did you mean 'normal'"),
    (regressor(response="gaussian"), "did you mean 'normal'"),
    (regressor(response="bernoulli"), "did you mean 'categorical'. WGBClassifier"),
    (regressor(response="gama"), "one of 'auto', 'normal'.*did you mean 'gamma'"),
    (regressor(response="aut"), "did you mean 'auto'"),
    (regressor(split_on="mean"), "did you mean 'particle_mean'"),
    (regressor(growth="leaf"), "did you mean 'best_first'"),
    (regressor(growth="lossguide"), "did you mean 'best_first'"),
    (regressor(direction="kl"), "did you mean 'diagonal_newton'"),
    (regressor(direction="energy_distance"), "did you mean 'energy'"),
    (regressor(eval_metric=["nll", "nll"], early_stopping=True), "a list of different ones"),
    (regressor(response=LogDensity(lambda t, y: t[0] + y)), r"WGBoost\(LogDensity\(...\)\)"),
    (regressor(response=Target(lambda t, _: t)), r"WGBoost\(Target\(...\)\)"),
    (WGBoost(direction="svgd"), "did you mean 'smoothed'"),
]


@pytest.mark.parametrize(("model", "message"), NAMES)
def test_a_name_is_answered_with_the_nearest(model, message):
    with pytest.raises((TypeError, ValueError), match=message):
        model.fit(X, Y)


FORMS = [
    (regressor(), EVENTS, r"fields event, time.*wgboost.censored\(time"),
    (regressor(response="weibull"), np.column_stack([Y, Y]), r"wgboost.censored\(lower, upper\)"),
    (regressor(), BOUNDS, r"wgboost.censored\(lower, upper\)"),
    (regressor(), np.array(["a", "b"] * 20), "labels are for WGBClassifier"),
    (regressor(response="categorical"), np.arange(40) % 3, "3 classes; WGBClassifier is for"),
    (regressor(response=Normal()), EVENTS, "wgboost.censored"),
]


@pytest.mark.parametrize(("model", "y", "message"), FORMS)
def test_y_of_another_form_is_answered_with_what_takes_it(model, y, message):
    with pytest.raises((TypeError, ValueError), match=message):
        model.fit(X, y)


BAD_BOUNDS = [
    (([1.0, 2.0], [True, False]), {}, r"np.where\(event, time, np.inf\)"),
    ((np.nan, 2.0), {}, "-inf for no lower bound"),
    ((1.0, np.nan), {}, "inf for no upper bound"),
    ((3.0, 2.0), {}, "swap the two"),
    ((1.0, 2.0), {"above": 5.0}, "drop the row, or widen"),
    ((1.0, 2.0), {"above": 5.0, "below": 4.0}, "above must be less than below"),
    ((np.inf, np.inf), {}, "make one finite"),
    (([1.0, 2.0], [1.0, 2.0, 3.0]), {}, "a number or one per row"),
]


@pytest.mark.parametrize(("bounds", "options", "message"), BAD_BOUNDS)
def test_bounds_that_make_no_sense_get_a_remedy(bounds, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        censored(*bounds, **options)


def test_classes_that_are_no_names_of_a_response_are_left_alone():
    assert WGBClassifier(n_estimators=1).fit(X, Y > 0).score(X, Y > 0) > 0.5
