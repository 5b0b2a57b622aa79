"""A report on a fitted model as one page that needs nothing but a browser."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from typing import Any

from wgboost.metrics.summaries import Summary, summary
from wgboost.persistence import check_place, replacing
from wgboost.plotting.pictures import Picture, Shown, pictures
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
    "dependence": None,  # goes on with what was learned
    "ood": "Out of distribution",
}


def report(
    estimator: Any, X: Any, y: Any, path: Any, *, X_out: Any = None, title: str | None = None,
    feature_names: Any = None, n_dependence: int = 2, sample_weight: Any = None,
    exposure: Any = None, name: Any = None,
) -> dict[str, float]:  # fmt: skip
    """Write a page on how well a fitted model predicts rows it has not seen; return the metrics.

    The page is one file: pictures are inside, nothing is loaded from elsewhere and no script
    runs.

    Parameters
    ----------
    estimator
        A fitted regressor, classifier or bag of this package, or a pipeline that ends with one.
    X, y
        Test rows; y of numbers, classes, several columns, or `censored`. y may be the name of a
        column of X, as may be `sample_weight` and `exposure`.
    path
        The file to write, as a whole or not at all.
    X_out
        Rows from elsewhere, to show whether the OOD score tells them apart.
    title
        The heading; by default what y is called, and the model.
    feature_names
        Names of the columns of an array X.
    n_dependence
        How many of the most important features to draw the dependence on.
    sample_weight, exposure
        Of the test rows: weights in the metrics and in calibration, exposure in the predictions.
    name
        What y is called, a list if it has several columns. By default the name of a series, or
        the columns of a frame.
    """
    check_integer("n_dependence", n_dependence, low=0)
    check_place(path, "the report")
    shown = Shown.of(
        estimator, X, y, weight=sample_weight, exposure=exposure, feature_names=feature_names,
        name=name,
    )  # fmt: skip
    model = shown.model
    now, before = (
        summary(dist, shown.values, sample_weight=shown.weight)
        for dist in (shown.dist, shown.start)
    )
    target = " and ".join(shown.names)
    heading = title or f"{target}: {type(model).__name__} on {len(shown.dist)} rows"
    body = [
        f"<h1>{html.escape(heading)}</h1>",
        f'<p class="facts">{html.escape(_facts(shown))}</p>',
        "<h2>Metrics</h2>",
        _table(now, before),
    ]
    drawn = list(pictures(shown, X_out=X_out, n_dependence=n_dependence))
    for group, words in _HEADINGS.items():
        chosen = [picture for picture in drawn if picture.group == group]
        if words is not None and chosen:
            body.append(f"<h2>{words}</h2>")
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
    """The metrics, beside those of the model before its first round."""
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


def _facts(shown: Shown) -> str:
    dist, rounds = shown.dist, [one.n_rounds for one in shown.fitted_model.models]
    grown = f"{rounds[0]} rounds"
    if len(rounds) > 1:
        grown = f"{len(rounds)} members of {min(rounds)} to {max(rounds)} rounds"
    return (
        f"response {dist.response.name} · {grown} · {dist.particles.shape[1]} particles · "
        f"{shown.table.shape[1]} features · {len(dist)} test rows"
    )


def _figure(picture: Picture) -> str:
    figure = new_figure(picture.size)
    axes = figure.add_subplot()
    picture.draw(axes)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    words = html.escape(f"{axes.get_title()}. {picture.text}", quote=True)
    return (
        f'<figure><img alt="{words}" src="data:image/png;base64,{data}">'
        f"<figcaption>{html.escape(picture.text)}</figcaption></figure>"
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
