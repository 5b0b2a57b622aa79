"""A report on a fitted model as one page that needs nothing but a browser."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from wgboost import metrics
from wgboost.metrics.estimates import transformed
from wgboost.plotting.calibration import CalibrationDisplay, PITDisplay
from wgboost.plotting.coverage import CoverageDisplay
from wgboost.plotting.dependence import PartialDependenceDisplay
from wgboost.plotting.display import Display
from wgboost.plotting.importance import ImportanceDisplay
from wgboost.plotting.inputs import fitted, name_of, predicted
from wgboost.plotting.learning import LearningCurveDisplay
from wgboost.plotting.ood import OODDisplay
from wgboost.plotting.predictive import PredictiveDisplay
from wgboost.plotting.style import new_figure
from wgboost.plotting.table import Table
from wgboost.plotting.uncertainty import UncertaintyDisplay
from wgboost.predictive import JointMixture, Mixture
from wgboost.responses import is_censored
from wgboost.validation import check_integer

__all__ = ["report"]

_DPI = 150
_WIDE = (8.4, 3.4)
_HALF = (4.6, 3.7)

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1c2430; background: #fff; margin: 0 auto;
       padding: 24px; max-width: 980px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 32px 0 8px; }
p.facts { color: #5f6875; margin: 0 0 16px; }
table { border-collapse: collapse; width: 100%; } th, td { padding: 5px 12px 5px 0;
        text-align: left; border-bottom: 1px solid #e3e8ee; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.note { color: #5f6875; font-size: 13px; }
figure { margin: 12px 0 20px; } figure img { width: 100%; height: auto; display: block; }
figcaption { color: #5f6875; font-size: 13px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(360px, 1fr)); gap: 0 24px; }
details { margin-top: 32px; } code { font-size: 13px; }
"""

_Drawn = list[tuple[str, Callable[[Any], Display]]]
_Metric = tuple[str, Callable[[Mixture, Any], float], str]

_NUMBERS: list[_Metric] = [
    ("NLL", metrics.nll, "negative log likelihood, nats per row; smaller is better"),
    ("CRPS", metrics.crps, "in units of y; smaller is better"),
    ("RMSE", metrics.rmse, "error of the mean, in units of y"),
    ("Coverage of 50%", lambda d, y: metrics.coverage(d, y, 0.5), "share of rows; best near 0.5"),
    ("Coverage of 90%", lambda d, y: metrics.coverage(d, y, 0.9), "share of rows; best near 0.9"),
    ("Width of 90%", lambda d, y: metrics.interval_width(d, y, 0.9), "mean width, in units of y"),
    ("Interval score of 90%", metrics.interval_score, "width and misses; smaller is better"),
    ("Calibration error", metrics.calibration_error, "0 is best"),
]
_CLASSES: list[_Metric] = [
    ("Log loss", metrics.log_loss, "nats per row; smaller is better"),
    ("Brier score", metrics.brier, "0 to 2; smaller is better"),
    ("Accuracy", metrics.accuracy, "share of rows; larger is better"),
    ("Calibration error", metrics.calibration_error, "0 is best"),
]
_BOUNDS: list[_Metric] = [
    ("NLL", metrics.nll, "of what was seen, nats per row; smaller is better"),
    ("Concordance", metrics.concordance, "1 is perfect, 0.5 is chance"),
    ("Calibration error", metrics.calibration_error, "0 is best"),
]


def report(
    estimator: Any, X: Any, y: Any, path: Any, *, X_out: Any = None, title: str | None = None,
    feature_names: Any = None, n_dependence: int = 2,
) -> dict[str, float]:  # fmt: skip
    """Write a page on how well a fitted model predicts rows it has not seen; return the metrics.

    The page is one file: pictures are inside, nothing is loaded from elsewhere and no script
    runs.

    Parameters
    ----------
    estimator
        A fitted `WGBRegressor` or `WGBClassifier`, or a pipeline that ends with one.
    X, y
        Test rows; y of numbers, classes, or `censored`.
    path
        The file to write.
    X_out
        Rows from elsewhere, to show whether the OOD score tells them apart.
    title
        The heading.
    feature_names
        Names of the columns of an array X.
    n_dependence
        How many of the most important features to draw the dependence on.
    """
    model = fitted(estimator)
    check_integer("n_dependence", n_dependence, low=0)
    dist, values = predicted(estimator, X, y)
    if isinstance(dist, JointMixture):
        raise ValueError("a report is on one column of y; fit and report on each of them")
    names = getattr(estimator, "feature_names_in_", None)
    table = Table(X, names if feature_names is None else feature_names)
    rows, numbers = _metrics(model, transformed(estimator, X), dist, values)
    heading = title or f"{type(model).__name__} on {len(dist)} rows"
    body = [
        f"<h1>{html.escape(heading)}</h1>",
        f'<p class="facts">{html.escape(_facts(model, dist, table))}</p>',
        "<h2>Metrics</h2>",
        rows,
        "<h2>Predictions</h2>",
        _picture(
            _WIDE,
            "Test rows side by side: what was predicted, and what was observed.",
            lambda ax: PredictiveDisplay.from_estimator(
                estimator,
                X,
                y,
                feature=0 if table.shape[1] == 1 else None,
                feature_names=table.names,
                ax=ax,
            ),
        ),
        "<h2>Can the probabilities be trusted?</h2>",
        _pairs(_trust(values, dist, name_of(y))),
        "<h2>What the model goes by</h2>",
        _pairs(_learned(model, table)),
        _pairs(_dependence(estimator, model, X, table, n_dependence if _has_variance(dist) else 0)),
    ]
    if X_out is not None:
        text = "OOD scores of the test rows and of the rows from elsewhere."
        draw = _drawing(OODDisplay.from_estimator, estimator, X, X_out)
        body += ["<h2>Out of distribution</h2>", _picture(_WIDE, text, draw)]
    body.append(_settings(model))
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "img-src data:; style-src 'unsafe-inline'\">"
        f"<title>{html.escape(heading)}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )
    Path(path).write_text(page, encoding="utf-8")
    return numbers


