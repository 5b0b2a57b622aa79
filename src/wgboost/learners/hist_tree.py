"""The native learner: histogram trees with vector leaves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from wgboost import _core
from wgboost.data import Features
from wgboost.trees import Constraints, Tree, TreeSettings
from wgboost.trees.flat import FlatTrees
from wgboost.trees.growth import Grower, RoundData, grow_trees
from wgboost.trees.levels import level_signal
from wgboost.typing import Array, Directions
from wgboost.validation import (
    check_curvature,
    check_state,
    check_targets,
    check_threads,
    check_weight,
)

__all__ = ["FittedTrees", "HistTree"]


@dataclass(frozen=True, eq=False)
class FittedTrees:
    """Hold the trees of one round and the leaves of the training rows.

    Parameters
    ----------
    flat : FlatTrees
        The trees.
    leaf : array of shape (trees, n)
        Leaf of each training row, int32.
    n_threads : int, default=1
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data import Features
    >>> from wgboost.learners.hist_tree import HistTree
    >>> X = np.arange(4.0)[:, None]
    >>> fitted = HistTree().fit(Features.from_raw(X), X[:, :, None] // 2)
    >>> fitted.leaf
    array([[0, 0, 1, 1]], dtype=int32)
    """

    flat: FlatTrees
    leaf: Array  # (trees, n) int32
    n_threads: int = 1

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The trees one by one."""
        return self.flat.trees

    def scaled(self, rate: float) -> FittedTrees:
        """Return the function multiplied by a rate.

        Parameters
        ----------
        rate : float
            Factor.

        Returns
        -------
        FittedTrees
            The scaled function.
        """
        return replace(self, flat=self.flat.scaled(rate))

    def add_to(self, particles: Directions) -> None:
        """Add the values at the training rows to particles, in place.

        The result is bit for bit that of adding `predict` of the training features.

        Parameters
        ----------
        particles : array of shape (n, m, d)
            Particles that change.
        """
        check_state(particles, (self.leaf.shape[1], *self.flat.shape))
        state = particles.reshape(particles.shape[0], -1)
        flat = self.flat
        _core.add_leaf_values(
            state=state, leaf=self.leaf, values=flat.values, first_leaf=flat.first_leaf,
            output=flat.output, n_threads=self.n_threads,
        )  # fmt: skip

    def without_rows(self) -> FittedTrees:
        """Return the function without its values at the training rows.

        Returns
        -------
        FittedTrees
            A smaller object that still predicts.
        """
        return replace(self, leaf=np.empty((len(self.leaf), 0), dtype=self.leaf.dtype))

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
        return self.flat.predict(X, n_threads=self.n_threads)


@dataclass(frozen=True)
class HistTree:
    """Grow histogram trees on binned features.

    Parameters
    ----------
    settings : TreeSettings
        How trees are grown.
    n_threads : int, default=1
        Number of threads.
    longest_step : float, default=inf
        Leaf values are clipped to it.
    constraints : Constraints, optional
        Constraints on the trees.
    grower : Grower, optional
        What grows the trees; None is the compiled core.
    cat_signal : array of shape (p,), optional
        Signal of categorical features; see `with_signal`.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data import Features
    >>> from wgboost.learners.hist_tree import HistTree
    >>> X = np.arange(4.0)[:, None]
    >>> fitted = HistTree().fit(Features.from_raw(X), X[:, :, None] // 2)
    >>> fitted.predict(X).ravel()
    array([0., 0., 1., 1.], dtype=float32)
    """

    settings: TreeSettings = field(default_factory=TreeSettings)
    n_threads: int = 1
    longest_step: float = np.inf  # leaf values are held to it
    constraints: Constraints | None = None
    grower: Grower | None = None  # None: the compiled core
    cat_signal: Array | None = None  # (p,), see with_signal
    uses_codes: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        check_threads(self.n_threads)

    @cached_property
    def _workspace(self) -> _core.Workspace:
        """Memory kept from round to round."""
        return _core.Workspace()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_workspace"}

    def with_signal(
        self,
        features: Features,
        targets: Directions,
        curvature: Directions | None = None,
        weight: Array | None = None,
    ) -> HistTree:
        """Return a learner that knows how much categories matter in the first targets.

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

        Returns
        -------
        HistTree
            The learner with `cat_signal` set.
        """
        binned, cuts = features.binned, features.cuts
        if binned is None or cuts is None or not cuts.categorical.any():
            return self
        signal = level_signal(binned, cuts.categorical, targets, curvature, weight)
        return replace(self, cat_signal=signal)

    def fit(
        self,
        features: Features,
        targets: Directions,
        curvature: Directions | None = None,
        weight: Array | None = None,
        rng: np.random.Generator | None = None,
    ) -> FittedTrees:
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
        FittedTrees
            The fitted function.

        Raises
        ------
        ValueError
            If targets are not finite.
        """
        if features.binned is None or features.cuts is None:
            raise ValueError("HistTree reads binned features; use Features.from_raw(X, bins=255)")
        n = features.shape[0]
        targets = check_targets("targets", targets, n)
        if curvature is not None:
            curvature = check_curvature(curvature, targets)
        # Of rows that are spread over machines, those that count may be elsewhere.
        weight = check_weight(weight, n, all_zero=self.grower is not None)
        rng = np.random.default_rng(0) if rng is None else rng
        data = RoundData(features.binned, features.cuts, targets, curvature, weight)
        if self.grower is None:
            trees, leaf = grow_trees(
                data, self.settings, rng, self._workspace, n_threads=self.n_threads,
                constraints=self.constraints, cat_signal=self.cat_signal,
            )  # fmt: skip
        else:
            trees, leaf = self.grower(data, self.settings, rng, self.n_threads, self.constraints)
        if self.longest_step < np.inf:
            trees = trees.clipped(self.longest_step)
        return FittedTrees(trees, leaf, self.n_threads)
