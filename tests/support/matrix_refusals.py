"""What objects of the matrix predict, and which places refuse them with which words."""

import re

import pytest

from matrix_objects import CLASSES

OF_MODELS = "use one of the fitted models in estimators_"
PARTICLES = "its predictions are particles"


def predictions(model, X, row_params=None):
    """What an object predicts, whatever its kind."""
    row_params = row_params or {}
    if hasattr(model, "predict_dist"):
        return model.predict_dist(X, **row_params).theta()
    if hasattr(model, "predict_particles"):
        return model.predict_particles(X)
    if hasattr(model, "predict_set"):
        return model.predict_proba(X)
    return model.predict_interval(X, 0.5, **row_params)


NEED_ORDER = {"pit", "coverage"}
NEED_KNOWN = {*NEED_ORDER, "uncertainty"}
OF_DISTRIBUTIONS = {
    "report", "predictive", "along", "density", "calibration", "pit", "coverage", "uncertainty",
    "dependence", "given_rows", "staged_dist", "band", "table",
}  # fmt: skip


def refusal(family, data, place):
    """Return words of the error, if a place refuses an object; else None."""
    if family.startswith("conformal"):
        return OF_MODELS
    if family == "general":
        if place in OF_DISTRIBUTIONS:
            return PARTICLES
        if place == "calibrate":
            return "WGBRegressor and WGBClassifier can be calibrated"
        if place in ("calibrate_ood", "ood_pvalue"):
            return "wgboost.OODReference"
    if place in NEED_ORDER and data in CLASSES:
        return "for classes: CalibrationDisplay"
    if place in NEED_KNOWN and data == "censored":
        return "CalibrationDisplay takes bounds"
    if place == "history" and family in ("one", "general"):
        return "give X and y here, or fit with early_stopping=True"
    return None


def works_or_says(words, action):
    """Return what an action returns; if it is refused, check the words and return None."""
    if words is None:
        return action()
    with pytest.raises((TypeError, ValueError, AttributeError), match=re.escape(words)) as caught:
        action()
    assert "\n" not in str(caught.value)
    return None
