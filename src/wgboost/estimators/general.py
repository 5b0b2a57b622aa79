"""The general algorithm: targets that are distributions themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wgboost.boosting import ConstantStart
from wgboost.estimators.fitting import train, warn_interrupted
from wgboost.estimators.tree_view import TreeView
from wgboost.predictive.weights import log_mix
from wgboost.targets import Density, LogDensity, Target, as_row_target
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer, check_weight

__all__ = ["WGBoost"]


class WGBoost(TreeView):
    """Wasserstein gradient boosting on distribution-valued targets (Algorithm 1 of the paper).

    Every row's target is a distribution on R^d, given by the derivatives of its log density.

    Parameters
    ----------
    target : Target, LogDensity, array, list or None
        Score and curvature as functions of (particles (n, m, d), y (n, q)), a log density to
        differentiate, or a description of each row's target: samples (n, s, d), or a list of
        samples, of `Density` or of frozen distributions of scipy.stats. None: `fit` is given the
        latter in place of y.
    n_params : int
        d, when neither the target nor `init` says it.
    init : array (n_particles, n_params) or None
        Start particles of every row; None takes some of all samples, or draws from a standard
        normal distribution.
    n_particles, n_estimators, learning_rate, direction, kernel, bandwidth, learner,
    categorical_features, ...
        As in `WGBRegressor`.
    """

    def __init__(
        self,
        target: Target | LogDensity | Sequence[Density] | Any = None,
        *,
        n_params: int = 1,
        n_particles: int = 10,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_depth: int | None = 3,
        max_leaves: int | None = None,
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
        kernel: str = "gaussian",
        bandwidth: Any = None,
        direction: Any = "diagonal_newton",
        learner: Any = None,
        init: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.target = target
        self.n_params = n_params
        self.n_particles = n_particles
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_samples_leaf = min_samples_leaf
        self.l2 = l2
        self.min_gain = min_gain
        self.growth = growth
        self.subsample = subsample
        self.colsample = colsample
        self.tree = tree
        self.split_on = split_on
        self.leaf = leaf
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.cat_smooth = cat_smooth
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.direction = direction
        self.learner = learner
        self.init = init
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # What the other estimators have as parameters and this one does not use.
    evidence = 1.0
    validation_fraction = 0.2
    n_iter_no_change = None

    def _flow(self) -> None:
        check_integer("n_params", self.n_params, low=1)
        if isinstance(self.init, str):
            raise ValueError(f"init={self.init!r} must be start particles or None")

    def _start(self, target: Any, rng: np.random.Generator) -> ConstantStart:
        if self.init is None:
            if hasattr(target, "draw"):
                draws = target.draw(self.n_particles, rng)
            else:
                n_params = getattr(self.target, "n_params", self.n_params)
                draws = rng.standard_normal((self.n_particles, n_params))
            return ConstantStart(draws.astype(np.float32))
        particles = np.asarray(self.init, dtype=np.float32)
        if particles.ndim == 1:
            particles = particles[:, None]
        if particles.ndim != 2 or particles.size == 0 or not np.isfinite(particles).all():
            raise ValueError(
                f"init has shape {np.shape(self.init)}; finite start particles "
                "(n_particles, n_params) are needed"
            )
        return ConstantStart(particles)

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, callbacks: Sequence[Any] = ()
    ) -> WGBoost:
        """Fit the model.

        y (n, q) or (n,) is handed to the target's functions row by row. With target=None it is
        what describes the rows' targets; see `target`.
        """
        with self._all_or_nothing():
            self._check_parameters(callbacks)
            X = self._matrix(X, reset=True, weight=sample_weight)
            target = as_row_target(self.target, y, len(X))
            self.seed_ = self._seed()
            start = self._start(target, np.random.default_rng([self.seed_, 2**31 + 1]))
            fit = train(
                self, X, target, start, start.at(X),
                weight=check_weight(sample_weight, len(X)), n_rounds=self.n_estimators,
                seed=self.seed_, callbacks=callbacks,
            )  # fmt: skip
        self.ensemble_, self.start_ = fit.ensemble, start
        self.n_estimators_, self.interrupted_ = fit.n_rounds, fit.interrupted
        warn_interrupted(fit)
        return self

    def predict_particles(self, X: Any, *, n_rounds: int | None = None) -> Directions:
        """Return the particles (n, m, d) of each row."""
        check_is_fitted(self, "ensemble_")
        X = self._matrix(X, reset=False)
        particles: Directions = self.ensemble_.predict(
            X, start=self.start_.at(X), n_rounds=n_rounds, n_threads=self._n_threads()
        )
        return particles

    def staged_predict_particles(self, X: Any) -> Iterator[Directions]:
        """Yield `predict_particles` after 1, 2, ... rounds."""
        check_is_fitted(self, "ensemble_")
        X = self._matrix(X, reset=False)
        yield from self.ensemble_.staged_predict(
            X, start=self.start_.at(X), n_threads=self._n_threads()
        )

    def log_likelihood(self, X: Any, y: Any) -> Array:
        """Return the log of the mean over particles of the target's likelihood of y, (n,).

        The target has to be a `LogDensity` with a likelihood.
        """
        if not isinstance(self.target, LogDensity) or self.target.likelihood is None:
            raise TypeError("log_likelihood needs target=LogDensity(..., likelihood=...)")
        particles, values = self.predict_particles(X), np.asarray(y)
        if len(values) != len(particles):
            raise ValueError(f"X has {len(particles)} rows, y has {len(values)}")
        logs = np.asarray(self.target.evaluate("likelihood", particles, values), dtype=np.float64)
        return log_mix(logs, None)

    def predict(self, X: Any) -> Array:
        """Return the mean of the particles: (n,) for one parameter, else (n, d)."""
        mean: Array = self.predict_particles(X).mean(axis=1, dtype=np.float64)
        return mean[:, 0] if mean.shape[1] == 1 else mean
