"""Bayes actions: never worse than what was looked at, of losses of y, and of matrices of costs."""

import doctest

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate
from sklearn.metrics import confusion_matrix

from mixture_examples import categorical_mixture, normal_mixture, poisson_mixture
from wgboost import Cauchy, Gamma, Mixture, WGBClassifier, WGBRegressor
from wgboost.predictive import decisions
from wgboost.predictive.decisions import bayes_action

weighted = pytest.mark.parametrize("weighted", [False, True])


def newsvendor(order, demand):
    return 2 * np.maximum(order - demand, 0) + 8 * np.maximum(demand - order, 0)


# --- over the real line -----------------------------------------------------------------------


@weighted
@pytest.mark.parametrize("width", [0.3, 1.0, 3.0])
def test_no_point_of_the_grid_and_no_particle_is_better_than_the_action(width, weighted):
    dist = normal_mixture(n=60, m=10, weighted=weighted)
    means = dist.params()["mean"]
    weights = np.full(means.shape, 0.1) if dist.weights is None else dist.weights

    def loss(action, theta):
        return np.abs(action - theta["mean"]) > width

    _, risk = bayes_action(dist, loss, return_risks=True)
    low, high = dist.interval(1 - 1e-6)
    grid = np.hstack([np.linspace(low, high, 65, axis=1), means])
    for action in grid.T:
        assert (
            risk <= (weights * loss(action[:, None], {"mean": means})).sum(axis=1) + 1e-12
        ).all()


def test_a_spike_between_the_points_of_a_grid_is_found_by_the_particles():
    dist = normal_mixture(n=20, m=10)

    def loss(action, theta):
        return 1 - np.exp(-(((action - theta["mean"]) / 1e-3) ** 2))

    _, risk = bayes_action(dist, loss, return_risks=True)
    assert (risk <= 0.9 + 1e-9).all()


# --- a loss of y ------------------------------------------------------------------------------


@weighted
@pytest.mark.parametrize("make", [normal_mixture, poisson_mixture])
def test_the_action_of_a_kinked_loss_of_y_is_a_quantile(make, weighted):
    dist = make(weighted=weighted)
    chosen, risk = bayes_action(dist, newsvendor, over="y", return_risks=True)
    assert_allclose(chosen, dist.ppf(0.8), atol=1e-4)
    at = dist.ppf(0.8)[:, None]
    assert_allclose(risk, dist.expect(lambda y: newsvendor(at, y), points=at), rtol=1e-9)


def test_the_risk_is_the_integral_of_the_loss():
    dist = Mixture(Gamma(), [[[0.0, np.log(2.0)], [1.0, np.log(5.0)]]])
    _, risk = bayes_action(dist, newsvendor, [0.5, 2.0], over="y", return_risks=True)
    for action, found in zip([0.5, 2.0], risk[0], strict=True):
        ends = [*dist.ppf([1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9]), action, 20.0, 60.0]
        plain = sum(
            integrate.quad(lambda y, a=action: newsvendor(a, y) * dist.pdf(y)[0], low, high)[0]
            for low, high in zip(sorted(ends)[:-1], sorted(ends)[1:], strict=True)
        )
        assert_allclose(found, plain, rtol=1e-6)


def test_a_utility_of_y_is_maximised_and_rows_may_have_prices_of_their_own():
    dist = normal_mixture()
    price = np.array([3.0, 4.0, 5.0, 8.0, 20.0])[:, None]

    def profit(order, demand):
        return price * np.minimum(order, demand) - 2 * order

    chosen, gain = bayes_action(dist, utility=profit, over="y", return_risks=True)
    assert_allclose(chosen, dist.ppf(1 - 2 / price[:, 0]), atol=1e-4)
    listed, gains = bayes_action(
        dist, utility=profit, actions=[45.0, 50.0, 55.0], over="y", return_risks=True
    )
    assert_array_equal(listed, np.array([45.0, 50.0, 55.0])[gains.argmax(axis=1)])
    assert (gain[:, None] >= gains - 1e-9).all()


def test_heavy_tails_do_not_hide_the_middle():
    dist = Mixture(Cauchy(), [[[0.0, 0.0], [1.0, -1.0]]])
    near = bayes_action(dist, lambda a, y: np.abs(a - y) > 0.5, over="y")
    grid = np.linspace(-3, 3, 1201)
    held = dist.cdf(grid + 0.5) - dist.cdf(grid - 0.5)
    inside = dist.cdf(near + 0.5) - dist.cdf(near - 0.5)
    assert inside[0] > 0.99 * held.max()


