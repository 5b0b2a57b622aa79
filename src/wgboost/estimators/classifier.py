"""Classification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from wgboost.estimators.attributes import set_model, warn_of_fit
from wgboost.estimators.base_classifier import BaseClassifier
from wgboost.estimators.paper import PAPER_TREES
from wgboost.estimators.preparing import FitArguments, prepare_fit
from wgboost.model import FittedModel, History
from wgboost.training import fit_model
from wgboost.typing import Array

__all__ = ["WGBClassifier"]


class WGBClassifier(BaseClassifier):
    """Wasserstein gradient boosting for classes: any labels, two or more.

    Particles are log-ratios of class probabilities; a single class is predicted with certainty.
    Parameters are those of `WGBRegressor`, with other defaults where classes need them: an evidence
    of 10, which is not searched for, a learning rate of 0.3, 16 leaves, fewer columns for each
    tree, and splits by the movement of all log-ratios. And:

    Parameters
    ----------
    response : "categorical", "ordinal" or Response
        "ordinal" is for classes in order, low to high: the order of a pandas ordered Categorical,
        otherwise the sorted one. Predictions are of classes all the same: `predict_dist` mixes
        class probabilities, in the order of `classes_`.
    class_weight : dict, "balanced" or None
        Weights of classes, multiplied into the sample weights.
    monotone_constraints : dict by column name or index, list (p,) or None
        For two classes: 1 if the probability of classes_[1] must not fall as the feature rises, -1
        if it must not rise, 0 if it is free. Of the response "ordinal", with any number of classes,
        it is the location that is held.
    eval_metric : str or callable, or a list of them
        What early stopping goes by: "nll", also called "log_loss", "brier", "error_rate", or
        "accuracy" and "auc", which are watched as their complements; or a function of
        (distribution, y), smaller being better, with classes y as codes.

    Attributes
    ----------
    classes_ : array
        The labels, sorted, in the order of the columns of `predict_proba`.
    ranks_ : array
        The labels from low to high, as the response "ordinal" takes them.
    """

    # What metadata routing hands over unless told otherwise; see `WGBRegressor`.
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
    classes_: Array
    ranks_: Array

    def __init__(
        self,
        *,
        n_particles: int = 10,
        n_estimators: int | None = None,
        learning_rate: float = 0.3,
        max_depth: int | None = None,
        max_leaves: int | str | None = 16,
        min_samples_leaf: int = 1,
        l2: float = 1.0,
        min_gain: float = 0.0,
        growth: str = "best_first",
        subsample: float = 1.0,
        colsample: float = 0.5,
        tree: str = "per_particle",
        split_on: str | int = "all",
        leaf: str = "newton",
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        cat_smooth: float = 10.0,
        cat_penalty: float = 1.0,
        monotone_constraints: Any = None,
        interaction_constraints: Any = None,
        evidence: Any = 10.0,
        kernel: str | None = None,
        bandwidth: Any = None,
        direction: Any = "diagonal_newton",
        learner: Any = None,
        engine: str = "native",
        device: str = "cpu",
        init: Any = "flow",
        response: Any = "categorical",
        prior: dict[str, Any] | None = None,
        class_weight: Any = None,
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
    def paper(cls, **changes: Any) -> WGBClassifier:
        """Return an estimator with the paper's settings for classification, then `changes`."""
        settings: dict[str, Any] = {
            **PAPER_TREES, "n_particles": 10, "kernel": "gaussian", "bandwidth": 0.1,
            "learning_rate": 0.4, "n_estimators": 4000, "evidence": 1.0, "early_stopping": False,
            "n_iter_no_change": None,
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
