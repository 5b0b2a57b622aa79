"""Bad input is refused with its value and a remedy; awkward input makes sane models."""

import inspect

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from wgboost import TreeLearner, WGBClassifier, WGBoost, WGBRegressor
from wgboost.training.flat_parameters import grouped_parameters

RNG = np.random.default_rng(31)
X = RNG.normal(size=(40, 2))
Y = X[:, 0] + 0.1 * RNG.normal(size=40)
LABELS = np.where(Y > 0, "high", "low")
BOTH = [(WGBRegressor, Y), (WGBClassifier, LABELS)]


def small(kind, **options):
    response = "categorical" if kind is WGBClassifier else "normal"
    settings = {"n_estimators": 3, "random_state": 0, "n_jobs": 1, **options}
    return kind(**grouped_parameters(settings, response))


def changed(values, row, value):
    values = np.array(values, dtype=float)
    values[row] = value
    return values


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_y_has_to_be_finite(value):
    with pytest.raises(ValueError, match=f"y is {value} at row 7"):
        small(WGBRegressor).fit(X, changed(Y, 7, value))
    with pytest.raises(ValueError, match=r"(?i)y .*(nan|inf)"):
        small(WGBClassifier).fit(X, changed(LABELS == "low", 7, value))


@pytest.mark.parametrize(("kind", "y"), BOTH)
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (changed(np.ones(40), 5, np.nan), "sample weight nan of row 5 is not finite"),
        (changed(np.ones(40), 5, -2), "sample weight -2.0 of row 5 is negative"),
        (np.zeros(40), "all sample weights are zero"),
        (np.ones(39), r"sample weights have shape \(39,\); \(40,\) is needed"),
        (np.ones((40, 1)), r"sample weights have shape \(40, 1\)"),
    ],
)
def test_weights_have_to_make_sense(kind, y, weight, message):
    with pytest.raises(ValueError, match=message):
        small(kind).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize(("kind", "y"), BOTH)
def test_x_has_to_be_a_table_with_a_row_for_every_y(kind, y):
    with pytest.raises(ValueError, match=r"Expected 2D array, got 1D array"):
        small(kind).fit(X[:, 0], y)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        small(kind).fit(X[:0], y[:0])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        small(kind).fit(X[:, :0], y)
    with pytest.raises(ValueError, match=r"40.*39"):
        small(kind).fit(X, y[:39])
    with pytest.raises(ValueError, match=r"2|\(40, 2\)"):
        small(kind).fit(X, np.column_stack([y, y]))


@pytest.mark.parametrize(("kind", "y"), BOTH)
def test_prediction_needs_a_fit_and_the_same_features(kind, y):
    methods = ["predict", "predict_dist", "predict_particles", "predict_uncertainty", "ood_score",
               "sample", "apply"]  # fmt: skip
    methods += ["predict_proba"] if kind is WGBClassifier else ["predict_interval"]
    for method in methods:
        with pytest.raises(NotFittedError):
            getattr(small(kind), method)(X)
        with pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 2"):
            getattr(small(kind).fit(X, y), method)(X[:, :1])
    with pytest.raises(NotFittedError):
        next(iter(small(kind).staged_predict(X)))


def test_numbers_are_no_classes():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        small(WGBClassifier).fit(X, Y)


@pytest.mark.parametrize("kind", [WGBRegressor, WGBClassifier, WGBoost])
def test_a_misspelled_parameter_is_answered_with_the_nearest(kind):
    with pytest.raises(ValueError, match="'n_estimator'; did you mean 'n_estimators'"):
        kind().set_params(n_estimator=3)
    with pytest.raises(ValueError, match="has no parameter 'xyzzy'"):
        kind().set_params(xyzzy=3)
    with pytest.raises(TypeError, match="'n_estimator'; did you mean 'n_estimators'"):
        kind(n_estimator=3)


def test_parameters_of_a_nested_estimator_can_be_set():
    nested = small(WGBRegressor, init=LinearRegression()).set_params(init__fit_intercept=False)
    assert nested.init.fit_intercept is False
    with pytest.raises(ValueError, match="Invalid parameter"):
        nested.set_params(init__fit_intercep=False)


