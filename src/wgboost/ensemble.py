"""The fitted rounds of a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data.matrix import as_matrix
from wgboost.learners import FittedLearner
from wgboost.learners.hist_tree import FittedTrees
from wgboost.trees.flat import FlatTrees
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer

__all__ = ["RoundList", "join_rounds"]


@dataclass(frozen=True, eq=False)
class RoundList:
    """Hold the rounds of any learner, with the interface of `FlatTrees`.

    Parameters
    ----------
    rounds : tuple of FittedLearner
        Fitted functions whose values are added.
    shape : tuple (m, d)
        Particles and parameters.

    Examples
    --------
    >>> from wgboost.ensemble import RoundList
    >>> RoundList((), (1, 2)).predict([[0.0]], start=1.0)
    array([[[1., 1.]]], dtype=float32)
    """

    rounds: tuple[FittedLearner, ...]
    shape: tuple[int, int]  # (m, d)

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.rounds)

    def head(self, n_rounds: int) -> RoundList:
        """Return the first rounds.

        Parameters
        ----------
        n_rounds : int
            Number of rounds.

        Returns
        -------
        RoundList
            The first rounds.

        Examples
        --------
        >>> from wgboost.ensemble import RoundList
        >>> RoundList((), (1, 2)).head(0).n_rounds
        0
        """
        check_integer("n_rounds", n_rounds, low=0, high=self.n_rounds)
        return RoundList(self.rounds[:n_rounds], self.shape)

    def predict(
        self, X: Any, *, start: Array | float = 0.0, n_rounds: int | None = None,
        n_threads: int = 1,  # noqa: ARG002  (learners have threads of their own)
    ) -> Directions:  # fmt: skip
        """Return start plus the sum of the first rounds.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features.
        start : float or array of shape (m, d) or (n, m, d), default=0.0
            What the rounds are added to.
        n_rounds : int, optional
            Number of rounds; None takes all.
        n_threads : int, default=1
            Not used: learners have threads of their own.

        Returns
        -------
        array of shape (n, m, d)
            Particles of each row, float32.

        Examples
        --------
        >>> from wgboost.ensemble import RoundList
        >>> RoundList((), (1, 2)).predict([[0.0], [1.0]], start=1.0).shape
        (2, 1, 2)
        """
        X = as_matrix(X)
        if n_rounds is not None:
            check_integer("n_rounds", n_rounds, low=0, high=self.n_rounds)
        out = np.empty((X.shape[0], *self.shape), dtype=np.float32)
        out[...] = start
        for fitted in self.rounds[:n_rounds]:
            out += fitted.predict(X)
        return out

    def staged_predict(
        self, X: Any, *, start: Array | float = 0.0, n_threads: int = 1
    ) -> Iterator[Directions]:
        """Yield `predict` after 1, 2, ... rounds, each at the cost of one round.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features.
        start : float or array of shape (m, d) or (n, m, d), default=0.0
            What the rounds are added to.
        n_threads : int, default=1
            Number of threads.

        Yields
        ------
        particles : array of shape (n, m, d)
            Particles after the round.

        Examples
        --------
        >>> from wgboost.ensemble import RoundList
        >>> list(RoundList((), (1, 2)).staged_predict([[0.0]]))
        []
        """
        X = as_matrix(X)
        out = self.predict(X, start=start, n_rounds=0, n_threads=n_threads)
        for fitted in self.rounds:
            out += fitted.predict(X)
            yield out.copy()


def join_rounds(
    rounds: Sequence[FittedLearner], n_features: int, shape: tuple[int, int]
) -> FlatTrees | RoundList:
    """Join fitted rounds into one ensemble.

    Parameters
    ----------
    rounds : sequence of FittedLearner
        Rounds, in order.
    n_features : int
        Number p of features.
    shape : tuple (m, d)
        Particles and parameters.

    Returns
    -------
    FlatTrees or RoundList
        Flat arrays if all rounds are native trees, else a list of rounds.

    Examples
    --------
    >>> from wgboost.ensemble import join_rounds
    >>> join_rounds([], 2, (1, 1)).n_rounds
    0
    """
    if all(isinstance(fitted, FittedTrees) for fitted in rounds):
        if not rounds:
            return FlatTrees.empty(n_features, shape)
        return FlatTrees.join([fitted.flat for fitted in rounds if isinstance(fitted, FittedTrees)])
    return RoundList(tuple(rounds), shape)
