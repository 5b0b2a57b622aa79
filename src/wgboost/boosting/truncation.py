"""Curvature of truncated rows by the information of each coordinate.

A low location with a large scale is nearly as likely for rows that lack their lower part as a high
location with a small scale. Left to themselves, such rows shrink their scale to what was seen and
keep their location there. The location is well known once the scale is, so it moves by its
information at a given scale; the scale moves by what is known of it without the location, and is
otherwise the common one of `MeanStep`.
"""

from __future__ import annotations

import numpy as np

from wgboost.responses import Response
from wgboost.responses.observations import Observations
from wgboost.typing import Array

__all__ = ["curvature_factors"]

_RIDGE = 1e-3  # of a known y's information, so that the matrix has an inverse
_LEAST = 0.01  # share of the information that is taken to be left


def curvature_factors(response: Response, y: Observations, centre: Array) -> Array:
    """Return factors (n, d) for the curvatures of truncated rows at parameters (n, d).

    They make the curvature of a known y that of a truncated one, and that of coordinates which say
    how wide y spreads larger, by the share of information that is left if the others are unknown.
    Rows without truncation have 1.
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
