"""Base of responses with several columns of y."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NoReturn, Self

import numpy as np

from wgboost.responses.base import Response
from wgboost.responses.censoring import is_censored
from wgboost.responses.units import ColumnUnits, mean_and_deviation
from wgboost.responses.y_checks import check_y_columns
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["Multivariate", "raise_no_joint"]


@dataclass(frozen=True, eq=False)
class Multivariate(Response):
    """A response whose y has q columns.

    y (..., q) broadcasts against theta[..., :1]. The first q coordinates of theta are the locations
    of the columns. Mean and variance are (..., q). Probabilities and quantiles belong to single
    columns, which `marginal` returns. `n_dims` is q; None takes it from y of an estimator.
    """

    n_dims: int | None = None

    offset_link: ClassVar[Literal["identity", "log"] | None] = "identity"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_dims is not None:
            object.__setattr__(self, "n_dims", check_integer("n_dims", self.n_dims, low=1))

    @property
    def y_shape(self) -> tuple[int, ...]:
        """The shape (q,) of one observation."""
        if self.n_dims is None:
            raise ValueError(
                f"the number of columns of {self.name!r} is not known; give n_dims, as "
                f"{type(self).__name__}(n_dims=2)"
            )
        return (self.n_dims,)

    @property
    def location(self) -> slice:  # type: ignore[override]
        """The coordinates that move y: the first q."""
        return slice(0, *self.y_shape)

    def for_columns(self, n_columns: int) -> Self:
        """Return the response for this number of columns, unless it has one."""
        return self if self.n_dims is not None else replace(self, n_dims=n_columns)

    def check(self, y: Any) -> Array:
        """Return y (n, q) in float64; raise if a value cannot occur."""
        if is_censored(y):
            raise ValueError(f"the response {self.name!r} needs known values; y is censored")
        return check_y_columns(y, self.n_dims, self.name)

    def units(self, y: Array, weight: Array | None = None) -> ColumnUnits:
        """Return the weighted mean and standard deviation of each column of y."""
        columns = np.asarray(y).T
        return ColumnUnits.joined([mean_and_deviation(column, weight) for column in columns])

    @abstractmethod
    def cov(self, theta: Array) -> Array:
        """Return the covariance matrix of y.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (..., q, q)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import MultivariateNormal
        >>> response, theta = MultivariateNormal(n_dims=2), np.zeros(5)
        >>> response.cov(theta)
        array([[1., 0.],
               [0., 1.]])
        """

    @abstractmethod
    def marginal(self, theta: Array, column: int) -> tuple[Response, Array]:
        """Return the response of one column and its parameters.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.
        column : int
            Index of the column.

        Returns
        -------
        response : Response
            Response of the column.
        theta : array of shape (..., d')
            Its parameters.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import MultivariateNormal
        >>> response, theta = MultivariateNormal(n_dims=2), np.zeros(5)
        >>> response.marginal(theta, 0)[0].name
        'normal'
        """

    def var(self, theta: Array) -> Array:
        """Return the variance of each column, (..., q)."""
        return np.diagonal(self.cov(theta), axis1=-2, axis2=-1)

    def cdf(self, y: Array, theta: Array) -> Array:
        """Raise AttributeError; use `marginal`."""
        del y, theta
        raise_no_joint(self.name, "cdf")

    def ppf(self, q: Array, theta: Array) -> Array:
        """Raise AttributeError; use `marginal`."""
        del q, theta
        raise_no_joint(self.name, "ppf")


def raise_no_joint(name: str, what: str) -> NoReturn:
    """Raise AttributeError for a method that only a single column of a response has."""
    raise AttributeError(
        f"the columns of {name!r} together have no {what}; use a single column: "
        "predict_dist(X).marginal(j), or response.marginal(theta, j)"
    )
