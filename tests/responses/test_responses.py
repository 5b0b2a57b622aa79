"""The contract of a response: its posterior, for every entry of the registry."""

import copy
import pickle
from contextlib import contextmanager
from dataclasses import replace

import jax
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from finite_differences import central_difference
from response_examples import EXAMPLES, example
from wgboost import WGBClassifier, WGBRegressor, load
from wgboost.responses import RESPONSES

every = pytest.mark.parametrize("name", EXAMPLES)
FUNCTIONS = ("log_posterior", "score", "curvature", "hessian")


def both_priors(case):
    return case.response, replace(case.response, **case.per_row)


def test_every_response_of_the_registry_has_an_example():
    assert set(RESPONSES) <= set(EXAMPLES)
    assert all(cls.name == name for name, cls in RESPONSES.items())
    assert all(type(example(name).response) is cls for name, cls in RESPONSES.items())


@every
def test_param_names_match_the_number_of_parameters(name):
    case = example(name)
    assert case.response.n_params == len(case.response.param_names) == case.theta.shape[-1]
    location = np.arange(case.response.n_params)[case.response.location]
    assert location.shape == case.response.y_shape


@every
def test_the_score_is_the_gradient_of_the_log_posterior(name):
    case = example(name)
    for response in both_priors(case):
        for evidence in (1.0, 7.0, np.linspace(0, 5, 6)):
            slope = central_difference(
                lambda t, r=response, e=evidence: r.log_posterior(case.y, t, e), case.theta
            )
            assert_allclose(
                response.score(case.y, case.theta, evidence), slope, rtol=1e-6, atol=1e-6
            )


@every
def test_the_hessian_is_the_gradient_of_the_score(name):
    case = example(name)
    for response in both_priors(case):
        for evidence in (1.0, 7.0, np.linspace(0, 5, 6)):
            slope = central_difference(
                lambda t, r=response, e=evidence: r.score(case.y, t, e), case.theta
            )
            hessian = response.hessian(case.y, case.theta, evidence)
            assert_allclose(hessian, slope, rtol=1e-6, atol=1e-6)
            assert_allclose(hessian, np.swapaxes(hessian, -1, -2), rtol=1e-12)


@contextmanager
def float64_in_jax():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if example(name).log_density])
def test_score_and_hessian_are_those_of_automatic_differentiation(name):
    case = example(name)
    response, theta, y = case.response, case.theta[:, 0], case.y
    f = case.log_density
    with float64_in_jax():
        value, slope, second = (
            np.asarray(jax.vmap(function)(y, theta))
            for function in (f, jax.grad(f, argnums=1), jax.hessian(f, argnums=1))
        )
    assert_allclose(response.logpdf(y, theta), value, rtol=1e-9, atol=1e-9)
    assert_allclose(response.likelihood_score(y, theta), slope, rtol=1e-8, atol=1e-8)
    assert_allclose(response.likelihood_hessian(y, theta), second, rtol=1e-7, atol=1e-7)


@every
def test_the_curvature_is_what_the_response_declares_and_positive(name):
    case = example(name)
    spread = case.theta[:, :1] + np.linspace(-3, 3, 9)[:, None]
    hessian = case.response.likelihood_hessian(case.y[:, None], case.theta)
    second, fisher = -np.einsum("nmjj->nmj", hessian), case.response.likelihood_fisher(case.theta)
    declared = {"hessian": second, "fisher": fisher, "damped": np.maximum(fisher, second / 10)}
    for response in both_priors(case):
        for evidence in (1.0, np.linspace(0, 5, 6)):
            curvature = response.curvature(case.y, case.theta, evidence)
            likelihood = np.reshape(evidence, (-1, 1, 1)) * declared[response.curvature_kind]
            expected = likelihood + response.prior_curvature(case.theta)
            assert_allclose(curvature, expected, rtol=1e-13)
            assert (response.curvature(case.y, spread, evidence) >= 0).all()


@every
@pytest.mark.parametrize("function", FUNCTIONS)
def test_evidence_tempers_the_likelihood_and_not_the_prior(name, function):
    case = example(name)
    for response in both_priors(case):
        call = getattr(response, function)
        prior, one = call(case.y, case.theta, 0.0), call(case.y, case.theta)
        tempered = call(case.y, case.theta, np.arange(6.0))
        power = np.arange(6.0).reshape(6, *[1] * (one.ndim - 1))
        assert_allclose(tempered, prior + power * (one - prior), rtol=1e-10, atol=1e-12)


@every
def test_without_evidence_the_posterior_is_the_prior(name):
    case = example(name)
    log_posterior = case.response.log_posterior(case.y, case.theta, 0.0)
    assert_allclose(log_posterior, case.response.log_prior(case.theta), rtol=1e-14)
    likelihood = case.response.log_posterior(case.y, case.theta) - log_posterior
    assert_allclose(likelihood, case.response.logpdf(case.y[:, None], case.theta), rtol=1e-9)


