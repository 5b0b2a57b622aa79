"""Early stopping: which rounds are kept, by what is measured on rows that are not trained on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression

from wgboost import WGBClassifier, WGBRegressor, metrics
from wgboost.training.flat_parameters import grouped_parameters

RNG = np.random.default_rng(7)
X = RNG.normal(size=(150, 3))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.2 * RNG.normal(size=150)
NEW = np.random.default_rng(9).normal(size=(60, 3))
NEW_Y = np.sin(2 * NEW[:, 0]) + 0.3 * NEW[:, 1]
START = np.random.default_rng(8).normal(size=(10, 2))


def model(**options):
    fixed = {"n_estimators": 10, "random_state": 3, "n_jobs": 1, "init": START, "evidence": 1.0}
    return WGBRegressor(**grouped_parameters({**fixed, **options}))


def particles(fitted):
    return fitted.predict_dist(NEW).particles


def test_early_stopping_keeps_the_best_round_and_patience_ends_the_search():
    options = {"early_stopping": True, "learning_rate": 0.5, "n_estimators": 60, "init": "flow"}
    options["tree"] = "shared"  # so that trials have the trees of the refit
    whole = model(refit=False, n_iter_no_change=None, **options).fit(X, Y)
    history = whole.history_["validation"]["nll"]
    assert len(history) == 61  # before the first round, and after each
    assert whole.n_estimators_ == np.argmin(history) < 50
    patient = model(refit=False, n_iter_no_change=5, **options).fit(X, Y)
    short = patient.history_["validation"]["nll"]
    assert short == history[: len(short)]
    assert len(short) == np.argmin(short) + 6
    assert patient.n_estimators_ == np.argmin(short)
    again = model(n_iter_no_change=5, **options).fit(X, Y)
    assert again.history_ == patient.history_
    assert again.n_estimators_ == patient.n_estimators_
    all_rows = model(
        **{**options, "early_stopping": False, "n_estimators": again.n_estimators_}
    ).fit(X, Y)
    assert_array_equal(particles(again), particles(all_rows))


def test_rows_held_out_by_hand_are_those_of_a_given_validation_set():
    held = np.arange(150) >= 110
    options = {"early_stopping": True, "n_estimators": 30, "learning_rate": 0.5, "refit": False}
    given = model(**options).fit(X[~held], Y[~held], X_val=X[held], y_val=Y[held])
    for rows in (held, np.flatnonzero(held)):
        masked = model(**options).fit(X, Y, validation_rows=rows)
        assert masked.history_ == given.history_
        assert_array_equal(particles(masked), particles(given))


@pytest.mark.parametrize("kind", [list, tuple])
def test_several_sets_are_watched_and_the_first_decides(kind):
    sets = {"X_val": kind([NEW[:30], NEW[30:]]), "y_val": kind([NEW_Y[:30], NEW_Y[30:]])}
    options = {"n_estimators": 30, "learning_rate": 0.5, "eval_metric": "rmse"}
    fitted = model(early_stopping=True, **options).fit(X, Y, **sets)
    first, second = (fitted.history_[name]["rmse"] for name in ("validation", "validation_2"))
    assert len(first) == len(second) == 31
    assert fitted.n_estimators_ == np.argmin(first)
    watched = model(**options).fit(X, Y, **sets)
    assert watched.n_estimators_ == 30
    assert len(watched.history_["validation"]["rmse"]) == 31
    final = metrics.rmse(watched.predict_dist(NEW[:30]), NEW_Y[:30])
    assert_allclose(watched.history_["validation"]["rmse"][-1], final, rtol=1e-6)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (([NEW, NEW], [NEW_Y]), "X_val is a list of 2 sets, y_val of 1; as many of both"),
        (([NEW, NEW], NEW_Y), "X_val is a list of 2 sets, y_val is none; as many"),
        (([], []), "X_val is a list of 0 sets"),
        (((NEW, NEW[:9]), (NEW_Y, NEW_Y)), "set 2 of X_val has 9 rows, y_val has 60"),
        (((NEW, NEW[:, :2]), (NEW_Y, NEW_Y)), "set 2 of X_val, y_val: X has 2 features"),
        ((NEW, NEW_Y * np.nan), "X_val, y_val: y is nan at row 0"),
        (((NEW, NEW_Y), None), "X_val and y_val belong together"),
    ],
)
def test_validation_sets_have_to_belong_together(sets, message):
    with pytest.raises(ValueError, match=message):
        model().fit(X, Y, X_val=sets[0], y_val=sets[1])


@pytest.mark.parametrize("several", [False, True])
def test_weights_of_a_validation_set_count_rows_as_often(several):
    often = np.arange(60) % 3
    again = np.repeat(np.arange(60), often)
    kind = (lambda one, two: [one, two]) if several else lambda one, _: one
    weighted = model(early_stopping=True).fit(
        X, Y, X_val=kind(NEW, X), y_val=kind(NEW_Y, Y), sample_weight_val=kind(often, None)
    )
    repeated = model(early_stopping=True).fit(
        X, Y, X_val=kind(NEW[again], X), y_val=kind(NEW_Y[again], Y)
    )
    for name, expected in repeated.history_.items():
        assert_allclose(weighted.history_[name]["nll"], expected["nll"], rtol=1e-6)


def test_weights_of_a_validation_set_belong_to_it():
    with pytest.raises(ValueError, match="sample_weight_val belongs to X_val and y_val"):
        model().fit(X, Y, sample_weight_val=np.ones(60))
    with pytest.raises(ValueError, match=r"sample weights have shape \(150,\); \(60,\) is needed"):
        model().fit(X, Y, X_val=NEW, y_val=NEW_Y, sample_weight_val=np.ones(150))


def test_rows_of_a_given_set_are_not_trained_on_whatever_refit_says(capsys):
    options = {"early_stopping": True, "verbose": 1}
    both = [
        model(refit=refit, **options).fit(X, Y, X_val=NEW, y_val=NEW_Y) for refit in (True, False)
    ]
    assert_array_equal(particles(both[0]), particles(both[1]))
    assert [one.refitted_ for one in both] == [False, False]
    assert "refit" not in capsys.readouterr().out
    found = model(**options).fit(X, Y)
    assert found.refitted_
    assert found.validation_rows_ is None
    lines = capsys.readouterr().out.splitlines()
    n = found.n_estimators_
    heads = [line.rpartition("  train nll ")[0] for line in lines[10:]]
    assert heads == [f"refit round {i} of {n}" for i in range(1, n + 1)]
    assert all(line.startswith("round ") and "validation nll" in line for line in lines[:10])


def test_a_table_of_lists_is_one_set():
    fitted = model().fit(X, Y, X_val=NEW.tolist(), y_val=NEW_Y.tolist())
    assert list(fitted.history_) == ["validation"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((np.arange(150) < 30).astype(int), "150 indices of 2 rows; a mask has to be of True and"),
        ([3, 4, 3], "3 indices of 2 rows"),
        ([0.5], "validation_rows does not index 150 rows"),
    ],
)
def test_rows_to_hold_out_have_to_be_a_mask_or_indices(rows, message):
    with pytest.raises(ValueError, match=message):
        model().fit(X, Y, validation_rows=rows)


def test_rows_are_held_out_or_given():
    with pytest.raises(ValueError, match="X_val and y_val, or validation_rows: one of the two"):
        model().fit(X, Y, X_val=NEW, y_val=NEW_Y, validation_rows=[1, 2])


@pytest.mark.parametrize(("n", "share"), [(2, 0.2), (3, 0.01), (3, 0.5), (3, 0.99)])
def test_a_few_rows_are_enough_to_hold_one_out(n, share):
    options = {"early_stopping": True, "validation_fraction": share}
    assert np.isfinite(model(**options).fit(X[:n], Y[:n]).predict(NEW)).all()
    options |= {"random_state": 0, "n_jobs": 1, "n_estimators": 3}
    labels = np.array(["ash", "beech", "cedar"])[:n]
    assert set(WGBClassifier(**options).fit(X[:n], labels).predict(NEW)) <= set(labels)


def after(values):
    """A metric of these values: before the first round, after it, and so on."""
    values = iter(values)
    return lambda dist, y: next(values)  # noqa: ARG005


def stopped(*values):
    values = [*values, *[9.0] * 20]
    return model(early_stopping=True, refit=False, eval_metric=after(values)).fit(X, Y)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_a_metric_that_is_never_a_number_is_refused(odd):
    message = f"'<lambda>' is {odd} on 'validation' after round 1 and was never .*Correct the"
    with pytest.raises(ValueError, match=message):
        stopped(odd, odd)
    with pytest.raises(ValueError, match=message):
        model(early_stopping=True, eval_metric=after([odd] * 2)).fit(X, Y, X_val=NEW, y_val=NEW_Y)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_rounds_whose_metric_is_no_number_are_worse_than_any_other(odd):
    with pytest.warns(UserWarning, match="not finite on 'validation' after 2 rounds, first after"):
        assert stopped(5, 4, odd, 3, odd).n_estimators_ == 3
    with pytest.warns(
        UserWarning, match="after 1 rounds, first after round 1; these rounds count as"
    ):
        assert stopped(5, odd).n_estimators_ == 0


def test_a_metric_without_a_value_for_constant_predictions_can_be_watched():
    def decorrelation(dist, y):
        mean = dist.mean()
        return 1 - np.corrcoef(mean, y)[0, 1] if np.ptp(mean) > 0 else np.nan

    fitted = model(early_stopping=True, eval_metric=decorrelation).fit(X, Y)
    assert fitted.n_estimators_ > 0
    assert np.isnan(fitted.history_["validation"]["decorrelation"][0])


@pytest.mark.parametrize("value", [None, "low", 1j])
def test_a_metric_has_to_return_a_number(value):
    with pytest.raises(TypeError, match=r"the metric <lambda> returned .*; a number is needed"):
        stopped(value)


def test_a_metric_that_is_only_shown_may_be_anything():
    fitted = model(eval_metric=after([np.nan] * 11)).fit(X, Y, X_val=NEW, y_val=NEW_Y)
    assert fitted.n_estimators_ == 10


ROWS = np.random.default_rng(5)
EVIDENCE, PRIOR_MEAN = ROWS.uniform(0.3, 3, 150), ROWS.normal(size=150)
WEIGHTS = ROWS.integers(0, 3, 150).astype(float)  # some rows count for nothing


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("init", [START, "flow", LinearRegression()], ids=["given", "flow", "line"])
def test_what_is_given_per_row_goes_with_its_row(init, weighted):
    held = np.arange(150) % 3 == 1
    weight = WEIGHTS if weighted else np.ones(150)
    options = {"early_stopping": True, "init": init, "learning_rate": 0.2}

    def fitted(rows, data=None, **changes):
        per_row = {"evidence": EVIDENCE[rows], "prior": {"mean": PRIOR_MEAN[rows]}}
        one = model(**{**options, **per_row, **changes})
        return one.fit(X[rows], Y[rows], sample_weight=weight[rows], **(data or {}))

    everything, trained = np.arange(150), np.flatnonzero(~held & (weight > 0))
    watched = np.flatnonzero(held & (weight > 0))
    found = fitted(everything, {"validation_rows": held}, refit=False)
    by_hand = fitted(
        trained, {"X_val": X[watched], "y_val": Y[watched]}, early_stopping=False,
        n_estimators=found.n_estimators_,
    )  # fmt: skip
    assert found.n_estimators_ > 1
    assert_allclose(particles(found), particles(by_hand), rtol=1e-4, atol=1e-4)
    if not weighted:
        assert_allclose(
            found.history_["validation"]["nll"][: found.n_estimators_ + 1],
            by_hand.history_["validation"]["nll"], rtol=1e-4,
        )  # fmt: skip
    refitted = fitted(everything, {"validation_rows": held})
    whole = fitted(everything, early_stopping=False, n_estimators=found.n_estimators_)
    assert_array_equal(particles(refitted), particles(whole))
    counted = fitted(np.flatnonzero(weight), early_stopping=False, n_estimators=found.n_estimators_)
    assert_allclose(particles(whole), particles(counted), rtol=1e-4, atol=1e-4)
