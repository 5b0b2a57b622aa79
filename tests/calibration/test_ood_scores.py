"""Scores of rows that are unlike the training data."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, special, stats

from mixture_examples import (
    any_mixtures,
    categorical_mixture,
    normal_mixture,
    poisson_mixture,
    shares,
)
from wgboost import Mixture, WGBClassifier, WGBRegressor, metrics
from wgboost.predictive import JointMixture
from wgboost.responses import Gamma, MultivariateNormal, Normal


def entropies(weight, table):
    """Entropy of the mean less mean entropy, of probabilities (m, k) with weights (m,)."""
    return special.entr(weight @ table).sum() - weight @ special.entr(table).sum(axis=1)


@pytest.mark.parametrize("weighted", [False, True])
def test_mutual_information_of_classes_is_a_difference_of_entropies(weighted):
    dist = categorical_mixture(weighted=weighted)
    table = dist.response.probabilities(dist.theta())
    expected = [entropies(w, t) for w, t in zip(shares(dist), table, strict=True)]
    assert_allclose(dist.mutual_information(), expected)
    assert_array_equal(metrics.ood_scores(dist, "mutual_information"), dist.epistemic())
    assert_array_equal(metrics.ood_scores(dist, "mutual_information"), dist.disagreement())
    with pytest.raises(ValueError, match="support of the rows is not known"):
        metrics.ood_scores(dist, "support")
    with pytest.raises(ValueError, match=r'model.ood_score\(X, "combined"\) computes them'):
        metrics.ood_scores(dist, "combined")


@pytest.mark.parametrize("weighted", [False, True])
def test_mutual_information_of_counts_is_a_sum(weighted):
    dist = poisson_mixture(weighted=weighted)
    means, counts = np.exp(dist.particles[..., 0]), np.arange(400)
    table = stats.poisson(means[..., None]).pmf(counts)
    expected = [entropies(w, t) for w, t in zip(shares(dist), table, strict=True)]
    assert_allclose(dist.mutual_information(), expected, rtol=1e-7, atol=1e-12)


def test_mutual_information_of_normals_is_an_integral():
    mean, scale = np.array([0.0, 0.5, 2.0]), np.array([1.0, 0.3, 0.8])
    dist = Mixture(Normal(), np.stack([mean, np.log(scale)], axis=-1)[None])

    def density(y):
        each = stats.norm(mean, scale).pdf(y)
        return (special.rel_entr(each, each.mean()) / 3).sum()

    expected = integrate.quad(density, -12, 12, limit=400, epsabs=1e-13)[0]
    assert_allclose(dist.mutual_information(), expected, rtol=1e-9)


def test_mutual_information_has_neither_unit_nor_sign_and_at_most_log_m_nats():
    far = np.stack([np.arange(4) * 1e3, np.zeros(4)], axis=-1)[None]
    assert_allclose(Mixture(Normal(), far).mutual_information(), np.log(4))
    same = np.tile([1.0, -2.0], (3, 5, 1))
    assert_allclose(Mixture(Normal(), same).mutual_information(), 0, atol=1e-14)
    dist, other = normal_mixture(seed=3), normal_mixture(seed=3, units=None)
    assert_allclose(dist.mutual_information(), other.mutual_information())


def test_small_information_keeps_its_digits():
    """Two normals 2 e apart in location share e^2 / 2 nats, to first order."""
    theta = np.zeros((1, 2, 2))
    theta[0, :, 0] = [-1e-6, 1e-6]
    assert_allclose(Mixture(Normal(), theta).mutual_information(), 0.5e-12, rtol=1e-3)


@given(any_mixtures())
def test_every_score_is_one_finite_number_for_each_row(dist):
    for method in (None, *metrics.OOD_METHODS[4:]):
        scores = metrics.ood_scores(dist, method)
        assert scores.shape == (len(dist),)
        assert (scores >= 0).all()
        assert np.isfinite(scores).all()


def test_a_gamma_whose_density_is_infinite_at_zero():
    theta = np.random.default_rng(0).normal(-1, 0.5, (3, 4, 2))
    dist = Mixture(Gamma(), theta)
    expected = dist.entropy() - dist.response.entropy(theta).mean(axis=1)
    assert_allclose(dist.mutual_information(), expected, rtol=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_largest_variance(weighted):
    for dist, values in (
        (categorical_mixture(weighted=weighted), lambda d: d.response.probabilities(d.theta())),
        (normal_mixture(weighted=weighted), lambda d: d.theta()),
    ):
        expected = [
            max(np.cov(column, aweights=w, ddof=0) for column in table.T)
            for table, w in zip(values(dist), shares(dist), strict=True)
        ]
        assert_allclose(metrics.ood_scores(dist, "max_variance"), expected)


def test_only_mutual_information_finds_particles_that_agree_on_the_mean_alone():
    theta = np.zeros((2, 4, 2))
    theta[1, :, 1] = [-1.0, -0.5, 0.5, 1.0]
    dist = Mixture(Normal(), theta)
    assert_allclose(metrics.ood_scores(dist), 0, atol=1e-15)
    assert metrics.ood_scores(dist, "mutual_information")[1] > 0.05


def test_scores_of_the_estimators_are_those_of_the_functions():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (120, 2))
    far = np.concatenate([X[::4], 3 * X[::4]])
    regressor = WGBRegressor(n_estimators=10, random_state=0, n_jobs=1).fit(X, X[:, 0])
    classifier = WGBClassifier(n_estimators=10, random_state=0, n_jobs=1).fit(X, X[:, 1] > 0)
    for model, default in ((regressor, "epistemic"), (classifier, "max_variance")):
        dist, distance = model.predict_dist(far), model.ood_score(far, "distance")
        assert_array_equal(model.ood_score(far), model.ood_score(far, "combined"))
        assert_array_equal(metrics.ood_scores(dist), metrics.ood_scores(dist, default))
        assert_array_equal(
            metrics.ood_scores(dist, distance=distance),
            metrics.ood_scores(dist, "combined", distance=distance),
        )
        for method in metrics.OOD_METHODS:
            found = metrics.ood_scores(dist, method, distance=distance)
            assert_array_equal(model.ood_score(far, method), found)
        lack = 1 - model.predict_support(far)
        assert_array_equal(model.ood_score(far, "support"), lack)
        odds = (1 + lack / 0.03) * 1.03 / (0.03 + 1 - lack)
        novelty = np.log(odds) + np.log(1 + 100 * distance)
        assert_allclose(model.ood_score(far, "novelty"), novelty)
        share = dist.disagreement() / (1 if model is classifier else dist.var())
        assert_allclose(model.ood_score(far), novelty + np.log(1 + 100 * share) / 4)


def test_what_a_score_cannot_be_is_said():
    dist = normal_mixture()
    with pytest.raises(ValueError, match="method='entropy' must be one of 'combined'"):
        metrics.ood_scores(dist, "entropy")
    with pytest.raises(TypeError, match="must be a distribution from predict_dist"):
        metrics.ood_scores(dist.particles)
    joint = JointMixture(MultivariateNormal(n_dims=2), np.zeros((3, 2, 5)))
    assert metrics.ood_scores(joint).shape == (3,)
    with pytest.raises(AttributeError, match="no mutual information"):
        metrics.ood_scores(joint, "mutual_information")
    with pytest.raises(ValueError, match=r"particles have shape \(1, 2, 2\)"):
        dist.with_particles(np.zeros((1, 2, 2)))


@pytest.mark.parametrize("method", ["combined", "novelty", "distance"])
@pytest.mark.parametrize(
    ("distance", "said"),
    [
        ([1.0, 2.0], r'distance has 2 numbers, dist has 6 rows; .*ood_score\(X, "distance"\)'),
        ([0.0, -1.0, 0.0, 0.0, 0.0, 0.0], r"distance is -1.0 at row 1; .*model.ood_score\(X"),
        ([0.0, 0.0, np.inf, 0.0, 0.0, 0.0], "distance is inf at row 2; "),
        ([0.0, 0.0, np.nan, 0.0, 0.0, 0.0], "distance is nan at row 2"),
        (0.5, r"distance has shape \(\)"),
    ],
)
def test_distances_that_make_no_sense_are_named(method, distance, said):
    dist = categorical_mixture(n=6)
    dist.row_support = np.ones(len(dist))
    with pytest.raises(ValueError, match=said):
        metrics.ood_scores(dist, method, distance=distance)
