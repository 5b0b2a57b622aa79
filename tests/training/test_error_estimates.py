"""The expected squared error of fitted models, against data of known truth."""

import numpy as np
import pytest
from sklearn.base import clone

from wgboost import TreeLearner, WGBClassifier, WGBRegressor, WGBRegressorCV, load
from wgboost.model import ErrorModel, FittedBag
from wgboost.persistence import ModelFileError
from wgboost.trees.flat import FlatTrees

FEW = {"n_estimators": 60, "early_stopping": False, "random_state": 0}


def made(n, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 4))
    mean = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, mean, mean + noise * rng.standard_normal(n)


def test_the_error_of_the_mean_is_about_the_true_one():
    ratios, covered = [], []
    for seed in range(4):
        X, _, y = made(250, seed)
        model = WGBRegressor(n_jobs=1, random_state=seed).fit(X, y)
        new, mean, _ = made(1000, seed + 100)
        dist = model.predict_dist(new)
        error = np.abs(dist.mean() - mean)
        ratios.append(dist.epistemic().mean() / np.square(error).mean())
        covered.append(np.mean(error < 1.645 * np.sqrt(dist.epistemic())))
    assert 0.6 < np.mean(ratios) < 1.7  # particles alone: 0.3 to 3, by seed
    assert 0.8 < np.mean(covered) < 0.97


def test_more_rows_have_a_smaller_error_also_where_a_sample_is_simulated():
    errors = []
    for n in (300, 1500, 12000):
        X, _, y = made(n)
        model = WGBRegressor(
            evidence=10, max_leaves=16, tree="shared", learning_rate=0.1, **FEW
        ).fit(X, y)
        errors.append(float(model.predict_dist(X[:300]).epistemic().mean()))
    assert errors[0] > 1.2 * errors[1] > 1.5 * errors[2]


def test_the_uncertainty_of_classes_shrinks_with_more_rows():
    found = []
    for n in (200, 2000):
        rng = np.random.default_rng(n)
        X = rng.uniform(-1, 1, (n, 3))
        y = rng.random(n) < 1 / (1 + np.exp(-3 * X[:, 0]))
        model = WGBClassifier(**FEW).fit(X, y)
        new = np.random.default_rng(1).uniform(-1, 1, (500, 3))
        true = 1 / (1 + np.exp(-3 * new[:, 0]))
        dist = model.predict_dist(new)
        error = 2 * np.square(dist.probabilities()[:, 1] - true).mean()
        found.append(dist.error.mean())
        assert 0.4 < found[-1] / error < 2.5
    assert found[0] > 1.5 * found[1]


def test_predictions_stay_whatever_the_error_is():
    X, _, y = made(200)
    model = WGBRegressor(**FEW).fit(X, y)
    dist = model.predict_dist(X)
    assert model.predict_dist(X, n_rounds=59).error is None
    *_, last = model.staged_predict_dist(X)
    np.testing.assert_allclose(dist.particles, last.particles, rtol=1e-6)
    total = model.predict_uncertainty(X)["total"]
    np.testing.assert_allclose(total, dist.var(), rtol=1e-9)


def test_the_error_is_the_same_on_any_number_of_threads_and_after_loading(tmp_path):
    X, _, y = made(300)
    models = [WGBRegressor(n_jobs=jobs, **FEW).fit(X, y) for jobs in (1, 2)]
    models[0].save(tmp_path / "model.wgb")
    models.append(load(tmp_path / "model.wgb"))
    first, *others = (model.predict_dist(X).epistemic() for model in models)
    for other in others:
        np.testing.assert_array_equal(first, other)


def test_a_bag_errs_less_than_its_members_by_how_much_they_differ():
    X, _, y = made(200)
    bag = WGBRegressorCV([{}], cv=3, random_state=0).fit(X, y).model_
    assert isinstance(bag, FittedBag)
    matrix = np.ascontiguousarray(X)
    parts = [one.predict_particles(matrix) for one in bag.models]
    means = np.stack([part.particles[:, :, 0].mean(axis=1) for part in parts])
    errors = np.stack([part.error[:, 0] for part in parts])
    expected = np.maximum(errors.mean(axis=0) - means.var(axis=0), 0.1 * errors.mean(axis=0))
    np.testing.assert_allclose(bag.predict_particles(matrix).error[:, 0], expected, rtol=1e-5)


