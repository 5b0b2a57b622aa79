"""What bags of regressors and of classifiers differ in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from wgboost.estimators import WGBClassifier, WGBRegressor
from wgboost.selection.recipes import Recipes
from wgboost.training.posterior_data import PosteriorData

__all__ = ["BagSpec", "Member"]

Member = WGBRegressor | WGBClassifier


@dataclass(frozen=True, eq=False)
class BagSpec(ABC):
    """The members of a bag: their class and the recipes to try.

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
