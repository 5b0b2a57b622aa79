"""Curvature of truncated rows by the information of each coordinate.

If rows lack their lower part, a low location with a large scale is nearly as likely as a high
location with a small scale. Separate Newton steps would shrink the scale of such rows to that of
the observed values, and keep their location there. So the location moves by its information at a
given scale, and the scale by its information at an unknown location; the rest of the scale is the
common one of `MeanStep`.
"""

from __future__ import annotations

import numpy as np

from wgboost.responses import Response
from wgboost.responses.observations import Observations
from wgboost.typing import Array

__all__ = ["curvature_factors"]

_RIDGE = 1e-3  # relative to the information of a known y, so that the matrix is invertible
_LEAST = 0.01  # smallest share of the information


def curvature_factors(response: Response, y: Observations, centre: Array) -> Array:
    """Return factors (n, d) for the curvatures of truncated rows at parameters (n, d).

    They turn the curvature of a known y into that of a truncated one. Coordinates of the dispersion
    get a larger curvature, by the share of their information that is left if the other coordinates
    are unknown. Rows without truncation have 1.
    """
    theta = np.asarray(centre, dtype=np.float64)
    factors = np.ones(theta.shape)
    cut = y.cut
    if not cut.any():
        return factors
    rows, theta = y[cut], theta[cut]
    known = response.likelihood_fisher(theta)
    unit = np.sqrt(np.maximum(known, np.finfo(float).tiny))
    with np.errstate(all="ignore"):
        left = rows.information(response, theta) / (unit[:, :, None] * unit[:, None, :])
    left = np.where(np.isfinite(left).all(axis=(1, 2), keepdims=True), left, 0.0)
    left = left + _RIDGE * np.eye(theta.shape[1])
    given_others = np.clip(np.einsum("njj->nj", left), _LEAST, 1)
    alone = np.clip(1 / np.einsum("njj->nj", np.linalg.inv(left)), _LEAST, 1)
    dispersion = np.isin(np.arange(theta.shape[1]), list(response.dispersion))
    factors[cut] = np.where(dispersion, 1 / alone, given_others)
    return factors
