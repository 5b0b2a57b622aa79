"""scikit-learn's checks of the estimators as they come, without a parameter set."""

import pytest
from sklearn.utils.estimator_checks import (
    check_estimator,
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

from wgboost import WGBClassifier, WGBClassifierCV, WGBRegressor, WGBRegressorCV


@parametrize_with_checks(
    [
        WGBRegressor(),
        WGBClassifier(),
        WGBRegressor(early_stopping=True),
        WGBClassifier(early_stopping=True),
    ]
)
def test_untouched_estimators_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", [WGBRegressorCV, WGBClassifierCV])
@pytest.mark.parametrize(
    "check",
    [
        check_sample_weight_equivalence_on_dense_data,
        check_sample_weight_equivalence_on_sparse_data,
    ],
)
def test_an_untouched_bag_takes_a_weight_for_repeats(kind, check):
    check(kind.__name__, kind())


@pytest.mark.slow
@pytest.mark.parametrize("kind", [WGBRegressorCV, WGBClassifierCV])
def test_untouched_bags_keep_the_contract_of_scikit_learn(kind):
    check_estimator(kind())
