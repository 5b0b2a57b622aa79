"""What trees are held to: an order along features, and which features may meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgboost.data import Cuts
from wgboost.typing import Array

__all__ = ["Constraints"]


@dataclass(frozen=True)
class Constraints:
    """Constraints on the function that a tree is.

    Attributes
    ----------
    monotone : tuple of int
        For each of p features: 1 if one coordinate of every particle must not fall as the feature
        rises, -1 if it must not rise, 0 if it is free. Empty: all are. A missing value is on
        neither end.
    parameter : int
        The coordinate that is held to it.
    groups : tuple of tuples of int
        Features that may be asked for on one path from the root, group by group; a feature in no
        group is never asked for. Empty: any may.
    """

    monotone: tuple[int, ...] = ()
    parameter: int = 0
    groups: tuple[tuple[int, ...], ...] = ()

    def monotone_for(self, cuts: Cuts, n_params: int) -> Array | None:
        """Return the signs (p,) as the core takes them; raise ValueError if they do not fit."""
        if not any(self.monotone):
            return None
        p = len(cuts.edges)
        if len(self.monotone) != p or not {*self.monotone} <= {-1, 0, 1}:
            raise ValueError(
                f"monotone={self.monotone} must be -1, 0 or 1 for each of {p} features"
            )
        if not 0 <= self.parameter < n_params:
            raise ValueError(f"parameter={self.parameter} is none of {n_params} coordinates")
        signs = np.array(self.monotone, dtype=np.int8)
        held = np.flatnonzero(signs[cuts.categorical])
        if held.size:
            column = int(np.flatnonzero(cuts.categorical)[held[0]])
            raise ValueError(f"feature {column} is categorical and has no order; free it with 0")
        return signs

    def groups_for(self, n_features: int) -> Array | None:
        """Return the groups as masks (groups, p); raise ValueError if they do not fit."""
        if not self.groups:
            return None
        masks = np.zeros((len(self.groups), n_features), dtype=np.uint8)
        for mask, group in zip(masks, self.groups, strict=True):
            if not all(0 <= feature < n_features for feature in group):
                raise ValueError(
                    f"the group {group} has features beyond the {n_features} there are"
                )
            mask[list(group)] = 1
        return masks
