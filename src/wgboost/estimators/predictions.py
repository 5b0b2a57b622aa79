"""What a fitted model answers, whatever the response."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from wgboost.calibration import Calibration
from wgboost.data import named_columns
from wgboost.estimators.decisions import bayes_action
from wgboost.estimators.exposure import known_offset
from wgboost.estimators.parameters import prior_settings
from wgboost.predictive import Mixture, mixture_of
from wgboost.responses import Ground, Response, Units, as_response
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer

__all__ = ["Predictions"]


class Predictions(ABC):
    """Predictive distributions of what gives the particles of rows."""

    # What a fit leaves behind.
    response_: Response
    units_: Units
    seed_: int

    @abstractmethod
    def _relative(self, X: Any, n_rounds: int | None = None) -> tuple[Directions, Ground | None]:
        """Return the particles (n, m, d) of rows, and what they are relative to."""

    @abstractmethod
    def _staged(self, X: Any) -> Iterator[tuple[Directions, Ground | None]]:
        """Yield the same after 1, 2, ... rounds."""

    def _mixture(
        self, particles: Directions, ground: Ground | None, offset: Any, prior: Any = None,
        exposure: Any = None,
    ) -> Mixture:  # fmt: skip
        weights = None if prior is None else self._weights(particles, prior)
        if ground is not None:
            particles = ground.particles(particles, self.response_)
        known = known_offset(self.response_, offset, exposure, len(particles))
        if known is not None:
            particles = self.response_.with_offset(particles, known, self.units_)
        return mixture_of(self.response_, particles, self.units_, weights)

    def _weights(self, particles: Directions, prior: Any) -> Array:
        """Weights (n, m) that turn posteriors under the fitted prior into those under another."""
        if self.response_.per_row():
            raise ValueError(
                "the model was fitted with a prior of each row's own, which new rows do not have; "
                "fit with one prior for all rows to change it later"
            )
        new = as_response(self.response_, **prior_settings(prior))
        new.check_rows(len(particles))
        theta = particles.astype(np.float64)
        logs = new.log_prior(theta) - self.response_.log_prior(theta)
        weights: Array = np.exp(logs - logs.max(axis=1, keepdims=True))
        size = weights.sum(axis=1) ** 2 / np.square(weights).sum(axis=1)
        few, m = int((size < 2).sum()), particles.shape[1]
        if few and m > 1:
            warnings.warn(
                f"under the new prior fewer than 2 of {m} particles speak in {few} of {len(size)} "
                "rows (effective_sample_size); fit with that prior, or with more particles",
                stacklevel=4,
            )
        return weights

    def _spoken(self, dist: Mixture) -> Mixture:
        """Return what predictions are made of; OOD scores see all particles."""
        return dist

    def _calibrated(self, dist: Mixture) -> Mixture:
        dist = self._spoken(dist)
        calibration: Calibration | None = getattr(self, "calibration_", None)
        return dist if calibration is None else calibration(dist)

    def predict_dist(
        self, X: Any, *, offset: Any = None, exposure: Any = None, prior: Any = None,
        n_rounds: int | None = None, calibrated: bool = True,
    ) -> Mixture:  # fmt: skip
        """Return the predictive distribution of each row, a mixture over its particles.

        Parameters
        ----------
        X : array (n, p)
        offset : number, array (n,) or name of a column of X, optional
            The known part of the location, as in `fit`; without it, none is added. So for all
            predictions.
        exposure : number, array (n,) or name of a column of X, optional
            As in `fit`, instead of an offset; without it, 1. Columns that `fit` took by name are
            ignored in X unless they are named here.
        prior : dict, optional
            Another prior than the model was fitted with, each parameter a number or one value per
            row of X. Particles are weighted by the ratio of the two priors, nothing is trained;
            `effective_sample_size` of the result says how many particles are left to speak. Rows
            with fewer than 2 bring a warning.
        n_rounds : int, optional
            Use only the first so many rounds.
        calibrated : bool
            False leaves out the factors of `calibration_`, if there are any, and is what OOD scores
            go by: a bag of classes has its wide members then, too.
        """
        X, known, _ = named_columns(X, {"offset": offset, "exposure": exposure})
        particles, ground = self._relative(X, n_rounds)
        dist = self._mixture(particles, ground, known["offset"], prior, known["exposure"])
        return self._calibrated(dist) if calibrated else dist

    def pred_dist(self, X: Any, *, offset: Any = None, exposure: Any = None) -> Mixture:
        """Return `predict_dist`, under the name that NGBoost gives it."""
        return self.predict_dist(X, offset=offset, exposure=exposure)

    def staged_predict_dist(
        self, X: Any, *, offset: Any = None, exposure: Any = None
    ) -> Iterator[Mixture]:
        """Yield `predict_dist` after 1, 2, ... rounds, each at the cost of one."""
        X, known, _ = named_columns(X, {"offset": offset, "exposure": exposure})
        for particles, ground in self._staged(X):
            mixture = self._mixture(particles, ground, known["offset"], exposure=known["exposure"])
            yield self._calibrated(mixture)

    def predict_particles(
        self, X: Any, *, offset: Any = None, exposure: Any = None
    ) -> dict[str, Array]:
        """Return the particles of each row, by parameter (n, m), in the user's units."""
        return self.predict_dist(X, offset=offset, exposure=exposure).params()

    def staged_predict_particles(
        self, X: Any, *, offset: Any = None, exposure: Any = None
    ) -> Iterator[dict[str, Array]]:
        """Yield `predict_particles` after 1, 2, ... rounds."""
        for dist in self.staged_predict_dist(X, offset=offset, exposure=exposure):
            yield dist.params()

    def sample(
        self, X: Any, n_samples: int = 1, random_state: Any = None, *, offset: Any = None,
        exposure: Any = None,
    ) -> Array:  # fmt: skip
        """Return draws (n, n_samples) from the predictive distributions.

        (n, n_samples, q) if y has several columns.
        """
        check_integer("n_samples", n_samples, low=1)
        dist = self.predict_dist(X, offset=offset, exposure=exposure)
        return self._decode(dist.rvs(size=n_samples, random_state=random_state))

    def _decode(self, values: Array) -> Array:
        return values

    def decide(
        self, X: Any, loss: Any = None, actions: Any = None, *, utility: Any = None,
        over: str = "theta", return_risks: bool = False, offset: Any = None, exposure: Any = None,
    ) -> Any:  # fmt: skip
        """Return the Bayes action of each row: that of least expected loss.

        Parameters
        ----------
        X : array (n, p)
        loss : callable or array (k, a)
            A function of (action, theta), or with over="y" of (action, y), or for classes a matrix
            of costs: the row is the class, the column the action.
        actions : array (a,), optional
            The actions to choose from. Without, the real line for numbers, the classes for a
            matrix of costs and for a loss of classes y.
        utility : callable or array, optional
            Instead of a loss: its mean is maximised.
        over : "theta" or "y"
            What the loss is a function of beside the action: the particles' parameters by name,
            arrays (n, m), or values of y, an array (n, g).
        return_risks : bool
            Return the risks (n, a) of all actions, or (n,) of those chosen without a list, too.
        offset, exposure
            As in `predict_dist`.

        Returns
        -------
        actions : array (n,)
        risks : array (n, a) or (n,)
            With `return_risks`.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(40.0)[:, None]
        >>> model = WGBRegressor(n_estimators=20, evidence=10, random_state=0).fit(X, X[:, 0])
        >>> def profit(order, demand):
        ...     return 5 * np.minimum(order, demand) - 2 * order
        >>> model.decide(X, utility=profit, over="y").shape
        (40,)
        """
        return bayes_action(
            self.predict_dist(X, offset=offset, exposure=exposure),
            loss,
            actions,
            utility=utility,
            over=over,
            return_risks=return_risks,
        )
