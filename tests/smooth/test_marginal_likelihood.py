"""The marginal likelihood of more rows than fit into the cache at once, against plain matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from wgboost.smooth.columns import Columns
from wgboost.smooth.covariance import Covariance
from wgboost.smooth.kernels import KERNELS, blocks, correlate
from wgboost.smooth.marginal_likelihood import MarginalLikelihood

RNG = np.random.default_rng(7)
N = 400
X = RNG.normal(size=(N, 3))
X[-5:] = X[:5]  # rows that others repeat, in other blocks
Y = np.sin(2 * X[:, 0]) + 0.3 * RNG.normal(size=N)
WEIGHT, KNOWN = RNG.uniform(0.5, 2, size=N), RNG.uniform(0, 0.05, size=N)
COLUMNS = Columns.fit(X, np.zeros(3, dtype=int))
LOGS = np.array([0.2, -0.9, -1.3, 0.3, 0.9, 0.1])


def plain_correlation(kernel, a, b):
    r = cdist(a, b)
    if kernel == "rbf":
        return np.exp(-(r**2) / 2)
    return (1 + np.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-np.sqrt(5) * r)


def plain_loss(kernel, logs):
    ours = Covariance(COLUMNS, kernel, logs)
    points, terms, _ = ours.kernel_inputs(X)
    fading = ours.amplitude * plain_correlation(kernel, points, points)
    noise = ours.noise + KNOWN
    matrix = fading + terms @ terms.T + np.diag(noise / WEIGHT + 1e-9 * ours.amplitude)
    loss = 0.5 * (Y @ np.linalg.solve(matrix, Y) + np.linalg.slogdet(matrix)[1])
    return loss - 0.5 * (1 - WEIGHT) @ np.log(noise)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_likelihood_block_by_block(kernel):
    assert len(list(blocks(N, N))) > 3
    likelihood = MarginalLikelihood(COLUMNS, X, Y, KNOWN, WEIGHT)
    loss, gradient = likelihood(kernel, LOGS)
    assert_allclose(loss, plain_loss(kernel, LOGS), rtol=1e-10)
    steps = 1e-4 * np.eye(len(LOGS))
    ahead, behind = (
        np.array([plain_loss(kernel, LOGS + sign * step) for step in steps]) for sign in (1, -1)
    )
    assert_allclose(gradient, (ahead - behind) / 2e-4, rtol=1e-5)
    likelihood(kernel, LOGS + 1)  # the memory is the same, what comes back is not
    again = likelihood(kernel, LOGS)
    assert again[0] == loss
    assert (again[1] == gradient).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_likelihood_of_outputs_with_one_covariance_is_the_sum_of_theirs(kernel):
    outputs = np.column_stack([Y, np.cos(X[:, 1]), X[:, 2]])
    together = MarginalLikelihood(COLUMNS, X, outputs, KNOWN, WEIGHT)(kernel, LOGS)
    each = [MarginalLikelihood(COLUMNS, X, y, KNOWN, WEIGHT)(kernel, LOGS) for y in outputs.T]
    assert_allclose(together[0], sum(loss for loss, _ in each), rtol=1e-12)
    assert_allclose(together[1], sum(gradient for _, gradient in each), rtol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_correlations_and_their_slopes(kernel):
    a, b = RNG.normal(size=(700, 3)), RNG.normal(size=(150, 3))
    out, slopes = np.empty((2, 700, 150))
    correlate(kernel, a, b, out, slopes)
    assert_allclose(out, plain_correlation(kernel, a, b), rtol=1e-10)
    origin, step = np.zeros((1, 3)), 1e-6
    squares = np.square(cdist(a, b))
    ahead, behind = (
        plain_correlation(kernel, np.sqrt(squares + h).reshape(-1, 1) * [[1, 0, 0]], origin)
        for h in (step, -step)
    )
    assert_allclose(slopes.ravel(), (ahead - behind)[:, 0] / (2 * step), rtol=1e-4, atol=1e-8)
    same = np.empty((150, 150))
    correlate(kernel, b, b, same)
    assert_allclose(same.diagonal(), 1, atol=1e-7)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_row_of_weight_2_is_the_row_twice(kernel):
    few = slice(0, 60)
    weight = np.repeat([2.0, 1.0], [20, 40])
    twice = np.concatenate([np.arange(20), np.arange(60)])
    one = MarginalLikelihood(COLUMNS, X[few], Y[few], KNOWN[few], weight)
    other = MarginalLikelihood(COLUMNS, X[twice], Y[twice], KNOWN[twice], np.ones(80))
    differences = []
    for logs in (LOGS, LOGS + np.array([0.3, 0.2, 0.9, -0.5, 0.1, 0.4])):
        (loss, gradient), (again, slopes) = one(kernel, logs), other(kernel, logs)
        assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-5)
        differences.append(loss - again)
    assert_allclose(*differences, rtol=1e-6)  # a constant
