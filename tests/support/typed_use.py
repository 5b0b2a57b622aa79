"""What a type checker makes of a user's program: `make lint` checks it, a test runs it."""

from typing import Any, assert_type

import numpy as np

import wgboost
from wgboost import Mixture, Target, WGBClassifier, WGBoost, WGBRegressor, callbacks, metrics
from wgboost.plotting import CoverageDisplay
from wgboost.typing import Array, Directions


def regression(X: Array, y: Array) -> float:
    model = WGBRegressor(n_estimators=5, random_state=0, evidence=10.0)
    assert_type(model, WGBRegressor)
    assert_type(model.fit(X, y, callbacks=[callbacks.MaxTime(60)]), WGBRegressor)
    assert_type(WGBRegressor.paper().set_params(n_estimators=3), WGBRegressor)
    assert_type(model.n_estimators_, int)
    assert_type(model.history_, dict[str, dict[str, list[float]]])
    assert_type(model.predict(X), Array)
    assert_type(model.predict_uncertainty(X), dict[str, Array])
    dist = model.predict_dist(X)
    assert_type(dist, Mixture)
    assert_type(dist[:3], Mixture)
    assert_type(dist.interval(0.9), tuple[Array, Array])
    assert_type(dist.params(), dict[str, Array])
    for stage in model.staged_predict_dist(X):
        assert_type(stage, Mixture)
    assert_type(metrics.pit(dist, y), Array)
    assert_type(CoverageDisplay.from_predictions(y, dist), CoverageDisplay)
    assert_type(wgboost.propose_response(y), tuple[str, str])
    return metrics.nll(dist, y)


def classification(X: Array, labels: Array) -> Array:
    model = WGBClassifier(n_estimators=5, random_state=0).fit(X, labels)
    assert_type(model, WGBClassifier)
    assert_type(model.classes_, Array)
    return model.predict_proba(X)


def general(X: Array) -> Directions:
    def score(theta: Array, y: Array) -> Array:
        return np.asarray(y[:, :, None] - theta)

    def curvature(theta: Array, y: Array) -> Array:  # noqa: ARG001
        return np.ones_like(theta)

    model = WGBoost(Target(score, curvature), n_estimators=5, random_state=0)
    assert_type(model.fit(X, X[:, 0]), WGBoost)
    return model.predict_particles(X)


def stop_early(info: dict[str, Any]) -> bool:
    """A callback of one's own."""
    return int(info["round"]) == 3
