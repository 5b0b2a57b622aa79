"""The main metrics for each kind of y."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from wgboost.metrics.metric import Metric, kind_of_y
from wgboost.metrics.registry import METRICS
from wgboost.predictive import Mixture

__all__ = ["Summary", "format_number", "summary"]


@dataclass(frozen=True)
class Summary:
    """Hold one line of a summary: a metric, its value and how to read it.

    Parameters
    ----------
    name : str
        The label of the metric.
    value : float
        The value.
    note : str
        How to read the value.

    Examples
    --------
    >>> Summary("RMSE", 0.123456, "error of the mean").text
    '0.1235'
    """

    name: str
    value: float
    note: str

    @property
    def text(self) -> str:
        """The value as tables show it."""
        return format_number(self.value)


def format_number(value: float) -> str:
    """Return a number with four digits, or with all of those before its point."""
    if 1e4 <= abs(value) < 1e9:
        return f"{value:.0f}"
    return f"{value:.4g}"


def summary(dist: Mixture, y: Any, *, sample_weight: Any = None) -> list[Summary]:
    """Compute the main metrics for the kind of y.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,) or (n, q)
        The observations, which may be `censored`, classes or several columns.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    list of Summary
        The lines of `METRICS` for this kind of y, in their order.

    Examples
    --------
    >>> from wgboost import Categorical, Mixture, metrics
    >>> dist = Mixture(Categorical(), [[[2.0]], [[-1.0]]])
    >>> [line.name for line in metrics.summary(dist, [0, 1])]
    ['Log loss', 'Brier score', 'Accuracy', 'Calibration error']
    """
    kind = kind_of_y(dist.response, y)
    found = []
    for metric in METRICS.values():
        for line in metric.summary:
            if kind in line.kinds:
                value = Metric(metric.name, partial(metric.function, **line.settings))
                found.append(Summary(line.label, value(dist, y, sample_weight), line.note))
    return found
