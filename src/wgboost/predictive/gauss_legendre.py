"""Gauss-Legendre panels: values at ten nodes, with their integrals and derivatives."""

from __future__ import annotations

import numpy as np

__all__ = ["AT_END", "AT_START", "DIFFERENTIATE", "INTEGRATE", "MATCH", "N", "T", "W"]

N = 10
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(N)
T, W = (_NODES + 1) / 2, _WEIGHTS / 2
"""Nodes and weights in units of the panel's length."""
_BASIS = np.linalg.inv(np.polynomial.legendre.legvander(_NODES, N - 1))  # values to coefficients
INTEGRATE = (
    np.polynomial.legendre.legval(_NODES, np.polynomial.legendre.legint(_BASIS, lbnd=-1)).T / 2
)
"""(node, value): the integral from the panel's start, in units of its length."""
DIFFERENTIATE = 2 * np.polynomial.legendre.legval(_NODES, np.polynomial.legendre.legder(_BASIS)).T
"""(node, value): the derivative, in units of the panel's length."""
AT_START, AT_END = np.polynomial.legendre.legval(np.array([-1.0, 1.0]), _BASIS).T
"""(value,): the values at both ends."""
MATCH = 2e-9
"""By how much probabilities that are integrated may miss 1."""
