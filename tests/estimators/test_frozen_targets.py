"""Distributions of scipy.stats as targets, and the containers that samples come in."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from wgboost import AlphaDivergence, TreeLearner, WGBoost, from_histograms
from wgboost.metrics import energy_distance
from wgboost.targets.conversion import as_row_target
from wgboost.training.settings import resolve_settings

RNG = np.random.default_rng(5)
N = 80
X = np.linspace(-1, 1, N)[:, None]
AT = np.where(X[:, 0] > 0, 3.0, 1.0)

FAMILIES = {
    "gamma": lambda at: stats.gamma(2 * at),
    "expon": lambda at: stats.expon(scale=at),
    "uniform": lambda at: stats.uniform(at, 2),
    "poisson": lambda at: stats.poisson(at),
    "bernoulli": lambda at: stats.bernoulli(at / 10),
    "normal": lambda at: stats.norm(at, 0.5),
    "histogram": lambda at: stats.rv_histogram(([1, 2, 1], [at, at + 1, at + 2, at + 3])),
    "new": lambda at: stats.Normal(mu=at, sigma=0.5),
}
since_1_15 = pytest.mark.skipif(
    not hasattr(stats, "Normal"), reason="scipy has distributions of the new kind from 1.15 on"
)


def model(**options):
    fixed = {"n_particles": 12, "n_estimators": 60, "learning_rate": 0.3, "random_state": 0}
    return WGBoost(**{**fixed, "n_jobs": 1, **options})


@pytest.mark.parametrize(
    "name", [*(name for name in FAMILIES if name != "new"), pytest.param("new", marks=since_1_15)]
)
@pytest.mark.parametrize("direction", ["energy", "mmd"])
def test_every_family_is_learned_from_its_quantiles(name, direction):
    targets = [FAMILIES[name](at) for at in AT]
    options = {"learning_rate": 0.05, "n_estimators": 150} if name == "bernoulli" else {}
    particles = model(direction=direction, **options).fit(X, targets).predict_particles(X)
    rng = np.random.default_rng(0)
    draw = {"new": lambda one: one.sample(400, rng=rng)}
    draw = draw.get(name, lambda one: one.rvs(size=400, random_state=rng))
    for row in (0, N - 1):
        fresh = np.asarray(draw(targets[row]), dtype=float)[None, :, None]
        other = np.asarray(draw(targets[N - 1 - row]), dtype=float)[None, :, None]
        near = energy_distance(particles[row : row + 1], fresh)[0]
        assert near < 0.3 * energy_distance(fresh, other)[0] + 0.02


@pytest.mark.parametrize("direction", ["diagonal_newton", "smoothed", "langevin", "chi_squared"])
def test_a_particle_outside_of_the_support_is_named_with_the_way_out(direction):
    targets = [stats.uniform(at, 1) for at in AT]
    with pytest.raises(ValueError, match=r'left the support of .* row \d+.*direction="energy"'):
        model(direction=direction).fit(X, targets)


def test_discrete_targets_have_no_score():
    with pytest.raises(ValueError, match=r'discrete .* no density.*direction="energy"'):
        model().fit(X, [stats.poisson(10 * at) for at in AT])
    with pytest.raises(ValueError, match=r"row 0 has no spread.*energy"):
        model().fit(X, [stats.bernoulli(0.01)] * N)


@pytest.mark.parametrize("direction", ["diagonal_newton", "energy"])
def test_one_distribution_with_arrays_is_the_list_of_its_rows(direction):
    options = {"direction": direction, "init": np.linspace(-1, 1, 12), "n_estimators": 9}
    listed = model(**options).fit(X, [stats.norm(at, 0.5) for at in AT])
    together = model(**options).fit(X, stats.norm(AT, scale=0.5))
    assert_allclose(together.predict_particles(X), listed.predict_particles(X), rtol=1e-5)
    assert_allclose(together.score(X, stats.norm(AT, 0.5)), listed.score(X, stats.norm(AT, 0.5)))


def test_one_distribution_with_arrays_starts_at_draws_and_can_be_held_out():
    held = np.arange(N) % 3 == 0
    options = {"early_stopping": True, "refit": False, "learner": TreeLearner(support=False)}
    fitted = model(direction="energy", **options)
    fitted.fit(X, stats.gamma(AT, scale=2.0), validation_rows=held)
    history = fitted.history_["validation"]["energy_distance"]
    own = fitted.score(X[held], [stats.gamma(at, scale=2.0) for at in AT[held]])
    assert_allclose(min(history), -own, rtol=1e-5)


def test_what_has_no_quantiles_is_answered_with_the_way_out():
    with pytest.raises(TypeError, match=r"row 0 is a multivariate distribution.*rvs\(64\)"):
        model().fit(X, [stats.multivariate_normal([at, at]) for at in AT])
    with pytest.raises(TypeError, match=r"row 0 is a kernel density estimate.*resample"):
        model().fit(X, [stats.gaussian_kde([at, at + 1, at + 2]) for at in AT])
    with pytest.raises(ValueError, match=r"X has 80 rows, the distribution .* shape \(3,\)"):
        model().fit(X, stats.norm(np.zeros(3), 1))
    with pytest.raises(ValueError, match="row 2 has parameters of nan"):
        model().fit(X, stats.norm(np.where(np.arange(N) == 2, np.nan, 0), 1))


@since_1_15
def test_several_new_distributions_in_one_are_answered_with_the_way_out():
    with pytest.raises(TypeError, match="holds several distributions; give a list"):
        model().fit(X, stats.Normal(mu=AT, sigma=1))


SAMPLES = AT[:, None] + RNG.normal(size=(N, 6))
RAGGED = [row[: 2 + i % 5] for i, row in enumerate(SAMPLES)]


def objects(rows):
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array


CONTAINERS = {
    "pandas table": (pd.DataFrame(SAMPLES, index=np.arange(N)[::-1]), SAMPLES),
    "polars table": (pl.DataFrame(SAMPLES), SAMPLES),
    "pandas column": (pd.Series(RAGGED, index=np.arange(N)[::-1]), RAGGED),
    "polars column": (pl.Series([row.tolist() for row in RAGGED]), RAGGED),
    "objects": (objects(RAGGED), RAGGED),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_samples_come_in_tables_and_columns(name):
    given, plain = CONTAINERS[name]
    options = {"direction": "energy", "n_estimators": 5, "early_stopping": True, "refit": False}
    ours, theirs = model(**options).fit(X, given), model(**options).fit(X, plain)
    assert_array_equal(ours.predict_particles(X), theirs.predict_particles(X))


def test_histograms_may_have_edges_of_their_own():
    counts = np.array([[1, 0, 3], [2, 2, 1]])
    edges = np.array([[0, 1, 2, 4], [-3.0, 0, 1, 5]])
    both = from_histograms(edges, counts)
    for row in range(2):
        assert_array_equal(both[row], from_histograms(edges[row], counts[row : row + 1])[0])
    with pytest.raises(ValueError, match=r"edges \(3, 4\) and counts \(2, 3\) do not fit"):
        from_histograms(np.zeros((3, 4)), counts)
    with pytest.raises(ValueError, match="increasing, row 1"):
        from_histograms([[0, 1, 2, 4], [0, 1, 1, 5]], counts)


def test_directions_show_what_can_be_set():
    assert repr(AlphaDivergence(0.5)).startswith("AlphaDivergence(alpha=0.5, kernel=Kernel(")
    for name in ("energy", "mmd", "smoothed", "diagonal_newton", "full_newton", "langevin"):
        settings = resolve_settings(model(direction=name).get_params(deep=False))
        assert "needs" not in repr(settings.make_direction())


def test_quantiles_stand_for_samples():
    target = as_row_target(None, [stats.expon()], 1)
    points, weights = target.derivatives(np.zeros((1, 3, 1), np.float32), slice(0, 1), "samples", 1)
    assert_allclose(points[0, :, 0], -np.log1p(-(np.arange(64) + 0.5) / 64), rtol=1e-5)
    assert_allclose(weights.sum(), 1)