def test_the_variance_of_a_gaussian_process_is_not_noise():
    X, _, y = made(150, noise=0.05)
    model = WGBRegressor(init="smooth", random_state=0).fit(X, y)
    far = X[:20] + 5
    noise = np.sqrt(model.predict_uncertainty(far)["aleatoric"])
    ignorance = np.sqrt(model.predict_uncertainty(far)["epistemic"])
    assert noise.max() < 0.5 * ignorance.min()
    plain = clone(model).set_params(learner=TreeLearner(support=False)).fit(X, y)
    gp, dists = plain.model_.start.gp, [one.predict_dist(far) for one in (plain, model)]
    error, lost = (dist.error[:, 0] * dist.units.scale**2 for dist in dists)
    variance, more = (dist.var() for dist in dists)
    # The error leaves at least 0.8 of the noise of the process or of the simulation.
    share = gp.epistemic_share(gp.at(far))
    assert (error > 0.99 * share * variance).all()
    assert (error < variance - 0.5 * plain.model_.errors.noise * dists[0].units.scale ** 2).all()
    assert (more > variance).all()  # the trees lack support here, and that is no noise either
    np.testing.assert_allclose(lost - error, more - variance, rtol=1e-3)


def test_what_cannot_be_simulated_keeps_the_spread_of_the_particles():
    X, _, y = made(60)
    few = WGBRegressor(**FEW).fit(X[:8], y[:8])
    constant = WGBRegressor(**FEW).fit(X, np.ones(60))
    for model in (few, constant):
        assert model.model_.errors is None
        dist = model.predict_dist(X)
        np.testing.assert_array_equal(dist.epistemic(), dist.disagreement())


def test_ctrl_c_in_the_simulation_keeps_the_model(monkeypatch):
    from wgboost.training import fit

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(fit, "estimate_errors", stopped)
    X, _, y = made(60)
    with pytest.warns(UserWarning, match="interrupted"):
        model = WGBRegressor(**FEW).fit(X, y)
    assert model.interrupted_
    assert model.n_estimators_ == 60
    assert model.predict_dist(X).error is None


def test_weighted_rows_count_as_often_as_they_are_there():
    X, _, y = made(120)
    twice = np.r_[X, X], np.r_[y, y]
    weighted = WGBRegressor(**FEW).fit(X, y, sample_weight=np.full(120, 2.0))
    repeated = WGBRegressor(**FEW).fit(*twice)
    np.testing.assert_allclose(weighted.model_.errors.mean, repeated.model_.errors.mean, rtol=1e-5)


@pytest.mark.parametrize(
    ("mean", "trees"),
    [
        (np.array([-1.0]), FlatTrees.empty(2, (1, 1))),
        (np.array([np.nan]), FlatTrees.empty(2, (1, 1))),
        (np.array([1.0, 1.0]), FlatTrees.empty(2, (1, 1))),
        (np.array([1]), FlatTrees.empty(2, (1, 1))),
        (np.array([1.0]), FlatTrees.empty(3, (1, 1))),
        (np.array([1.0]), FlatTrees.empty(2, (2, 1))),
        (np.array([1.0]), None),
    ],
)
def test_errors_in_a_file_have_to_fit_the_model(mean, trees):
    with pytest.raises(ValueError, match="error"):
        ErrorModel(mean, trees, np.zeros(1)).check(2, 1)


@pytest.mark.parametrize("noise", [[-1.0], [np.nan], [1.0, 1.0], [1], None])
def test_the_noise_in_a_file_has_to_fit_the_model(noise):
    noise = None if noise is None else np.array(noise)
    with pytest.raises(ValueError, match="noise"):
        ErrorModel(np.ones(1), FlatTrees.empty(2, (1, 1)), noise).check(2, 1)


