"""Messages show numbers of NumPy as the numbers they are."""

import numpy as np
import pytest

from wgboost import MMD, Gamma, Mixture, Normal, StudentT, WGBRegressor, censored, metrics
from wgboost.responses import Units, as_response
from wgboost.targets import LogDensity

rng = np.random.default_rng(0)
X = rng.uniform(size=(30, 2))
COUNTS = rng.poisson(3, size=30)
DIST = Mixture(Normal(), np.zeros((2, 3, 2)))
NAN, LOW, ONE = np.float64("nan"), np.float64(-1), np.float32(1.5)
SAMPLES = np.zeros((2, 3, 1))

CALLS = {
    "bounds": (
        lambda: censored(np.array([2.0]), 1.0),
        "{'lower': 2.0, 'upper': 1.0, 'above': -inf",
    ),
    "support of bounds": (lambda: Gamma().check(censored(-2.0, -1.0)), "between -2 and -1"),
    "support": (lambda: Gamma().check(np.array([-1.5])), "y is -1.5 at row 0"),
    "prior": (lambda: Normal(prior_scale=LOW), "prior_scale=-1.0;"),
    "prior of a row": (lambda: Normal(prior_scale=[1, LOW]), "prior_scale is -1 at row 1"),
    "units": (lambda: Units(NAN, ONE), "shift=nan must be finite and scale=1.5"),
    "degrees": (lambda: StudentT(df=LOW), "df=-1.0 must be > 0"),
    "classes": (lambda: as_response("ordinal", n_classes=ONE), "n_classes=1.5 must be an integer"),
    "parameters": (lambda: LogDensity(np.sum, n_params=ONE), "n_params=1.5 must be an integer"),
    "direction": (lambda: MMD(bandwidth=LOW), "bandwidth=-1.0 must be > 0"),
    "mmd": (lambda: metrics.mmd(SAMPLES, SAMPLES, bandwidth=LOW), "bandwidth=-1.0 must be > 0"),
    "confidence": (lambda: DIST.interval(np.float64(2)), "confidence=2.0 must be between"),
    "weights": (
        lambda: Mixture(Normal(), DIST.particles, weights=np.full((2, 3), LOW)),
        "weight -1.0 of",
    ),
    "outcome": (lambda: metrics.nll(DIST, np.array([0.0, NAN])), "y is nan at row 1"),
}


@pytest.mark.parametrize("name", CALLS)
def test_numbers_are_shown_plainly(name):
    call, text = CALLS[name]
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert text in str(caught.value)
    assert "np." not in str(caught.value)


def counting():
    return WGBRegressor(response="poisson", n_estimators=2, n_jobs=1)


INPUTS = {
    "short exposure": (
        lambda: counting().fit(X, COUNTS, exposure=np.ones(29)),
        r"exposure has shape \(29,\); a number or \(30,\) is needed",
    ),
    "exposure to predict": (
        lambda: counting().fit(X, COUNTS).predict(X, exposure=np.ones((30, 2))),
        r"exposure has shape \(30, 2\); a number or \(30,\)",
    ),
    "exposure to watch": (
        lambda: counting().fit(X, COUNTS, X_val=X, y_val=COUNTS, exposure_val=np.ones(3)),
        r"X_val, y_val: exposure has shape \(3,\)",
    ),
    "short offset": (lambda: counting().fit(X, COUNTS, offset=[1]), r"offset has shape \(1,\)"),
    "text": (
        lambda: counting().fit(X, COUNTS, exposure=["long"] * 30),
        "exposure has values that are not numbers: .*'long'",
    ),
    "dicts": (
        lambda: counting().fit([{"a": 1, "b": 2}] * 30, COUNTS),
        r"X is a list of dicts; a frame has names of columns: pandas.DataFrame\(X\)",
    ),
    "dict": (lambda: counting().fit({"a": X[:, 0]}, COUNTS), r"X is a dict; a frame has names"),
    "dicts to predict": (
        lambda: counting().fit(X, COUNTS).predict([{"a": 1}]),
        "X is a list of dicts",
    ),
    "metric": (
        lambda: WGBRegressor(eval_metric="concordanse").fit(X, COUNTS),
        "'concordance'.*did you mean 'concordance'",
    ),
    "metric of numbers": (
        lambda: WGBRegressor(eval_metric="brier").fit(X, COUNTS),
        "'normal'='brier' must be one of .*'concordance'",
    ),
}


@pytest.mark.parametrize("name", INPUTS)
def test_messages_name_what_was_given(name):
    call, text = INPUTS[name]
    with pytest.raises((TypeError, ValueError), match=text):
        call()