def test_a_loss_of_y_with_the_wrong_word_says_which_is_right():
    dist = normal_mixture()
    with pytest.raises(TypeError, match='give over="y"'):
        bayes_action(dist, newsvendor)
    with pytest.raises(TypeError, match='give over="y"'):
        bayes_action(dist, lambda a, y: float(a[0, 0]) - y)
    with pytest.raises(ValueError, match="over='Y' must be one of 'theta', 'y'"):
        bayes_action(dist, newsvendor, over="Y")
    with pytest.raises(ValueError, match=r"returned shape \(5,\)"):
        bayes_action(dist, lambda _, y: y[:, 0], over="y")


# --- classes ----------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(300, 2))
LABELS = np.where(X[:, 0] + 0.5 * RNG.normal(size=300) > 0.4, "ill", "well")
DOCTOR = WGBClassifier(n_estimators=15, evidence=10, random_state=0).fit(X, LABELS)
COSTS = np.array([[0.0, 20.0, 5.0], [5.0, 0.0, 1.0]])  # of treat, home, test if ill, if well
ACTIONS = ["treat", "home", "test"]


def test_a_matrix_of_costs_takes_the_action_of_least_expected_cost():
    shares = DOCTOR.predict_proba(X)
    chosen, risks = DOCTOR.decide(X, COSTS, ACTIONS, return_risks=True)
    assert_allclose(risks, shares @ COSTS, rtol=1e-12)
    assert_array_equal(chosen, np.array(ACTIONS)[risks.argmin(axis=1)])
    best, gains = DOCTOR.decide(X, utility=-COSTS, actions=ACTIONS, return_risks=True)
    assert_array_equal(best, chosen)
    assert_allclose(gains, -risks)


def test_a_frame_of_costs_is_read_by_its_labels():
    frame = pd.DataFrame(COSTS[::-1], index=["well", "ill"], columns=ACTIONS)
    assert_array_equal(DOCTOR.decide(X, frame), DOCTOR.decide(X, COSTS, ACTIONS))
    with pytest.raises(ValueError, match=r"index of the costs is \['well', 'sick'\]"):
        DOCTOR.decide(X, frame.rename(index={"ill": "sick"}))


def test_a_square_matrix_chooses_among_the_classes_as_a_confusion_matrix_counts():
    square = np.array([[0.0, 9.0], [1.0, 0.0]])
    chosen = DOCTOR.decide(X, square)
    assert set(chosen) <= {"ill", "well"}
    cost = (confusion_matrix(LABELS, chosen) * square).sum()
    assert cost < (confusion_matrix(LABELS, DOCTOR.predict(X)) * square).sum()
    assert_array_equal(DOCTOR.decide(X, 1 - np.eye(2)), DOCTOR.predict(X))


def test_a_loss_of_classes_is_called_with_labels():
    def harm(action, y):
        return np.where(y == "ill", {"treat": 0, "home": 20, "test": 5}[str(action)],
                        {"treat": 5, "home": 0, "test": 1}[str(action)])  # fmt: skip

    chosen, risks = DOCTOR.decide(X, harm, ACTIONS, over="y", return_risks=True)
    assert_allclose(risks, DOCTOR.predict_proba(X) @ COSTS, rtol=1e-12)
    assert_array_equal(chosen, DOCTOR.decide(X, COSTS, ACTIONS))
    wrong = DOCTOR.decide(X, lambda action, y: y != action, over="y")
    assert_array_equal(wrong, DOCTOR.predict(X))


@pytest.mark.parametrize(
    ("costs", "actions", "message"),
    [
        (COSTS.T, None, "a row for each of the 2 classes"),
        (COSTS, None, "name the actions"),
        (COSTS, ["treat"], r"actions have shape \(1,\), the matrix of costs 3 columns"),
        (np.full((2, 2), np.inf), None, "the cost in row 0, column 0 is inf"),
    ],
)
def test_matrices_that_do_not_fit_are_refused(costs, actions, message):
    with pytest.raises(ValueError, match=message):
        DOCTOR.decide(X, costs, actions)


def test_a_matrix_is_for_classes():
    with pytest.raises(TypeError, match="a matrix of costs is for classes"):
        bayes_action(normal_mixture(), np.eye(2))
    with pytest.raises(TypeError, match="not numeric"):
        bayes_action(categorical_mixture(), [["a"]])


def test_a_fitted_model_decides_by_a_loss_of_y():
    y = 10 + 3 * X[:, 0] + RNG.normal(size=300)
    model = WGBRegressor(n_estimators=15, evidence=10, random_state=0).fit(X, y)
    found = model.decide(X[:20], newsvendor, over="y")
    assert_allclose(found, model.predict_dist(X[:20]).ppf(0.8), atol=1e-4)


def test_the_examples_in_docstrings_are_right():
    found = doctest.testmod(decisions)
    assert found.attempted > 0
    assert found.failed == 0