def test_variance_that_is_mostly_error_leaves_the_noise():
    model = ErrorModel(np.ones(1), FlatTrees.empty(1, (1, 1)), np.array([0.1]))
    variance, error = (
        np.array([[1.0], [1.0], [1.0], [0.3]]),
        np.array([[0.05], [0.25], [0.4], [0.4]]),
    )
    found = model.share_of(variance, error)
    np.testing.assert_allclose(found, [[0.05], [0.25 + 0.5 * 0.65], [0.9], [0.4]])
    unknown = ErrorModel(np.ones(1), FlatTrees.empty(1, (1, 1)), np.zeros(1))
    np.testing.assert_array_equal(unknown.share_of(variance, error), error)


def test_the_noise_of_a_nearly_exact_y_is_found():
    X, truth, _ = made(300)
    y = truth + 0.02 * np.random.default_rng(1).standard_normal(300)
    model = WGBRegressor(**{**FEW, "n_estimators": 60}).fit(X, y)
    noise = np.sqrt(np.median(model.predict_uncertainty(X)["aleatoric"]))
    assert 0.01 < noise < 0.15 < np.sqrt(np.median(model.predict_dist(X).var()))


def test_files_with_broken_errors_are_refused(tmp_path):
    from dataclasses import replace

    X, _, y = made(60)
    model = WGBRegressor(**FEW).fit(X, y)
    broken = replace(model.model_.errors, mean=np.array([-1.0]))
    model.model_ = replace(model.model_, errors=broken)
    model.save(tmp_path / "model.wgb")
    with pytest.raises(ModelFileError, match="mean errors"):
        load(tmp_path / "model.wgb")


def test_categories_of_many_levels_have_errors():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 400, 1500)
    y = np.sin(level) + 0.3 * rng.standard_normal(1500)
    import pandas as pd

    frame = pd.DataFrame({"level": pd.Categorical(level), "x": rng.random(1500)})
    model = WGBRegressor(**FEW).fit(frame, y)
    assert (model.predict_dist(frame[:50]).error > 0).all()


@pytest.mark.parametrize("response", ["poisson", "negative_binomial"])
def test_the_error_of_a_rate_does_not_depend_on_the_exposure(response):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 2))
    y = rng.poisson(20 * np.exp(np.sin(3 * X[:, 0])))
    few = {**FEW, "n_estimators": 30, "response": response}
    one, other = WGBRegressor(**few).fit(X, y), WGBRegressor(**few).fit(X, y, exposure=20.0)
    ratio = other.model_.errors.mean / one.model_.errors.mean
    assert 0.6 < ratio[0] < 1.6  # with information of a wrong rate: 20 and more


@pytest.mark.parametrize(
    "model",
    [
        WGBRegressor(n_estimators=15, random_state=0),
        WGBRegressor(n_estimators=15, init="smooth", random_state=0),
        WGBClassifier(n_estimators=15, random_state=0),
        WGBRegressorCV(n_estimators=15, cv=3, random_state=0),
    ],
)
def test_the_last_stage_is_the_prediction_with_its_error(model):
    X, _, y = made(150)
    model.fit(X, y > 0 if isinstance(model, WGBClassifier) else y)
    last, whole = list(model.staged_predict_dist(X[:9] * 1.5))[-1], model.predict_dist(X[:9] * 1.5)
    np.testing.assert_array_equal(last.error, whole.error)
    np.testing.assert_array_equal(last.epistemic(), whole.epistemic())


def test_a_process_knows_its_variance_after_any_number_of_rounds():
    X, _, y = made(150)
    model = WGBRegressor(init="smooth", **FEW).fit(X, y)
    for n_rounds, stage in enumerate(model.staged_predict_dist(X[:9] * 1.5), start=1):
        direct = model.predict_dist(X[:9] * 1.5, n_rounds=n_rounds)
        np.testing.assert_array_equal(stage.epistemic(), direct.epistemic())
