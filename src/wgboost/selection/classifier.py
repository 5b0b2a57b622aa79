"""Classification that chooses its own settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.data import named_columns
from wgboost.estimators import WGBClassifier
from wgboost.estimators.base_classifier import BaseClassifier
from wgboost.metrics.metadata import describe_metadata
from wgboost.model import FittedBag
from wgboost.persistence.models import SavedModel
from wgboost.responses.codes import ClassCodes
from wgboost.selection.attributes import restore_bag, saved_bag, set_bag, set_members
from wgboost.selection.bag import BagData, check_bag_parameters, fit_bag, warn_of_bag
from wgboost.selection.ood_members import MIN_OOD_GAIN, left_out_class_gain, left_out_classes
from wgboost.selection.recipes import Recipes, classifier_recipes, ood_recipe
from wgboost.selection.spec import BagSpec, Member, Trial
from wgboost.training import PosteriorData
from wgboost.typing import Array

__all__ = ["ClassifierBag", "WGBClassifierCV"]


class ClassifierBag(BagSpec):
    """Members of `WGBClassifierCV`."""

    member_type = WGBClassifier
    shared = (
        "n_particles", "n_estimators", "n_iter_no_change", "categorical_features",
        "monotone_constraints", "interaction_constraints", "response", "prior", "class_weight",
        "eval_metric",
    )  # fmt: skip

    def usual_recipes(self, data: PosteriorData) -> Recipes:
        """See BagSpec."""
        return classifier_recipes(len(data.to_split))

    def ood_recipe(self, data: PosteriorData) -> dict[str, Any] | None:
        """See BagSpec."""
        wanted = self.params["ood_members"]
        if wanted is None:
            tried = self.params["recipes"] is None and isinstance(data.response, ClassCodes)
            wanted = tried and left_out_classes(np.asarray(data.y)[data.distinct.first]).size > 0
        return ood_recipe(len(data.to_split)) if wanted else None

    def for_rows(self, member: Member, data: PosteriorData, some: Array) -> Member:
        """See BagSpec."""
        # There are fewer classes among them, and their weights are in those of the rows.
        n_classes = max(2, np.unique(np.asarray(data.y)[some]).size)
        taken: Any = data.response.take(some)
        response = replace(taken, n_classes=n_classes)
        member.set_params(response=response, prior=None, class_weight=None)
        return member

    def ood_members_help(self, data: PosteriorData, trial: Trial, budget: float | None) -> bool:
        """See BagSpec."""
        if self.params["ood_members"]:
            return True
        labels = np.asarray(data.y)
        gain = left_out_class_gain(labels, trial.split, trial.fit, trial.take, budget=budget)
        if self.params["verbose"]:
            print(
                f"members for OOD scores, classes left out: average precision {gain:+.4f}",
                flush=True,
            )
        return gain > MIN_OOD_GAIN


class WGBClassifierCV(BaseClassifier):
    """A calibrated bag of `WGBClassifier`, with settings chosen by cross-validation.

    See `WGBRegressorCV`, whose parameters and attributes it has, and these:

    Parameters
    ----------
    recipes : dict, list or None
        Parameters of `WGBClassifier` by the recipe's name, or a list of such. None is
        `wgboost.selection.classifier_recipes`, which depends on the number of rows.
    cv : int, splitter or None
        Folds, with classes in equal shares where their number is given.
    ood_members : bool or None
        Whether every fourth fold has a further member, of `wgboost.selection.ood_recipe`: on some
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

    __metadata_request__fit: ClassVar[dict[str, bool]] = {
        "offset": True,
        "exposure": True,
        "y_std": True,
    }
    member_type = WGBClassifier
    model_: FittedBag
    members_: list[WGBClassifier]

    def __init__(
        self,
        recipes: Any = None,
        *,
        cv: Any = None,
        time_budget: float | None = None,
        calibrated: bool = True,
        ood_members: bool | None = None,
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

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, offset: Any = None,
        exposure: Any = None, y_std: Any = None, callbacks: Sequence[Any] = (),
    ) -> Self:  # fmt: skip
        """Try the recipes, keep the models of the best one, and calibrate them.

        Parameters
        ----------
        X, y, sample_weight, offset, exposure, y_std
            Rows, as in `WGBRegressor.fit`.
        groups : array (n,), optional
            Rows of one group are in one fold.
        callbacks : sequence of callables
            Called after every round of every model, with the "member" in the dict; see
            `wgboost.callbacks`. A callback that returns True ends the fit, as `MaxTime` does: the
            bag then has the models of the best recipe so far that were finished, or the first one.

        Notes
        -----
        Ctrl-C ends the fit with the folds that the best recipe so far has finished, and the warning
        `Interrupted`; before there is one it raises KeyboardInterrupt. A fit that raises leaves the
        estimator as it was.
        """
        fit_params = {
            "sample_weight": sample_weight, "offset": offset, "exposure": exposure, "y_std": y_std,
        }  # fmt: skip
        params = self.get_params(deep=False)
        check_bag_parameters(type(self).__name__, params, callbacks)
        X, fit_params, names = named_columns(X, {"y": y, "groups": groups, **fit_params})
        known = describe_metadata(fit_params, names)
        y, groups = fit_params.pop("y"), fit_params.pop("groups")
        given = BagData(X, y, fit_params, groups, callbacks)
        result = fit_bag(ClassifierBag(params), given, self._assemble)
        set_bag(self, result, known)
        warn_of_bag(result, 2)
        return self

    def _assemble(self, members: Sequence[WGBClassifier]) -> Self:
        """Return some members as an estimator."""
        bag = type(self)(**self.get_params(deep=False))
        set_members(bag, members)
        return bag

    def to_saved(self) -> SavedModel:
        """Return the estimator as a file holds it."""
        return saved_bag(self, self.members_)

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """Return the estimator that a file holds; see `wgboost.load`."""
        estimator = cls(**saved.params)
        restore_bag(estimator, saved, cls.member_type)
        return estimator
