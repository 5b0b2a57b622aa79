"""scikit-learn's checks of the estimators as they come, without a parameter set."""

import pytest
from sklearn.utils.estimator_checks import (
    check_fit2d_1sample,
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

from wgboost import WGBClassifier, WGBClassifierCV, WGBRegressor, WGBRegressorCV

# Classes of noise take thousands of rounds, which a fit says.
pytestmark = pytest.mark.filterwarnings("ignore:early stopping ended at the limit")

WEIGHTS = [
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
]
UNTOUCHED = [WGBRegressor(), WGBClassifier()]
BAGS = [WGBRegressorCV(), WGBClassifierCV()]  # minutes each
STOPPING = [WGBRegressor(early_stopping=True), WGBClassifier(early_stopping=True)]
FEW_ROUNDS = [
    WGBRegressor(early_stopping=True, n_estimators=40),
    WGBClassifier(early_stopping=True, n_estimators=10),
]


@pytest.mark.parametrize("check", WEIGHTS)
@pytest.mark.parametrize("estimator", UNTOUCHED, ids=repr)
def test_an_untouched_estimator_takes_a_weight_for_repeats(estimator, check):
    check(type(estimator).__name__, estimator)


@pytest.mark.parametrize("check", WEIGHTS)
@pytest.mark.parametrize("kind", [WGBRegressorCV, WGBClassifierCV])
def test_a_bag_takes_a_weight_for_repeats(kind, check):
    check(kind.__name__, kind(cv=2, n_estimators=10))


@pytest.mark.parametrize("estimator", UNTOUCHED + STOPPING, ids=repr)
def test_an_untouched_estimator_fits_one_row_or_says_why_not(estimator):
    check_fit2d_1sample(type(estimator).__name__, estimator)


@parametrize_with_checks(FEW_ROUNDS)
def test_early_stopping_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(UNTOUCHED + STOPPING + BAGS)
def test_untouched_estimators_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
