"""Monotone and interaction constraints on trees."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data.binning import Cuts
from wgboost.typing import Array

__all__ = ["Constraints"]


@dataclass(frozen=True)
class Constraints:
    """Hold the constraints on trees.

    Parameters
    ----------
    monotone : tuple of int, default=()
        For each of p features 1 if the constrained coordinate of every particle must not fall as
        the feature rises, -1 if it must not rise, 0 if it is free. Empty: all are free. Missing
        values are unconstrained.
    parameter : int, default=0
        Index of the constrained coordinate.
    groups : tuple of tuples of int, default=()
        Groups of features that may be used together on one path from the root. A feature in no
        group is never used. Empty: any may.

    Examples
    --------
    >>> from wgboost.trees import Constraints
    >>> Constraints(groups=((0, 1), (2,))).groups_for(3)
    array([[1, 1, 0],
           [0, 0, 1]], dtype=uint8)
    """

    monotone: tuple[int, ...] = ()
    parameter: int = 0
    groups: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Constraints | None:
        """Return the constraints that `repr` has described.

        Parameters
        ----------
        text : str
            ``repr`` of constraints, or "None".

        Returns
        -------
        Constraints or None
            The constraints.

        Raises
        ------
        ValueError
            If the text is no description of constraints.

        Examples
        --------
        >>> from wgboost.trees import Constraints
        >>> Constraints.parse(repr(Constraints(monotone=(1, 0))))
        Constraints(monotone=(1, 0), parameter=0, groups=())
        """
        if text == repr(None):
            return None
        wrong = f"{text!r:.200} does not describe constraints"
        try:
            call: Any = ast.parse(text, mode="eval").body
            given = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
            found = cls(**given)
        except (SyntaxError, AttributeError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(wrong) from error
        if repr(found) != text or type(found.parameter) is not int:
            raise ValueError(wrong)
        return found

    def monotone_for(self, cuts: Cuts, n_params: int) -> Array | None:
        """Return the signs of monotone constraints.

        Parameters
        ----------
        cuts : Cuts
            Bins of the features.
        n_params : int
            Number d of coordinates.

        Returns
        -------
        array of shape (p,) or None
            Signs as int8; None without constraints.

        Raises
        ------
        ValueError
            If the signs do not fit the features, or a constrained feature is categorical.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.data.binning import Cuts
        >>> from wgboost.trees import Constraints
        >>> Constraints(monotone=(1,)).monotone_for(Cuts.find(np.arange(4.0)[:, None]), 2)
        array([1], dtype=int8)
        """
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
        constrained = np.flatnonzero(signs[cuts.categorical])
        if constrained.size:
            column = int(np.flatnonzero(cuts.categorical)[constrained[0]])
            raise ValueError(f"feature {column} is categorical and has no order; free it with 0")
        return signs

    def groups_for(self, n_features: int) -> Array | None:
        """Return the groups of features as masks.

        Parameters
        ----------
        n_features : int
            Number p of features.

        Returns
        -------
        array of shape (groups, p) or None
            Masks as uint8; None without groups.

        Raises
        ------
        ValueError
            If a group has an unknown feature.

        Examples
        --------
        >>> from wgboost.trees import Constraints
        >>> Constraints(groups=((0,), (1,))).groups_for(2)
        array([[1, 0],
               [0, 1]], dtype=uint8)
        """
        if not self.groups:
            return None
        masks = np.zeros((len(self.groups), n_features), dtype=np.uint8)
        for mask, group in zip(masks, self.groups, strict=True):
            if not all(0 <= feature < n_features for feature in group):
                raise ValueError(
                    f"the group {group} has an index outside the {n_features} features"
                )
            mask[list(group)] = 1
        return masks
