"""Particles without any learner: where they settle, and the start that all rows share."""

import importlib

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from plain_directions import plain_newton_step, plain_normal
from wgboost import AveragedFlow, Categorical, DiagonalNewton, Kernel, Normal
from wgboost.boosting.averaged_flow import averaged_flow
from wgboost.directions import as_direction
from wgboost.responses import as_response


def settled(direction, m, seed, rate, steps, sd=0.5, bandwidth=0.1):
    """Particles (m,) that flow towards N(0, sd)."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((1, m, 1)).astype(np.float32)
    direction = as_direction(direction, Kernel(bandwidth=bandwidth))
    second = np.full_like(x, 1 / sd**2)
    second = -second[..., None] if direction.needs == "hessian" else second
    for _ in range(steps):
        g, c = direction(x, -x / np.float32(sd**2), second, None, rate, rng)
        x = x + np.float32(rate) * (g if c is None else g / c)
    return x[0, :, 0]


@pytest.mark.parametrize(("m", "share"), [(10, 0.891), (20, 0.945)])
@pytest.mark.parametrize(
    ("direction", "rate", "steps"),
    [("smoothed", 0.05, 6000), ("diagonal_newton", 0.1, 3000), ("full_newton", 0.1, 5000)],
)
def test_particles_of_a_normal_target_settle_at_the_known_spread(direction, rate, steps, m, share):
    x = settled(direction, m, 0, rate, steps)
    assert_allclose(x.std() / 0.5, share, atol=0.003)
    assert_allclose(x.mean(), 0, atol=0.01)


@pytest.mark.parametrize("m", [5, 10, 20, 40])
def test_the_default_bandwidth_gives_any_number_of_particles_about_the_same_spread(m):
    x = settled("diagonal_newton", m, 0, 0.1, 3000, bandwidth=None)
    assert_allclose(x.std() / 0.5, 0.88, atol=0.04)


def test_langevin_particles_spread_like_the_target():
    x = settled("langevin", 4000, 0, 0.02, 400)
    assert_allclose(x.std() / 0.5, 1.0, atol=0.06)


@pytest.mark.parametrize("d", [1, 2, 3, 5, 9])
def test_the_scaled_kernel_keeps_the_spread_of_many_parameters(d):
    scales = np.geomspace(0.01, 10, d)
    x = (np.random.default_rng(d).standard_normal((1, 20, d)) * scales).astype(np.float32)
    precision = np.broadcast_to(1 / scales**2, x.shape)
    newton = DiagonalNewton(Kernel("scaled"))
    for _ in range(1500):
        g, c = newton(x, -x * precision, precision, precision[:, 0], 0.1, None)
        x = x + np.float32(0.1) * g / c
    assert_allclose((x.std(axis=1) / scales).mean(), 0.97, atol=0.04)


def start(response, y, flow=None, weight=None, evidence=1.0, kernel=None, m=6, seed=0):
    flow = AveragedFlow(steps=60) if flow is None else flow
    kernel = Kernel(bandwidth=0.1) if kernel is None else kernel
    rng = np.random.default_rng(seed)
    return averaged_flow(flow, response, y, weight, evidence, kernel, m, rng)


CASES = {
    "normal": (Normal(), np.random.default_rng(1).normal(size=80)),
    "categorical": (Categorical(3), np.random.default_rng(1).integers(3, size=80).astype(float)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kernel", [Kernel(), Kernel("scaled"), Kernel(bandwidth="median")])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("evidence", [0.5, np.linspace(0.1, 3, 80)], ids=["one", "per_row"])
def test_statistics_give_the_flow_that_the_rows_give(name, kernel, weighted, evidence, monkeypatch):
    response, y = CASES[name]
    weight = np.random.default_rng(2).integers(3, size=80).astype(float) if weighted else None
    options = {"weight": weight, "kernel": kernel, "evidence": evidence}
    short = start(response, y, **options)
    monkeypatch.setattr(type(response), "has_statistics", False)
    assert_allclose(start(response, y, **options), short, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kernel", [Kernel(), Kernel("scaled"), Kernel("scaled", 0.5)])
@pytest.mark.parametrize("evidence", [0.5, 1.0, 30.0])
@pytest.mark.parametrize("m", [1, 7])
def test_the_compiled_flow_is_that_of_the_formulas(kernel, evidence, m, monkeypatch):
    y = CASES["normal"][1]
    response = Normal(prior_mean=0.5, prior_scale=2.0, prior_shape=0.1, prior_rate=0.3)
    options = {"kernel": kernel, "evidence": evidence, "m": m}
    for steps in (1, 300, 3000):
        flow = AveragedFlow(steps=steps)
        compiled = start(response, y, flow, **options)
        with monkeypatch.context() as patch:
            patch.setattr(Normal, "compiled_average", lambda *_: None)
            assert_allclose(start(response, y, flow, **options), compiled, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("kernel", [Kernel(), Kernel("scaled")])
@pytest.mark.parametrize("evidence", [0.5, 10.0])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_compiled_flow_of_classes_is_that_of_the_formulas(
    kernel, evidence, n_classes, monkeypatch
):
    y = np.arange(40) ** 2 % n_classes
    response = Categorical(n_classes, prior_mean=0.3, prior_scale=2.0)
    options = {"kernel": kernel, "evidence": evidence, "m": 6}
    for steps in (1, 50, 1000):
        flow = AveragedFlow(steps=steps)
        compiled = start(response, y, flow, **options)
        with monkeypatch.context() as patch:
            patch.setattr(Categorical, "compiled_average", lambda *_: None)
            assert_allclose(start(response, y, flow, **options), compiled, rtol=1e-7, atol=1e-9)


SETTINGS = {"scaled": False, "bandwidth": 0.1, "rate": 0.1, "still": 1e-7, "steps": 5}


def test_a_compiled_flow_far_away_comes_back():
    average = Normal().compiled_average(np.array([0.0, 1.0]))
    far = np.array([[1e6, -300.0], [-1e6, 400.0]])
    assert np.isfinite(average.settled(particles=far, **SETTINGS)).all()
    with pytest.raises(ValueError, match="particles"):
        average.settled(particles=np.zeros((3, 3)), **SETTINGS)


def test_the_flow_is_that_of_the_mean_score_over_the_mean_curvature():
    _, y = CASES["normal"]
    theta = np.random.default_rng(0).standard_normal((6, 2))
    for _ in range(60):
        score, curvature = np.mean([plain_normal(one, theta) for one in y], axis=0)
        theta = theta + 0.1 * plain_newton_step(theta, score, curvature)
    assert_allclose(start(*CASES["normal"]), theta, rtol=1e-6, atol=1e-7)


def test_the_papers_text_averages_the_directions_of_the_rows():
    _, y = CASES["normal"]
    theta = np.random.default_rng(0).standard_normal((6, 2))
    for _ in range(20):
        steps = [plain_newton_step(theta, *plain_normal(one, theta)) for one in y]
        theta = theta + 0.01 * np.mean(steps, axis=0)
    ours = start(*CASES["normal"], AveragedFlow(steps=20, rate=0.01, of="directions"))
    assert_allclose(ours, theta, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("steps", [1999, 2000])
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", CASES)
def test_a_flow_that_settles_ends_between_the_last_two_states(name, seed, steps, monkeypatch):
    settled = start(*CASES[name], AveragedFlow(steps=steps), seed=seed, m=10)
    module = importlib.import_module("wgboost.boosting.averaged_flow")
    monkeypatch.setattr(module, "_STILL", -1.0)
    last, next_to_last = (
        start(*CASES[name], AveragedFlow(steps=s), seed=seed, m=10) for s in (steps, steps - 1)
    )
    assert_allclose((last + next_to_last) / 2, settled, atol=1e-4)


def test_equal_priors_per_row_are_one_prior():
    response, y = CASES["normal"]
    per_row = Normal(prior_mean=np.zeros(80), prior_scale=np.full(80, 10.0))
    assert per_row.per_row()
    assert_allclose(start(per_row, y), start(response, y), rtol=1e-5, atol=1e-6)


def test_priors_per_row_are_averaged_over_the_rows():
    y = np.zeros(40)
    means = np.repeat([-1.0, 5.0], 20)
    flow = AveragedFlow(steps=800)
    ours = start(Normal(prior_mean=means, prior_scale=0.05), y, flow)
    # Tight priors outweigh y: the averaged score pulls to the middle of the two.
    assert_allclose(ours[:, 0].mean(), 2.0, atol=0.1)


def test_evidence_per_row_counts_row_by_row():
    response, y = CASES["normal"]
    same = start(response, y, evidence=np.full(80, 0.3))
    assert_allclose(same, start(response, y, evidence=0.3), rtol=1e-5, atol=1e-6)
    y = np.repeat([-1.0, 1.0], 40)
    tilted = start(response, y, AveragedFlow(500), evidence=np.repeat([0.1, 1.9], 40))
    assert tilted[:, 0].mean() > 0.5


def test_many_rows_with_priors_of_their_own_are_sampled_by_seed():
    n = 5000
    y = np.random.default_rng(3).normal(size=n)
    response = Normal(prior_mean=np.zeros(n))
    flow = AveragedFlow(steps=50)
    assert_array_equal(start(response, y, flow), start(response, y, flow))
    assert_allclose(start(response, y, flow), start(Normal(), y, flow), atol=0.2)


def test_no_steps_leave_the_draws():
    expected = np.random.default_rng(0).standard_normal((6, 2))
    assert_array_equal(start(*CASES["normal"], AveragedFlow(steps=0)), expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": -1}, "steps=-1 must be >= 0"),
        ({"rate": 0}, "rate=0 must be > 0"),
        ({"of": "direction"}, "did you mean 'directions'"),
    ],
)
def test_a_flow_that_makes_no_sense_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        AveragedFlow(**options)


@pytest.mark.parametrize("name", ["zero_inflated_poisson", "zero_inflated_negative_binomial"])
def test_the_flow_of_large_counts_takes_a_thousand_steps_at_most(name):
    rng = np.random.default_rng(0)
    y = np.floor(1e11 * rng.gamma(5.0, 0.2, size=60)) * (rng.random(60) > 0.3)
    response, steps = as_response(name), (1000, 1500)
    ends = [start(response, y, AveragedFlow(steps=s), evidence=10.0) for s in steps]
    assert_array_equal(*ends)
    assert_allclose(ends[0][:, 0].mean(), np.log(y[y > 0].mean()), atol=0.05)
