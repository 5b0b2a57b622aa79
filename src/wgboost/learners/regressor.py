"""Any scikit-learn regressor as a learner."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from wgboost.data import Features
from wgboost.learners.base import Learner
from wgboost.typing import Array, Directions
from wgboost.validation import (
    accepts_sample_weight,
    check_curvature,
    check_finite,
    check_state,
    check_targets,
    check_weight,
)

__all__ = ["FittedRegressor", "RegressorLearner", "as_learner", "weight_options"]


@dataclass(frozen=True, eq=False)
class FittedRegressor:
    """Hold a fitted multi-output regressor, or one regressor per output.

    Parameters
    ----------
    regressors : tuple
        Fitted regressors.
    training : array of shape (n, m, d)
        Values at the training rows, before the rate.
    shape : tuple (m, d)
        Particles and parameters.
    rate : float, default=1.0
        Factor of all values.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from wgboost.data import Features
    >>> from wgboost.learners import RegressorLearner
    >>> X = np.arange(4.0)[:, None]
    >>> fitted = RegressorLearner(LinearRegression()).fit(Features.from_raw(X), X[:, :, None])
    >>> fitted.scaled(0.5).predict(X).ravel().round(3)
    array([0. , 0.5, 1. , 1.5], dtype=float32)
    """

    regressors: tuple[Any, ...]
    training: Directions  # (n, m, d) values at the training rows, before the rate
    shape: tuple[int, int]
    rate: float = 1.0

    def scaled(self, rate: float) -> FittedRegressor:
        """Return the function multiplied by a rate.

        Parameters
        ----------
        rate : float
            Factor.

        Returns
        -------
        FittedRegressor
            The scaled function.
        """
        return replace(self, rate=self.rate * rate)

    def add_to(self, particles: Directions) -> None:
        """Add the values at the training rows to particles, in place.

        The result is bit for bit that of adding `predict` of the training features.

        Parameters
        ----------
        particles : array of shape (n, m, d)
            Particles that change.
        """
        check_state(particles, self.training.shape)
        particles += self.training * np.float32(self.rate)

    def without_rows(self) -> FittedRegressor:
        """Return the function without its values at the training rows.

        Returns
        -------
        FittedRegressor
            A smaller object that still predicts.
        """
        return replace(self, training=np.empty((0, *self.shape), dtype=np.float32))

    def predict(self, X: Any) -> Directions:
        """Return the movement at new rows.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features.

        Returns
        -------
        array of shape (n, m, d)
            Movement of each particle.
        """
        return _values(self.regressors, X, self.shape) * np.float32(self.rate)


def _values(regressors: tuple[Any, ...], X: Any, shape: tuple[int, int]) -> Directions:
    columns = [np.asarray(r.predict(X)).reshape(len(X), -1) for r in regressors]
    return np.hstack(columns).astype(np.float32).reshape(len(X), *shape)


def _fits_several(regressor: Any, outputs: int) -> bool:
    """Whether one clone takes all outputs as a matrix; without tags it is not asked to."""
    if not hasattr(regressor, "__sklearn_tags__"):
        return False
    tags = get_tags(regressor).target_tags
    return bool(tags.multi_output and (outputs > 1 or not tags.single_output))


def _seeded(estimator: BaseEstimator, rng: np.random.Generator) -> BaseEstimator:
    """A clone whose open random states are drawn from rng."""
    estimator = clone(estimator)
    open_states = [
        name for name, value in estimator.get_params(deep=True).items()
        if name.split("__")[-1] == "random_state" and value is None
    ]  # fmt: skip
    return estimator.set_params(**{name: int(rng.integers(2**31)) for name in sorted(open_states)})


def weight_options(estimator: BaseEstimator, weight: Array | None) -> dict[str, Array]:
    """Return sample weights by the keyword that `estimator.fit` has for them.

    Parameters
    ----------
    estimator : estimator
        A regressor, or a Pipeline, whose last step gets the weights.
    weight : array of shape (n,) or None
        Sample weights.

    Returns
    -------
    dict
        Keyword arguments of `fit`; empty without weights.

    Raises
    ------
    TypeError
        If the estimator takes no weights.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from wgboost.learners.regressor import weight_options
    >>> list(weight_options(make_pipeline(Ridge()), np.ones(2)))
    ['ridge__sample_weight']
    """
    if weight is None:
        return {}
    path, taker = [], estimator
    while isinstance(taker, Pipeline):
        step, taker = taker.steps[-1]
        path.append(step)
    if not accepts_sample_weight(taker.fit):
        raise TypeError(
            f"{type(taker).__name__} takes no sample weights; leave them out or choose another "
            "estimator"
        )
    return {"__".join([*path, "sample_weight"]): weight}


@dataclass(frozen=True)
class RegressorLearner:
    """Fit clones of a scikit-learn regressor to the movement.

    One clone fits all outputs where the regressor can, else there is one per output. With a
    curvature each row's target is its Newton step g / c.

    Parameters
    ----------
    regressor : estimator
        A scikit-learn regressor.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from wgboost.learners import RegressorLearner
    >>> RegressorLearner(Ridge()).uses_codes
    False
    """

    regressor: Any
    uses_codes: bool = field(default=False, init=False)

    def fit(
        self,
        features: Features,
        targets: Directions,
        curvature: Directions | None = None,
        weight: Array | None = None,
        rng: np.random.Generator | None = None,
    ) -> FittedRegressor:
        """Fit the function of one round.

        Parameters
        ----------
        features : Features
            Features of the training rows.
        targets : array of shape (n, m, d)
            What to fit: gradients if there is a curvature, else the movement itself.
        curvature : array of shape (n, m, d) or None
            Curvatures to divide by.
        weight : array of shape (n,) or None
            Sample weights.
        rng : numpy.random.Generator, optional
            Source of randomness.

        Returns
        -------
        FittedRegressor
            The fitted function.

        Raises
        ------
        ValueError
            If targets are not finite.
        TypeError
            If the regressor takes no weights and some are given.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> from wgboost.data.features import Features
        >>> from wgboost.learners import RegressorLearner
        >>> X = np.arange(4.0)[:, None]
        >>> fitted = RegressorLearner(LinearRegression()).fit(Features.from_raw(X), X[:, :, None])
        >>> fitted.predict(X).shape
        (4, 1, 1)
        """
        X, n = features.raw, features.shape[0]
        targets = check_targets("targets", targets, n)
        check_finite("targets", targets)
        if curvature is not None:
            curvature = check_curvature(curvature, targets)
            check_finite("curvature", curvature, nonnegative=True)
            with np.errstate(all="ignore"):
                targets = targets / curvature
            check_finite("targets / curvature", targets)
        weight = check_weight(weight, n)
        options = weight_options(self.regressor, weight)
        rng = np.random.default_rng(0) if rng is None else rng
        outputs = targets.reshape(n, -1)
        if _fits_several(self.regressor, outputs.shape[1]):
            fitted = (_seeded(self.regressor, rng).fit(X, outputs, **options),)
        else:
            fitted = tuple(
                _seeded(self.regressor, rng).fit(X, column, **options) for column in outputs.T
            )
        shape = targets.shape[1:]
        return FittedRegressor(fitted, _values(fitted, X, shape), shape)


def as_learner(learner: Any) -> Learner:
    """Return a learner for a learner or a scikit-learn regressor.

    Parameters
    ----------
    learner : Learner or estimator
        A learner is returned as it is; a regressor is cloned each round.

    Returns
    -------
    Learner
        The learner.

    Raises
    ------
    TypeError
        If it is a class, a classifier, or nothing of these.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from wgboost.learners import as_learner
    >>> as_learner(Ridge())
    RegressorLearner(regressor=Ridge(), uses_codes=False)
    """
    if isinstance(learner, type):
        raise TypeError(
            f"learner={learner.__name__} is a class; give an object: {learner.__name__}()"
        )
    if isinstance(learner, Learner):
        return learner
    if all(hasattr(learner, name) for name in ("fit", "predict", "get_params")):
        if hasattr(learner, "predict_proba") or hasattr(learner, "decision_function"):
            raise TypeError(f"learner={learner!r} is a classifier; movements need a regressor")
        return RegressorLearner(learner)
    raise TypeError(
        f"learner={learner!r} is neither a TreeLearner, nor another learner of wgboost "
        "(uses_codes, fit), nor a scikit-learn regressor (fit, predict, get_params)"
    )
