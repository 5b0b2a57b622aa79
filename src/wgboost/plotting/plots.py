"""The plots of a fitted model on rows of data, for reports and the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.metrics.unwrapping import encode_y
from wgboost.model import FittedBag, FittedModel
from wgboost.plotting.calibration import CalibrationDisplay
from wgboost.plotting.coverage import CoverageDisplay
from wgboost.plotting.density import DensityDisplay
from wgboost.plotting.dependence import PartialDependenceDisplay
from wgboost.plotting.display import Display
from wgboost.plotting.feature_table import FeatureTable
from wgboost.plotting.importance import ImportanceDisplay
from wgboost.plotting.inputs import (
    FittedEstimator,
    check_lengths,
    class_labels,
    display_name,
    feature_table,
    fitted_estimator,
    predictive_distributions,
    resolve_rows,
    select_column,
)
from wgboost.plotting.labels import short_name
from wgboost.plotting.learning import LearningCurveDisplay
from wgboost.plotting.ood import OODDisplay
from wgboost.plotting.particles import ParticlesDisplay
from wgboost.plotting.pit import PITDisplay
from wgboost.plotting.predictive import PredictiveDisplay
from wgboost.plotting.uncertainty import UncertaintyDisplay
from wgboost.predictive import JointMixture, Mixture
from wgboost.responses.censoring import is_censored
from wgboost.typing import Array

__all__ = ["Plot", "PlotData", "TargetColumn", "iter_plots"]

_FULL_WIDTH = (8.4, 3.4)
_HALF_WIDTH = (4.6, 3.7)


@dataclass(frozen=True, eq=False)
class Plot:
    """A plot to be drawn.

    Attributes
    ----------
    name : str
        Name of the plot, for a file.
    group : str
        "predictions", "rows", "trust", "learned", "dependence" or "ood".
    text : str
        Caption.
    draw : callable
        Function that draws it into axes.
    """

    name: str
    group: str
    text: str
    draw: Callable[[Any], Display]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return _FULL_WIDTH if self.group in ("predictions", "ood") else _HALF_WIDTH


@dataclass(frozen=True, eq=False)
class TargetColumn:
    """A column of y.

    Attributes
    ----------
    name : str
        Name of the column.
    dist : Mixture
        Its predictive distributions.
    values
        Observed values, as metrics take them, or None.
    index : int or None
        Number of the column if there are several.
    """

    name: str
    dist: Mixture
    values: Any
    index: int | None = None

    @property
    def has_variance(self) -> bool:
        """Whether every row has a variance; a Cauchy distribution has none."""
        return self.dist.response.nominal or bool(np.isfinite(self.dist.var()).all())

    @property
    def suffix(self) -> str:
        """Suffix of the names of its plots if there are several columns."""
        return "" if self.index is None else f"_of_{self.name}"


@dataclass(frozen=True, eq=False)
class PlotData:
    """A fitted model, rows of data and their predictions.

    Attributes
    ----------
    estimator, model
        The estimator, and the last step of it if it is a pipeline.
    X, y
        The rows as they were given; y may be None.
    values
        y as metrics take it: labels as codes.
    dist : Mixture
        The predictive distributions, with the rows' exposure.
    table : FeatureTable
        The columns of X.
    names : list of str
        Names of the columns of y.
    fitted_model : FittedModel or FittedBag
        Rounds, history and importances of the model.
    weight, exposure
        One number for each row, or None.
    """

    estimator: BaseEstimator
    model: FittedEstimator
    X: Any
    y: Any
    values: Any
    dist: Mixture
    table: FeatureTable
    names: list[str]
    fitted_model: FittedModel | FittedBag
    weight: Any = None
    exposure: Any = None

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: Any, y: Any = None, *, weight: Any = None,
        exposure: Any = None, feature_names: Any = None, name: Any = None,
    ) -> PlotData:  # fmt: skip
        """Predict the rows; raise ValueError if X and y have different numbers of rows.

        `name` is the name of y, a list if it has several columns. None takes the name of a series,
        or the columns of a frame.
        """
        model = fitted_estimator(estimator)
        given_y = y
        X, y, row_params = resolve_rows(estimator, X, y, exposure=exposure, sample_weight=weight)
        weight, exposure = row_params["sample_weight"], row_params["exposure"]
        dist = predictive_distributions(estimator, X, exposure=exposure)
        values = None if y is None else encode_y(estimator, y)
        if values is not None:
            check_lengths(len(dist), len(values))
        table = feature_table(estimator, X, feature_names)
        columns = _names(dist, given_y, name, model)
        return cls(
            estimator, model, X, y, values, dist, table, columns, model.model_, weight, exposure
        )

    @property
    def columns(self) -> list[TargetColumn]:
        """The columns of y, one by one."""
        if not isinstance(self.dist, JointMixture):
            return [TargetColumn(self.names[0], self.dist, self.values)]
        return [
            TargetColumn(name, *select_column(self.dist, self.values, j), j)
            for j, name in enumerate(self.names)
        ]

    @property
    def classes(self) -> Array | None:
        """The labels of a classifier, else None."""
        return class_labels(self.model)

    @property
    def start(self) -> Mixture:
        """The distributions before the first round."""
        return predictive_distributions(self.estimator, self.X, n_rounds=0, exposure=self.exposure)


def _names(dist: Mixture, y: Any, given: Any, model: FittedEstimator) -> list[str]:
    """Return the names of the columns of y."""
    if not isinstance(dist, JointMixture):
        return [display_name(y, given, model)]
    (q,) = dist.response.y_shape
    known = getattr(y, "columns", None) if given is None else given
    names = [f"column {j}" for j in range(q)] if known is None else [str(one) for one in known]
    if len(names) != q:
        raise ValueError(f"name={given!r} must have a name for each of the {q} columns of y")
    return names


def iter_plots(data: PlotData, *, X_out: Any = None, n_dependence: int = 2) -> Iterator[Plot]:
    """Yield the plots that apply to these rows.

    Parameters
    ----------
    data : PlotData
        The model and the rows.
    X_out : array or frame (k, p), default=None
        Rows out of distribution, for a plot of OOD scores.
    n_dependence : int, default=2
        Number of the most important features to draw partial dependence on.

    Yields
    ------
    Plot
        A plot to be drawn.
    """
    for column in data.columns:
        yield Plot(
            f"predictive{column.suffix}",
            "predictions",
            "Predictions and observations of test rows, side by side.",
            _predictive(data, column),
        )
        text = "Predictive distributions of some rows."
        draw = _titled(column, DensityDisplay.from_predictions, column.values, column.dist,
                   classes=data.classes, name=column.name)  # fmt: skip
        yield Plot(f"density{column.suffix}", "rows", text, draw)
    draw = _draw_later(ParticlesDisplay.from_predictions, data.dist, classes=data.classes)
    yield Plot("particles", "rows", "Particles of some rows.", draw)
    if data.values is not None:
        for column in data.columns:
            yield from _calibration_plots(data, column)
    yield from _model_plots(data)
    for column in data.columns:
        if column.has_variance:
            yield from _dependence(data, column, n_dependence)
    if X_out is not None:
        text = "OOD scores of the test rows and of the rows from elsewhere."
        draw = _draw_later(OODDisplay.from_estimator, data.estimator, data.X, X_out)
        yield Plot("ood", "ood", text, draw)


def _draw_later(
    make: Callable[..., Display], *args: Any, **settings: Any
) -> Callable[[Any], Display]:
    def draw(ax: Any) -> Display:
        return make(*args, ax=ax, **settings)

    return draw


def _titled(
    column: TargetColumn, make: Callable[..., Display], /, *args: Any, **settings: Any
) -> Callable[[Any], Display]:
    """Return a function that draws a column of y, with its name in the title if needed."""
    draw = _draw_later(make, *args, **settings)
    if column.index is None:
        return draw

    def titled(ax: Any) -> Display:
        display = draw(ax)
        ax.title.set_text(f"{ax.get_title()}: {short_name(column.name)}")
        return display

    return titled


def _predictive(data: PlotData, column: TargetColumn) -> Callable[[Any], Display]:
    if data.table.shape[1] == 1:
        return _titled(
            column, PredictiveDisplay.from_estimator, data.estimator, data.X, data.y, feature=0,
            feature_names=data.table.names, name=column.name, column=column.index,
            exposure=data.exposure,
        )  # fmt: skip
    return _titled(
        column, PredictiveDisplay.from_predictions, column.values, column.dist,
        classes=data.classes, name=column.name,
    )  # fmt: skip


def _calibration_plots(data: PlotData, column: TargetColumn) -> Iterator[Plot]:
    y, dist, end = column.values, column.dist, column.suffix
    weighted = {"sample_weight": data.weight}
    text = "The curve lies on the diagonal, up to chance, if predicted probabilities come true."
    draw = _titled(column, CalibrationDisplay.from_predictions, y, dist, **weighted)
    yield Plot(f"calibration{end}", "trust", text, draw)
    if is_censored(y):
        return
    if not dist.response.nominal:
        text = "The histogram is flat, up to chance, if the distributions are right."
        draw = _titled(column, PITDisplay.from_predictions, y, dist, **weighted)
        yield Plot(f"pit{end}", "trust", text, draw)
        text = "How often central intervals contain y."
        draw = _titled(column, CoverageDisplay.from_predictions, y, dist, **weighted)
        yield Plot(f"coverage{end}", "trust", text, draw)
        if not column.has_variance:
            return
    text = "Errors should be as large as the predicted uncertainty."
    draw = _titled(column, UncertaintyDisplay.from_predictions, y, dist, name=column.name)
    yield Plot(f"uncertainty{end}", "trust", text, draw)


def _model_plots(data: PlotData) -> Iterator[Plot]:
    model, table = data.model, data.table
    if data.fitted_model.feature_importances() is not None:
        same = model.n_features_in_ == table.shape[1]
        settings = {"feature_names": table.names} if same else {}
        make = _draw_later(ImportanceDisplay.from_estimator, model, max_features=15, **settings)
        text = "Share of each feature in the gain of all splits."
        yield Plot("importance", "learned", text, make)
    if any(one.history for one in data.fitted_model.models):
        make = _draw_later(LearningCurveDisplay.from_estimator, model)
        text = "The validation metric, round by round."
        yield Plot("learning_curve", "learned", text, make)


def _dependence(data: PlotData, column: TargetColumn, most: int) -> Iterator[Plot]:
    """Yield plots for the most important features, unless a pipeline transforms the features."""
    table, shares = data.table, data.fitted_model.feature_importances()
    if shares is None or shares.size != table.shape[1]:
        return
    for j in np.argsort(-shares, kind="stable")[:most]:
        for quantity, text in (
            ("mean", "The mean prediction over test rows with this feature changed."),
            ("epistemic_share", "How much of the uncertainty more data could remove."),
        ):
            draw = _titled(
                column, PartialDependenceDisplay.from_estimator, data.estimator, data.X,
                feature=int(j), quantity=quantity, column=column.index, name=column.name,
                feature_names=table.names, exposure=data.exposure,
            )  # fmt: skip
            name = f"{quantity}{column.suffix}_by_{table.names[j]}"
            yield Plot(name, "dependence", text, draw)