@every
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_prior_per_row_is_each_row_with_its_own_prior(name, function):
    case = example(name)
    together = replace(case.response, **case.per_row)
    result = getattr(together, function)(case.y, case.theta, 2.0)
    for i in range(6):
        alone = replace(case.response, **{key: value[i] for key, value in case.per_row.items()})
        single = getattr(alone, function)(case.y[i : i + 1], case.theta[i : i + 1], 2.0)
        assert_allclose(result[i], single[0], rtol=1e-13)


@every
def test_taking_rows_takes_their_priors(name):
    case = example(name)
    response = replace(case.response, **case.per_row)
    whole = response.score(case.y, case.theta)
    for rows in (slice(1, 4), np.array([5, 0, 0]), np.arange(6) % 2 == 0):
        part = response.take(rows).score(case.y[rows], case.theta[rows])
        assert_array_equal(part, whole[rows])
    assert case.response.take(slice(0, 2)) == case.response


@every
def test_fisher_is_the_mean_square_of_the_likelihood_score(name):
    case = example(name)
    rng = np.random.default_rng(0)
    for theta in case.theta[:2, 0]:
        many = np.broadcast_to(theta, (200_000, theta.size))
        score = case.response.likelihood_score(case.response.rvs(many, rng), many)
        information = case.response.fisher(theta[None], 3.0)[0] / 3
        error = 5 * np.square(score).std(axis=0) / np.sqrt(len(many)) + 1e-9 * information
        assert (abs(np.square(score).mean(axis=0) - information) < error).all()
        assert (abs(score.mean(axis=0)) < 5 * score.std(axis=0) / np.sqrt(len(many))).all()
    per_row = case.response.fisher(case.theta[:, 0], np.arange(6.0))
    assert_allclose(per_row, case.response.fisher(case.theta[:, 0]) * np.arange(6.0)[:, None])


@every
@pytest.mark.parametrize("function", FUNCTIONS)
def test_single_precision_stays_and_is_close_to_double(name, function):
    case = example(name)
    for response in both_priors(case):
        theta = case.theta.astype(np.float32)
        for evidence in (2.0, np.linspace(0, 5, 6)):
            single = getattr(response, function)(case.y, theta, evidence)
            double = getattr(response, function)(case.y, theta.astype(float), evidence)
            assert single.dtype == np.float32
            assert double.dtype == np.float64
            assert_allclose(single, double, rtol=1e-4, atol=1e-4)
    assert response.fisher(theta[:, 0]).dtype == np.float32


@every
def test_score_and_curvature_together_are_the_two_alone(name):
    case = example(name)
    for response in both_priors(case):
        for evidence in (1.0, np.linspace(0.1, 5, 6)):
            for dtype, tolerance in ((np.float32, 1e-4), (np.float64, 1e-14)):
                theta = case.theta.astype(dtype)
                pair = response.score_and_curvature(case.y, theta, evidence, n_threads=2)
                assert [part.dtype for part in pair] == [dtype, dtype]
                score = response.score(case.y, theta, evidence)
                assert_allclose(pair[0], score, rtol=tolerance, atol=tolerance)
                curvature = response.curvature(case.y, theta, evidence)
                assert_allclose(pair[1], curvature, rtol=tolerance, atol=tolerance)


@every
def test_a_response_survives_pickling_copying_and_cloning(name):
    case = example(name)
    for response in both_priors(case):
        for twin in (
            pickle.loads(pickle.dumps(response)),
            copy.deepcopy(response),
            clone(response, safe=False),
        ):
            assert twin == response
            assert hash(twin) == hash(response)
            assert_array_equal(twin.score(case.y, case.theta), response.score(case.y, case.theta))
    assert case.response != replace(case.response, **case.per_row)


@every
def test_a_model_survives_saving_and_loading(name, tmp_path):
    case, X = example(name), np.random.default_rng(0).normal(size=(6, 2))
    for response in both_priors(case):
        kind = WGBClassifier if response.nominal else WGBRegressor
        start = {"init": case.theta[0], "n_particles": len(case.theta[0])}
        fitted = kind(response=response, n_estimators=3, n_jobs=1, **start).fit(X, case.y)
        fitted.save(tmp_path / "model")
        own = {} if type(response) in RESPONSES.values() else {"response": type(response)}
        again = load(tmp_path / "model", **own)
        assert again.response_ == fitted.response_
        assert again.response == response
        for one, other in zip(fitted.staged_predict(X), again.staged_predict(X), strict=True):
            assert_array_equal(one, other)
        dist, twin = fitted.predict_dist(X), again.predict_dist(X)
        assert dist.particles.tobytes() == twin.particles.tobytes()
        assert_array_equal(dist.log_likelihood(case.y), twin.log_likelihood(case.y))
