"""The prior of a response: its parameters, for all rows or per row, and its derivatives."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.responses.coordinate_priors import (
    CoordinatePrior,
    NormalPrior,
    Parameter,
    check_parameter,
)
from wgboost.responses.numerics import coordinates
from wgboost.typing import Array

__all__ = ["Prior"]


@dataclass(frozen=True, eq=False)
class Prior:
    """A prior of theta (n, m, d), independent over coordinates.

    Fields whose name begins with ``prior_`` are its parameters. Each is a number or an array with
    one value per row.
    """

    positive: ClassVar[tuple[str, ...]] = ()
    """Names of the prior parameters that must be > 0."""

    def __post_init__(self) -> None:
        for name in (entry.name for entry in fields(self)):
            if name.startswith("prior_"):
                checked = check_parameter(name, getattr(self, name), name in self.positive)
                object.__setattr__(self, name, checked)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, entry.name), getattr(other, entry.name))
            for entry in fields(self)
        )

    def __hash__(self) -> int:
        values = (np.asarray(getattr(self, entry.name)) for entry in fields(self))
        return hash((type(self), *(value.tobytes() for value in values)))

    def per_row(self) -> dict[str, Array]:
        """Return the prior parameters that hold one value per row.

        Returns
        -------
        dict
            Arrays by name.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> list(Normal(prior_mean=np.zeros(3)).per_row())
        ['prior_mean']
        """
        named = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return {name: value for name, value in named if isinstance(value, np.ndarray)}

    def take(self, rows: Any) -> Self:
        """Return the response of some rows.

        Parameters
        ----------
        rows : array of int, array of bool or slice
            The rows.

        Returns
        -------
        Response
            With the prior parameters of these rows.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal(prior_mean=np.arange(3.0)).take([2]).prior_mean
        array([2.])
        """
        per_row = self.per_row()
        if not per_row:
            return self
        return replace(self, **{name: value[rows] for name, value in per_row.items()})

    def check_rows(self, n: int) -> None:
        """Check that prior parameters per row fit the number of rows.

        Parameters
        ----------
        n : int
            Number of rows.

        Raises
        ------
        ValueError
            If one has another length.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal(prior_mean=np.zeros(3)).check_rows(3)
        """
        for name, value in self.per_row().items():
            if len(value) != n:
                raise ValueError(
                    f"{name} has {len(value)} values, there are {n} rows; "
                    "give one number, or one value per row"
                )

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the prior of each coordinate.

        Parameters
        ----------
        dtype : dtype
            Precision of arrays in it.

        Returns
        -------
        tuple of CoordinatePrior
            One prior per coordinate, with parameters as `column` gives them.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> len(Normal().coordinate_priors(np.float64))
        2
        """
        raise NotImplementedError(f"{type(self).__name__} must define coordinate_priors")

    def column(self, value: Parameter, dtype: Any) -> Parameter:
        """Return a prior parameter that broadcasts against theta[..., j] (n, m).

        Parameters
        ----------
        value : float or array of shape (n,)
            The parameter.
        dtype : dtype
            Precision of an array.

        Returns
        -------
        float or array of shape (n, 1)
            The parameter.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().column(np.zeros(3), np.float32).shape
        (3, 1)
        """
        return value[:, None].astype(dtype) if isinstance(value, np.ndarray) else value

    def _normal_prior(self, mean: Parameter, scale: Parameter, dtype: Any) -> NormalPrior:
        return NormalPrior(self.column(mean, dtype), self.column(scale, dtype))

    def log_prior(self, theta: Array) -> Array:
        """Return the log density of the prior, up to a constant.

        Parameters
        ----------
        theta : array of shape (n, m, d)
            Particles of each row.

        Returns
        -------
        array of shape (n, m)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().log_prior(np.zeros((1, 4, 2))).shape
        (1, 4)
        """
        priors = self.coordinate_priors(theta.dtype)
        total: Array = sum(
            (prior.log_density(theta[..., j]) for j, prior in enumerate(priors)),
            start=np.zeros(theta.shape[:-1], theta.dtype),
        )
        return total

    def prior_score(self, theta: Array) -> Array:
        """Return the gradient of `log_prior` in theta.

        Parameters
        ----------
        theta : array of shape (n, m, d)
            Particles of each row.

        Returns
        -------
        array of shape (n, m, d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().prior_score(np.zeros((1, 4, 2))).shape
        (1, 4, 2)
        """
        priors = self.coordinate_priors(theta.dtype)
        return coordinates(*(prior.score(theta[..., j]) for j, prior in enumerate(priors)))

    def prior_curvature(self, theta: Array) -> Array:
        """Return minus the diagonal of the Hessian of `log_prior`.

        Parameters
        ----------
        theta : array of shape (n, m, d)
            Particles of each row.

        Returns
        -------
        array of shape (n, m, d)
            The Hessian has no other entries.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().prior_curvature(np.zeros((1, 4, 2))).shape
        (1, 4, 2)
        """
        priors = self.coordinate_priors(theta.dtype)
        return coordinates(*(prior.curvature(theta[..., j]) for j, prior in enumerate(priors)))
