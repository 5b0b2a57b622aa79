"""Messages show numbers of NumPy as the numbers they are."""

import numpy as np
import pytest

from wgboost import MMD, Gamma, Mixture, Normal, StudentT, censored, metrics
from wgboost.responses import Units, as_response
from wgboost.targets import LogDensity

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
