"""A report on a fitted model as one self-contained HTML page."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator

from wgboost.atomic import check_place, replacing
from wgboost.metrics.summaries import Summary, summary
from wgboost.plotting.plots import Plot, PlotData, iter_plots
from wgboost.plotting.style import new_figure
from wgboost.validation import check_integer

__all__ = ["report"]

_DPI = 150

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
.trust, .learned, .dependence { display: grid; gap: 0 24px;
        grid-template-columns: repeat(auto-fit, minmax(360px, 1fr)); }
details { margin-top: 32px; } code { font-size: 13px; }
"""

_HEADINGS = {
    "predictions": "Predictions",
    "trust": "Can the probabilities be trusted?",
    "learned": "What the model goes by",
    "dependence": None,  # under the heading of "learned"
    "ood": "Out of distribution",
}


def report(
    estimator: BaseEstimator, X: Any, y: Any, path: Any, *, X_out: Any = None,
    title: str | None = None, feature_names: Any = None, n_dependence: int = 2,
    sample_weight: Any = None, exposure: Any = None, name: Any = None,
) -> dict[str, float]:  # fmt: skip
    """Write an HTML page that evaluates a fitted model on test rows.

    The page is one file. It contains the plots, loads nothing from elsewhere and runs no script.

    Parameters
    ----------
    estimator : estimator of wgboost
        A fitted estimator, or a pipeline or a search that ends with one.
    X : array or frame (n, p)
        Test rows, which the model was not trained on.
    y : array (n,), (n, q) or str
        Observed values: numbers, labels, several columns, `censored`, or the name of a column of X.
    path : str or path
        The file to write. It is written as a whole or not at all.
    X_out : array or frame (k, p), default=None
        Rows out of distribution, for a plot of OOD scores.
    title : str, default=None
        The heading. None takes the name of y and of the estimator.
    feature_names : list of str, default=None
        Names of the columns of an array X.
    n_dependence : int, default=2
        Number of the most important features to draw partial dependence on.
    sample_weight : array (n,) or str, default=None
        Weights of the test rows in the metrics and in calibration.
    exposure : array (n,) or str, default=None
        Exposure of the test rows.
    name : str or list of str, default=None
        Name of y, a list if it has several columns. None takes the name of a series, or the columns
        of a frame.

    Returns
    -------
    dict of float
        The metrics by name.

    Raises
    ------
    TypeError
        If the estimator is not of this package.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.plotting import report
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     metrics = report(model, X, y, Path(folder) / "report.html", n_dependence=0)
    >>> [*metrics][:2]
    ['NLL', 'CRPS']
    """
    check_integer("n_dependence", n_dependence, low=0)
    check_place(path, "the report")
    data = PlotData.from_estimator(
        estimator, X, y, weight=sample_weight, exposure=exposure, feature_names=feature_names,
        name=name,
    )  # fmt: skip
    model = data.model
    now, before = (
        summary(dist, data.values, sample_weight=data.weight) for dist in (data.dist, data.start)
    )
    target = " and ".join(data.names)
    heading = title or f"{target}: {type(model).__name__} on {len(data.dist)} rows"
    body = [
        f"<h1>{html.escape(heading)}</h1>",
        f'<p class="facts">{html.escape(_facts(data))}</p>',
        "<h2>Metrics</h2>",
        _table(now, before),
    ]
    plots = list(iter_plots(data, X_out=X_out, n_dependence=n_dependence))
    for group, section in _HEADINGS.items():
        chosen = [plot for plot in plots if plot.group == group]
        if section is not None and chosen:
            body.append(f"<h2>{section}</h2>")
        body.append(f'<div class="{group}">{"".join(map(_figure, chosen))}</div>')
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
    with replacing(path, "the report") as file:
        file.write(page.encode())
    return {one.name: one.value for one in now}


def _table(now: Sequence[Summary], before: Sequence[Summary]) -> str:
    """Return a table of the metrics and of those before the first round."""
    rows = [
        f'<tr><td>{one.name}</td><td class="number">{one.text}</td>'
        f'<td class="number">{start.text}</td><td class="note">{one.note}</td></tr>'
        for one, start in zip(now, before, strict=True)
    ]
    head = (
        '<tr><th>metric</th><th class="number">model</th>'
        '<th class="number">before round 1</th><th></th></tr>'
    )
    return f"<table>{head}{''.join(rows)}</table>"


def _facts(data: PlotData) -> str:
    dist, rounds = data.dist, [one.n_rounds for one in data.fitted_model.models]
    grown = f"{rounds[0]} rounds"
    if len(rounds) > 1:
        grown = f"{len(rounds)} members of {min(rounds)} to {max(rounds)} rounds"
    return (
        f"response {dist.response.name} · {grown} · {dist.particles.shape[1]} particles · "
        f"{data.table.shape[1]} features · {len(dist)} test rows"
    )


def _figure(plot: Plot) -> str:
    figure = new_figure(plot.size)
    axes = figure.add_subplot()
    plot.draw(axes)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI)
    encoded = base64.b64encode(buffer.getvalue()).decode("ascii")
    text = html.escape(f"{axes.get_title()}. {plot.text}", quote=True)
    return (
        f'<figure><img alt="{text}" src="data:image/png;base64,{encoded}">'
        f"<figcaption>{html.escape(plot.text)}</figcaption></figure>"
    )


def _settings(model: BaseEstimator) -> str:
    """Return a table of the parameters that are not at their defaults."""
    default = type(model)().get_params(deep=False)
    rows = [
        f"<tr><td><code>{html.escape(name)}</code></td>"
        f"<td><code>{html.escape(repr(value)[:200])}</code></td></tr>"
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(default[name])
    ]
    inside = f"<table>{''.join(rows)}</table>" if rows else "<p>All at their defaults.</p>"
    return f"<details open><summary>Settings of the model</summary>{inside}</details>"
