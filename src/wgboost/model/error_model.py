"""The expected squared error of a model, as a function of x."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgboost.trees.flat import FlatTrees
from wgboost.typing import Array

__all__ = ["ErrorModel"]

_RANGE = 0.2, 5.0  # of the error of a row, relative to the mean error


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

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.model.error_model import ErrorModel
    >>> from wgboost.trees.flat import FlatTrees
    >>> model = ErrorModel(np.array([0.5]), FlatTrees.empty(n_features=1, shape=(1, 1)))
    >>> model.at(np.zeros((2, 1)))
    array([[0.5],
           [0.5]])
    """

    mean: Array  # (q,)
    trees: FlatTrees

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
        >>> model = ErrorModel(np.array([0.5]), FlatTrees.empty(n_features=1, shape=(1, 1)))
        >>> model.at(np.zeros((1, 1)))
        array([[0.5]])
        """
        relative = self.trees.predict(X, start=1.0, n_threads=n_threads)[:, 0]
        return np.clip(relative.astype(np.float64), *_RANGE) * self.mean

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
        >>> model = ErrorModel(np.array([0.5]), FlatTrees.empty(n_features=1, shape=(1, 1)))
        >>> model.check(n_features=1, q=1)
        """
        good = isinstance(self.mean, np.ndarray) and self.mean.dtype == np.float64
        if not good or self.mean.shape != (q,) or not (self.mean >= 0).all():
            raise ValueError(f"the mean errors are not {q} numbers >= 0")
        if not np.isfinite(self.mean).all():
            raise ValueError("the mean errors are not finite")
        if not isinstance(self.trees, FlatTrees) or self.trees.shape != (1, 1):
            raise ValueError("the trees of the errors have more than one output")
        if self.trees.n_features != n_features:
            raise ValueError("the trees of the errors have other features than the model")
        self.trees.check_arrays()
