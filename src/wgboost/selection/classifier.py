"""Classification that chooses its own settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from wgboost.estimators import WGBClassifier
from wgboost.estimators.classification import ClassifierPredictions
from wgboost.responses.codes import Codes
from wgboost.selection.bag import Bag
from wgboost.selection.recipes import Recipes, classifier_recipes, wide_recipe
from wgboost.selection.wide import WORTHWHILE, gain_of_left_out, left_out_classes
from wgboost.typing import Array

__all__ = ["WGBClassifierCV"]


class WGBClassifierCV(ClassifierPredictions, Bag):
    """A calibrated bag of `WGBClassifier`, with settings chosen by cross-validation.

    See `WGBRegressorCV`, whose parameters and attributes it has, and these:

    Parameters
    ----------
    recipes : dict, list or None
        Parameters of `WGBClassifier` by the recipe's name, or a list of such. None is
        `wgboost.selection.classifier_recipes`, which depends on the number of rows.
    cv : int, splitter or None
        Folds, with classes in equal shares where their number is given.
    wide : bool or None
        Whether every fourth fold has a further member, of `wgboost.selection.wide_recipe`: on some
        data its particles stay apart where there are no rows, which OOD scores live on. It takes no
        part in the race. None leaves out up to six classes in turn, to see whether their rows
        stand out clearly more with such members; two classes, or recipes of one's own, have none.
    response, class_weight, eval_metric
        As in `WGBClassifier`.

    Attributes
    ----------
    classes_, ranks_ : array
        As in `WGBClassifier`. All members know all classes, whether or not they were trained on
        rows of each.
    """

    _kind = WGBClassifier
    _common = (
        "n_particles", "n_estimators", "n_iter_no_change", "categorical_features",
        "monotone_constraints", "interaction_constraints", "response", "prior", "class_weight",
        "eval_metric",
    )  # fmt: skip

    def __init__(
        self,
        recipes: Any = None,
        *,
        cv: Any = None,
        time_budget: float | None = None,
        calibrated: bool = True,
        wide: bool | None = None,
        n_particles: int = 10,
        n_estimators: int = 1000,
        n_iter_no_change: int | None = 50,
        categorical_features: Any = "from_dtype",
        monotone_constraints: Any = None,
        interaction_constraints: Any = None,
        response: Any = "categorical",
        prior: dict[str, Any] | None = None,
        class_weight: Any = None,
        eval_metric: Any = "nll",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self._store(locals())

    def _usual_recipes(self, rows: Any) -> Recipes:
        return classifier_recipes(len(rows.to_split))

    def _check_parameters(self, callbacks: Any = ()) -> None:
        super()._check_parameters(callbacks)
        if self.wide is not None and not isinstance(self.wide, (bool, np.bool_)):
            raise TypeError(f"wide={self.wide!r} must be True, False or None")

    def _further_recipe(self, rows: Any) -> dict[str, Any] | None:
        wide = self.wide
        if wide is None:
            tried = self.recipes is None and isinstance(rows.response, Codes)
            wide = tried and left_out_classes(np.asarray(rows.y)[rows.distinct.first]).size > 0
        return wide_recipe(len(rows.to_split)) if wide else None

    def _apart(self, member: Any, rows: Any, some: Array) -> Any:
        # There are fewer classes among them, and their weights are in those of the rows.
        n_classes = max(2, np.unique(np.asarray(rows.y)[some]).size)
        member.response = replace(rows.response.take(some), n_classes=n_classes)
        member.prior = member.class_weight = None
        return member

    def _helps(self, rows: Any, *trial: Any, budget: float | None) -> bool:
        if self.wide:
            return True
        gain = gain_of_left_out(np.asarray(rows.y), *trial, budget=budget)
        if self.verbose:
            print(f"wide members, classes left out: average precision {gain:+.4f}", flush=True)
        return gain > WORTHWHILE
