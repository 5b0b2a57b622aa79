"""Classification that chooses its own settings."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from wgboost.estimators import WGBClassifier
from wgboost.estimators.base_classifier import BaseClassifier
from wgboost.model import FittedBag
from wgboost.persistence.models import SavedModel
from wgboost.selection import fitting
from wgboost.selection.attributes import restore_bag, saved_bag
from wgboost.selection.recipes import Recipes, classifier_recipes
from wgboost.selection.spec import BagSpec
from wgboost.training.posterior_data import PosteriorData

__all__ = ["ClassifierBag", "WGBClassifierCV"]


class ClassifierBag(BagSpec):
    """Members of `WGBClassifierCV`."""

    member_type = WGBClassifier
    shared = (
        "n_particles", "n_estimators", "n_iter_no_change", "categorical_features",
        "monotone_constraints", "interaction_constraints", "response", "class_weight",
        "eval_metric",
    )  # fmt: skip

    def usual_recipes(self, data: PosteriorData) -> Recipes:
        """See `BagSpec`."""
        return classifier_recipes(len(data.to_split))


class WGBClassifierCV(BaseClassifier):
    """Choose settings by cross-validation, and predict with a calibrated bag of `WGBClassifier`.

    Recipes, which are sets of parameters, are compared by successive halving over folds: all of
    them on the first fold, the better two fifths (from 5,000 rows on the better third) on the next,
    and so on. Models of the first fold have few trees a round and are not kept. Every model is
    fitted without one fold and stopped early on it. The bag consists of the models of the best
    recipe on all folds. Its predictions mix the particles of all models, and the rows of each
    model's own fold calibrate it.

    Parameters
    ----------
    recipes : dict, list or None, default=None
        Parameters of `WGBClassifier` by the name of the recipe, or a list of such parameters. None
        is `wgboost.selection.classifier_recipes`, which depends on the number of rows.
    cv : int, splitter, iterable or None, default=None
        Folds: their number, a splitter of scikit-learn, or pairs of indices to train and to test
        on. A number makes folds with equal shares of the classes, or of whole groups if `groups`
        are given. None is 10 folds below 2,000 rows and 5 from there on.
    time_budget : float or None, default=None
        Seconds. No fit is started that would leave the best recipe so far too little time for its
        other folds, which are always finished. The result then depends on the machine.
    calibrated : bool, default=True
        Whether to fit `calibration_` to the rows that members were not trained on.
    n_particles : int, default=10
        Number of particles per row and member.
    n_estimators : int, default=1000
        Largest number of boosting rounds of a member; early stopping finds the number.
    n_iter_no_change : int or None, default=30
        Number of rounds after which a member stops, without a gain of at least 0.02 % of that of
        all rounds so far. None never stops it.
    categorical_features : "from_dtype", list, mask or None, default="from_dtype"
        Columns that trees split by sets of categories, as in `WGBClassifier`.
    monotone_constraints : dict, list (p,) or None, default=None
        1 if the log-odds must not decrease with a feature, -1 if they must not increase; as in
        `WGBClassifier`.
    interaction_constraints : list of lists, "no_interactions" or None, default=None
        Groups of columns that may occur together on a path of a tree.
    response : str or Response, default="categorical"
        Distribution of y: "categorical", "ordinal" or an object, as in `WGBClassifier`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in `WGBClassifier`.
    eval_metric : str, callable or list, default="nll"
        Metric of early stopping and of the comparison of recipes. The first of a list decides.
    n_jobs : int or None, default=None
        Number of threads, as in `WGBClassifier`. The model does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of all members.
    verbose : int, default=0
        1 prints a line for each model; more also shows their progress.

    Attributes
    ----------
    classes_ : array (k,)
        Sorted labels. All members know all classes, whether or not they were trained on rows of
        each.
    ranks_ : array (k,)
        Labels in the order of an ordinal response.
    members_ : list of WGBClassifier
        The models of the bag, one for each fold.
    model_ : FittedBag
        The fitted models as one value.
    best_recipe_ : str
        Name of the best recipe.
    best_params_ : dict
        Parameters of the best recipe.
    best_value_ : float
        `eval_metric` of one member of the best recipe on new rows, before calibration, over the
        folds on which no other recipe was tried; see `WGBRegressorCV`.
    cv_results_ : dict of arrays
        What was tried, in order: "recipe", "fold", "trial", "value", "rounds", "evidence",
        "seconds" and "kept"; see `WGBRegressorCV`.
    calibration_ : Calibration
        Factors that predictions follow, with ``calibrated=True``.
    ood_reference_ : OODReference
        OOD scores of ordinary rows, for `ood_pvalue`.
    ood_references_ : dict of OODReference
        The same by the name of the score: "combined", "novelty", "support", "distance",
        "max_variance" and "mutual_information".
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
    WGBClassifier : A single model with given settings.
    wgboost.selection.classifier_recipes : The usual recipes.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (80, 2))
    >>> y = np.where(X[:, 0] > 0, "yes", "no")
    >>> few = {"n_estimators": 20, "n_particles": 3, "cv": 2, "random_state": 0}
    >>> bag = WGBClassifierCV([{"max_leaves": 4}], **few).fit(X, y)
    >>> len(bag.members_)
    2
    >>> bag.predict_proba(X[:3]).shape
    (3, 2)
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {
        "offset": True,
        "exposure": True,
        "y_std": True,
    }
    bag_type: ClassVar[type[BagSpec]] = ClassifierBag
    model_: FittedBag
    members_: list[WGBClassifier]

    def __init__(
        self,
        recipes: Any = None,
        *,
        cv: Any = None,
        time_budget: float | None = None,
        calibrated: bool = True,
        n_particles: int = 10,
        n_estimators: int = 1000,
        n_iter_no_change: int | None = 30,
        categorical_features: Any = "from_dtype",
        monotone_constraints: Any = None,
        interaction_constraints: Any = None,
        response: Any = "categorical",
        class_weight: Any = None,
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
