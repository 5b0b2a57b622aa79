"""Which pictures show a fitted model on rows of data: those of a report, and some more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.estimators import WGBoost
from wgboost.estimators.base import BaseModel
from wgboost.metrics.estimates import encoded
from wgboost.model import FittedBag, FittedModel
from wgboost.plotting.calibration import CalibrationDisplay, PITDisplay
from wgboost.plotting.coverage import CoverageDisplay
from wgboost.plotting.density import DensityDisplay
from wgboost.plotting.dependence import PartialDependenceDisplay
from wgboost.plotting.display import Display
from wgboost.plotting.importance import ImportanceDisplay
from wgboost.plotting.inputs import distributions, fitted, given_rows, name_of, one_column
from wgboost.plotting.learning import LearningCurveDisplay
from wgboost.plotting.ood import OODDisplay
from wgboost.plotting.particles import ParticlesDisplay
from wgboost.plotting.predictive import PredictiveDisplay
from wgboost.plotting.table import Table
from wgboost.plotting.texts import plain
from wgboost.plotting.uncertainty import UncertaintyDisplay
from wgboost.predictive import JointMixture, Mixture
from wgboost.responses import is_censored

__all__ = ["Column", "Picture", "Shown", "pictures"]

_WIDE = (8.4, 3.4)
_HALF = (4.6, 3.7)


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture to be drawn.

    Attributes
    ----------
    name : str
        What a file of it could be called.
    group : str
        "predictions", "rows", "trust", "learned", "dependence" or "ood".
    text : str
        What is to be seen in it.
    draw : callable
        Draws it into axes.
    """

    name: str
    group: str
    text: str
    draw: Callable[[Any], Display]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return _WIDE if self.group in ("predictions", "ood") else _HALF


@dataclass(frozen=True, eq=False)
class Column:
    """A column of y.

    Attributes
    ----------
    name : str
        What it is called.
    dist : Mixture
        Its predictive distributions.
    values
        What was observed, as metrics take it, or None.
    index : int or None
        Which one of several columns it is.
    """

    name: str
    dist: Mixture
    values: Any
    index: int | None = None

    @property
    def has_variance(self) -> bool:
        """Whether every row has one; a Cauchy distribution has not even a mean."""
        return self.dist.response.nominal or bool(np.isfinite(self.dist.var()).all())

    @property
    def suffix(self) -> str:
        """What sets its pictures apart from those of other columns."""
        return "" if self.index is None else f"_of_{self.name}"


@dataclass(frozen=True, eq=False)
class Shown:
    """A fitted model, rows of data and what is predicted of them.

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
    table : Table
        The columns of X.
    names : list of str
        What the columns of y are called.
    fitted_model : FittedModel or FittedBag
        Rounds, history and importances of the model.
    weight, exposure
        One number for each row, or None.
    """

    estimator: Any
    model: Any
    X: Any
    y: Any
    values: Any
    dist: Mixture
    table: Table
    names: list[str]
    fitted_model: FittedModel | FittedBag
    weight: Any = None
    exposure: Any = None

    @classmethod
    def of(
        cls, estimator: Any, X: Any, y: Any = None, *, weight: Any = None, exposure: Any = None,
        feature_names: Any = None, name: Any = None,
    ) -> Shown:  # fmt: skip
        """Predict the rows; raise ValueError if rows and y do not fit.

        `name` is what y is called, a list if it has several columns; by default the name of a
        series, or the columns of a frame.
        """
        model = fitted(estimator)
        if not isinstance(model, (BaseModel, WGBoost)):
            raise TypeError(
                f"{type(model).__name__} is no estimator of wgboost; the displays of "
                "wgboost.plotting take its predictive distributions by from_predictions"
            )
        asked = y
        X, y, beside = given_rows(estimator, X, y, exposure=exposure, sample_weight=weight)
        weight, exposure = beside["sample_weight"], beside["exposure"]
        dist = distributions(estimator, X, exposure=exposure)
        values = None if y is None else encoded(estimator, y)
        if values is not None and len(values) != len(dist):
            raise ValueError(f"X has {len(dist)} rows, y has {len(values)}")
        names = getattr(estimator, "feature_names_in_", None)
        table = Table(X, names if feature_names is None else feature_names)
        columns = _names(dist, asked, name, model)
        return cls(
            estimator, model, X, y, values, dist, table, columns, model.model_, weight, exposure
        )

    @property
    def columns(self) -> list[Column]:
        """The columns of y, one by one."""
        if not isinstance(self.dist, JointMixture):
            return [Column(self.names[0], self.dist, self.values)]
        return [
            Column(name, *one_column(self.dist, self.values, j), j)
            for j, name in enumerate(self.names)
        ]

    @property
    def classes(self) -> Any:
        """The labels of a classifier, else None."""
        return getattr(self.model, "classes_", None)

    @property
    def start(self) -> Mixture:
        """The distributions before the first round."""
        return distributions(self.estimator, self.X, n_rounds=0, exposure=self.exposure)


def _names(dist: Mixture, y: Any, given: Any, model: Any) -> list[str]:
    """Return what the columns of y are called."""
    if not isinstance(dist, JointMixture):
        return [name_of(y, given, model)]
    (q,) = dist.response.y_shape
    known = getattr(y, "columns", None) if given is None else given
    names = [f"column {j}" for j in range(q)] if known is None else [str(one) for one in known]
    if len(names) != q:
        raise ValueError(f"name={given!r} must have a name for each of the {q} columns of y")
    return names


