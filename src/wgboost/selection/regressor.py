"""Regression that chooses its own settings."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from wgboost.estimators import WGBRegressor
from wgboost.estimators.base_regressor import BaseRegressor
from wgboost.model import FittedBag
from wgboost.persistence.models import SavedModel
from wgboost.selection import fitting
from wgboost.selection.attributes import restore_bag, saved_bag
from wgboost.selection.recipes import Recipes, regressor_recipes
from wgboost.selection.spec import BagSpec
from wgboost.training.posterior_data import PosteriorData

__all__ = ["RegressorBag", "WGBRegressorCV"]


class RegressorBag(BagSpec):
    """Members of `WGBRegressorCV`."""

    member_type = WGBRegressor
    shared = (
        "n_particles", "n_estimators", "n_iter_no_change", "categorical_features",
        "monotone_constraints", "monotone_parameter", "interaction_constraints", "response",
        "eval_metric",
    )  # fmt: skip

    def usual_recipes(self, data: PosteriorData) -> Recipes:
        """See `BagSpec`."""
        # A smooth start does not obey constraints.
        names = ("monotone_constraints", "interaction_constraints")
        constrained = any(self.params[name] is not None for name in names)
        smooth = data.can_start_smooth and not constrained
        return regressor_recipes(len(data.to_split), smooth=smooth)


class WGBRegressorCV(BaseRegressor):
    """Choose settings by cross-validation, and predict with a calibrated bag of `WGBRegressor`.

    Recipes, which are sets of parameters, are compared by successive halving over folds: all of
    them on the first fold, the better two fifths (from 5,000 rows on the better third) on the next,
    and so on. Models of the first fold have few trees a round and are not kept. Every model is
    fitted without one fold and stopped early on it. The bag consists of the models of the best
    recipe on all folds. Its predictions mix the particles of all models, and the rows of each
    model's own fold calibrate it.

    Parameters
    ----------
    recipes : dict, list or None, default=None
        Parameters of `WGBRegressor` by the name of the recipe, or a list of such parameters. None
        is `wgboost.selection.regressor_recipes`, which depends on the number of rows.
    cv : int, splitter, iterable or None, default=None
        Folds: their number, a splitter of scikit-learn, or pairs of indices to train and to test
        on. A number makes folds of rows in random order, or of whole groups if `groups` are given.
        None is 10 folds below 2,000 rows and 5 from there on. Where every fold is later than the
        rows that its model was trained on, as with `TimeSeriesSplit`, the members are fitted once
        more at the end, to the rows of the last fold as well.
    time_budget : float or None, default=None
        Seconds. No fit is started that would leave the best recipe so far too little time for its
        other folds, which are always finished. The result then depends on the machine.
    calibrated : bool, default=True
        Whether to fit `calibration_` to the rows that members were not trained on.
    n_particles : int, default=10
        Number of particles per row and member.
    n_estimators : int, default=4000
        Largest number of boosting rounds of a member; early stopping finds the number.
    n_iter_no_change : int or None, default=30
        Number of rounds after which a member stops, without a gain of at least 0.02 % of that of
        all rounds so far. None never stops it.
    categorical_features : "from_dtype", list, mask or None, default="from_dtype"
        Columns that trees split by sets of categories, as in `WGBRegressor`.
    monotone_constraints : dict, list (p,) or None, default=None
        1 if the constrained parameter must not decrease with a feature, -1 if it must not increase;
        as in `WGBRegressor`.
    monotone_parameter : int, str or None, default=None
        Parameter of the response that `monotone_constraints` constrain. None is the location.
    interaction_constraints : list of lists, "no_interactions" or None, default=None
        Groups of columns that may occur together on a path of a tree.
    response : str or Response, default="normal"
        Distribution of y, as in `WGBRegressor`.
    eval_metric : str, callable or list, default="nll"
        Metric of early stopping and of the comparison of recipes, as in `WGBRegressor`. The first
        of a list decides.
    n_jobs : int or None, default=None
        Number of threads, as in `WGBRegressor`. The model does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of all members.
    verbose : int, default=0
        1 prints a line for each model; more also shows their progress.

    Attributes
    ----------
    members_ : list of WGBRegressor
        The models of the bag, one for each fold, all with the same units of y.
    model_ : FittedBag
        The fitted models as one value.
    best_recipe_ : str
        Name of the best recipe.
    best_params_ : dict
        Parameters of the best recipe.
    best_value_ : float
        `eval_metric` of one member of the best recipe on new rows, before calibration; the bag is
        usually better. It is the mean of "value" of members in `cv_results_` over the folds on
        which no other recipe was tried, so that the choice of the recipe does not bias it. Without
        such a fold the mean is over all folds and a little optimistic.
    cv_results_ : dict of arrays
        What was tried, in order: "recipe", "fold", "trial", "value", "rounds", "evidence",
        "seconds" and "kept". "trial" says whether the model has few trees a round, for the
        comparison only, and "kept" whether the bag has the model. "value" is the metric on the rows
        of the fold, at the number of rounds that is best on the other folds of the recipe. A recipe
        that was tried on one fold only, and every trial, has the value at its best round there,
        which is optimistic.
        ``pandas.DataFrame(cv_results_)`` shows it as a table.
    calibration_ : Calibration
        Factors that predictions follow, with ``calibrated=True``.
    ood_reference_ : OODReference
        OOD scores of ordinary rows, for `ood_pvalue`.
    ood_references_ : dict of OODReference
        The same by the name of the score: "combined", "novelty", "support", "distance",
        "epistemic" and "max_variance".
    interrupted_ : bool
        Whether Ctrl-C ended the fit.
    feature_importances_ : array (p,)
        Mean share of each feature in the gain of all splits.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array (p,)
        Names of the features, if X had some.
    response_ : Response
        The response distribution.

    See Also
    --------
    WGBRegressor : A single model with given settings.
    wgboost.selection.regressor_recipes : The usual recipes.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (80, 2))
    >>> y = X[:, 0] + 0.1 * rng.standard_normal(80)
    >>> recipes = {"small": {"max_leaves": 4}, "large": {"max_leaves": 8}}
    >>> few = {"n_estimators": 20, "n_particles": 3, "cv": 2, "random_state": 0}
    >>> bag = WGBRegressorCV(recipes, **few).fit(X, y)
    >>> len(bag.members_)
    2
    >>> bag.best_recipe_ in recipes
    True
    >>> bag.predict_dist(X[:3]).mean().shape
    (3,)
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {
        "offset": True,
        "exposure": True,
        "y_std": True,
    }
    bag_type: ClassVar[type[BagSpec]] = RegressorBag
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
        n_iter_no_change: int | None = 30,
        categorical_features: Any = "from_dtype",
        monotone_constraints: Any = None,
        monotone_parameter: int | str | None = None,
        interaction_constraints: Any = None,
        response: Any = "normal",
        eval_metric: Any = "nll",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self._store(locals())

    fit = fitting.fit

    def to_saved(self) -> SavedModel:
        """Return the estimator as a model file holds it."""
        return saved_bag(self, self.members_)

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """Return the estimator that a model file holds; see `wgboost.load`."""
        estimator = cls(**saved.params)
        restore_bag(estimator, saved, cls.bag_type.member_type)
        return estimator
