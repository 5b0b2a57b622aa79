"""Regression that chooses its own settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from wgboost.data import named_columns
from wgboost.estimators import WGBRegressor
from wgboost.estimators.base_regressor import BaseRegressor
from wgboost.metrics.metadata import describe_metadata
from wgboost.model import FittedBag
from wgboost.persistence.models import SavedModel
from wgboost.selection.attributes import restore_bag, saved_bag, set_bag, set_members
from wgboost.selection.bag import BagData, check_bag_parameters, fit_bag, warn_of_bag
from wgboost.selection.recipes import Recipes, regressor_recipes
from wgboost.selection.spec import BagSpec
from wgboost.training import PosteriorData
from wgboost.training.smooth_starts import can_start_smooth

__all__ = ["RegressorBag", "WGBRegressorCV"]


class RegressorBag(BagSpec):
    """Members of `WGBRegressorCV`."""

    member_type = WGBRegressor
    shared = (
        "n_particles", "n_estimators", "n_iter_no_change", "categorical_features",
        "monotone_constraints", "monotone_parameter", "interaction_constraints", "response",
        "prior", "eval_metric",
    )  # fmt: skip

    def usual_recipes(self, data: PosteriorData) -> Recipes:
        """See BagSpec."""
        # Constraints hold trees, not a smooth start.
        names = ("monotone_constraints", "interaction_constraints")
        held = any(self.params[name] is not None for name in names)
        smooth = can_start_smooth(data) and not held
        return regressor_recipes(len(data.to_split), smooth=smooth)


class WGBRegressorCV(BaseRegressor):
    """A calibrated bag of `WGBRegressor`, with settings chosen by cross-validation.

    Recipes, which are sets of parameters, race over folds: all on the first, the better half (from
    5,000 rows on the better third) on the next, and so on. Every model is fitted without one fold
    and stopped early on it. The winner's models of all folds are the bag, whose predictions mix the
    particles of all of them; the rows of each model's own fold calibrate it.

    Parameters
    ----------
    recipes : dict, list or None
        Parameters of `WGBRegressor` by the recipe's name, or a list of such. None is
        `wgboost.selection.regressor_recipes`, which depends on the number of rows.
    cv : int, splitter or None
        Folds: their number, of rows in random order or with `groups` of whole groups; a splitter of
        scikit-learn; or pairs of indices to train and to test on. None is 10 folds of less
        than 2,000 rows and 5 of more. Where every fold is later than the rows that its model was
        trained on, as of `TimeSeriesSplit`, the members of the bag are fitted once more in the end,
        to the rows of the last fold as well.
    time_budget : float or None
        Seconds. Nothing is begun that would leave the best recipe so far too little time for its
        other folds, which are always finished. The result then depends on the machine.
    calibrated : bool
        Whether to fit `calibration_` to the rows that members have not seen.
    n_particles, n_estimators, n_iter_no_change, categorical_features, monotone_constraints
        As in `WGBRegressor`, for all recipes that do not say otherwise; as are
        `monotone_parameter`, `interaction_constraints`, `response` and `prior`.
    eval_metric : str or callable, or a list
        What early stopping and the race go by; see `WGBRegressor`.
    n_jobs : int or None
        As in `WGBRegressor`: None takes a thread for each core unless something limits them.
    random_state : int, RandomState or None
        Of the folds and of all members.
    verbose : int
        1 shows a line for each model; more also shows their progress.

    Attributes
    ----------
    members_ : list of WGBRegressor
        The models of the bag, one for each fold, all with the same units of y.
    best_recipe_ : str
    best_params_ : dict
        The name of the recipe that won, and its parameters.
    best_value_ : float
        What its `eval_metric` is for one member on new rows, before calibration; the bag is usually
        better. It is the mean of "value" in `cv_results_` over the folds on which no other recipe
        was tried, so that the choice of the recipe does not flatter it. If there is no such fold,
        the mean is over all folds and a little too good.
    cv_results_ : dict of arrays
        What was tried, in order: "recipe", "fold", "value", "rounds", "evidence", "seconds" and
        "kept", whether the bag has a model of it. "value" is the metric on the rows of the fold, at
        the number of rounds that is best on the recipe's other folds; a recipe that was tried on
        one fold only has the value at its best round there, which is too good.
        ``pandas.DataFrame(cv_results_)``.
    calibration_ : Calibration
        The factors that predictions follow.
    ood_reference_ : OODReference
        Which OOD scores are usual, for `ood_pvalue`.
    ood_references_ : dict of OODReference
        The same by the name of the score: "epistemic" and "max_variance".
    interrupted_ : bool
        Whether Ctrl-C ended the fit.
    feature_importances_ : array (p,)
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {
        "offset": True,
        "exposure": True,
        "y_std": True,
    }
    member_type = WGBRegressor
    model_: FittedBag
    members_: list[WGBRegressor]

    def __init__(
        self,
        recipes: Any = None,
        *,
        cv: Any = None,
        time_budget: float | None = None,
        calibrated: bool = True,
        n_particles: int = 10,
        n_estimators: int = 4000,
        n_iter_no_change: int | None = 50,
        categorical_features: Any = "from_dtype",
        monotone_constraints: Any = None,
        monotone_parameter: int | str | None = None,
        interaction_constraints: Any = None,
        response: Any = "normal",
        prior: dict[str, Any] | None = None,
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
        result = fit_bag(RegressorBag(params), given, self._assemble)
        set_bag(self, result, known)
        warn_of_bag(result, 2)
        return self

    def _assemble(self, members: Sequence[WGBRegressor]) -> Self:
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