def pictures(shown: Shown, *, X_out: Any = None, n_dependence: int = 2) -> Iterator[Picture]:
    """Yield the pictures that make sense of these rows.

    Parameters
    ----------
    shown
        The model and the rows.
    X_out
        Rows from elsewhere, to show whether the OOD score tells them apart.
    n_dependence
        How many of the most important features to draw the dependence on.
    """
    for column in shown.columns:
        yield Picture(
            f"predictive{column.suffix}",
            "predictions",
            "Test rows side by side: what was predicted, and what was observed.",
            _predictive(shown, column),
        )
        text = "Predictive distributions of some rows."
        draw = _of(column, DensityDisplay.from_predictions, column.values, column.dist,
                   classes=shown.classes, name=column.name)  # fmt: skip
        yield Picture(f"density{column.suffix}", "rows", text, draw)
    draw = _drawing(ParticlesDisplay.from_predictions, shown.dist, classes=shown.classes)
    yield Picture("particles", "rows", "Particles of some rows.", draw)
    if shown.values is not None:
        for column in shown.columns:
            yield from _trust(shown, column)
    yield from _learned(shown)
    for column in shown.columns:
        if column.has_variance:
            yield from _dependence(shown, column, n_dependence)
    if X_out is not None:
        text = "OOD scores of the test rows and of the rows from elsewhere."
        draw = _drawing(OODDisplay.from_estimator, shown.estimator, shown.X, X_out)
        yield Picture("ood", "ood", text, draw)


def _drawing(make: Callable[..., Display], *args: Any, **settings: Any) -> Callable[[Any], Display]:
    def draw(ax: Any) -> Display:
        return make(*args, ax=ax, **settings)

    return draw


def _of(
    column: Column, make: Callable[..., Display], /, *args: Any, **settings: Any
) -> Callable[[Any], Display]:
    """Return what draws a column of y, with its name in the title if there are several."""
    draw = _drawing(make, *args, **settings)
    if column.index is None:
        return draw

    def titled(ax: Any) -> Display:
        shown = draw(ax)
        ax.title.set_text(f"{ax.get_title()}: {plain(column.name)}")
        return shown

    return titled


def _predictive(shown: Shown, column: Column) -> Callable[[Any], Display]:
    if shown.table.shape[1] == 1:
        return _of(
            column, PredictiveDisplay.from_estimator, shown.estimator, shown.X, shown.y, feature=0,
            feature_names=shown.table.names, name=column.name, column=column.index,
            exposure=shown.exposure,
        )  # fmt: skip
    return _of(
        column, PredictiveDisplay.from_predictions, column.values, column.dist,
        classes=shown.classes, name=column.name,
    )  # fmt: skip


def _trust(shown: Shown, column: Column) -> Iterator[Picture]:
    y, dist, end = column.values, column.dist, column.suffix
    weighted = {"sample_weight": shown.weight}
    text = "On the diagonal, up to chance, if predicted probabilities come true."
    draw = _of(column, CalibrationDisplay.from_predictions, y, dist, **weighted)
    yield Picture(f"calibration{end}", "trust", text, draw)
    if is_censored(y):
        return
    if not dist.response.nominal:
        text = "Flat, up to chance, if the distributions are right."
        draw = _of(column, PITDisplay.from_predictions, y, dist, **weighted)
        yield Picture(f"pit{end}", "trust", text, draw)
        text = "How often central intervals hold y."
        draw = _of(column, CoverageDisplay.from_predictions, y, dist, **weighted)
        yield Picture(f"coverage{end}", "trust", text, draw)
        if not column.has_variance:
            return
    text = "Where the model says it may be wrong, it should be, and nowhere else."
    draw = _of(column, UncertaintyDisplay.from_predictions, y, dist, name=column.name)
    yield Picture(f"uncertainty{end}", "trust", text, draw)


def _learned(shown: Shown) -> Iterator[Picture]:
    model, table = shown.model, shown.table
    if shown.fitted_model.importances() is not None:
        same = model.n_features_in_ == table.shape[1]
        settings = {"feature_names": table.names} if same else {}
        make = _drawing(ImportanceDisplay.from_estimator, model, max_features=15, **settings)
        text = "Share of each feature in the gain of all splits."
        yield Picture("importance", "learned", text, make)
    if any(one.history for one in shown.fitted_model.models):
        make = _drawing(LearningCurveDisplay.from_estimator, model)
        text = "The metric that was watched, round by round."
        yield Picture("learning_curve", "learned", text, make)


def _dependence(shown: Shown, column: Column, most: int) -> Iterator[Picture]:
    """The most important features, unless a pipeline has made others of them."""
    table, shares = shown.table, shown.fitted_model.importances()
    if shares is None or shares.size != table.shape[1]:
        return
    for j in np.argsort(-shares, kind="stable")[:most]:
        for quantity, text in (
            ("mean", "The mean prediction over test rows with this feature changed."),
            ("epistemic_share", "How much of the uncertainty more data could remove."),
        ):
            draw = _of(
                column, PartialDependenceDisplay.from_estimator, shown.estimator, shown.X,
                feature=int(j), quantity=quantity, column=column.index, name=column.name,
                feature_names=table.names, exposure=shown.exposure,
            )  # fmt: skip
            name = f"{quantity}{column.suffix}_by_{table.names[j]}"
            yield Picture(name, "dependence", text, draw)
