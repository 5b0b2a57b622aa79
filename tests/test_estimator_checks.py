"""scikit-learn's own checks of an estimator, none of them marked as expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from wgboost import WGBClassifier, WGBRegressor


@parametrize_with_checks(
    [
        WGBRegressor(n_estimators=10, random_state=0, n_jobs=1),
        WGBClassifier(n_estimators=10, random_state=0, n_jobs=1),
    ]
)
def test_the_estimators_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
