"""Smooth starts: Gaussian processes, exact or by a Nyström approximation."""

from wgboost.smooth.settings import SmoothStart

__all__ = ["SmoothStart"]