WRONG = [
    ({"tree": "sharde"}, "tree='sharde' .* did you mean 'shared'"),
    ({"split_on": "al"}, "split_on='al' .* did you mean 'all'"),
    ({"leaf": "mena"}, "leaf='mena' .* did you mean 'mean'"),
    ({"growth": "depthwise"}, "growth='depthwise' .* did you mean 'depth_wise'"),
    ({"kernel": "gausian"}, "kernel='gausian' .* did you mean 'gaussian'"),
    ({"direction": "ful_newton"}, "direction='ful_newton' .* did you mean 'full_newton'"),
    ({"init": "flwo"}, "init='flwo' .* did you mean 'flow'"),
    ({"bandwidth": "meadian"}, "bandwidth='meadian' .* did you mean 'median'"),
    ({"bandwidth": -1}, "bandwidth=-1 must be > 0"),
    ({"evidence": 0}, "evidence=0 must be > 0"),
    ({"evidence": np.ones(3)}, r"evidence has shape \(3,\); .* each of 40 rows"),
    ({"evidence": -np.ones(40)}, "evidence is -1.0 at row 0; it must be finite and > 0"),
    ({"n_particles": 0}, "n_particles=0 must be >= 1"),
    ({"n_particles": 2.5}, "n_particles=2.5 must be an integer"),
    ({"n_estimators": -1}, "n_estimators=-1 must be >= 0"),
    ({"learning_rate": 0}, "learning_rate=0 must be > 0"),
    ({"learning_rate": -0.1}, "learning_rate=-0.1 must be > 0"),
    ({"learning_rate": np.inf}, "learning_rate=inf must be > 0 and finite"),
    ({"learning_rate": np.nan}, "learning_rate=nan must be > 0"),
    ({"max_depth": 0}, "max_depth=0 must be >= 1; None sets no limit"),
    ({"max_depth": None, "max_leaves": None}, "max_depth=None and max_leaves=None set no limit"),
    ({"min_samples_leaf": 0}, "min_samples_leaf=0 must be >= 1"),
    ({"l2": -1}, "l2=-1 must be >= 0"),
    ({"subsample": 0}, "subsample=0 must be > 0 and <= 1"),
    ({"colsample": 1.5}, "colsample=1.5 must be > 0 and <= 1"),
    ({"max_bins": 1000}, "max_bins=1000 must be"),
    ({"max_bins": 0}, "max_bins=0 must be"),
    ({"validation_fraction": 1.0}, "validation_fraction=1.0 must be > 0"),
    ({"n_iter_no_change": 0}, "n_iter_no_change=0 must be >= 1; None takes the best"),
    ({"early_stopping": "yes"}, "early_stopping='yes' must be"),
    ({"eval_metric": "nl"}, "eval_metric='nl' .* did you mean 'nll'"),
    ({"n_jobs": 0}, "n_jobs=0 uses no thread"),
    ({"learner": LinearRegression}, r"give an object: LinearRegression\(\)"),
    ({"learner": 3}, "learner=3 is neither"),
    ({"prior": {"scal": 1.0}}, "scal.* did you mean '(prior_)?scale'"),
    ({"prior": {"scale": -1.0}}, "scale.*-1.0.* > 0|scale=-1.0"),
    ({"prior": {"scale": np.ones(7)}}, "(?s)scale.*40|scale.*7"),
    ({"prior": 3}, "prior=3 must be a dict"),
    ({"init": np.zeros((3, 9))}, r"init has shape \(3, 9\)"),
    ({"init": NotImplemented}, 'init=NotImplemented must be "flow", start particles'),
    ({"verbose": -1}, "verbose=-1 must be >= 0"),
    ({"init": LinearRegression}, r"give an object: LinearRegression\(\)"),
]


@pytest.mark.parametrize(("kind", "y"), BOTH)
@pytest.mark.parametrize(("options", "message"), WRONG, ids=[f"{o}"[:40] for o, _ in WRONG])
def test_a_parameter_that_makes_no_sense_is_named_with_its_remedy(kind, y, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        small(kind, **options).fit(X, y)


def test_an_unknown_response_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match=r"response='norml' .* did you mean 'normal'"):
        small(WGBRegressor, response="norml").fit(X, Y)


