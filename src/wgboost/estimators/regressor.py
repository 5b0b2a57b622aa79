"""Regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from wgboost.estimators.attributes import set_model, warn_of_fit
from wgboost.estimators.base_regressor import BaseRegressor
from wgboost.estimators.paper import paper_settings
from wgboost.estimators.preparing import FitArguments, prepare_fit
from wgboost.model import FittedModel, History
from wgboost.training.fit import fit_model
from wgboost.typing import Array

__all__ = ["WGBRegressor"]


class WGBRegressor(BaseRegressor):
    """Wasserstein gradient boosting for a numeric y, or for several columns of y together.

    The model maps x to `n_particles` particles, each a set of parameters of the response
    distribution. The response describes the noise in y. The error of the model is estimated after
    training, from simulated data.

    Parameters
    ----------
    n_particles : int, default=10
        Number of particles per row.
    n_estimators : int or None, default=None
        Number of boosting rounds, or the largest number with early stopping. None finds the number
        by early stopping, up to 4,000. With fewer than 50 rows no rows are held out, and five folds
        find the number, at most one round per row. A number alone switches early stopping off and
        sets `evidence` to 1, with a warning; ``early_stopping=True`` keeps both.
    learning_rate : float, default=0.15
        Share of each round's movement that is applied.
    max_depth : int or None, default=None
        Largest depth of a tree. None sets no limit.
    max_leaves : int, "auto" or None, default="auto"
        Largest number of leaves of a tree. "auto" follows the number of training rows n: n / 32
        between 4 and 16, and beyond 512 rows 16 times the square root of n / 512, at most 128; with
        `max_depth` it sets no limit. Where the evidence or the start is searched for, a quarter of
        this number is tried as well. None sets no limit.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    l2 : float, default=1.0
        L2 regularisation of leaf values. It is added to the curvature of a leaf, and multiplied by
        the evidence, as curvature is.
    subsample : float, default=1.0
        Share of the rows drawn for each round, without replacement.
    colsample : float, default=0.7
        Share of the features drawn for each round, rounded up.
    tree : {"per_particle", "shared"} or int, default="per_particle"
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
    evidence : float, array (n,), "auto" or None, default=None
        Number of observations that a row counts for: the power of its likelihood. "auto" searches
        for it with early stopping or `X_val`: it trains with several values, ends those early that
        cannot become the best, and takes the best by `eval_metric`. From 40,000 training rows on,
        10,000 of them choose it. None is "auto" with early stopping, 4 where folds find the rounds,
        and 1 otherwise. See docs/evidence.md.
    direction : str, direction or callable, default="diagonal_newton"
        How particles move: "diagonal_newton", "smoothed", "full_newton", "langevin", "chi_squared",
        "mmd", "energy", an object such as ``DiagonalNewton(Kernel("scaled"))`` of
        `wgboost.directions`, or a function. The kernel between
        particles of a direction that is given by name is "gaussian", and "scaled" if the evidence
        is searched for and 3 or more.
    learner : TreeLearner, scikit-learn regressor, learner or None, default=None
        What is fitted to the movement of each round. None grows histogram trees; a `TreeLearner`
        changes their rarer rules (what splits are searched on, bins, categories) and the engine.
    init : "auto", "flow", "smooth", AveragedFlow, SmoothStart, array or estimator, default="auto"
        Start of the particles: "flow", the end of a flow without features; "smooth", a Gaussian
        process whose residuals are boosted; an array (n_particles, parameters); or the cross-fitted
        predictions of an estimator. "auto" takes a process of at most 1,000 landmarks if it is
        clearly better than "flow" for the rows that early stopping holds out. Smooth functions are
        predicted far better then (docs/smooth.md). "auto" is "flow" without early stopping, with
        constraints, batches or more than 50,000 rows, and where a smooth start is not possible. A
        model file with a process has features and y of training rows; "flow" never stores y.
    response : str or Response, default="normal"
        Distribution of y: a name such as "gamma", an object such as ``Gamma(prior_scale=3)``, or
        "auto", which chooses by the range of y and its variation (`wgboost.propose_response`).
        "multivariate_normal" takes a y (n, q) of several columns. The parameters of the object are
        those of the prior, which refers to standardised y; each is a number or one value per row.
    early_stopping : bool or None, default=None
        Whether to hold out rows, or use `X_val`, to find the number of rounds by `eval_metric`.
        None is True unless `n_estimators` is given or there are fewer than 50 rows.
    validation_fraction : float, default=0.2
        Share of the rows that early stopping holds out.
    n_iter_no_change : int or None, default=30
        Number of rounds without a worthwhile gain after which early stopping ends: one of at least
        0.02 % of what all rounds so far have gained. None never ends it.
    eval_metric : str, callable or list, default="nll"
        Metric of early stopping: "nll", "crps", "rmse", "mae", "pinball", "concordance",
        "energy_score", or a function of (distribution, y), smaller being better. The first of a
        list decides; the others are recorded in `history_`.
    refit : bool, default=True
        Whether to fit again on all rows, with the number of rounds that early stopping found on
        held-out rows. It is found with two trees a round; such a model is kept only if the fit is
        interrupted before the refit.
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
        Trees, start particles, units of y and how the fit went.
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
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array (p,)
        Names of the features, if X had some.
    response_ : Response
        The response distribution.
    evidence_ : float
        Mean evidence of a row.
    search_ : list of dict
        What a search tried: "evidence", "init" if starts were compared, "leaf_share" if trees had
        fewer leaves than usual, best number of "rounds", number of "trained" rounds, "value" of the
        metric, number of "rows", and which one was "chosen".
    calibration_ : Calibration
        Factors that predictions follow, after `calibrate`.
    ood_reference_ : OODReference
        OOD scores of ordinary rows, after `calibrate_ood`.
    n_outputs_ : int
        Number of columns of y.
    proposal_ : tuple
        With response="auto": the name of the response, and the reason for it.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (200, 2))
    >>> y = X[:, 0] + 0.1 * rng.standard_normal(200)
    >>> model = WGBRegressor(random_state=0).fit(X, y)
    >>> dist = model.predict_dist(X[:3])
    >>> dist.mean().shape
    (3,)
    >>> low, high = dist.interval(0.9)
    >>> bool((low < high).all())
    True
    """

    # Metadata that is routed by default, since predictions and scores depend on it. Weights are
    # routed on request, as in scikit-learn.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {
        "offset": True,
        "exposure": True,
        "y_std": True,
        "groups": True,
    }

    model_: FittedModel
    n_estimators_: int
    history_: History
    validation_rows_: Array | None
    refitted_: bool
    interrupted_: bool
    seed_: int
    n_outputs_: int
    proposal_: tuple[str, str]

    def __init__(
        self,
        *,
        n_particles: int = 10,
        n_estimators: int | None = None,
        learning_rate: float = 0.15,
        max_depth: int | None = None,
        max_leaves: int | str | None = "auto",
        min_samples_leaf: int = 1,
        l2: float = 1.0,
        subsample: float = 1.0,
        colsample: float = 0.7,
        tree: str | int = "per_particle",
        categorical_features: Any = "from_dtype",
        monotone_constraints: Any = None,
        monotone_parameter: int | str | None = None,
        interaction_constraints: Any = None,
        evidence: Any = None,
        direction: Any = "diagonal_newton",
        learner: Any = None,
        init: Any = "auto",
        response: Any = "normal",
        early_stopping: bool | None = None,
        validation_fraction: float = 0.2,
        n_iter_no_change: int | None = 30,
        eval_metric: Any = "nll",
        refit: bool = True,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self._store(locals())

    @classmethod
    def paper(cls, **changes: Any) -> WGBRegressor:
        """Return an estimator with the paper's settings for regression.

        Parameters
        ----------
        **changes : object
            Parameters that differ from the paper.

        Returns
        -------
        estimator
            An estimator to fit.

        Examples
        --------
        >>> from wgboost import WGBRegressor
        >>> WGBRegressor.paper(n_estimators=10).max_depth
        3
        """
        own: dict[str, Any] = {
            "learning_rate": 0.1, "early_stopping": True, "validation_fraction": 0.2,
            "refit": True,
        }  # fmt: skip
        return cls(**paper_settings({**own, **changes}))

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        offset: Any = None,
        exposure: Any = None,
        y_std: Any = None,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        offset_val: Any = None,
        exposure_val: Any = None,
        y_std_val: Any = None,
        validation_rows: Any = None,
        callbacks: Sequence[Any] = (),
        resume_from: Any = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            NaN and null mean missing; infinities are values. Frames of pandas, polars and Arrow
            bring names, and categories as text or of a categorical type. Or `wgboost.Batches`,
            which have y and the weights too: data larger than memory.
        y : array (n,), or (n, q) for a response of several columns
            Or what `wgboost.censored` returns, where only bounds are known. If X is a frame, y and
            all other parameters that belong to rows can be names of its columns. These are then not
            features, neither here nor in predictions.
        sample_weight : array (n,), optional
            How often each row counts: a weight of 2 is the row twice, and rows of weight zero are
            ignored. Multiply weights that sum to one by the number of rows, since `l2` is in their
            unit.
        offset : number or array like y, optional
            A known part of the location, which the model does not have to learn; predictions take
            one too.
        exposure : number or array (n,), optional
            Factor of the mean of a count or of a positive y, such as time or people at risk. It
            replaces an offset, which would be its log. Predictions take one too.
        y_std : number or array (n,), optional
            Standard deviation of a known error that y was measured with. Predictions are then of y
            without that error.
        groups : array (n,), optional
            Labels of rows that belong together, such as those of a patient or a day. Groups are
            held out as a whole, and `validation_fraction` is a share of the groups.
        X_val, y_val, sample_weight_val, offset_val, exposure_val, y_std_val : optional
            Validation rows, in place of a share of the training rows, or lists or tuples of several
            validation sets, of which early stopping uses the first. The weights are those of the
            metric. These rows are never trained on, so there is no refit.
        validation_rows : optional
            A mask or indices of the rows of X to hold out, such as the latest.
        callbacks : sequence of callables
            Each gets a dict with "round", "metrics", "particles" and more after every round;
            returning True stops. `wgboost.callbacks` has some, and documents the dict.
        resume_from : path, optional
            A file of `callbacks.Checkpoint`. The fit continues from there, and the model is that of
            a fit without a pause. Data and parameters have to be the same, except for n_jobs and
            verbose.

        Returns
        -------
        self : WGBRegressor
            The fitted estimator.

        Notes
        -----
        Ctrl-C ends the fit with the rounds so far and the warning `Interrupted`. During the refit
        it keeps the model that early stopping found. Before the first round it raises
        KeyboardInterrupt. A fit that raises leaves the estimator as it was.

        With scikit-learn's metadata routing, `fit` asks for offset, exposure, y_std and groups from
        the start, and for sample_weight after ``set_fit_request(sample_weight=True)``.

        With warm_start a further fit adds rounds to the model, up to n_estimators, as if there had
        been no pause. Validation sets are evaluated, their history continues, and early stopping
        counts the rounds since the best one. n_particles, response, prior and init cannot change.
        Rows that early_stopping or validation_rows hold out have to be the same as before. They are
        the same for the same data and refit=False; a refitted model was trained on them.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0]).n_estimators_
        5
        """
        given = FitArguments(
            X,
            {
                "y": y, "sample_weight": sample_weight, "offset": offset, "exposure": exposure,
                "y_std": y_std, "groups": groups,
            },
            X_val,
            {
                "y_val": y_val, "sample_weight_val": sample_weight_val, "offset_val": offset_val,
                "exposure_val": exposure_val, "y_std_val": y_std_val,
            },
            validation_rows,
            callbacks,
            resume_from,
        )  # fmt: skip
        request = prepare_fit(
            type(self).__name__, self.get_params(deep=False), given, fitted=self._fitted()
        )
        model = fit_model(request)
        set_model(self, model)
        warn_of_fit(request, model, 2)
        return self

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
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=2, random_state=0).fit(X, X[:, 0])
        >>> model.apply(X).shape
        (60, 20)
        """
        matrix = self._matrix(X)
        return self.model_.apply(matrix, self._n_threads())
