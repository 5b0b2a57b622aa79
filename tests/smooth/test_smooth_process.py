"""Gaussian processes against scikit-learn's, finite differences and refits without a row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Matern, WhiteKernel

from wgboost.smooth.columns import Columns
from wgboost.smooth.covariance import Covariance
from wgboost.smooth.exact_gp import ExactGP, most_likely_noise
from wgboost.smooth.kernels import KERNELS
from wgboost.smooth.nystrom_gp import NystromSums
from wgboost.smooth.tuning import Sample, Steps, start_logs

RNG = np.random.default_rng(5)
N = 40
X = np.column_stack([RNG.normal(size=(N, 2)), RNG.gamma(1.0, size=N), RNG.integers(3, size=N)])
LEVELS = np.array([0, 0, 0, 3])
Y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 3] + 0.1 * RNG.normal(size=N)
Y = (Y - Y.mean()) / Y.std()
NEW = np.column_stack([RNG.uniform(-0.5, 0.5, size=(9, 2)), np.ones(9), np.arange(9) % 3])
LOGS = np.array([0.2, -0.9, -1.3, 0.3, 0.9, 0.1, 0.6])
WEIGHT = RNG.uniform(0.5, 2, size=N)
KNOWN = RNG.uniform(0, 0.05, size=N)


def covariance(kernel="matern52", share=0.0, logs=LOGS):
    return Covariance(Columns.fit(X, LEVELS).with_rank_share(share, X), kernel, logs)


def theirs(ours):
    """The same process in scikit-learn, on the columns."""
    amplitude, linear, noise = np.exp(2 * ours.logs[:3])
    q = len(ours.columns)
    fading = (
        RBF(ours.lengths, "fixed")
        if ours.kernel == "rbf"
        else Matern(ours.lengths, "fixed", nu=2.5)
    )
    kernel = ConstantKernel(amplitude, "fixed") * fading
    kernel += ConstantKernel(linear / q, "fixed") * DotProduct(np.sqrt(q), "fixed")
    kernel += WhiteKernel(noise, "fixed")
    return GaussianProcessRegressor(kernel, alpha=1e-9 * amplitude, optimizer=None)


def rows_without(i, *arrays):
    return [np.delete(array, i, axis=0) for array in arrays]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_marginal_likelihood_is_that_of_scikit_learn(kernel, share):
    ours = covariance(kernel, share)
    other = theirs(ours).fit(ours.columns.apply(X), Y)
    sample = Sample(ours.columns, X, Y, np.zeros(N), np.ones(N))
    means = np.array([0, np.log(0.3), np.log(0.1), *[np.log(2.5 * 2)] * 4])
    prior = 0.5 * np.sum(((LOGS - means) / [1.5, 1.5, 3.0, *[0.7] * 4]) ** 2)
    likelihood = prior - sample.loss(kernel, LOGS)[0] - 0.5 * N * np.log(2 * np.pi)
    assert_allclose(likelihood, other.log_marginal_likelihood_value_, rtol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS)
def test_mean_and_deviation_are_those_of_scikit_learn(kernel):
    ours = covariance(kernel)
    columns = ours.columns.apply(NEW)
    assert (columns == ours.columns.within(columns)).all()
    other = theirs(ours).fit(ours.columns.apply(X), Y)
    expected, deviation = other.predict(columns, return_std=True)
    mean, variance = ExactGP.fit(ours, X, Y, np.full(N, ours.noise)).at(ours, NEW)
    assert_allclose(mean, expected, atol=1e-8)
    assert_allclose(np.sqrt(variance + ours.noise), deviation, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_the_gradient_meets_finite_differences(kernel, share):
    sample = Sample(covariance(share=share).columns, X, Y, KNOWN, WEIGHT)
    gradient = sample.loss(kernel, LOGS)[1]
    steps = 1e-5 * np.eye(len(LOGS))
    ahead, behind = (
        np.array([sample.loss(kernel, LOGS + sign * step)[0] for step in steps]) for sign in (1, -1)
    )
    assert_allclose(gradient, (ahead - behind) / 2e-5, rtol=1e-6, atol=1e-6)


def test_tuning_finds_a_place_where_the_gradient_vanishes():
    sample = Sample(covariance().columns, X, Y, np.zeros(N), np.ones(N))
    found = sample.tuned("matern52", start_logs(4), Steps(200, 1e-5))
    assert np.abs(sample.loss("matern52", found)[1]).max() < 0.02 * N
    assert sample.loss("matern52", found)[0] < sample.loss("matern52", start_logs(4))[0] - 10


def test_a_matrix_that_is_not_positive_definite_has_a_huge_loss():
    sample = Sample(covariance().columns, X, Y, np.full(N, -5.0), np.ones(N))
    assert sample.loss("rbf", LOGS)[0] > 1e100


@pytest.mark.parametrize("kernel", KERNELS)
def test_rows_left_out_of_a_process_are_predicted_as_by_a_fit_without_them(kernel):
    ours = covariance(kernel, 0.5)
    noise = (ours.noise + KNOWN) / WEIGHT
    mean, variance = ExactGP.fit(ours, X, Y, noise).leave_one_out(ours, X, Y, noise)
    for i in range(0, N, 7):
        without = ExactGP.fit(ours, *rows_without(i, X, Y, noise))
        assert_allclose([mean[i : i + 1], variance[i : i + 1]], without.at(ours, X[i : i + 1]))


def on_landmarks(ours, X, Y, noise, places):
    sums = NystromSums.of(ours, X, Y, ours.noise / noise, places)
    return sums.landmarks(ours.noise)


@pytest.mark.parametrize("kernel", KERNELS)
def test_rows_left_out_of_landmarks_are_predicted_as_by_a_fit_without_them(kernel):
    ours = covariance(kernel, 0.5)
    noise, places = (ours.noise + KNOWN) / WEIGHT, X[:12]  # landmarks among the rows
    mean, variance = on_landmarks(ours, X, Y, noise, places).leave_one_out(ours, X, Y, noise)
    for i in range(0, N, 7):
        without = on_landmarks(ours, *rows_without(i, X, Y, noise), places)
        assert_allclose([mean[i : i + 1], variance[i : i + 1]], without.at(ours, X[i : i + 1]))


def test_landmarks_at_all_rows_are_the_process_itself():
    ours = covariance()
    noise = (ours.noise + KNOWN) / WEIGHT
    process, landmarks = ExactGP.fit(ours, X, Y, noise), on_landmarks(ours, X, Y, noise, X)
    assert_allclose(landmarks.at(ours, NEW), process.at(ours, NEW), atol=5e-3)
    two = [one.leave_one_out(ours, X, Y, noise) for one in (landmarks, process)]
    assert_allclose(*two, atol=1e-2)


def test_rows_in_blocks_give_the_result_of_all_rows_at_once():
    ours, many = covariance(), np.tile(NEW, (300, 1))
    noise = np.full(N, ours.noise)
    for model in (ExactGP.fit(ours, X, Y, noise), on_landmarks(ours, X, Y, noise, X[:12])):
        mean, variance = model.at(ours, many)
        few = model.at(ours, NEW)
        assert_allclose(mean, np.tile(few[0], 300), atol=1e-12)
        assert_allclose(variance, np.tile(few[1], 300), atol=1e-12)
    repeated = np.tile(X, (60, 1)), np.tile(Y, 60), np.tile(noise, 60)
    one = on_landmarks(ours, X, Y, noise / 60, X[:12])  # a row sixty times is one of little noise
    assert_allclose(
        on_landmarks(ours, *repeated, X[:12]).at(ours, NEW), one.at(ours, NEW), rtol=1e-6
    )


def test_far_from_the_data_the_prior_remains():
    ours = covariance()
    noise = np.full(N, ours.noise)
    far = np.array([[1e9, -np.inf, 1e300, np.nan]])
    _, terms, (extra_variance,) = ours.kernel_inputs(far)
    for model in (ExactGP.fit(ours, X, Y, noise), on_landmarks(ours, X, Y, noise, X[:12])):
        (mean,), (variance,) = model.at(ours, far)
        assert np.abs(mean) < 5
        prior = ours.amplitude + np.square(terms).sum() + extra_variance
        assert ours.amplitude + extra_variance <= variance <= prior
        assert variance > 3 * np.median(model.at(ours, X)[1])


def test_the_noise_of_all_rows_is_that_of_the_largest_likelihood():
    ours = covariance(logs=LOGS + np.repeat([0, 1], [3, 4]))
    y = Y + np.random.default_rng(0).normal(size=N)
    noise = most_likely_noise(ours, X, y, WEIGHT)
    assert_allclose(
        NystromSums.of(ours, X, y, WEIGHT, X).most_likely_noise(ours.noise), noise, rtol=0.1
    )

    def likelihood(noise):
        points, terms, _ = ours.kernel_inputs(X)
        matrix = ours.between(points, points) + terms @ terms.T + np.diag(noise / WEIGHT)
        total = WEIGHT.sum()
        scale = y @ np.linalg.solve(matrix, y) / total
        powers = (N - total) * np.log(noise)
        return -0.5 * (total * np.log(scale) + np.linalg.slogdet(matrix)[1] - powers)

    assert likelihood(noise) > max(likelihood(noise * 1.3), likelihood(noise / 1.3))
