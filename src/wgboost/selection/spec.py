"""What bags of regressors and of classifiers differ in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from wgboost.estimators import WGBClassifier, WGBRegressor
from wgboost.selection.recipes import Recipes
from wgboost.training.posterior_data import PosteriorData
from wgboost.typing import Array

__all__ = ["BagSpec", "Member", "Trial"]

Member = WGBRegressor | WGBClassifier


@dataclass(frozen=True, eq=False)
class Trial:
    """A comparison of models with and without members for OOD scores.

    Attributes
    ----------
    split : tuple of arrays
        Rows to train on, rows to validate with.
    fit : callable
        Returns, for rows to train on and to validate with, a model without such a member and one
        with it.
    take : callable
        Returns the features of rows.
    """

    split: tuple[Array, Array]
    fit: Callable[[Array, Array], tuple[Any, Any]]
    take: Callable[[Array], Any]


@dataclass(frozen=True, eq=False)
class BagSpec(ABC):
    """The members of a bag: their class, the recipes to try, and members for OOD scores.

    Attributes
    ----------
    params : dict
        Parameters of the bag.
    """

    params: dict[str, Any]
    member_type: ClassVar[type[Member]]
    shared: ClassVar[tuple[str, ...]]
    """Parameters of the bag that are passed on to its members."""

    @abstractmethod
    def usual_recipes(self, data: PosteriorData) -> Recipes:
        """Return the recipes to try."""

    def ood_recipe(self, data: PosteriorData) -> dict[str, Any] | None:  # noqa: ARG002
        """Return the recipe of members for OOD scores, or None."""
        return None

    def for_rows(self, member: Member, data: PosteriorData, some: Array) -> Member:  # noqa: ARG002
        """Return a member with the parameters that it needs for some of the rows."""
        return member

    def ood_members_help(
        self,
        data: PosteriorData,  # noqa: ARG002
        trial: Trial,  # noqa: ARG002
        budget: float | None,  # noqa: ARG002
    ) -> bool:
        """Return whether members for OOD scores help; the trial ends after `budget` seconds."""
        return True
