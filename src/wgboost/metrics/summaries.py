"""The metrics that a person looks at first, chosen by what y is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from wgboost.metrics.calibration import calibration_error
from wgboost.metrics.intervals import coverage, interval_score, interval_width
from wgboost.metrics.ordering import concordance
from wgboost.metrics.scores import accuracy, brier, crps, energy_score, log_loss, nll, rmse
from wgboost.predictive import Mixture
from wgboost.responses import is_censored

__all__ = ["Summary", "readable", "summary"]


@dataclass(frozen=True)
class Summary:
    """One line of a table of metrics: the name, the value, and how to read it."""

    name: str
    value: float
    note: str

    @property
    def text(self) -> str:
        """The value as tables show it."""
        return readable(self.value)


def readable(value: float) -> str:
    """Return a number with four digits, or all of those before its point: 14538, not 1.454e+04.

    Examples
    --------
    >>> readable(14537.6), readable(0.123456), readable(2.5e12)
    ('14538', '0.1235', '2.5e+12')
    """
    if 1e4 <= abs(value) < 1e9:
        return f"{value:.0f}"
    return f"{value:.4g}"


_Line = tuple[str, Callable[..., float], str]

_NUMBERS: list[_Line] = [
    ("NLL", nll, "negative log likelihood, nats per row; smaller is better"),
    ("CRPS", crps, "in units of y; smaller is better"),
    ("RMSE", rmse, "error of the mean, in units of y"),
    ("Coverage of 50%", partial(coverage, confidence=0.5), "share of rows; best near 0.5"),
    ("Coverage of 90%", partial(coverage, confidence=0.9), "share of rows; best near 0.9"),
    ("Width of 90%", partial(interval_width, confidence=0.9), "mean width, in units of y"),
    ("Interval score of 90%", interval_score, "width and misses; smaller is better"),
    ("Calibration error", calibration_error, "0 is best"),
]
_CLASSES: list[_Line] = [
    ("Log loss", log_loss, "nats per row; smaller is better"),
    ("Brier score", brier, "0 to 2; smaller is better"),
    ("Accuracy", accuracy, "share of rows; larger is better"),
    ("Calibration error", calibration_error, "0 is best"),
]
_BOUNDS: list[_Line] = [
    ("NLL", nll, "of what was seen, nats per row; smaller is better"),
    ("Concordance", concordance, "1 is perfect, 0.5 is chance"),
    ("Calibration error", calibration_error, "0 is best"),
]
_COLUMNS: list[_Line] = [
    ("NLL", nll, "of all columns together, nats per row; smaller is better"),
    ("Energy score", energy_score, "the CRPS of all columns; smaller is better"),
    ("RMSE", rmse, "error of the means, each column in its own unit"),
]


def summary(dist: Mixture, y: Any, *, sample_weight: Any = None) -> list[Summary]:
    """Return the main metrics of predictive distributions, chosen by what y is.

    Parameters
    ----------
    dist, y
        As the metrics take them: y may be `censored`, or have several columns.
    sample_weight
        Weights (n,) of the rows.
    """
    chosen = _NUMBERS
    if is_censored(y):
        chosen = _BOUNDS
    elif dist.response.nominal:
        chosen = _CLASSES
    elif dist.response.y_shape:
        chosen = _COLUMNS
    return [
        Summary(name, function(dist, y, sample_weight=sample_weight), note)
        for name, function, note in chosen
    ]
