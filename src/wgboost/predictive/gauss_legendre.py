"""Gauss-Legendre panels of ten nodes, with matrices for integrals and derivatives."""

from __future__ import annotations

import numpy as np

__all__ = ["AT_END", "AT_START", "DIFFERENTIATE", "INTEGRATE", "MATCH", "N", "T", "W"]

N = 10
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(N)
T, W = (_NODES + 1) / 2, _WEIGHTS / 2
"""Nodes and weights, in units of the length of the panel."""
_BASIS = np.linalg.inv(np.polynomial.legendre.legvander(_NODES, N - 1))  # values to coefficients
INTEGRATE = (
    np.polynomial.legendre.legval(_NODES, np.polynomial.legendre.legint(_BASIS, lbnd=-1)).T / 2
)
"""(node, value): integral from the start of the panel, in units of its length."""
DIFFERENTIATE = 2 * np.polynomial.legendre.legval(_NODES, np.polynomial.legendre.legder(_BASIS)).T
"""(node, value): derivative, in units of the length of the panel."""
AT_START, AT_END = np.polynomial.legendre.legval(np.array([-1.0, 1.0]), _BASIS).T
"""(value,): values at both ends."""
MATCH = 2e-9
"""Largest distance of an integrated total probability from 1."""
