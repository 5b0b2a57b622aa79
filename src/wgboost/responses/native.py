"""Posteriors that the compiled core evaluates, in float32 and on several threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost import _core
from wgboost.responses.coordinate_priors import Parameter
from wgboost.typing import Array

__all__ = ["categorical_posterior", "normal_posterior"]


def _numbers(values: tuple[Parameter, ...]) -> tuple[Array, ...]:
    """Return each as contiguous float32: one number for all rows, or one per row."""
    return tuple(np.ascontiguousarray(np.atleast_1d(value), dtype=np.float32) for value in values)


def _evaluate(
    function: Any, theta: Array, y: Array, numbers: tuple[Parameter, ...], n_threads: int
) -> tuple[Array, Array]:
    theta = np.ascontiguousarray(theta)
    score, curvature = np.empty_like(theta), np.empty_like(theta)
    function(theta, y, *_numbers(numbers), score, curvature, n_threads)
    return score, curvature


def normal_posterior(
    theta: Array, y: Array, numbers: tuple[Parameter, ...], n_threads: int
) -> tuple[Array, Array]:
    """Return score and curvature; numbers are prior mean, scale, shape, rate, and evidence."""
    y = np.ascontiguousarray(y, dtype=np.float32)
    return _evaluate(_core.normal_posterior, theta, y, numbers, n_threads)


def categorical_posterior(
    theta: Array, y: Array, numbers: tuple[Parameter, ...], n_threads: int
) -> tuple[Array, Array]:
    """Return score and curvature; numbers are prior mean, scale, and evidence."""
    y = np.ascontiguousarray(y, dtype=np.int32)
    return _evaluate(_core.categorical_posterior, theta, y, numbers, n_threads)
