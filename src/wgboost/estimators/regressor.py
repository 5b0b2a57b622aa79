"""Regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from wgboost.estimators.attributes import set_model, warn_of_fit
from wgboost.estimators.base_regressor import BaseRegressor
from wgboost.estimators.paper import PAPER_TREES
from wgboost.estimators.preparing import FitArguments, prepare_fit
from wgboost.model import FittedModel, History
from wgboost.training import fit_model
from wgboost.typing import Array

__all__ = ["WGBRegressor"]


class WGBRegressor(BaseRegressor):
    """Wasserstein gradient boosting for a numeric y, or for several columns of y together.

    The model maps x to `n_particles` particles, each a set of parameters of the response
    distribution: what the data cannot say is in the response, what the model does not know is in
    the spread of the particles.

    Parameters
    ----------
    n_particles : int
        Particles per row.
    n_estimators : int or None
        Boosting rounds, or the most of them with early stopping. None finds their number by early
        stopping, up to 4,000; of less than 50 rows none are held out, and five folds find the
        rounds, at most as many as rows; 100 with early_stopping=False. A number is taken as it is,
        as in LightGBM: where `early_stopping` and `evidence` are None there is then no early
        stopping, and the evidence is 1. With early_stopping=True both stay as they are without a
        number.
    learning_rate : float
        Share of each round's movement that is made.
    max_leaves : int, "auto" or None
        Leaves of a tree. "auto": one for 32 rows to train on (by weight), from 4 to 16, and beyond
        512 rows 16 times the root of their multiple, up to 128; no limit where `max_depth` is
        given. None: no limit.
    max_depth, min_samples_leaf, l2, min_gain, growth, subsample, colsample
        The trees; see `wgboost.trees.TreeSettings`. l2 is multiplied by the evidence, as curvature
        is.
    tree : "shared" or "per_particle"
        One tree a round for all particles, or one for each.
    split_on : "all", "sum", "particle_mean" or int
        What of the directions the split search looks at. "sum" is what the paper's tables used.
    leaf : "mean" or "newton"
        Leaf values as the mean of the rows' Newton steps g / c, or as sum(g) / (sum(c) + l2).
    max_bins : int
        Bins per numeric feature, at most 255.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Columns that the trees split by sets of categories; "from_dtype": text and categorical
        types of a frame.
    cat_smooth : float
        Categories are ordered as if so many more rows had the mean of the node.
    cat_penalty : float
        How much of what chance explains of the differences between many categories is taken off
        the gain of a split by them; 0 takes nothing off, more than 1 uses categories less.
    monotone_constraints : dict by column name or index, list (p,) or None
        1: `monotone_parameter` must not fall as the feature rises, all else being equal; -1: it
        must not rise; 0: free. It holds for every particle.
    monotone_parameter : int, str or None
        The coordinate of the response that is held to it, such as "log_scale"; None is the first,
        the location.
    interaction_constraints : list of lists of columns, "no_interactions" or None
        Features that may be asked for on one path of a tree. Columns in no list are one more.
    evidence : float, array (n,), "auto" or None
        How many observations a row speaks for: its likelihood counts to this power. None is "auto"
        with early stopping, 4 where folds find the rounds, and 1 otherwise. "auto" needs
        early stopping or X_val: it trains for some numbers and takes the best by `eval_metric`, and
        where that is much lets the evidence of a row follow how far the model errs there, as one
        that is boosted again from its own predictions shows; `evidence_trials_` says what was
        tried. With 40,000 rows or more to train on, the search sees 10,000 of them.
    kernel : "gaussian", "scaled" or None
        Distances between particles as they are, or in units of each row's Fisher information. None
        is "gaussian", and with evidence="auto" "scaled" for an evidence of 3 or more.
    bandwidth : float, "median" or None
        Width of the kernel; None is 0.1 (10 / n_particles)^1.5 ("gaussian") or, with d parameters,
        1 + 0.7 d^2 ("scaled").
    direction : str, direction or callable
        "diagonal_newton", "smoothed", "full_newton", "langevin", an object of `wgboost.directions`,
        or a function.
    learner : None, learner or scikit-learn regressor
        None grows native trees.
    engine : "native" or "xgboost"
        Who finds the splits of the trees: the compiled core, or XGBoost, which needs
        ``wgboost[xgboost]`` while fitting and not afterwards. It has neither categories nor
        monotone constraints.
    device : str
        Where XGBoost grows trees, such as "cuda"; directions and leaf values are computed on the
        CPU.
    init : "flow", "smooth", AveragedFlow, SmoothStart, array (n_particles, parameters) or estimator
        Where particles start: where a flow without features settles, at a Gaussian process of x
        whose residuals are boosted, at given constants, or around the predictions of an estimator
        (cross-fitted). An array of another size than `n_particles` is an error.
    response : str or Response
        The distribution of y given its parameters: a name such as "gamma", an object such as
        ``Gamma(prior_scale=3)``, or "auto", which proposes one by the range of y and how it varies
        (`wgboost.propose_response`); the attribute `proposal_` says which and why.
        "multivariate_normal" takes a y (n, q) of any number of columns and predicts them together.
    prior : dict, optional
        Parameters of the response's prior, each a number or one value per row. Like the particles
        of `init` they refer to standardised y: for the normal response minus its mean and over
        its standard deviation.
    early_stopping : bool or None
        Hold out `validation_fraction` of the rows and keep the best number of rounds by
        `eval_metric` on them (or on X_val, y_val given to `fit`). None: where `n_estimators` does
        not say how many rounds. If the metric still improves at the last of 500 rounds or more,
        `fit` warns; fewer rounds are taken as a choice.
    n_iter_no_change : int or None
        Stop after so many rounds without a better one; None looks at all rounds.
    eval_metric : str or callable, or a list of them
        "nll", "crps", "rmse", "mae", "pinball" (quantiles 0.05, 0.5 and 0.95), "concordance", which
        is watched as its complement, and "energy_score", for several columns; or a function of
        (distribution, y), smaller being better. Of a list the first decides, the others are
        recorded in `history_`.
    refit : bool
        After early stopping on rows held out of X, fit again on all of X with the number of rounds
        found. Rows of X_val are never trained on: with them there is no refit.
    warm_start : bool
        A further `fit` adds rounds up to n_estimators, as if there had been no pause; see `fit`.
    n_jobs : int or None
        Threads. None: one for each core, as in scikit-learn's HistGradientBoosting and unlike its
        estimators that start processes, but no more than OMP_NUM_THREADS or
        ``joblib.parallel_config(n_jobs=...)`` allow, and one in a worker of joblib without such a
        limit. -1: one for each core in any case. The result does not depend on it.
    random_state : int, RandomState or None
    verbose : int
        Show progress: a bar in terminals and notebooks, else a line with the validation metric
        every so many rounds; lines of a refit begin with "refit".

    Attributes
    ----------
    n_estimators_ : int
        Rounds of the model.
    n_outputs_ : int
        Columns of y.
    proposal_ : tuple
        With response="auto": the name of the response, and why that one.
    evidence_ : float
        The evidence of a row, on average.
    evidence_trials_ : list of dicts
        With evidence="auto": what was tried, with "rounds", the metric's "value" and the number of
        "rows" trained on, and which one was "chosen".
    history_ : dict
        Metric values by validation set, metric and round (before the first round first).
    validation_rows_ : array or None
        Indices of the training rows that the model has not seen.
    refitted_ : bool
        Whether the model was fitted again on all rows.
    interrupted_ : bool
        Whether Ctrl-C ended the fit.
    feature_importances_ : array (p,)
    calibration_ : Calibration
        After `calibrate`: the factors that predictions follow.
    ood_reference_ : OODReference
        After `calibrate_ood`: which OOD scores are usual.
    """

    # What metadata routing hands over unless told otherwise: predictions and scores of a model
    # depend on these. Weights are a choice, as in scikit-learn.
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
        learning_rate: float = 0.1,
        max_depth: int | None = None,
        max_leaves: int | str | None = "auto",
        min_samples_leaf: int = 1,
        l2: float = 1.0,
        min_gain: float = 0.0,
        growth: str = "best_first",
        subsample: float = 1.0,
        colsample: float = 0.7,
        tree: str = "per_particle",
        split_on: str | int = "particle_mean",
        leaf: str = "newton",
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        cat_smooth: float = 10.0,
        cat_penalty: float = 1.0,
        monotone_constraints: Any = None,
        monotone_parameter: int | str | None = None,
        interaction_constraints: Any = None,
        evidence: Any = None,
        kernel: str | None = None,
        bandwidth: Any = None,
        direction: Any = "diagonal_newton",
        learner: Any = None,
        engine: str = "native",
        device: str = "cpu",
        init: Any = "flow",
        response: Any = "normal",
        prior: dict[str, Any] | None = None,
        early_stopping: bool | None = None,
        validation_fraction: float = 0.2,
        n_iter_no_change: int | None = 50,
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
        """Return an estimator with the paper's settings for regression, then `changes`."""
        settings: dict[str, Any] = {
            **PAPER_TREES, "n_particles": 10, "kernel": "gaussian", "bandwidth": 0.1,
            "learning_rate": 0.1, "n_estimators": 4000, "evidence": 1.0, "early_stopping": True,
            "validation_fraction": 0.2, "n_iter_no_change": None, "refit": True,
        }  # fmt: skip
        return cls(**{**settings, **changes})

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
            all other parameters that belong to rows can be names of its columns, which are then no
            features, here and in predictions.
        sample_weight : array (n,), optional
            How often each row counts: a weight of 2 is the row twice, and rows of weight zero count
            for nothing. Weights that sum to one are to be multiplied by the number of rows: `l2`
            is in their unit.
        offset : number or array like y, optional
            A known part of the location, which the model does not have to learn; predictions take
            one too.
        exposure : number or array (n,), optional
            What the mean of a count or of a positive y is proportional to, such as time or people
            at risk; instead of an offset, which is its log. Predictions take one too.
        y_std : number or array (n,), optional
            Standard deviation of a known error that y was measured with. Predictions are then of y
            without that error.
        groups : array (n,), optional
            Labels of rows that belong together, such as those of a patient or a day: where rows are
            held out, all rows of a group are, or none. `validation_fraction` is then a share of the
            groups.
        X_val, y_val, sample_weight_val, offset_val, exposure_val, y_std_val : optional
            Rows to watch instead of a share of the training rows, or lists or tuples of several
            such sets: early stopping goes by the first. The weights are those of the metric. These
            rows are never trained on: `refit` has nothing to do then.
        validation_rows : optional
            A mask or indices of the rows of X to hold out, when time decides.
        callbacks : sequence of callables
            Each gets a dict with "round", "metrics", "particles" and more after every round;
            returning True stops. `wgboost.callbacks` has some, and says what is in the dict.
        resume_from : path, optional
            A file of `callbacks.Checkpoint`. The fit goes on from there and gives the model that
            it would have given without a pause. Data and parameters have to be the same, n_jobs
            and verbose aside.

        Notes
        -----
        Ctrl-C ends the fit with the rounds so far and the warning `Interrupted`; while a model is
        refitted on all rows it leaves the one that early stopping found. Before the first round
        it raises KeyboardInterrupt. A fit that raises leaves the estimator as it was.

        With scikit-learn's metadata routing, `fit` asks for offset, exposure, y_std and groups from
        the start, and for sample_weight after ``set_fit_request(sample_weight=True)``.

        With warm_start a further fit adds rounds to the model there is, up to n_estimators, as if
        there had been no pause: validation sets are measured on, their history goes on, and early
        stopping looks at the rounds after the last best one. n_particles, response, prior and
        init cannot change. Rows held out by early_stopping or validation_rows have to be the ones
        of before, which is so with the same data and refit=False; a refitted model has seen them.
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
        """Return the leaf (n, trees) that each row reaches in each tree."""
        matrix = self._matrix(X)
        return self.model_.apply(matrix, self._n_threads())
