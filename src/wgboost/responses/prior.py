"""The prior of a response: its parameters, for all rows or per row, and its derivatives."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.responses.coordinate_priors import CoordinatePrior, Parameter, check_parameter
from wgboost.responses.numerics import coordinates
from wgboost.typing import Array

__all__ = ["Prior"]


@dataclass(frozen=True, eq=False)
class Prior:
    """A prior of theta (n, m, d), independent over coordinates.

    Fields whose name begins with ``prior_`` are its parameters; each is a number or holds one
    value per row.
    """

    positive: ClassVar[tuple[str, ...]] = ()
    """Names of the prior parameters that have to be > 0."""

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
        """Return the prior parameters that hold one value per row, by name."""
        named = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return {name: value for name, value in named if isinstance(value, np.ndarray)}

    def take(self, rows: Any) -> Self:
        """Return the response of some rows, given by indices, a mask or a slice."""
        per_row = self.per_row()
        if not per_row:
            return self
        return replace(self, **{name: value[rows] for name, value in per_row.items()})

    def check_rows(self, n: int) -> None:
        """Raise if a prior parameter holds one value per row, but not for n rows."""
        for name, value in self.per_row().items():
            if len(value) != n:
                raise ValueError(
                    f"{name} has {len(value)} values, there are {n} rows; "
                    "give one number, or one value per row"
                )

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the prior of each coordinate, its parameters as `column` gives them."""
        raise NotImplementedError(f"{type(self).__name__} has to define coordinate_priors")

    def column(self, value: Parameter, dtype: Any) -> Parameter:
        """Return a prior parameter so that it broadcasts against theta[..., j] (n, m)."""
        return value[:, None].astype(dtype) if isinstance(value, np.ndarray) else value

    def log_prior(self, theta: Array) -> Array:
        """Return the log density of the prior up to a constant, (n, m)."""
        priors = self.coordinate_priors(theta.dtype)
        total: Array = sum(
            (prior.log_density(theta[..., j]) for j, prior in enumerate(priors)),
            start=np.zeros(theta.shape[:-1], theta.dtype),
        )
        return total

    def prior_score(self, theta: Array) -> Array:
        """Return the gradient of the log density of the prior, (n, m, d)."""
        priors = self.coordinate_priors(theta.dtype)
        return coordinates(*(prior.score(theta[..., j]) for j, prior in enumerate(priors)))

    def prior_curvature(self, theta: Array) -> Array:
        """Return minus the diagonal of the prior's Hessian, which has no other entries."""
        priors = self.coordinate_priors(theta.dtype)
        return coordinates(*(prior.curvature(theta[..., j]) for j, prior in enumerate(priors)))