def _metrics(model: Any, X: Any, dist: Mixture, y: Any) -> tuple[str, dict[str, float]]:
    """Return the table, beside the model before its first round, and the numbers."""
    chosen = _NUMBERS
    if is_censored(y):
        chosen = _BOUNDS
    elif dist.response.nominal:
        chosen = _CLASSES
    start = model.predict_dist(X, n_rounds=0)
    rows, numbers = [], {}
    for name, function, note in chosen:
        numbers[name] = function(dist, y)
        before = function(start, y)
        rows.append(
            f'<tr><td>{name}</td><td class="number">{numbers[name]:.4g}</td>'
            f'<td class="number">{before:.4g}</td><td class="note">{note}</td></tr>'
        )
    head = (
        '<tr><th>metric</th><th class="number">model</th>'
        '<th class="number">before round 1</th><th></th></tr>'
    )
    return f"<table>{head}{''.join(rows)}</table>", numbers


def _facts(model: Any, dist: Mixture, table: Table) -> str:
    m = dist.particles.shape[1]
    return (
        f"response {dist.response.name} · {model.n_estimators_} rounds · {m} particles · "
        f"{table.shape[1]} features · {len(dist)} test rows"
    )


def _drawing(make: Callable[..., Display], *args: Any, **settings: Any) -> Callable[[Any], Display]:
    def draw(ax: Any) -> Display:
        return make(*args, ax=ax, **settings)

    return draw


def _has_variance(dist: Mixture) -> bool:
    """Whether every row has one; a Cauchy distribution has not even a mean."""
    return dist.response.nominal or bool(np.isfinite(dist.var()).all())


def _trust(y: Any, dist: Mixture, name: str) -> _Drawn:
    text = "On the diagonal, up to chance, if predicted probabilities come true."
    drawn: _Drawn = [(text, _drawing(CalibrationDisplay.from_predictions, y, dist))]
    if is_censored(y):
        return drawn
    if not dist.response.nominal:
        drawn += [
            ("Flat, up to chance, if the distributions are right.",
             _drawing(PITDisplay.from_predictions, y, dist)),
            ("How often central intervals hold y.",
             _drawing(CoverageDisplay.from_predictions, y, dist)),
        ]  # fmt: skip
        if not _has_variance(dist):
            return drawn
    text = "Where the model says it may be wrong, it should be, and nowhere else."
    return [*drawn, (text, _drawing(UncertaintyDisplay.from_predictions, y, dist, name=name))]


def _learned(model: Any, table: Table) -> _Drawn:
    drawn: _Drawn = []
    if hasattr(model.ensemble_, "feature_gains"):
        same = model.n_features_in_ == table.shape[1]
        settings = {"feature_names": table.names} if same else {}
        make = _drawing(ImportanceDisplay.from_estimator, model, max_features=15, **settings)
        drawn.append(("Share of each feature in the gain of all splits.", make))
    if getattr(model, "history_", None):
        make = _drawing(LearningCurveDisplay.from_estimator, model)
        drawn.append(("The metric that was watched, round by round.", make))
    return drawn


def _dependence(estimator: Any, model: Any, X: Any, table: Table, most: int) -> _Drawn:
    """The most important features, unless a pipeline has made others of them."""
    drawn: _Drawn = []
    same = model.n_features_in_ == table.shape[1]
    if not same or not hasattr(model.ensemble_, "feature_gains"):
        return drawn
    for j in np.argsort(-model.feature_importances_, kind="stable")[:most]:
        for quantity, text in (
            ("mean", "The mean prediction over test rows with this feature changed."),
            ("epistemic_share", "How much of the uncertainty more data could remove."),
        ):
            make = _drawing(
                PartialDependenceDisplay.from_estimator, estimator, X, feature=int(j),
                quantity=quantity, feature_names=table.names,
            )  # fmt: skip
            drawn.append((text, make))
    return drawn


def _pairs(drawn: _Drawn) -> str:
    return f'<div class="pair">{"".join(_picture(_HALF, *one) for one in drawn)}</div>'


def _picture(size: tuple[float, float], text: str, draw: Callable[[Any], Display]) -> str:
    figure = new_figure(size)
    axes = figure.add_subplot()
    draw(axes)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    words = html.escape(f"{axes.get_title()}. {text}", quote=True)
    return (
        f'<figure><img alt="{words}" src="data:image/png;base64,{data}">'
        f"<figcaption>{html.escape(text)}</figcaption></figure>"
    )


def _settings(model: Any) -> str:
    """The parameters that are not at their defaults."""
    default = type(model)().get_params(deep=False)
    rows = [
        f"<tr><td><code>{html.escape(name)}</code></td>"
        f"<td><code>{html.escape(repr(value)[:200])}</code></td></tr>"
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(default[name])
    ]
    inside = f"<table>{''.join(rows)}</table>" if rows else "<p>All at their defaults.</p>"
    return f"<details open><summary>Settings of the model</summary>{inside}</details>"
