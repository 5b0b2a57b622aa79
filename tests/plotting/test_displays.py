"""The numbers of displays agree with direct counts and scikit-learn."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose
from packaging.version import Version
from scipy import integrate
from sklearn.inspection import partial_dependence

from display_examples import TEST, TEST_Y, TRAIN, X, Y, model
from wgboost import WGBoost, metrics
from wgboost import plotting as pl

NEW = X[TEST]


@pytest.mark.parametrize("kind", ["normal", "counts"])
def test_coverage_is_counted_and_the_line_is_the_expected_coverage(kind):
    y, dist = TEST_Y[kind], model(kind).predict_dist(NEW)
    nominal = [0.2, 0.5, 0.8, 0.95]
    shown = pl.CoverageDisplay.from_estimator(model(kind), NEW, y, nominal=nominal)
    for i, level in enumerate(nominal):
        low, high = dist.interval(level)
        assert_allclose(shown.coverage[i], ((y >= low) & (y <= high)).mean())
        draws = dist.rvs(2000, random_state=i)
        held = (draws >= low[:, None]) & (draws <= high[:, None])
        assert_allclose(shown.expected[i], held.mean(), atol=0.01)
    assert (shown.low <= shown.expected).all()
    assert (shown.high >= shown.expected).all()


@pytest.mark.parametrize("kind", ["normal", "counts"])
def test_pit_histogram_counts_transforms(kind):
    shown = pl.PITDisplay.from_estimator(model(kind), NEW, TEST_Y[kind], n_bins=5)
    transform = metrics.pit(model(kind).predict_dist(NEW), TEST_Y[kind], random_state=0)
    counts = [((transform >= e) & (transform < e + 0.2)).sum() for e in shown.edges[:-1]]
    assert_allclose(shown.density, np.array(counts) / 120 * 5)
    assert shown.low < 1 < shown.high


@pytest.mark.parametrize("kind", ["normal", "counts", "bounds"])
def test_calibration_curve_matches_the_metric(kind):
    y, dist = TEST_Y[kind], model(kind).predict_dist(NEW)
    shown = pl.CalibrationDisplay.from_estimator(model(kind), NEW, y)
    assert_allclose(shown.share, metrics.calibration_curve(dist, y, shown.level)[1])
    assert shown.error == metrics.calibration_error(dist, y)
    assert (shown.low <= shown.level + 1e-9).all()
    assert (shown.high >= shown.level - 1e-9).all()


def test_censoring_makes_the_band_larger():
    bounds, exact = (
        pl.CalibrationDisplay.from_estimator(model("bounds"), NEW, y)
        for y in (TEST_Y["bounds"], np.maximum(TEST_Y["bounds"]["lower"], 0.1))
    )
    late = exact.level > 0.5
    assert (bounds.high - bounds.low)[late].mean() > 1.1 * (exact.high - exact.low)[late].mean()
    from_left = TEST_Y["bounds"].copy()
    from_left["upper"] = from_left["lower"] + 1
    assert pl.CalibrationDisplay.from_estimator(model("bounds"), NEW, from_left).low is None


def test_reliability_of_a_label_counts_its_rows():
    fitted, y = model("classes"), TEST_Y["classes"]
    shown = pl.CalibrationDisplay.from_estimator(fitted, NEW, y, label="top", n_bins=4)
    share = fitted.predict_proba(NEW)[:, 2]
    which = np.minimum((share * 4).astype(int), 3)
    expected = [(y[which == b] == "top").mean() for b in np.unique(which)]
    assert_allclose(shown.share, expected)
    assert_allclose(shown.level, [share[which == b].mean() for b in np.unique(which)])


def test_uncertainty_and_error_match_bins_of_equal_size():
    dist, y = model("normal").predict_dist(NEW), TEST_Y["normal"]
    shown = pl.UncertaintyDisplay.from_estimator(model("normal"), NEW, y, n_bins=4)
    order = np.argsort(dist.var(), kind="stable").reshape(4, 30)
    error = (y - dist.mean())[order]
    assert_allclose(shown.actual, np.sqrt((error**2).mean(axis=1)))
    assert_allclose(shown.predicted, np.sqrt(dist.var()[order].mean(axis=1)))
    assert (shown.low < shown.actual).all()
    assert (shown.actual < shown.high).all()
    wrong = pl.UncertaintyDisplay.from_estimator(model("binary"), NEW, TEST_Y["binary"], n_bins=1)
    assert_allclose(wrong.actual, (model("binary").predict(NEW) != TEST_Y["binary"]).mean())


def test_ood_histogram_contains_all_rows():
    shown = pl.OODDisplay.from_estimator(model("normal"), NEW, 3 * NEW, n_bins=7)
    scores = [model("normal").ood_score(rows) for rows in (NEW, 3 * NEW)]
    assert_allclose([shown.share_in.sum(), shown.share_out.sum()], 1)
    assert shown.roc_auc == metrics.ood_roc_auc(*scores)
    logarithmic = pl.OODDisplay.from_scores([1e-6, 1e-3], [0.1, np.inf])
    assert logarithmic.log
    assert logarithmic.share_out.sum() == 1
    assert pl.OODDisplay.from_scores([2.0, 2.0], [2.0]).roc_auc == 0.5


def test_importances_are_sorted_named_and_limited_in_number():
    features = np.random.default_rng(1).normal(size=(120, 50))
    features[:, 31] = X[TRAIN, 0]
    fitted = model("normal").__class__(n_estimators=10, random_state=0).fit(features, Y[TRAIN])
    names = [f"column {j}" for j in range(50)]
    shown = pl.ImportanceDisplay.from_estimator(fitted, feature_names=names)
    assert shown.names[0] == "column 31"
    assert len(shown.names) == 20
    assert_allclose(shown.importance, np.sort(fitted.feature_importances_)[::-1][:20])
    assert_allclose(shown.importance.sum() + shown.rest, 1)
    frame = pd.DataFrame(features, columns=names)
    named = fitted.fit(frame, Y[TRAIN])
    assert pl.ImportanceDisplay.from_estimator(named, max_features=1).names == ["column 31"]


@pytest.mark.skipif(
    Version(sklearn.__version__) < Version("1.7"),
    reason="partial_dependence takes a grid from scikit-learn 1.7 on",
)
def test_partial_dependence_matches_scikit_learn():
    shown = pl.PartialDependenceDisplay.from_estimator(
        model("normal"), NEW, feature=0, grid_size=15
    )
    theirs = partial_dependence(
        model("normal"), NEW, [0], method="brute", kind="average", custom_values={0: shown.grid}
    )
    assert_allclose(shown.average, theirs["average"], rtol=1e-6)
    assert shown.grid[0] == np.quantile(NEW[:, 0], 0.01)


def test_partial_dependence_of_shares_and_classes():
    fitted = model("classes")
    shown = pl.PartialDependenceDisplay.from_estimator(fitted, NEW, feature=2, grid_size=3)
    at = NEW.copy()
    at[:, 2] = shown.grid[1]
    assert_allclose(shown.average[:, 1], fitted.predict_proba(at).mean(axis=0))
    share = pl.PartialDependenceDisplay.from_estimator(
        fitted, NEW, feature=2, grid_size=3, quantity="epistemic_share"
    )
    parts = fitted.predict_uncertainty(at)
    assert_allclose(share.average[0, 1], (parts["epistemic"] / parts["total"]).mean())


def test_bands_along_a_feature_keep_the_others_at_their_medians():
    shown = pl.PredictiveDisplay.from_estimator(
        model("normal"), NEW, TEST_Y["normal"], feature=1, grid_size=30, bands=0.8
    )
    at = np.tile(np.sort(NEW, axis=0)[59], (30, 1))  # the lower median of 120 rows
    at[:, 1] = np.linspace(NEW[:, 1].min(), NEW[:, 1].max(), 30)
    low, high = model("normal").predict_interval(at, 0.8).T
    assert_allclose(shown.low[0], low)
    assert_allclose(shown.high[0], high)
    assert_allclose(shown.x_observed, NEW[:, 1])


def test_rows_are_sorted_by_their_median():
    shown = pl.PredictiveDisplay.from_estimator(model("normal"), NEW, TEST_Y["normal"])
    median = model("normal").predict_dist(NEW).median()
    assert_allclose(shown.middle, np.sort(median))
    assert_allclose(shown.y_observed.lower, TEST_Y["normal"][np.argsort(median, kind="stable")])
    few = pl.PredictiveDisplay.from_estimator(model("normal"), NEW, max_rows=10)
    assert_allclose(few.middle[[0, -1]], [median.min(), median.max()])


@pytest.mark.parametrize(("kind", "total"), [("normal", "area"), ("counts", "sum")])
def test_density_is_the_mean_over_particles(kind, total):
    shown = pl.DensityDisplay.from_estimator(model(kind), NEW, TEST_Y[kind], rows=[5])
    assert_allclose(shown.particles.mean(axis=0), shown.density[0])
    mass = (
        integrate.trapezoid(shown.density[0], shown.grid)
        if total == "area"
        else shown.density.sum()
    )
    assert 0.98 < mass < 1.001


def test_particles_match_predict_particles():
    shown = pl.ParticlesDisplay.from_estimator(model("normal"), NEW, rows=[3, 8])
    expected = model("normal").predict_particles(NEW)
    for name, values in zip(shown.names, shown.values, strict=True):
        assert_allclose(values, expected[name][[3, 8]])
    offsets = shown.ax_.collections[0].get_offsets()
    assert_allclose(offsets, np.stack([v[0] for v in shown.values], axis=1))
    samples = np.random.default_rng(0).normal(size=(240, 5, 2))
    general = WGBoost(samples, n_estimators=3, random_state=0).fit(X)
    shown = pl.ParticlesDisplay.from_estimator(general, X, rows=0, params="theta_1")
    assert_allclose(shown.values[0][0], general.predict_particles(X)[0, :, 1])


def test_learning_curve_matches_the_history():
    fitted = (
        model("normal")
        .__class__(n_estimators=15, early_stopping=True, refit=False, random_state=0)
        .fit(X[TRAIN], Y[TRAIN])
    )
    shown = pl.LearningCurveDisplay.from_estimator(fitted, NEW, TEST_Y["normal"])
    assert_allclose(shown.curves["validation"], fitted.history_["validation"]["nll"])
    assert shown.best == fitted.n_estimators_
    last = metrics.nll(fitted.predict_dist(NEW), TEST_Y["normal"])
    assert_allclose(shown.curves["given rows"][-1], last)
