"""The fitted rounds of a model as one function of x."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data import as_matrix
from wgboost.learners import FittedLearner, FittedTrees
from wgboost.trees import FlatTrees
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer

__all__ = ["FlatTrees", "RoundList", "join_rounds"]


@dataclass(frozen=True, eq=False)
class RoundList:
    """Rounds of any learner, added up one by one; the same interface as FlatTrees."""

    rounds: tuple[FittedLearner, ...]
    shape: tuple[int, int]  # (m, d)

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.rounds)

    def head(self, n_rounds: int) -> RoundList:
        """Return the first rounds alone."""
        check_integer("n_rounds", n_rounds, low=0, high=self.n_rounds)
        return RoundList(self.rounds[:n_rounds], self.shape)

    def predict(
        self, X: Any, *, start: Array | float = 0.0, n_rounds: int | None = None,
        n_threads: int = 1,  # noqa: ARG002  (a foreign learner keeps its own threads)
    ) -> Directions:  # fmt: skip
        """Return start plus the sum of the first rounds (n, m, d)."""
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
        """Yield `predict` after 1, 2, ... rounds, each at the cost of one."""
        X = as_matrix(X)
        out = self.predict(X, start=start, n_rounds=0, n_threads=n_threads)
        for fitted in self.rounds:
            out += fitted.predict(X)
            yield out.copy()


def join_rounds(
    rounds: Sequence[FittedLearner], n_features: int, shape: tuple[int, int]
) -> FlatTrees | RoundList:
    """Return flat arrays when every round is native trees, else the rounds as they are."""
    if all(isinstance(fitted, FittedTrees) for fitted in rounds):
        if not rounds:
            return FlatTrees.empty(n_features, shape)
        return FlatTrees.join([fitted.flat for fitted in rounds if isinstance(fitted, FittedTrees)])
    return RoundList(tuple(rounds), shape)
