"""The expected squared error of a model, as a function of x."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgboost.trees.flat import FlatTrees
from wgboost.typing import Array

__all__ = ["ErrorModel"]

_RANGE = 0.2, 5.0  # of the error of a row, relative to the mean error
_LARGE = 1.0, 4.0  # errors over noise, between which more and more of the variance is error
_NOISE_SHARE = 0.8  # of the estimated noise, that is not error
_ERROR_SHARE = 0.8  # of the variance of y, that may be error whatever the noise is


@dataclass(frozen=True, eq=False)
class ErrorModel:
    """Predict the squared error of a model's location, or of its class probabilities.

    Parameters
    ----------
    mean : array of shape (q,)
        Mean squared error: of each location, in the coordinates of the particles, or the sum over
        classes of that of their probabilities (q = 1).
    trees : FlatTrees
        Error of a row relative to the mean, minus 1. One particle with one parameter.
    noise : array of shape (q,)
        Mean variance of the noise of y, in the units of the particles; 0 where it is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.model.error_model import ErrorModel
    >>> from wgboost.trees.flat import FlatTrees
    >>> trees = FlatTrees.empty(n_features=1, shape=(1, 1))
    >>> model = ErrorModel(np.array([0.5]), trees, np.zeros(1))
    >>> model.at(np.zeros((2, 1)))
    array([[0.5],
           [0.5]])
    """

    mean: Array  # (q,)
    trees: FlatTrees
    noise: Array  # (q,)

    def at(self, X: Array, n_threads: int = 1) -> Array:
        """Return the expected squared error of rows.

        Parameters
        ----------
        X : array of shape (n, p)
            Features, encoded by the schema of the model.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        array of shape (n, q)
            The expected squared error, float64.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.model.error_model import ErrorModel
        >>> from wgboost.trees.flat import FlatTrees
        >>> trees = FlatTrees.empty(n_features=1, shape=(1, 1))
        >>> model = ErrorModel(np.array([0.5]), trees, np.zeros(1))
        >>> model.at(np.zeros((1, 1)))
        array([[0.5]])
        """
        relative = self.trees.predict(X, start=1.0, n_threads=n_threads)[:, 0]
        return np.clip(relative.astype(np.float64), *_RANGE) * self.mean

    def share_of(self, variance: Array, error: Array) -> Array:
        """Return errors that leave no more than the noise of the variance of y.

        This is so where the error is four times the noise or more. There the variance that a model
        predicts is mostly error, and the noise is known better than the error. Where the error is
        smaller than the noise it stays as it is.

        Parameters
        ----------
        variance : array of shape (n, q)
            Variance of y that the model predicts.
        error : array of shape (n, q)
            The errors of `at`.

        Returns
        -------
        array of shape (n, q)
            Errors that are as large or larger.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.model.error_model import ErrorModel
        >>> from wgboost.trees.flat import FlatTrees
        >>> trees = FlatTrees.empty(n_features=1, shape=(1, 1))
        >>> model = ErrorModel(np.array([0.5]), trees, np.array([0.1]))
        >>> model.share_of(np.array([[0.9]]), np.array([[0.5]]))
        array([[0.8]])
        """
        room = np.maximum(variance - self.noise - error, 0)
        larger: Array = error + self._weight(error) * room
        return larger

    def of_process(self, variance: Array, process: Array, ratio: Array) -> Array:
        """Return errors of a model with a smooth start, which are relative to those of its process.

        Where the variance of the process is eight times the noise or more, as beyond the data, all
        of the variance but the noise is error. The noise, or a part of the variance, remains.

        Parameters
        ----------
        variance : array of shape (n, q)
            Variance of y that the model predicts.
        process : array of shape (n, q)
            Variance of the process.
        ratio : array of shape (n, q)
            The errors of `at`, relative to the variance of the process.

        Returns
        -------
        array of shape (n, q)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.model.error_model import ErrorModel
        >>> from wgboost.trees.flat import FlatTrees
        >>> trees = FlatTrees.empty(n_features=1, shape=(1, 1))
        >>> model = ErrorModel(np.array([0.5]), trees, np.array([0.1]))
        >>> process = np.array([[0.02], [0.8]])
        >>> model.of_process(process + 0.1, process, np.array([[0.5], [0.5]]))
        array([[0.01],
               [0.8 ]])
        """
        error = ratio * process
        larger = np.maximum(error, variance - self.noise)
        error = error + self._weight(np.maximum(error, process / 2)) * (larger - error)
        room = np.maximum(variance - _NOISE_SHARE * self.noise, _ERROR_SHARE * variance)
        smaller: Array = np.minimum(error, room)
        return smaller

    def _weight(self, error: Array) -> Array:
        """Return from 0 to 1 how far errors exceed the noise; 0 if the noise is not known."""
        low, high = _LARGE
        ratio = error / np.where(self.noise > 0, self.noise, np.inf)
        weight: Array = np.clip((ratio - low) / (high - low), 0, 1)
        return weight

    def check(self, n_features: int, q: int) -> None:
        """Raise ValueError unless a model from a file can be used.

        Parameters
        ----------
        n_features : int
            Number of features of the model.
        q : int
            Number of errors of a row.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.model.error_model import ErrorModel
        >>> from wgboost.trees.flat import FlatTrees
        >>> trees = FlatTrees.empty(n_features=1, shape=(1, 1))
        >>> model = ErrorModel(np.array([0.5]), trees, np.zeros(1))
        >>> model.check(n_features=1, q=1)
        """
        good = isinstance(self.mean, np.ndarray) and self.mean.dtype == np.float64
        if not good or self.mean.shape != (q,) or not (self.mean >= 0).all():
            raise ValueError(f"the mean errors are not {q} numbers >= 0")
        if not np.isfinite(self.mean).all():
            raise ValueError("the mean errors are not finite")
        noise = self.noise
        good = isinstance(noise, np.ndarray) and noise.dtype == np.float64 and noise.shape == (q,)
        if not good or not (noise >= 0).all() or not np.isfinite(noise).all():
            raise ValueError(f"the variances of the noise are not {q} finite numbers >= 0")
        if not isinstance(self.trees, FlatTrees) or self.trees.shape != (1, 1):
            raise ValueError("the trees of the errors have more than one output")
        if self.trees.n_features != n_features:
            raise ValueError("the trees of the errors have other features than the model")
        self.trees.check_arrays()
