"""What regressor and classifier share: fit to y, predict distributions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from wgboost.boosting import EstimatorStart, PosteriorTarget
from wgboost.estimators.decisions import bayes_action
from wgboost.estimators.fitting import Fit, HeldOut, make_start, train
from wgboost.estimators.parameters import Parameters
from wgboost.estimators.splitting import given_sets, split_rows
from wgboost.metrics import Metric, as_metric
from wgboost.predictive import Mixture
from wgboost.responses import Response, as_response
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer, check_weight

__all__ = ["Evidential"]


class Evidential(Parameters, ABC):
    """Evidential learning: the target of a row is the posterior of its response parameters."""

    # --- what a subclass says -----------------------------------------------------------------

    @abstractmethod
    def _encode(self, y: Any, *, fitting: bool) -> Array:
        """Return y as the response takes it: numbers, or the codes of classes."""

    @abstractmethod
    def _response(self) -> Response:
        """Return the response that the parameters name."""

    def _class_weights(self, y: Array) -> Array | None:  # noqa: ARG002
        """Weights (n,) that classes bring along."""
        return None

    # --- fitting ------------------------------------------------------------------------------

    def _matrix(self, X: Any, *, reset: bool) -> Array:
        matrix: Array = validate_data(
            self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite=False,
            ensure_min_samples=1,
        )  # fmt: skip
        return matrix

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        validation_rows: Any = None,
        callbacks: Sequence[Any] = (),
    ) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : array (n, p)
            NaN means missing; infinities are values.
        y : array (n,)
        sample_weight : array (n,), optional
            Rows of weight zero count for nothing.
        X_val, y_val : optional
            Rows to watch instead of a share of the training rows, or lists of several such sets:
            early stopping goes by the first.
        validation_rows : optional
            A mask or indices of the rows of X to hold out, when groups or time decide.
        callbacks : sequence of callables
            Each gets {"round", "metrics", "particles"} after every round; returning True stops.
        """
        self._check_parameters()
        X = self._matrix(X, reset=not (self.warm_start and hasattr(self, "ensemble_")))
        codes = self._encode(y, fitting=not (self.warm_start and hasattr(self, "ensemble_")))
        if len(codes) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows, y has {len(codes)}")
        weight = check_weight(sample_weight, X.shape[0])
        class_weight = self._class_weights(codes)
        if class_weight is not None:
            weight = check_weight(class_weight if weight is None else weight * class_weight, len(X))
        response = self._response()
        if self.prior is not None:
            response = as_response(response, **_prior(self.prior))
        response.check_rows(len(codes))
        codes = response.check(codes)
        metric = as_metric(self.eval_metric, response)
        self._evidence(len(codes))
        if self.warm_start and hasattr(self, "ensemble_"):
            return self._continue(X, codes, weight, response, callbacks)
        self.seed_ = self._seed()
        given = given_sets(self, X_val, y_val)
        if not given and (self.early_stopping or validation_rows is not None):
            return self._fit_held_out(
                X, codes, weight, response, metric, validation_rows, callbacks
            )
        self.units_ = response.units(codes, weight)
        sets = [self._held_out(name, A, b, response, metric) for name, A, b in given]
        watch = metric.name if given and self.early_stopping else None
        self._keep(self._train(X, codes, weight, response, sets, watch, callbacks), response)
        return self

    def _fit_held_out(
        self, X: Array, y: Array, weight: Array | None, response: Response, metric: Metric,
        validation_rows: Any, callbacks: Sequence[Any],
    ) -> Any:  # fmt: skip
        """Find the number of rounds on held-out rows, then refit on all of them if asked."""
        inside, outside = split_rows(
            y, weight, validation_rows, self.validation_fraction, response.nominal, self.seed_
        )
        train_weight = None if weight is None else weight[inside]
        rows = response.take(inside)
        self.units_ = response.units(y[inside], train_weight)
        held_weight = None if weight is None else weight[outside]
        held = self._held_out("validation", X[outside], y[outside], response, metric, held_weight)
        fit = self._train(
            X[inside], y[inside], train_weight, rows, [held], metric.name, callbacks, rows=inside
        )
        history = fit.history
        if self.refit and not fit.interrupted:
            self.units_ = response.units(y, weight)
            fit = self._train(X, y, weight, response, [], None, (), n_rounds=fit.n_rounds)
            fit.history = history
        self._keep(fit, response)
        return self

    def _train(
        self, X: Array, y: Array, weight: Array | None, response: Response,
        held_out: Sequence[HeldOut], watch: str | None, callbacks: Sequence[Any], *,
        n_rounds: int | None = None, rows: Any = None,
    ) -> Fit:  # fmt: skip
        standardised = self.units_.standardise(y)
        evidence = self._evidence(len(y), rows)
        start, particles = make_start(
            self, response, self.units_, X, standardised, weight, evidence, self.seed_
        )
        target = PosteriorTarget(response, standardised, evidence)
        return train(
            self, X, target, start, particles, weight=weight, seed=self.seed_,
            n_rounds=self.n_estimators if n_rounds is None else n_rounds,
            held_out=held_out, watch=watch, callbacks=callbacks,
        )  # fmt: skip

    def _evidence(self, n: int, rows: Any = None) -> Any:
        if np.ndim(self.evidence) == 0:
            return float(self.evidence)
        evidence = np.asarray(self.evidence, dtype=np.float64)
        evidence = evidence if rows is None else evidence[rows]
        if evidence.shape != (n,) or not (np.isfinite(evidence) & (evidence > 0)).all():
            raise ValueError(
                f"evidence must be a number > 0, or one such number for each of {n} rows"
            )
        return evidence

    def _continue(
        self, X: Array, y: Array, weight: Array | None, response: Response, callbacks: Sequence[Any]
    ) -> Any:
        """Add the rounds that n_estimators asks for beyond those there are."""
        more = self.n_estimators - self.n_estimators_
        if more < 0:
            raise ValueError(
                f"warm_start with n_estimators={self.n_estimators} below the "
                f"{self.n_estimators_} rounds there are; raise n_estimators"
            )
        standardised = self.units_.standardise(y)
        evidence = self._evidence(len(y))
        target = PosteriorTarget(response, standardised, evidence)
        particles = self.start_.at(X)
        if isinstance(self.start_, EstimatorStart):  # training rows started out of fold
            _, particles = make_start(
                self, response, self.units_, X, standardised, weight, evidence, self.seed_
            )
        fit = train(
            self, X, target, self.start_, particles, weight=weight, n_rounds=more,
            seed=self.seed_, callbacks=callbacks, previous=self.ensemble_,
        )  # fmt: skip
        fit.history = self.history_
        self._keep(fit, response)
        return self

    def _held_out(
        self, name: str, X: Array, y: Array, response: Response, metric: Metric,
        weight: Array | None = None,
    ) -> HeldOut:  # fmt: skip
        plain = response.take(slice(0, 0)) if response.per_row() else response

        def measure(particles: Directions) -> float:
            return metric(Mixture(plain, particles, self.units_), y, weight)

        return HeldOut(name, X, {metric.name: measure})

    def _keep(self, fit: Fit, response: Response) -> None:
        # The prior has done its work; per-row parameters would only take memory.
        self.response_ = response.take(slice(0, 0)) if response.per_row() else response
        self.ensemble_, self.start_ = fit.ensemble, fit.start
        self.n_estimators_, self.history_ = fit.n_rounds, fit.history
        self.interrupted_ = fit.interrupted

    # --- prediction ---------------------------------------------------------------------------

    def _particles(self, X: Any, n_rounds: int | None = None) -> Directions:
        check_is_fitted(self, "ensemble_")
        X = self._matrix(X, reset=False)
        return self.ensemble_.predict(
            X, start=self.start_.at(X), n_rounds=n_rounds, n_threads=self._n_threads()
        )

    def predict_dist(self, X: Any, *, n_rounds: int | None = None) -> Mixture:
        """Return the predictive distribution of each row, a mixture over its particles.

        `n_rounds` uses only the first so many rounds.
        """
        particles = self._particles(X, n_rounds)
        return Mixture(self.response_, particles, self.units_)

    def pred_dist(self, X: Any) -> Mixture:
        """Return `predict_dist`, under the name that NGBoost gives it."""
        return self.predict_dist(X)

    def staged_predict_dist(self, X: Any) -> Iterator[Mixture]:
        """Yield `predict_dist` after 1, 2, ... rounds, each at the cost of one."""
        check_is_fitted(self, "ensemble_")
        X = self._matrix(X, reset=False)
        for particles in self.ensemble_.staged_predict(
            X, start=self.start_.at(X), n_threads=self._n_threads()
        ):
            yield Mixture(self.response_, particles, self.units_)

    def predict_particles(self, X: Any) -> dict[str, Array]:
        """Return the particles of each row, by parameter (n, m), in the user's units."""
        return self.predict_dist(X).params()

    def sample(self, X: Any, n_samples: int = 1, random_state: Any = None) -> Array:
        """Return draws (n, n_samples) from the predictive distributions."""
        check_integer("n_samples", n_samples, low=1)
        draws = self.predict_dist(X).rvs(size=n_samples, random_state=random_state)
        return self._decode(draws.T)

    def _decode(self, values: Array) -> Array:
        return values

    def decide(
        self, X: Any, loss: Any = None, actions: Any = None, *, utility: Any = None,
        return_risks: bool = False,
    ) -> Any:  # fmt: skip
        """Return the Bayes action of each row; see `bayes_action` for the arguments."""
        return bayes_action(
            self.predict_dist(X), loss, actions, utility=utility, return_risks=return_risks
        )

    def apply(self, X: Any) -> Array:
        """Return the leaf (n, trees) that each row reaches in each tree."""
        check_is_fitted(self, "ensemble_")
        if not hasattr(self.ensemble_, "apply"):
            raise TypeError("apply needs native trees; this model has another learner")
        leaves: Array = self.ensemble_.apply(
            self._matrix(X, reset=False), n_threads=self._n_threads()
        )
        return leaves

    @property
    def feature_importances_(self) -> Array:
        """The share (p,) of each feature in the total gain of all splits."""
        check_is_fitted(self, "ensemble_")
        if not hasattr(self.ensemble_, "feature_gains"):
            raise AttributeError("feature importances need native trees")
        gains: Array = self.ensemble_.feature_gains()
        total = gains.sum()
        return gains / total if total > 0 else gains

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _prior(prior: Any) -> dict[str, Any]:
    if not isinstance(prior, dict):
        raise TypeError(f"prior={prior!r} must be a dict of prior parameters by name")
    return {name if name.startswith("prior_") else f"prior_{name}": v for name, v in prior.items()}
