"""A smooth start: from the rows of a fit to the rows that a smooth model sees, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from wgboost.boosting.start import GPStart, Start
from wgboost.data.fingerprint import fingerprint
from wgboost.responses import RESPONSES, Units
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.responses.observations import Observations, standardise
from wgboost.smooth import SmoothStart
from wgboost.smooth.gp_model import GPData, GPModel, fit_gp
from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.training.posterior_data import PosteriorData

__all__ = ["check_smooth", "data_identity", "gp_data", "left_out", "smooth_shift"]


# Location and scale at the training rows of Gaussian processes that are in use. Computing them
# takes as long as a fit.
_KNOWN: WeakKeyDictionary[GPModel, LocationScaleShift] = WeakKeyDictionary()


def check_smooth(data: PosteriorData) -> None:
    """Raise ValueError unless the response has a location and a scale and y is known."""
    if data.can_start_smooth:
        return
    response = data.response
    if response.log_scale is None or response.offset_link is None:
        able = [n for n, kind in RESPONSES.items() if kind.log_scale is not None]
        raise ValueError(
            f"init={'smooth'!r} needs a response with a location and a scale, which "
            f"{response.name!r} does not have; WGBRegressor has such: "
            f'{", ".join(map(repr, able))}; others start at "flow"'
        )
    raise ValueError(
        "init='smooth' needs known values of y, not bounds; start at \"flow\" or at an estimator"
    )


def smooth_shift(
    settings: SmoothStart,
    data: PosteriorData,
    units: Units,
    n_levels: Array,
    rng: np.random.Generator,
    like: Start | None,
) -> tuple[GPModel, LocationScaleShift] | None:
    """Return a Gaussian process, and what it is at its training rows when they are left out.

    None if y is predicted as well by a constant. Raises ValueError unless the response has a
    location and a scale and y is known.
    """
    counted, identity = data.counted, data_identity(data)
    if isinstance(like, GPStart) and like.data == identity:
        shift = _KNOWN.get(like.gp)
        if shift is None:
            shift = like.gp.leave_one_out(gp_data(data, units))
        return like.gp, _of_all_rows(like.gp, shift, data, counted)
    known = like.gp if isinstance(like, GPStart) else None
    found = fit_gp(settings, gp_data(data, units), n_levels, rng, known)
    if found is None:
        return None
    gp, shift = found
    _KNOWN[gp] = shift
    return gp, _of_all_rows(gp, shift, data, counted)


def left_out(start: Start, data: PosteriorData, units: Units) -> LocationScaleShift | None:
    """Return what a start is at its own training rows when each of them is left out.

    None if it has no Gaussian process. Raises ValueError if the rows are others.
    """
    if not isinstance(start, GPStart):
        return None
    if data_identity(data) != start.data:
        raise ValueError(
            'with init="smooth" warm_start cannot go on with other rows than those of the first '
            "fit: what the smooth start leaves of them is not known; keep X, y and weights, or fit "
            "anew with warm_start=False"
        )
    shift = start.gp.leave_one_out(gp_data(data, units))
    return _of_all_rows(start.gp, shift, data, data.counted)


def data_identity(data: PosteriorData) -> str:
    """Return what the rows are known by that a Gaussian process is fitted to."""
    said = data.evidence if np.ndim(data.evidence) and not data.sought else None
    return fingerprint(data.X, data.y, data.weight, data.offset, data.noise, said)


def _of_all_rows(
    gp: GPModel, shift: LocationScaleShift, data: PosteriorData, counted: Array
) -> LocationScaleShift:
    """Fill in the rows of weight zero, which are new to the Gaussian process."""
    if len(counted) == len(data):
        return shift
    others = gp.at(data.X)
    others.location[counted], others.log_scale[counted] = shift.location, shift.log_scale
    return others


def gp_data(data: PosteriorData, units: Units, *, merge: bool = True) -> GPData:
    """Return the rows that count, with the y that moves with the location of the response.

    Copies are merged, or kept as they are.
    """
    response, counted = data.response, data.counted
    check_smooth(data)
    observed: Any = standardise(data.observed, units)
    noise = None
    if isinstance(observed, Observations):
        observed, noise = observed.lower, observed.noise
    y, weight = observed[counted], None if data.weight is None else data.weight[counted]
    noise = None if noise is None else noise[counted]
    if response.offset_link == "log":
        noise = None if noise is None else noise / y
        y = np.log(y)
    if np.ndim(data.evidence) and not data.sought:
        evidence = data.evidence[counted]
        weight = evidence if weight is None else weight * evidence
    return GPData.of(data.X[counted], y, weight, noise, merge=merge)
