"""Both backends of a density of one's own: one contract, and what is said when it is not kept."""

import importlib.util
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from wgboost import LogDensity, WGBoost
from wgboost.targets.autodiff import check_log_density
from wgboost.targets.conversion import as_row_target

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(60, 2))
Y = np.stack([np.sin(2 * X[:, 0]), X[:, 1]], axis=1) + 0.3 * RNG.normal(size=(60, 2))
THETA = RNG.normal(size=(60, 4, 2)).astype(np.float32)


@pytest.fixture(params=["jax", "torch"])
def backend(request):
    return request.param


@pytest.fixture
def xp(backend):
    return importer(backend)


def importer(backend):
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed: pip install wgboost[{backend}]")
    return importlib.import_module("jax.numpy" if backend == "jax" else backend)


def banana(xp):
    """A density that is bent, and linear in what no square holds."""

    def log_density(theta, y):
        bent = (theta[1] - y[1] - theta[0] ** 2) * xp.exp(-0.2 * theta[0])
        return -0.5 * (theta[0] - y[0]) ** 2 - 0.5 * bent**2 - 0.3 * theta[0]

    return log_density


def value(theta, y):
    """The same in float64, for differences."""
    bent = (theta[..., 1] - y[:, None, 1] - theta[..., 0] ** 2) * np.exp(-0.2 * theta[..., 0])
    return -0.5 * (theta[..., 0] - y[:, None, 0]) ** 2 - 0.5 * bent**2 - 0.3 * theta[..., 0]


def differences(step=1e-4):
    """Return the gradient and the Hessian at THETA by central differences."""
    theta, basis = THETA.astype(float), step * np.eye(2)

    def along(j, f):
        return (f(theta + basis[j]) - f(theta - basis[j])) / (2 * step)

    gradient = np.stack([along(j, lambda t: value(t, Y)) for j in range(2)], axis=-1)
    hessian = np.empty((60, 4, 2, 2))
    for j in range(2):
        for k in range(2):
            hessian[..., j, k] = (
                value(theta + basis[j] + basis[k], Y) - value(theta + basis[j] - basis[k], Y)
                - value(theta - basis[j] + basis[k], Y) + value(theta - basis[j] - basis[k], Y)
            ) / (4 * step**2)  # fmt: skip
    return gradient, hessian


def derivatives(backend, needs):
    target = as_row_target(LogDensity(banana(importer(backend)), 2, backend=backend), Y, 60)
    return target.derivatives(THETA, slice(0, 60), needs, 1)


def test_derivatives_are_those_of_finite_differences(backend):
    gradient, hessian = differences()
    for needs, expected in (
        ("curvature", -np.diagonal(hessian, axis1=-2, axis2=-1)),
        ("hessian", hessian),
        ("log_density", value(THETA.astype(float), Y)),
    ):
        score, second = derivatives(backend, needs)
        assert_allclose(score, gradient, rtol=1e-4, atol=1e-4)
        assert_allclose(second, expected, rtol=1e-4, atol=1e-4)
    score, nothing = derivatives(backend, "score")
    assert_allclose(score, gradient, rtol=1e-4, atol=1e-4)
    assert nothing is None


@pytest.mark.parametrize("needs", ["curvature", "hessian", "log_density"])
def test_the_backends_agree(needs):
    for ours, theirs in zip(derivatives("jax", needs), derivatives("torch", needs), strict=True):
        assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("xp")
def test_a_density_that_is_linear_has_no_curvature(backend):
    target = as_row_target(LogDensity(lambda t, y: y[0] * t[0], backend=backend), Y, 60)
    score, curvature = target.derivatives(THETA[..., :1].copy(), slice(0, 60), "curvature", 1)
    assert_allclose(score[..., 0], np.broadcast_to(Y[:, :1], (60, 4)), rtol=1e-6)
    assert (curvature == 0).all()


def test_models_of_the_two_backends_agree():
    options = {"n_estimators": 20, "random_state": 0, "n_jobs": 1}
    each = [
        WGBoost(LogDensity(banana(importer(name)), 2, backend=name), **options).fit(X, Y)
        for name in ("jax", "torch")
    ]
    particles = [model.predict_particles(X) for model in each]
    assert np.median(np.abs(particles[0] - particles[1])) < 1e-3


def test_a_likelihood_predicts(backend, xp):
    density = LogDensity(
        banana(xp), 2, likelihood=lambda t, y: -xp.log(xp.cosh(y[0] - t[0])), backend=backend
    )
    model = WGBoost(density, n_estimators=2, random_state=0).fit(X, Y)
    particles = model.predict_particles(X)
    expected = np.log((1 / np.cosh(Y[:, :1] - particles[..., 0])).mean(axis=1))
    assert_allclose(model.log_likelihood(X, Y), expected, rtol=1e-4, atol=1e-5)


WRONG = [
    (lambda t, y: t * y[0], 1, r"log density returned shape \(1,\).*must return one number"),
    (lambda t, y: t - y, 2, r"returned shape \(2,\) for theta of shape \(2,\)"),
    (lambda t, _: t[0] / 0 + {}["scale"], 1, r"raised KeyError for theta of shape \(1,\)"),
    (lambda t, _: -sum(t[j] ** 2 for j in range(3)), 2, "raised IndexError.*out of bounds|range"),
    (lambda t, _: -(t[0] ** 2) - t[1] ** 2, 3, r"not change with theta\[2\].*n_params=3"),
    (lambda t, _: -t[0] if t[0] > 0 else t[0], 1, "log density raised"),
    (lambda t, _: t[0] * float("nan"), 1, "score returned .* not finite at every one of 60 rows"),
]


@pytest.mark.usefixtures("xp")
@pytest.mark.parametrize(("function", "n_params", "message"), WRONG)
def test_an_invalid_density_is_refused(function, n_params, message, backend):
    with pytest.raises(ValueError, match=message):
        WGBoost(LogDensity(function, n_params, backend=backend), n_estimators=1).fit(X, Y)


def test_a_likelihood_is_checked_before_training(backend, xp):
    density = LogDensity(banana(xp), 2, likelihood=lambda t, y: t + y, backend=backend)
    with pytest.raises(ValueError, match=r"the likelihood returned shape \(2,\)"):
        WGBoost(density, n_estimators=1).fit(X, Y)
    with pytest.raises(TypeError, match="likelihood=3 must be a function"):
        LogDensity(banana(xp), 2, likelihood=3)


def test_a_missing_backend_is_named(monkeypatch):
    with pytest.raises(ValueError, match=r"backend='numpy' must be one of 'jax', 'torch'"):
        LogDensity(np.sum, backend="numpy")
    density = LogDensity(np.sum, 2, backend="torch")
    assert pickle.loads(pickle.dumps(density)) == density
    monkeypatch.setattr("wgboost.targets.autodiff.find_spec", lambda name: None)  # noqa: ARG005
    with pytest.raises(ImportError, match=r"pip install wgboost\[torch\]"):
        check_log_density(density, Y)
