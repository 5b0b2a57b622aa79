"""scikit-learn's own checks of an estimator, none of them marked as expected to fail."""

from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from wgboost import (
    ConformalClassifier,
    ConformalRegressor,
    WGBClassifier,
    WGBClassifierCV,
    WGBRegressor,
    WGBRegressorCV,
)

SMALL = {"n_particles": 4, "random_state": 0, "n_jobs": 1}
REGRESSOR = WGBRegressor(n_estimators=12, learning_rate=0.4, **SMALL)
CLASSIFIER = WGBClassifier(n_estimators=10, **SMALL)
FEW = {"cv": 2, "n_estimators": 8, "n_iter_no_change": 5, **SMALL}


@parametrize_with_checks(
    [
        REGRESSOR,
        CLASSIFIER,
        ConformalRegressor(clone(REGRESSOR).set_params(n_estimators=20), cv=2, random_state=0),
        ConformalClassifier(CLASSIFIER, cv=2, random_state=0),
        WGBRegressorCV(
            [{"evidence": 1.0, "learning_rate": 0.5}, {"evidence": 1.0, "max_depth": 2}],
            **FEW | {"n_estimators": 12},
        ),
        WGBClassifierCV([{}, {"max_depth": 2}], **FEW),
    ]
)
def test_the_estimators_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