def test_validation_sets_have_to_be_whole():
    model = small(WGBRegressor, early_stopping=True)
    with pytest.raises(ValueError, match="X_val and y_val belong together"):
        model.fit(X, Y, X_val=X)
    with pytest.raises(ValueError, match="X_val has 40 rows, y_val has 3"):
        model.fit(X, Y, X_val=X, y_val=Y[:3])
    with pytest.raises(ValueError, match="0 rows to train on and 40 to validate"):
        model.fit(X, Y, validation_rows=np.ones(40, dtype=bool))
    with pytest.raises(ValueError, match="validation_rows does not index 40 rows"):
        model.fit(X, Y, validation_rows=[50])
    with pytest.raises(ValueError, match=r"n_samples=1; two different ones at least are needed"):
        model.fit(X[:1], Y[:1])


def test_the_constructor_only_stores():
    for kind in (WGBRegressor, WGBClassifier, WGBoost):
        for name, default in inspect.signature(kind).parameters.items():
            assert getattr(kind(), name) is default.default, name


@pytest.mark.parametrize(("kind", "y"), BOTH)
@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_rows_make_a_model(kind, y, n):
    fitted = small(kind).fit(X[:n], y[:n])
    answers = fitted.predict(X)
    assert answers.shape == (40,)
    assert set(answers) <= set(y[:n]) if kind is WGBClassifier else np.isfinite(answers).all()


@pytest.mark.parametrize("value", [0.0, 3.5, 1e8, -1e-300])
@pytest.mark.parametrize("rounds", [3, 200])
def test_a_constant_y_is_predicted(value, rounds):
    fitted = small(WGBRegressor, n_estimators=rounds).fit(X, np.full(40, value))
    assert np.allclose(fitted.predict(X), value, rtol=1e-6, atol=0.1)
    assert np.isfinite(fitted.predict_interval(X)).all()


@pytest.mark.parametrize(("kind", "y"), BOTH)
def test_infinite_missing_and_constant_columns_do_no_harm(kind, y):
    odd = np.column_stack([X, np.full(40, np.nan), np.full(40, np.inf), np.ones(40)])
    odd[::3, 1] = np.inf
    odd[1::3, 1] = -np.inf
    odd[2::6, 0] = np.nan
    fitted = small(kind, n_estimators=20, max_leaves=16).fit(odd, y)
    assert fitted.score(odd, y) > 0.5
    assert fitted.feature_importances_[2:].sum() == 0


@pytest.mark.parametrize(("kind", "y"), BOTH)
def test_rows_of_weight_zero_count_for_nothing(kind, y):
    weight = np.repeat([1.0, 0.0], [30, 10])
    odd = X.copy()
    odd[30:] *= 1e6
    y = np.array(y)
    wild = np.concatenate([y[:30], y[:10] if kind is WGBClassifier else np.full(10, 1e9)])
    for options in ({}, {"early_stopping": True}, {"subsample": 0.5}):
        whole = small(kind, **options).fit(odd, wild, sample_weight=weight)
        part = small(kind, **options).fit(odd[:30], wild[:30], sample_weight=weight[:30])
        ours, other = whole.predict_dist(X).particles, part.predict_dist(X).particles
        np.testing.assert_allclose(ours, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("unit", "why"), [(1 / 60, "l2=1 outweighs"), (1e20, "overflow")])
@pytest.mark.parametrize("kind", [WGBRegressor, WGBClassifier])
def test_weights_in_a_unit_that_hides_the_data_are_told_about(kind, unit, why):
    model = kind(n_estimators=2, n_particles=2, random_state=0, n_jobs=1)
    rows, weight = np.arange(60.0)[:, None], np.full(60, unit)
    with pytest.warns(UserWarning, match=rf"{why}.*divide the weights by their mean") as caught:
        model.fit(rows, rows[:, 0] > 30, sample_weight=weight)
    assert caught[0].filename == __file__
    model.fit(rows, rows[:, 0] > 30, sample_weight=weight / weight.mean())
    paper = kind(n_estimators=2, n_particles=2, n_jobs=1, l2=0, learner=TreeLearner(leaf="mean"))
    paper.fit(rows, rows[:, 0] > 30, sample_weight=np.full(60, 1 / 60))
