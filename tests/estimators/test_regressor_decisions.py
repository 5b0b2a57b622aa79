"""Decisions of WGBRegressor under a loss or a utility of the parameters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from wgboost import WGBRegressor

RNG = np.random.default_rng(11)
X = RNG.normal(size=(200, 3))
Y = 5 + 2 * np.sin(2 * X[:, 0]) + 0.4 * RNG.normal(size=200)
NEW = np.random.default_rng(12).normal(size=(40, 3))
FITTED = WGBRegressor(n_estimators=60, early_stopping=False, random_state=1, n_jobs=1).fit(X, Y)


def test_a_decision_may_lie_far_outside_of_what_y_can_be():
    far = FITTED.decide(NEW, lambda a, theta: np.square(a - theta["mean"] - 500))
    assert_allclose(far, FITTED.predict(NEW) + 500, rtol=1e-4)
    with pytest.raises(ValueError, match="still falls at action"):
        FITTED.decide(NEW, lambda a, theta: -a + 0 * theta["mean"])


def test_squared_loss_decides_for_the_mean():
    chosen, risk = FITTED.decide(NEW, lambda a, t: (a - t["mean"]) ** 2, return_risks=True)
    assert_allclose(chosen, FITTED.predict(NEW), atol=1e-5)
    assert_allclose(risk, FITTED.ood_score(NEW, method="epistemic"), rtol=1e-4)


def test_absolute_loss_decides_for_a_median_of_the_particles():
    chosen = FITTED.decide(NEW, lambda a, t: np.abs(a - t["mean"]))
    middle = np.sort(FITTED.predict_particles(NEW)["mean"], axis=1)[:, 4:6]
    assert (chosen >= middle[:, 0] - 1e-4).all()
    assert (chosen <= middle[:, 1] + 1e-4).all()


def test_pinball_loss_decides_for_a_quantile_of_the_predictive_distribution():
    level = 0.8

    def expected_pinball(action, theta):
        from scipy.stats import norm

        z = (action - theta["mean"]) / theta["scale"]
        below = theta["scale"] * (z * norm.cdf(z) + norm.pdf(z))  # E (a - y)+
        return below - level * (action - theta["mean"])

    chosen = FITTED.decide(NEW, expected_pinball)
    assert_allclose(FITTED.predict_dist(NEW).cdf(chosen), level, atol=1e-4)


def test_given_actions_are_chosen_from_and_their_risks_reported():
    actions = [3.0, 5.0, 7.0]
    chosen, risks = FITTED.decide(
        NEW, lambda a, t: (a - t["mean"]) ** 2, actions=actions, return_risks=True
    )
    assert risks.shape == (40, 3)
    assert_array_equal(chosen, np.array(actions)[risks.argmin(axis=1)])
    assert len(set(chosen)) == 3
    best, gains = FITTED.decide(
        NEW, actions=actions, utility=lambda a, t: -((a - t["mean"]) ** 2), return_risks=True
    )
    assert_array_equal(best, chosen)
    assert_allclose(gains, -risks)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"loss": lambda _, t: t["mean"][0]},
            r"loss returned shape \(10,\).*\(40, 10\), is needed",
        ),
        (
            {"loss": lambda *_: np.zeros((40, 3))},
            r"loss returned shape \(40, 3\); .*\(40, 10\), is needed",
        ),
        ({"loss": lambda _, t: t["mean"] * np.nan}, "the loss returned nan"),
        ({"loss": lambda a, t: a - t["maen"]}, "no 'maen'; it has 'mean', .* did you mean 'mean'"),
        ({}, "give either a loss to minimise or a utility"),
        ({"loss": abs, "utility": abs}, "give either a loss to minimise or a utility"),
        ({"loss": lambda _, t: t["mean"], "actions": []}, "actions have shape .* give a list"),
    ],
)
def test_what_is_no_decision_problem_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        FITTED.decide(NEW, **arguments)


def test_a_loss_has_to_be_a_function():
    with pytest.raises(TypeError, match=r"'squared' must be a function of \(action, theta\)"):
        FITTED.decide(NEW, "squared")
    with pytest.raises(TypeError, match=r"\{\} must be a function of \(action, theta\)"):
        FITTED.decide(NEW, {})
