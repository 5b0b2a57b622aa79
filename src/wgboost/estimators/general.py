"""The general algorithm: targets that are distributions themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from sklearn.utils.validation import check_is_fitted

from wgboost.estimators import particle_answers, particle_predictions, support_methods
from wgboost.estimators.attributes import restored_model, saved_model, set_model, warn_of_fit
from wgboost.estimators.conventions import CheckedParameters, save_estimator, store_parameters
from wgboost.estimators.preparing import FitArguments, prepare_fit
from wgboost.metrics.metadata import metadata_columns
from wgboost.model import FittedModel, History
from wgboost.persistence.models import SavedModel
from wgboost.targets import Density, LogDensity, Target
from wgboost.training.fit import fit_model
from wgboost.training.tables import apply_schema
from wgboost.typing import Array
from wgboost.validation import AttributeHints, resolve_threads

__all__ = ["WGBoost"]

_PARTICLES = "its predictions are particles"


class WGBoost(AttributeHints, CheckedParameters):
    """Wasserstein gradient boosting on distribution-valued targets (Algorithm 1 of the paper).

    The target of every row is a distribution on R^d, given by the derivatives of its log density or
    by samples. The model maps x to `n_particles` particles that follow it.

    Parameters
    ----------
    target : Target, LogDensity, array, list or None, default=None
        Targets of the rows: score and curvature as functions of (particles (n, m, d), y (n, q)), a
        log density, samples (n, s, d), or a list of samples, of `Density` or of frozen
        distributions of scipy.stats. None: `fit` is given the latter in place of y.
    n_params : int or None, default=None
        Number d of coordinates of a particle. None follows the target or `init`, else 1.
    n_particles : int, default=10
        Number of particles per row.
    n_estimators : int, default=100
        Number of boosting rounds, or the largest number with early stopping.
    learning_rate : float, default=0.1
        Share of each round's movement that is applied.
    max_depth : int or None, default=3
        Largest depth of a tree. None sets no limit.
    max_leaves : int, "auto" or None, default=None
        Largest number of leaves of a tree. "auto" follows the number of training rows n: n / 32
        between 4 and 16, and beyond 512 rows 16 times the square root of n / 512, at most 128; with
        `max_depth` it sets no limit. None sets no limit.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    l2 : float, default=0.0
        L2 regularisation of leaf values. It is added to the weight or the curvature of a leaf.
    subsample : float, default=1.0
        Share of the rows drawn for each round, without replacement.
    colsample : float, default=1.0
        Share of the features drawn for each round, rounded up.
    tree : {"per_particle", "shared"} or int, default="shared"
        One tree per particle in each round, one tree for all particles, or a number of trees: the
        particles are divided into as many groups of equal size, each with a tree of its own.
    categorical_features : "from_dtype", list, mask or None, default="from_dtype"
        Columns that trees split by sets of categories: names, indices, a mask, or the text and
        categorical columns of a data frame.
    monotone_constraints : dict, list (p,) or None, default=None
        1 if the constrained parameter must not decrease with a feature, -1 if it must not increase,
        0 if it is free; by column name or index, or one number per column. It holds for every
        particle.
    monotone_parameter : int, str or None, default=None
        Parameter of the response that `monotone_constraints` constrain, such as "log_scale". None
        is the first one, the location.
    interaction_constraints : list of lists, "no_interactions" or None, default=None
        Groups of columns that may occur together on a path of a tree. Columns in no group are one
        more group.
    direction : str, direction or callable, default="diagonal_newton"
        How particles move: "diagonal_newton", "smoothed", "full_newton", "langevin", "chi_squared",
        "mmd", "energy", an object such as ``DiagonalNewton(Kernel("scaled"))`` of
        `wgboost.directions`, or a function.
    learner : TreeLearner, scikit-learn regressor, learner or None, default=None
        What is fitted to the movement of each round. None grows histogram trees; a `TreeLearner`
        changes their rarer rules (what splits are searched on, bins, categories) and the engine.
    init : array (n_particles, n_params) or None, default=None
        Start particles of every row. None takes some of all samples, or draws from a standard
        normal distribution.
    early_stopping : bool, default=False
        Whether to hold out rows, or use `X_val`, to find the number of rounds by `eval_metric`.
    validation_fraction : float, default=0.2
        Share of the rows that early stopping holds out.
    n_iter_no_change : int or None, default=None
        Number of rounds without a worthwhile gain after which early stopping ends: one of at least
        0.02 % of what all rounds so far have gained. None never ends it.
    eval_metric : {"nll", "energy_distance"}, callable, list or None, default=None
        Metric of early stopping, smaller being better. "nll" is minus the mean of `log_likelihood`,
        for targets with a likelihood; "energy_distance" is the mean energy distance to the samples
        or quantiles of the targets. None is the one that the targets have. A function gets
        (particles (n, m, d), y), and `sample_weight` if it takes it.
    refit : bool, default=True
        Whether to fit again on all rows, with the number of rounds that early stopping found on
        held-out rows.
    warm_start : bool, default=False
        Whether a further `fit` adds rounds to the fitted model, up to `n_estimators`.
    n_jobs : int or None, default=None
        Number of threads. None is one per core, within the limits of OMP_NUM_THREADS and
        ``joblib.parallel_config``; -1 is one per core. The model does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the fit.
    verbose : int, default=0
        Whether to show progress: a bar, or without a terminal a line every so many rounds.

    Attributes
    ----------
    model_ : FittedModel
        Trees, start particles and how the fit went.
    n_estimators_ : int
        Number of rounds of the model.
    history_ : dict
        Metric values by validation set, metric and round, from before the first round on.
    validation_rows_ : array or None
        Indices of the rows that were held out and not trained on.
    refitted_ : bool
        Whether the model was fitted again on all rows.
    interrupted_ : bool
        Whether Ctrl-C ended the fit.
    feature_importances_ : array (p,)
        Share of each feature in the gain of all splits.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBoost
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (100, 1))
    >>> samples = X[:, :, None] + 0.1 * rng.standard_normal((100, 20, 1))
    >>> model = WGBoost(direction="energy", n_estimators=20, random_state=0).fit(X, samples)
    >>> model.predict_particles(X[:3]).shape
    (3, 10, 1)
    """

    model_: FittedModel
    n_estimators_: int
    history_: History
    validation_rows_: Array | None
    refitted_: bool
    interrupted_: bool
    seed_: int
    n_jobs: int | None

    _hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(
            ("predict_dist", "staged_predict_dist", "predict_band", "predict_table"),
            f"{_PARTICLES}: predict_particles, staged_predict_particles, predict_quantiles, and "
            "plotting.ParticlesDisplay to draw them",
        ),
        "calibrate": f"{_PARTICLES}; WGBRegressor and WGBClassifier can be calibrated",
        **dict.fromkeys(
            ("calibrate_ood", "ood_pvalue"),
            "wgboost.OODReference(model.ood_score(X_unseen)).pvalue(model.ood_score(X)) does it",
        ),
    }

    def __init__(
        self,
        target: Target | LogDensity | Sequence[Density] | Any = None,
        *,
        n_params: int | None = None,
        n_particles: int = 10,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_depth: int | None = 3,
        max_leaves: int | str | None = None,
        min_samples_leaf: int = 1,
        l2: float = 0.0,
        subsample: float = 1.0,
        colsample: float = 1.0,
        tree: str | int = "shared",
        categorical_features: Any = "from_dtype",
        monotone_constraints: Any = None,
        monotone_parameter: int | str | None = None,
        interaction_constraints: Any = None,
        direction: Any = "diagonal_newton",
        learner: Any = None,
        init: Any = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.2,
        n_iter_no_change: int | None = None,
        eval_metric: Any = None,
        refit: bool = True,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        store_parameters(self, locals())

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """Return the estimator that a file holds; see `wgboost.load`.

        Parameters
        ----------
        saved : SavedModel
            What a file holds.

        Returns
        -------
        WGBoost
            A fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> import wgboost
        >>> X = np.arange(60.0)[:, None]
        >>> model = wgboost.WGBoost(direction="energy", n_estimators=5)
        >>> model = model.fit(X, np.repeat(X, 3, axis=1))
        >>> model.save("model.wgb")
        >>> wgboost.load("model.wgb").n_estimators_
        5
        """
        estimator = cls(**saved.params)
        set_model(estimator, restored_model(estimator, saved))
        return estimator

    def _matrix(self, X: Any) -> Array:
        """Return X as a matrix with the columns of the fit."""
        check_is_fitted(self)
        schema = self.model_.schema
        if schema is None:
            raise TypeError("the model does not know its columns")
        return apply_schema(schema, X, ignored=metadata_columns(self), name=type(self).__name__)

    def _n_threads(self) -> int:
        return min(resolve_threads(self.n_jobs), 1024)

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        validation_rows: Any = None,
        callbacks: Sequence[Any] = (),
        resume_from: Any = None,
    ) -> WGBoost:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            As in `WGBRegressor.fit`.
        y : array (n, q) or (n,), or what describes the rows' targets
            An array is handed to the target's functions row by row. With target=None y is what
            describes the rows' targets; see `target`.
        sample_weight : array (n,), optional
            As in `WGBRegressor.fit`.
        groups : array (n,), optional
            As in `WGBRegressor.fit`: rows of one group are held out together.
        X_val : array or frame, or list of them, optional
            Validation rows, or several sets of them, as in `WGBRegressor.fit`.
        y_val : array, or list of them, optional
            Targets of the validation rows, as y. If `target` lists the targets of the training
            rows, it lists those of X_val.
        sample_weight_val : array, or list of them, optional
            Weights of the validation rows in the metric.
        validation_rows : array, optional
            Rows of X to hold out, as in `WGBRegressor.fit`.
        callbacks : list of callables, default=()
            Functions that are called after each round, as in `WGBRegressor.fit`.
        resume_from : str or path, optional
            A checkpoint to continue, as in `WGBRegressor.fit`. The target may change meanwhile;
            n_particles, n_params and init may not.

        Returns
        -------
        self : WGBoost
            The fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBoost
        >>> X = np.arange(60.0)[:, None]
        >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
        >>> WGBoost(direction="energy", n_estimators=5).fit(X, samples).n_estimators_
        5
        """
        given = FitArguments(
            X,
            {"y": y, "sample_weight": sample_weight, "groups": groups},
            X_val,
            {"y_val": y_val, "sample_weight_val": sample_weight_val},
            validation_rows,
            callbacks,
            resume_from,
        )
        request = prepare_fit(
            type(self).__name__, self.get_params(deep=False), given,
            fitted=vars(self).get("model_"),
        )  # fmt: skip
        model = fit_model(request)
        set_model(self, model)
        warn_of_fit(request, model, 2)
        return self

    def save(self, path: Any, *, metadata: dict[str, Any] | None = None) -> None:
        """Write the model to a file of plain arrays and JSON, which `wgboost.load` reads.

        The file is replaced as a whole or not at all. Predictions of a loaded model are the same
        to the bit.

        Parameters
        ----------
        path : str or path
            The file.
        metadata : dict, optional
            Texts, numbers, lists and dicts to keep with the model; a loaded model has them as
            `metadata_`. None keeps those of a loaded model.

        Raises
        ------
        TypeError
            If the model has parts that are not data: another learner than trees, or an estimator as
            start. A function or a response of your own is kept by name and given to `load`.
        OSError
            If the file cannot be written; an old file stays as it was.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBoost
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBoost(direction="energy", n_estimators=5).fit(X, np.repeat(X, 3, axis=1))
        >>> model.save("model.wgb")
        """
        check_is_fitted(self)
        save_estimator(self, saved_model(self, self.model_, {}), path, metadata)

    def apply(self, X: Any) -> Array:
        """Return the leaf that each row reaches in each tree.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.

        Returns
        -------
        array (n, trees) of int
            Numbers of leaves.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBoost
        >>> X = np.arange(60.0)[:, None]
        >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
        >>> model = WGBoost(direction="energy", n_estimators=5, random_state=0).fit(X, samples)
        >>> model.apply(X).shape
        (60, 5)
        """
        matrix = self._matrix(X)
        return self.model_.apply(matrix, self._n_threads())

    @property
    def feature_importances_(self) -> Array:
        """The share (p,) of each feature in the total gain of all splits."""
        check_is_fitted(self)
        shares = self.model_.feature_importances()
        if shares is None:
            raise AttributeError("feature importances need native trees")
        return shares

    predict = particle_predictions.predict
    staged_predict = particle_predictions.staged_predict
    predict_particles = particle_predictions.predict_particles
    staged_predict_particles = particle_predictions.staged_predict_particles
    log_likelihood = particle_predictions.log_likelihood
    score = particle_answers.score
    sample = particle_answers.sample
    predict_quantiles = particle_answers.predict_quantiles
    predict_uncertainty = particle_answers.predict_uncertainty
    ood_score = particle_answers.ood_score
    decide = particle_answers.decide
    predict_support = support_methods.predict_support
    explain_support = support_methods.explain_support
