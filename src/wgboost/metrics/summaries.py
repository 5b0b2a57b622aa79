"""The metrics that a person looks at first, chosen by what y is."""

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
    """One line of a table of metrics: the name, the value, and how to read it."""

    name: str
    value: float
    note: str

    @property
    def text(self) -> str:
        """The value as tables show it."""
        return format_number(self.value)


def format_number(value: float) -> str:
    """Return a number with four digits, or all of those before its point: 14538, not 1.454e+04.

    Examples
    --------
    >>> format_number(14537.6), format_number(0.123456), format_number(2.5e12)
    ('14538', '0.1235', '2.5e+12')
    """
    if 1e4 <= abs(value) < 1e9:
        return f"{value:.0f}"
    return f"{value:.4g}"


def summary(dist: Mixture, y: Any, *, sample_weight: Any = None) -> list[Summary]:
    """Return the main metrics of predictive distributions, chosen by what y is.

    Parameters
    ----------
    dist, y
        As the metrics take them: y may be `censored`, or have several columns.
    sample_weight
        Weights (n,) of the rows.
    """
    kind = kind_of_y(dist.response, y)
    found = []
    for metric in METRICS.values():
        for line in metric.summary:
            if kind in line.kinds:
                value = Metric(metric.name, partial(metric.function, **line.settings))
                found.append(Summary(line.label, value(dist, y, sample_weight), line.note))
    return found
