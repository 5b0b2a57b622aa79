"""The general algorithm: targets that are distributions themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wgboost.estimators.attributes import (
    restored_model,
    saved_model,
    set_model,
    warn_of_fit,
)
from wgboost.estimators.conventions import (
    CheckedParameters,
    save_estimator,
    store_parameters,
)
from wgboost.estimators.preparing import FitArguments, prepare_fit
from wgboost.metrics import log_predictive
from wgboost.metrics.row_parameters import column_names
from wgboost.model import FittedModel, History
from wgboost.persistence.models import SavedModel
from wgboost.predictive.decisions import least_risk, risk_over_particles
from wgboost.responses import Units
from wgboost.targets import Density, LogDensity, Target, as_row_target
from wgboost.training import TargetData, fit_model
from wgboost.training.tables import apply_schema
from wgboost.typing import Array, Directions
from wgboost.validation import Hinted, check_integer, resolve_threads

__all__ = ["WGBoost"]

_PARTICLES = "its predictions are particles"


class WGBoost(Hinted, CheckedParameters):
    """Wasserstein gradient boosting on distribution-valued targets (Algorithm 1 of the paper).

    Every row's target is a distribution on R^d, given by the derivatives of its log density.

    Parameters
    ----------
    target : Target, LogDensity, array, list or None
        Score and curvature as functions of (particles (n, m, d), y (n, q)), a log density to
        differentiate, or a description of each row's target: samples (n, s, d), or a list of
        samples, of `Density` or of frozen distributions of scipy.stats, or one such distribution
        whose parameters are arrays (n,). None: `fit` is given the latter in place of y.
    n_params : int or None
        d; None is what the target or `init` says, else 1. Where they say otherwise it is an error.
    init : array (n_particles, n_params) or None
        Start particles of every row; None takes some of all samples, or draws from a standard
        normal distribution. An array of another size than `n_particles` is an error.
    eval_metric : None, "nll", "energy_distance" or callable
        What `early_stopping` goes by, smaller being better. "nll": the mean of minus
        `log_likelihood`, where the target has a likelihood. "energy_distance": the mean energy
        distance to each row's samples, or to the quantiles of a distribution of scipy.stats. None:
        the one of the two that the targets have; densities without a likelihood have none, as a
        density up to a constant does not tell how near a set of particles is. For them a function
        of (particles (n, m, d), y), y being what these rows' targets were described by; it gets
        `sample_weight` if it takes it. Of a list of metrics the first decides.
    n_particles, n_estimators, learning_rate, direction, early_stopping, refit, warm_start, ...
        As in `WGBRegressor`.

    Attributes
    ----------
    n_estimators_, history_, validation_rows_, refitted_, interrupted_, feature_importances_
        As in `WGBRegressor`.
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
            ("predict_dist", "staged_predict_dist"),
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
        min_gain: float = 0.0,
        growth: str = "depth_wise",
        subsample: float = 1.0,
        colsample: float = 1.0,
        tree: str = "shared",
        split_on: str | int = "all",
        leaf: str = "mean",
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        cat_smooth: float = 10.0,
        cat_penalty: float = 1.0,
        monotone_constraints: Any = None,
        monotone_parameter: int | str | None = None,
        interaction_constraints: Any = None,
        kernel: str = "gaussian",
        bandwidth: Any = None,
        direction: Any = "diagonal_newton",
        learner: Any = None,
        engine: str = "native",
        device: str = "cpu",
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
        """Return the estimator that a file holds; see `wgboost.load`."""
        estimator = cls(**saved.params)
        set_model(estimator, restored_model(estimator, saved))
        return estimator

    def _matrix(self, X: Any) -> Array:
        """Return X as a matrix with the columns of the fit."""
        check_is_fitted(self)
        schema = self.model_.schema
        if schema is None:
            raise TypeError("the model does not know its columns")
        return apply_schema(schema, X, ignored=column_names(self), name=type(self).__name__)

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
            How often each row counts: a weight of 2 is the row twice, and rows of weight zero count
            for nothing. Weights that sum to one are to be multiplied by the number of rows: `l2`
            is in their unit.
        groups : array (n,), optional
            As in `WGBRegressor.fit`: rows of one group are held out together.
        X_val, y_val, sample_weight_val : optional
            Rows to watch, or lists or tuples of several such sets, as in `WGBRegressor.fit`. y_val
            is like y; where `target` lists the targets of the training rows, it lists those of
            X_val.
        validation_rows, callbacks, resume_from
            As in `WGBRegressor.fit`, whose notes on Ctrl-C and warm_start are of this one too: what
            cannot change over a pause is n_particles, n_params and init; the target may.
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
        """Write the model to a file that `wgboost.load` reads: plain arrays and JSON, no pickle.

        The file is complete or not there at all: it is written beside `path`, synced and renamed,
        so that a crash or a full disk neither leaves half a file nor loses the old one. Predictions
        of what is loaded are the same to the bit.

        `metadata` is a dict of texts, numbers, lists and dicts that the file is to hold beside the
        model; what is loaded has it as `metadata_`. Without, that of a loaded model is kept.

        Raises
        ------
        TypeError
            If `metadata` is something else, or the model consists of more than data: another
            learner than trees, an estimator as start. A function or a response of your own is
            kept by name and has to be given to `load`.
        OSError
            If the file cannot be written; the old one is unchanged.
        """
        check_is_fitted(self)
        save_estimator(self, saved_model(self, self.model_, {}), path, metadata)

    def apply(self, X: Any) -> Array:
        """Return the leaf (n, trees) that each row reaches in each tree."""
        matrix = self._matrix(X)
        return self.model_.apply(matrix, self._n_threads())

    @property
    def feature_importances_(self) -> Array:
        """The share (p,) of each feature in the total gain of all splits."""
        check_is_fitted(self)
        shares = self.model_.importances()
        if shares is None:
            raise AttributeError("feature importances need native trees")
        return shares

    def predict_particles(self, X: Any, *, n_rounds: int | None = None) -> Directions:
        """Return the particles (n, m, d) of each row."""
        matrix = self._matrix(X)
        return self.model_.relative(matrix, self._n_threads(), n_rounds)[0]

    def staged_predict_particles(self, X: Any) -> Iterator[Directions]:
        """Yield `predict_particles` after 1, 2, ... rounds."""
        matrix = self._matrix(X)
        for particles, _ in self.model_.staged(matrix, self._n_threads()):
            yield particles

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Yield `predict` after 1, 2, ... rounds."""
        for particles in self.staged_predict_particles(X):
            yield _mean(particles)

    def log_likelihood(self, X: Any, y: Any) -> Array:
        """Return the log of the mean over particles of the target's likelihood of y, (n,).

        The target has to be a `LogDensity` or a `Target` with a likelihood.
        """
        if getattr(self.target, "likelihood", None) is None:
            raise TypeError(
                "log_likelihood needs target=LogDensity(..., likelihood=...) or "
                "Target(..., likelihood=...)"
            )
        particles, values = self.predict_particles(X), np.asarray(y)
        if len(values) != len(particles):
            raise ValueError(f"X has {len(particles)} rows, y has {len(values)}")
        if isinstance(self.target, LogDensity):
            return log_predictive(self.target, particles, values)
        rows: Any = as_row_target(self.target, values, len(values))
        logs: Array = rows.log_predictive(particles)
        return logs

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return minus the `eval_metric` of rows, larger being better.

        y describes the rows' targets as in `fit`; by default the score is the mean of
        `log_likelihood`, or minus the mean energy distance to samples.
        """
        listed = self.target is not None and not isinstance(self.target, (Target, LogDensity))
        target = None if listed else self.target
        matrix = self._matrix(X)
        rows = TargetData.of(target, matrix, y, sample_weight)
        metric = rows.metrics(self.eval_metric)[0]
        return -float(rows.scorer(metric, Units())(self.predict_particles(X)))

    def sample(self, X: Any, n_samples: int = 1, random_state: Any = None) -> Array:
        """Return draws from the particles: (n, n_samples) for one parameter, else (..., d)."""
        check_integer("n_samples", n_samples, low=1)
        particles = self.predict_particles(X)
        n, m, d = particles.shape
        chosen = np.random.default_rng(random_state).integers(m, size=(n, n_samples))
        drawn: Array = particles[np.arange(n)[:, None], chosen]
        return drawn[..., 0] if d == 1 else drawn

    def predict_quantiles(self, X: Any, alpha: Any = (0.05, 0.5, 0.95)) -> Array:
        """Return the particles' quantiles, parameter by parameter.

        (n, len(alpha)) for one parameter, else (n, len(alpha), d). m particles stand for the
        levels 1 / 2m, 3 / 2m, ...; between them lines, beyond the first and the last none.
        """
        levels = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
        if levels.ndim != 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"alpha={alpha!r} must be probabilities between 0 and 1")
        particles = self.predict_particles(X).astype(np.float64)
        found = np.moveaxis(np.quantile(particles, levels, axis=1, method="hazen"), 0, 1)
        return found[..., 0] if found.shape[2] == 1 else found

    def predict_uncertainty(self, X: Any) -> Array:
        """Return the variance of the particles: (n,) for one parameter, else (n, d).

        Where targets are posteriors, that is what the model does not know of each parameter.
        Where they are distributions of something observed, it is the variance of that.
        """
        spread: Array = self.predict_particles(X).var(axis=1, dtype=np.float64)
        return spread[:, 0] if spread.shape[1] == 1 else spread

    def ood_score(self, X: Any) -> Array:
        """Return the variance of the particles, summed over parameters, (n,)."""
        total: Array = self.predict_particles(X).var(axis=1, dtype=np.float64).sum(axis=1)
        return total

    def decide(
        self, X: Any, loss: Any = None, actions: Any = None, *, utility: Any = None,
        return_risks: bool = False,
    ) -> Any:  # fmt: skip
        """Return the Bayes action of each row.

        As in `WGBRegressor.decide`, but loss(action, theta) -> (n, m) gets the particles theta
        (n, m, d) themselves. Without `actions`, which more than one parameter needs, the least
        risk is sought over the real line.
        """
        particles = self.predict_particles(X).astype(np.float64)
        n, m, d = particles.shape

        def search() -> tuple[Array, Array, Array]:
            if d > 1:
                raise ValueError(f"a particle has {d} parameters; give actions to choose from")
            low, high = particles.min(axis=(1, 2)), particles.max(axis=(1, 2))
            beside = np.maximum(high - low, 1e-3 * np.maximum(np.abs(low), 1))
            return low - beside, high + beside, particles[:, :, 0]

        if (loss is None) == (utility is None):
            raise ValueError("give a loss to minimise or a utility to maximise, one of the two")
        given, sign = (loss, 1.0) if utility is None else (utility, -1.0)
        risk = risk_over_particles(particles, np.full((n, m), 1 / m), given, sign)
        chosen, risks = least_risk(risk, search, actions)
        return (chosen, sign * risks) if return_risks else chosen

    def predict(self, X: Any) -> Array:
        """Return the mean of the particles: (n,) for one parameter, else (n, d)."""
        return _mean(self.predict_particles(X))


def _mean(particles: Directions) -> Array:
    mean: Array = particles.mean(axis=1, dtype=np.float64)
    return mean[:, 0] if mean.shape[1] == 1 else mean
