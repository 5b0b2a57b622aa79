"""The description of a metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from wgboost.responses import Response
from wgboost.responses.censoring import is_censored
from wgboost.validation import accepts_sample_weight, check_choice, format_value

__all__ = ["KINDS_OF_Y", "KindOfY", "Metric", "OneMinus", "Reduction", "SummaryLine", "kind_of_y"]

KindOfY = Literal["numbers", "columns", "classes", "bounds"]
Reduction = Literal["mean", "root_mean_square"]

KINDS_OF_Y: dict[KindOfY, str] = {
    "numbers": "numbers",
    "columns": "columns",
    "classes": "classes",
    "bounds": "bounds",
}
"""The kinds of y that metrics are for, with their names in tables."""


def kind_of_y(response: Response, y: Any = None) -> KindOfY:
    """Return the kind of y that a response is for.

    Without y the observations are taken to be known exactly, not `censored`.
    """
    if is_censored(y):
        return "bounds"
    if response.nominal:
        return "classes"
    return "columns" if response.y_shape else "numbers"


@dataclass(frozen=True)
class SummaryLine:
    """Describe one line of a metric in summaries and reports.

    Parameters
    ----------
    label : str
        The name in the table.
    note : str
        How to read the value.
    kinds : tuple of str
        Kinds of y whose summary has this line.
    settings : mapping of str to float, default={}
        Further arguments of the metric, such as a confidence.

    Examples
    --------
    >>> SummaryLine("Coverage of 50%", "best near 0.5", ("numbers",), {"confidence": 0.5}).label
    'Coverage of 50%'
    """

    label: str
    note: str
    kinds: tuple[KindOfY, ...]
    settings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class OneMinus:
    """A function that returns one minus the value of a metric whose best value is 1."""

    function: Callable[..., Any]

    def __call__(self, dist: Any, y: Any, *, sample_weight: Any = None) -> float:
        """Return one minus the metric; weights are passed on if the metric takes them."""
        if sample_weight is None or not accepts_sample_weight(self.function):
            return 1 - float(self.function(dist, y))
        return 1 - float(self.function(dist, y, sample_weight=sample_weight))


@dataclass(frozen=True)
class Metric:
    """Describe a metric of predictive distributions.

    Early stopping, scorers, summaries, reports, the command line and fits on a cluster read these
    fields. `METRICS` has the metrics of this package by name. A metric of your own can be given as
    `eval_metric` and to `get_scorer`, or be registered: ``METRICS[name] = Metric(name, ...)``.

    Parameters
    ----------
    name : str
        The name of the metric.
    function : callable
        A function of (dist, y) that returns a number. It may take `sample_weight`. For models of
        distributions it is a function of (particles, y).
    greater_is_better : bool, default=False
        Whether a larger value is better.
    kinds : tuple of str, default=all kinds
        The kinds of y that the metric is for: "numbers", "columns", "classes" and "bounds".
    reduction : {"mean", "root_mean_square"} or None, default="mean"
        How the values of several workers are combined: by their weighted mean, or by the root of
        the weighted mean of their squares. None is for metrics that compare rows with each other
        and cannot be combined.
    loss : callable, optional
        The function that early stopping minimises instead. By default it is the function
        itself, or one minus the function if larger is better. Scorers return minus this loss
        unless `greater_is_better`.
    loss_name : str, optional
        The name of the loss in `history_`. By default it is the name of the metric, or
        "one_minus_NAME" if larger is better.
    early_stopping : bool, default=True
        Whether early stopping can use the metric by its name.
    summary : tuple of SummaryLine, default=()
        The lines of the metric in summaries and reports.
    description : str, default=""
        The meaning of the metric, for the table in the documentation.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import Mixture, Normal, metrics
    >>> def largest_error(dist, y):
    ...     return np.abs(dist.mean() - y).max()
    >>> metric = metrics.Metric("largest_error", largest_error, kinds=("numbers",), reduction=None)
    >>> metric(Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]]), np.array([1.0, 3.0]))
    2.0
    >>> metrics.METRICS["accuracy"].greater_is_better
    True
    """

    name: str
    function: Callable[..., Any]
    greater_is_better: bool = False
    kinds: tuple[KindOfY, ...] = tuple(KINDS_OF_Y)
    reduction: Reduction | None = "mean"
    loss: Callable[..., Any] | None = None
    loss_name: str | None = None
    early_stopping: bool = True
    summary: tuple[SummaryLine, ...] = ()
    description: str = ""

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(
                f"function={format_value(self.function)} must be a function of (dist, y)"
            )
        for kind in self.kinds:
            check_choice("kinds", kind, KINDS_OF_Y)
        if self.reduction is not None:
            check_choice("reduction", self.reduction, ("mean", "root_mean_square"))

    def __call__(self, predicted: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the value of the metric; weights are passed on if the function takes them."""
        if sample_weight is not None and accepts_sample_weight(self.function):
            value = self.function(predicted, y, sample_weight=sample_weight)
        else:
            value = self.function(predicted, y)
        if np.ndim(value) != 0:
            raise ValueError(
                f"the metric {self.name} returned shape {np.shape(value)}, not a number"
            )
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"the metric {self.name} returned {format_value(value)}; a number is needed, "
                "smaller is better"
            ) from error

    def as_loss(self) -> Metric:
        """Return the metric that early stopping minimises in place of this one.

        Returns
        -------
        Metric
            This metric if smaller is better; otherwise its loss.

        Examples
        --------
        >>> from wgboost import metrics
        >>> metrics.METRICS["auc"].as_loss().name
        'one_minus_auc'
        """
        if self.loss is None and not self.greater_is_better:
            return self
        name = self.loss_name or (f"one_minus_{self.name}" if self.greater_is_better else self.name)
        loss = self.loss or OneMinus(self.function)
        return replace(
            self, name=name, function=loss, greater_is_better=False, loss=None, loss_name=None
        )
