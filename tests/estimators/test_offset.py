"""A known part of the location that a model does not have to learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from wgboost import WGBClassifier, WGBRegressor, metrics

RNG = np.random.default_rng(5)
X = RNG.uniform(-1, 1, size=(300, 3))
OFFSET = 1e3 * RNG.normal(size=300)
PLAIN = np.sin(3 * X[:, 0]) + 0.2 * RNG.normal(size=300)
Y = PLAIN + OFFSET


def model(**options):
    return WGBRegressor(**{"n_estimators": 40, "random_state": 0, "n_jobs": 1, **options})


@pytest.mark.parametrize("options", [{}, {"init": Ridge()}, {"subsample": 0.5}])
def test_an_offset_is_taken_off_y_and_added_to_the_location(options):
    ours = model(**options).fit(X, Y, offset=OFFSET)
    plain = model(**options).fit(X, PLAIN)
    assert_allclose(ours.predict(X), plain.predict(X), atol=1e-5)
    assert_allclose(ours.predict(X, offset=OFFSET), plain.predict(X) + OFFSET, atol=1e-5)
    assert_allclose(ours.score(X, Y, offset=OFFSET), 1, atol=1e-3)
    shifted = ours.predict_dist(X, offset=OFFSET)
    assert_allclose(metrics.nll(shifted, Y), metrics.nll(plain.predict_dist(X), PLAIN), atol=1e-5)
    assert_allclose(shifted.epistemic(), plain.predict_dist(X).epistemic(), rtol=1e-4)


def test_every_prediction_takes_the_offset():
    ours = model().fit(X, Y, offset=OFFSET)
    at = {"offset": 7.0}
    for name in ("predict", "predict_quantiles", "predict_interval"):
        predict = getattr(ours, name)
        assert_allclose(predict(X, **at), predict(X) + 7, atol=1e-4)
    assert_allclose(
        ours.predict_particles(X, **at)["mean"], ours.predict_particles(X)["mean"] + 7, atol=1e-4
    )
    draws = [ours.sample(X, 3, random_state=0, offset=value) for value in (0.0, 7.0)]
    assert_allclose(draws[1], draws[0] + 7, atol=1e-4)
    staged = zip(ours.staged_predict(X, **at), ours.staged_predict(X), strict=True)
    for one, other in staged:
        assert_allclose(one, other + 7, atol=1e-4)
    loss = lambda a, theta: np.square(a - theta["mean"])  # noqa: E731
    assert_allclose(ours.decide(X[:5], loss, **at), ours.decide(X[:5], loss) + 7, atol=1e-2)
    uncertainty = ours.predict_uncertainty(X, **at)["aleatoric"]
    assert_allclose(uncertainty, ours.predict_uncertainty(X)["aleatoric"], rtol=1e-4)


def test_validation_rows_keep_their_offset():
    rows = np.arange(300) >= 200
    ours = model(refit=False).fit(X, Y, offset=OFFSET, validation_rows=rows)
    plain = model(refit=False).fit(X, PLAIN, validation_rows=rows)
    watched = ours.history_["validation"]["nll"]
    assert_allclose(watched, plain.history_["validation"]["nll"], atol=1e-3)
    given = model(n_estimators=ours.n_estimators_).fit(
        X[~rows], Y[~rows], offset=OFFSET[~rows], X_val=X[rows], y_val=Y[rows],
        offset_val=OFFSET[rows],
    )  # fmt: skip
    assert_allclose(given.history_["validation"]["nll"], watched[: ours.n_estimators_ + 1])
    several = model().fit(
        X, Y, offset=OFFSET, X_val=[X, X], y_val=[Y, PLAIN], offset_val=[OFFSET, None]
    )
    first, second = several.history_.values()
    assert_allclose(first["nll"], second["nll"], atol=1e-3)


WRONG = [
    ({"offset": OFFSET[:3]}, r"offset has shape \(3,\); a number or \(300,\) is needed"),
    ({"offset": np.where(np.arange(300) == 4, np.nan, 0)}, "offset is not finite at row 4"),
    ({"offset_val": OFFSET}, "offset_val belongs to X_val and y_val"),
    (
        {"X_val": [X], "y_val": [Y], "offset_val": [0, 0]},
        "X_val is a list of 1 sets, offset_val of 2",
    ),
    ({"X_val": X, "y_val": Y, "offset_val": OFFSET[:3]}, "X_val, y_val: offset has shape"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_offsets_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        model().fit(X, Y, **options)


def test_classes_take_no_offset():
    with pytest.raises(ValueError, match="the response 'categorical' takes no offset"):
        WGBClassifier(n_estimators=1).fit(X, X[:, 0] > 0, offset=OFFSET)
