"""Coordinates of theta and possible values of y."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np

from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["Parametrisation"]


class Parametrisation(ABC):
    """Parameters theta of a response and the support of y."""

    name: ClassVar[str]
    """The key in the registry."""
    documentation: ClassVar[tuple[str, str, str]] = ("", "", "")
    """The cells of the response in ``docs/responses.md``: y, theta, and when to choose it."""
    discrete: ClassVar[bool] = False
    """Whether y is a whole number; logpdf is then the log of the probability mass."""
    nominal: ClassVar[bool] = False
    """Whether y are labels without an order."""
    location: ClassVar[int] = 0
    """Index of the coordinate that moves y up and down."""
    log_scale: ClassVar[int | None] = None
    """Index of the coordinate that is the log of the scale of y, or of log y if `offset_link` is
    "log"."""
    offset_link: ClassVar[Literal["identity", "log"] | None] = None
    """How a known offset enters: added to the location, to the log of the location, or not at
    all."""
    offset_shifts_y: ClassVar[bool] = True
    """Whether y minus the offset, or y / exp(offset), has the same distribution with a shifted
    location. Otherwise the likelihood is evaluated at theta with the offset."""

    @property
    @abstractmethod
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""

    @property
    def n_params(self) -> int:
        """Number d of coordinates of theta."""
        return len(self.param_names)

    @property
    def y_shape(self) -> tuple[int, ...]:
        """Shape of one observation: () for a number, (q,) for several columns of y."""
        return ()

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest possible y."""
        return -np.inf, np.inf

    @property
    def has_mean(self) -> bool:
        """Whether the mean of y exists; if not, `mean` is NaN and the median is the prediction."""
        return True

    @property
    def may_be_infinite(self) -> bool:
        """Whether y may be infinite with some probability."""
        return False

    @property
    def dispersion(self) -> Mapping[int, float]:
        """Coordinates that determine the spread of y about its location; none by default.

        Each comes with a power: the coordinate is the log of that power of the spread. It is {1:
        1.0} if theta_1 is a log scale, and {1: -2.0} if it is a log precision.
        """
        return {}

    @property
    def has_dispersion(self) -> bool:
        """Whether `scale_dispersion` changes anything; not for Poisson, for example."""
        return bool(self.dispersion)

    def scale_dispersion(self, theta: Array, factor: float) -> Array:
        """Return parameters with which the spread of y is `factor` times as large.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.
        factor : float
            Factor of the spread, > 0.

        Returns
        -------
        array of shape (..., d)
            Parameters in float64.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().scale_dispersion(np.array([0.0, 0.0]), 2.0).round(3)
        array([0.   , 0.693])
        """
        moved = np.array(theta, dtype=np.float64)
        for coordinate, power in self.dispersion.items():
            moved[..., coordinate] += power * math.log(factor)
        return moved

    @abstractmethod
    def natural(self, theta: Array, units: Units) -> dict[str, Array]:
        """Return the natural parameters in the user's units.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.
        units : Units
            Units of y.

        Returns
        -------
        dict
            Arrays of shape (...) by name, such as mean and scale.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> from wgboost.responses import Units
        >>> found = Normal().natural(np.array([1.0, 0.0]), Units(10.0, 2.0))
        >>> float(found["mean"]), float(found["scale"])
        (12.0, 2.0)
        """
