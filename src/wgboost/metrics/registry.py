"""The metrics of this package by name, one row for each.

A new metric is a function in a file of this package and a row in `METRICS`. Early stopping,
scorers, summaries, reports, the command line, fits on a cluster and the table in
``docs/metrics.md`` read the row.
"""

from __future__ import annotations

from typing import Any

from wgboost.metrics import calibration, intervals, point_scores, rank, scores
from wgboost.metrics.metric import KindOfY, Metric, SummaryLine, kind_of_y
from wgboost.responses import Response
from wgboost.validation import check_choice

__all__ = ["METRICS", "as_metric", "early_stopping_metrics", "find_metric"]

_NUMBERS: tuple[KindOfY, ...] = ("numbers",)
_COLUMNS: tuple[KindOfY, ...] = ("columns",)
_CLASSES: tuple[KindOfY, ...] = ("classes",)
_BOUNDS: tuple[KindOfY, ...] = ("bounds",)
_Line = SummaryLine

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "nll", scores.nll,
            summary=(
                _Line("NLL", "negative log likelihood, nats per row; smaller is better", _NUMBERS),
                _Line("NLL", "of the observed bounds, nats per row; smaller is better", _BOUNDS),
                _Line(
                    "NLL", "of all columns together, nats per row; smaller is better", _COLUMNS
                ),
            ),
            description="negative log likelihood per row; the one to choose models by",
        ),
        Metric(
            "crps", scores.crps, kinds=_NUMBERS,
            summary=(_Line("CRPS", "in units of y; smaller is better", _NUMBERS),),
            description="in units of y; less sensitive to a single miss than the NLL",
        ),
        Metric(
            "energy_score", scores.energy_score, kinds=_COLUMNS,
            summary=(
                _Line("Energy score", "the CRPS of all columns; smaller is better", _COLUMNS),
            ),
            description="the CRPS of all columns together",
        ),
        Metric(
            "rmse", scores.rmse, kinds=("numbers", "columns"), reduction="root_mean_square",
            summary=(
                _Line("RMSE", "error of the mean, in units of y", _NUMBERS),
                _Line("RMSE", "error of the means, each column in its own unit", _COLUMNS),
            ),
            description="root mean squared error of the mean",
        ),
        Metric(
            "mae", point_scores.mae, kinds=_NUMBERS,
            description="mean absolute error of the median",
        ),
        Metric(
            "pinball", point_scores.pinball, kinds=_NUMBERS,
            description="error of quantiles, by default 0.05, 0.5 and 0.95",
        ),
        Metric(
            "coverage", intervals.coverage, kinds=_NUMBERS, reduction=None, early_stopping=False,
            loss=intervals.coverage_gap, loss_name="coverage_gap",
            summary=(
                _Line(
                    "Coverage of 50%", "share of rows; best near 0.5", _NUMBERS,
                    {"confidence": 0.5},
                ),
                _Line(
                    "Coverage of 90%", "share of rows; best near 0.9", _NUMBERS,
                    {"confidence": 0.9},
                ),
            ),
            description="share of rows in the central interval",
        ),
        Metric(
            "interval_width", intervals.interval_width, kinds=_NUMBERS, early_stopping=False,
            summary=(
                _Line(
                    "Width of 90%", "mean width, in units of y", _NUMBERS, {"confidence": 0.9}
                ),
            ),
            description="mean width of the central interval; look at the coverage too",
        ),
        Metric(
            "interval_score", intervals.interval_score, kinds=_NUMBERS, early_stopping=False,
            summary=(
                _Line("Interval score of 90%", "width and misses; smaller is better", _NUMBERS),
            ),
            description="width of the central interval plus a penalty for misses",
        ),
        Metric(
            "concordance", rank.concordance, greater_is_better=True, kinds=("numbers", "bounds"),
            reduction=None, loss_name="discordance",
            summary=(_Line("Concordance", "1 is perfect, 0.5 is chance", _BOUNDS),),
            description="pairs of rows in the right order",
        ),
        Metric(
            "log_loss", scores.log_loss, kinds=_CLASSES,
            summary=(_Line("Log loss", "nats per row; smaller is better", _CLASSES),),
            description="the NLL of classes",
        ),
        Metric(
            "brier", scores.brier, kinds=_CLASSES,
            summary=(_Line("Brier score", "0 to 2; smaller is better", _CLASSES),),
            description="squared error of the probabilities, summed over classes",
        ),
        Metric(
            "error_rate", scores.error_rate, kinds=_CLASSES,
            description="share of rows whose most probable class is wrong",
        ),
        Metric(
            "accuracy", scores.accuracy, greater_is_better=True, kinds=_CLASSES,
            loss=scores.error_rate, loss_name="error_rate",
            summary=(_Line("Accuracy", "share of rows; larger is better", _CLASSES),),
            description="share of rows whose most probable class is right",
        ),
        Metric(
            "auc", point_scores.auc, greater_is_better=True, kinds=_CLASSES, reduction=None,
            description="area under the ROC curve, each class against the rest",
        ),
        Metric(
            "calibration_error", calibration.calibration_error, reduction=None,
            kinds=("numbers", "classes", "bounds"), early_stopping=False,
            summary=(
                _Line("Calibration error", "0 is best", ("numbers", "classes", "bounds")),
            ),
            description="distance from frequencies",
        ),
    )
}  # fmt: skip
"""The metrics of this package by name, in the order of summaries."""


def find_metric(metric: Any) -> Metric | None:
    """Return the row of `METRICS` for a name or function, or None; a `Metric` is returned as is."""
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str):
        return METRICS.get(metric)
    return next((row for row in METRICS.values() if row.function is metric), None)


def early_stopping_metrics(response: Response | None = None) -> list[str]:
    """Return the names that `eval_metric` takes, for the kind of y of a response if given."""
    kind = None if response is None else kind_of_y(response)
    return [
        name
        for name, metric in METRICS.items()
        if metric.early_stopping and (kind is None or kind in metric.kinds)
    ]


def as_metric(metric: Any, response: Response) -> Metric:
    """Find the metric that early stopping minimises.

    Parameters
    ----------
    metric : str, callable, Metric or None
        A name in `METRICS`, a function of (dist, y) of which smaller is better, or a `Metric`.
        The function may take `sample_weight`. None is the NLL.
    response : Response
        The response of the model.

    Returns
    -------
    Metric
        The metric itself if smaller is better; otherwise its complement.

    Raises
    ------
    ValueError
        If the name is unknown or the metric is not for this kind of y.

    Examples
    --------
    >>> from wgboost import Categorical, metrics
    >>> metrics.as_metric("accuracy", Categorical()).name
    'error_rate'
    """
    if metric is None:
        return METRICS["nll"]
    if isinstance(metric, Metric):
        return metric.as_loss()
    if callable(metric):
        known = find_metric(metric)
        if known is not None:
            return known.as_loss()
        return Metric(getattr(metric, "__name__", type(metric).__name__), metric)
    check_choice("eval_metric", metric, early_stopping_metrics())
    valid = early_stopping_metrics(response)
    check_choice(f"eval_metric for the response {response.name!r}", metric, valid)
    return METRICS[metric].as_loss()
