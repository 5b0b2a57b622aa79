"""scikit-learn's checks of the estimators as they come, without a parameter set."""

import pytest
from sklearn.utils.estimator_checks import (
    check_fit2d_1sample,
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

from wgboost import WGBClassifier, WGBClassifierCV, WGBRegressor, WGBRegressorCV

# Classes of noise take thousands of rounds, and a fit warns of the limit.
pytestmark = pytest.mark.filterwarnings("ignore:early stopping ended at the limit")

STOPPING = [WGBRegressor(early_stopping=True), WGBClassifier(early_stopping=True)]
BAGS = [WGBRegressorCV(), WGBClassifierCV()]
FEW_ROUNDS = [
    WGBRegressor(early_stopping=True, n_estimators=40),
    WGBClassifier(early_stopping=True, n_estimators=10),
]


@parametrize_with_checks([WGBRegressor(), WGBClassifier()])
def test_untouched_estimators_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@parametrize_with_checks(FEW_ROUNDS)
def test_early_stopping_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", STOPPING, ids=repr)
def test_early_stopping_of_one_row_says_why_it_cannot(estimator):
    check_fit2d_1sample(type(estimator).__name__, estimator)


@pytest.mark.parametrize("kind", [WGBRegressorCV, WGBClassifierCV])
@pytest.mark.parametrize(
    "check",
    [
        check_sample_weight_equivalence_on_dense_data,
        check_sample_weight_equivalence_on_sparse_data,
    ],
)
def test_a_bag_takes_a_weight_for_repeats(kind, check):
    check(kind.__name__, kind(cv=2, n_estimators=10))


# One check gives a class weights of 1e-4, and a fold of it warns of them.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:sample weights are 0.0001 on average")
@parametrize_with_checks(STOPPING + BAGS)
def test_long_fits_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
