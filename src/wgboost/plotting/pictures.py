"""Which pictures show a fitted model on rows of data: those of a report, and some more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.metrics.estimates import encoded, transformed
from wgboost.plotting.calibration import CalibrationDisplay, PITDisplay
from wgboost.plotting.coverage import CoverageDisplay
from wgboost.plotting.density import DensityDisplay
from wgboost.plotting.dependence import PartialDependenceDisplay
from wgboost.plotting.display import Display
from wgboost.plotting.importance import ImportanceDisplay
from wgboost.plotting.inputs import fitted, name_of
from wgboost.plotting.learning import LearningCurveDisplay
from wgboost.plotting.ood import OODDisplay
from wgboost.plotting.particles import ParticlesDisplay
from wgboost.plotting.predictive import PredictiveDisplay
from wgboost.plotting.table import Table
from wgboost.plotting.uncertainty import UncertaintyDisplay
from wgboost.predictive import JointMixture, Mixture
from wgboost.responses import is_censored

__all__ = ["Picture", "Shown", "pictures"]

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
    weight: Any = None
    exposure: Any = None

    @classmethod
    def of(
        cls, estimator: Any, X: Any, y: Any = None, *, weight: Any = None, exposure: Any = None,
        feature_names: Any = None,
    ) -> Shown:  # fmt: skip
        """Predict the rows; raise ValueError if rows and y do not fit."""
        model = fitted(estimator)
        dist = model.predict_dist(transformed(estimator, X), exposure=exposure).by_code()
        values = None if y is None else encoded(estimator, y)
        if values is not None and len(values) != len(dist):
            raise ValueError(f"X has {len(dist)} rows, y has {len(values)}")
        if isinstance(dist, JointMixture):
            raise ValueError("a report is on one column of y; fit and report on each of them")
        names = getattr(estimator, "feature_names_in_", None)
        table = Table(X, names if feature_names is None else feature_names)
        return cls(estimator, model, X, y, values, dist, table, weight, exposure)

    @property
    def start(self) -> Mixture:
        """The distributions before the first round."""
        X = transformed(self.estimator, self.X)
        before: Mixture = self.model.predict_dist(X, n_rounds=0, exposure=self.exposure).by_code()
        return before

    @property
    def has_variance(self) -> bool:
        """Whether every row has one; a Cauchy distribution has not even a mean."""
        return self.dist.response.nominal or bool(np.isfinite(self.dist.var()).all())


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
    yield Picture(
        "predictive",
        "predictions",
        "Test rows side by side: what was predicted, and what was observed.",
        _predictive(shown),
    )
    yield from _of_rows(shown)
    if shown.values is not None:
        yield from _trust(shown)
    yield from _learned(shown)
    if shown.has_variance:
        yield from _dependence(shown, n_dependence)
    if X_out is not None:
        text = "OOD scores of the test rows and of the rows from elsewhere."
        draw = _drawing(OODDisplay.from_estimator, shown.estimator, shown.X, X_out)
        yield Picture("ood", "ood", text, draw)


def _drawing(make: Callable[..., Display], *args: Any, **settings: Any) -> Callable[[Any], Display]:
    def draw(ax: Any) -> Display:
        return make(*args, ax=ax, **settings)

    return draw


def _predictive(shown: Shown) -> Callable[[Any], Display]:
    if shown.table.shape[1] == 1:
        return _drawing(
            PredictiveDisplay.from_estimator, shown.estimator, shown.X, shown.y, feature=0,
            feature_names=shown.table.names,
        )  # fmt: skip
    classes = getattr(shown.model, "classes_", None)
    return _drawing(
        PredictiveDisplay.from_predictions, shown.values, shown.dist, classes=classes,
        name=name_of(shown.y),
    )  # fmt: skip


def _of_rows(shown: Shown) -> Iterator[Picture]:
    classes, name = getattr(shown.model, "classes_", None), name_of(shown.y)
    make = _drawing(
        DensityDisplay.from_predictions, shown.values, shown.dist, classes=classes, name=name
    )
    yield Picture("density", "rows", "Predictive distributions of some rows.", make)
    make = _drawing(ParticlesDisplay.from_predictions, shown.dist, classes=classes)
    yield Picture("particles", "rows", "Particles of some rows.", make)


def _trust(shown: Shown) -> Iterator[Picture]:
    y, dist = shown.values, shown.dist
    weighted = {"sample_weight": shown.weight}
    text = "On the diagonal, up to chance, if predicted probabilities come true."
    draw = _drawing(CalibrationDisplay.from_predictions, y, dist, **weighted)
    yield Picture("calibration", "trust", text, draw)
    if is_censored(y):
        return
    if not dist.response.nominal:
        text = "Flat, up to chance, if the distributions are right."
        draw = _drawing(PITDisplay.from_predictions, y, dist, **weighted)
        yield Picture("pit", "trust", text, draw)
        text = "How often central intervals hold y."
        draw = _drawing(CoverageDisplay.from_predictions, y, dist, **weighted)
        yield Picture("coverage", "trust", text, draw)
        if not shown.has_variance:
            return
    text = "Where the model says it may be wrong, it should be, and nowhere else."
    draw = _drawing(UncertaintyDisplay.from_predictions, y, dist, name=name_of(shown.y))
    yield Picture("uncertainty", "trust", text, draw)


def _learned(shown: Shown) -> Iterator[Picture]:
    model, table = shown.model, shown.table
    if hasattr(model.ensemble_, "feature_gains"):
        same = model.n_features_in_ == table.shape[1]
        settings = {"feature_names": table.names} if same else {}
        make = _drawing(ImportanceDisplay.from_estimator, model, max_features=15, **settings)
        text = "Share of each feature in the gain of all splits."
        yield Picture("importance", "learned", text, make)
    if getattr(model, "history_", None):
        make = _drawing(LearningCurveDisplay.from_estimator, model)
        text = "The metric that was watched, round by round."
        yield Picture("learning_curve", "learned", text, make)


def _dependence(shown: Shown, most: int) -> Iterator[Picture]:
    """The most important features, unless a pipeline has made others of them."""
    model, table = shown.model, shown.table
    same = model.n_features_in_ == table.shape[1]
    if not same or not hasattr(model.ensemble_, "feature_gains"):
        return
    for j in np.argsort(-model.feature_importances_, kind="stable")[:most]:
        for quantity, text in (
            ("mean", "The mean prediction over test rows with this feature changed."),
            ("epistemic_share", "How much of the uncertainty more data could remove."),
        ):
            draw = _drawing(
                PartialDependenceDisplay.from_estimator, shown.estimator, shown.X, feature=int(j),
                quantity=quantity, feature_names=table.names,
            )  # fmt: skip
            yield Picture(f"{quantity}_by_{table.names[j]}", "dependence", text, draw)
