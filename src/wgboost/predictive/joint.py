"""The predictive distribution of several columns of y together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from wgboost.predictive.mixture import Mixture
from wgboost.predictive.table import QUANTILES, names_of
from wgboost.predictive.weights import mix
from wgboost.responses import ColumnUnits, Response, Units
from wgboost.responses.multivariate import Multivariate, raise_no_joint
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["JointMixture", "make_mixture"]


class JointMixture(Mixture):
    """Hold n predictive distributions of q columns of y each.

    Methods that return one number per row for `Mixture` return (n, q) here: `mean`, `var`, `std`,
    `aleatoric` and `epistemic` are those of each column, in its unit. Values y have their columns
    on the last axis: (n, q), or (n, g, q) for several values per row. `logpdf` is the log density
    of the columns together, `rvs` draws them together, and `cov` is their covariance. Probabilities
    and quantiles belong to one column: `marginal(j)` is an ordinary `Mixture`.

    Parameters
    ----------
    response : Multivariate
        The response of q columns.
    particles : array-like of shape (n, m, d)
        The particles, in the coordinates of the response and standardised units.
    units : ColumnUnits or Units, optional
        The units of the columns, or one for all of them.
    weights : array-like of shape (n, m), optional
        Weights of the particles; equal by default.
    error : array-like of shape (n, q), optional
        Expected squared error of the location of each column; see `Mixture`.

    Examples
    --------
    >>> from wgboost import MultivariateNormal
    >>> from wgboost.predictive import JointMixture
    >>> dist = JointMixture(MultivariateNormal(2), [[[0.0, 1.0, 0.0, 0.0, 0.0]]])
    >>> dist.mean()
    array([[0., 1.]])
    >>> dist.marginal(1).median()
    array([1.])
    """

    response: Multivariate
    units: ColumnUnits
    y_axes: ClassVar[int] = 1

    def __init__(
        self, response: Response, particles: Any, units: Units | None = None, weights: Any = None,
        error: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(response, particles, units, weights, error)
        (q,) = response.y_shape
        if not isinstance(units, ColumnUnits):
            units = ColumnUnits.joined([units or Units()] * q)
        if len(units.shift) != q:
            raise ValueError(f"units of {len(units.shift)} columns for a y of {q}")
        self.units = units

    def marginal(self, j: int) -> Mixture:
        """Return the distributions of one column.

        Parameters
        ----------
        j : int
            The number of the column; negative numbers count from the last.

        Returns
        -------
        Mixture

        Examples
        --------
        >>> from wgboost import MultivariateNormal
        >>> from wgboost.predictive import JointMixture
        >>> dist = JointMixture(MultivariateNormal(2), [[[0.0, 1.0, 0.0, 0.0, 0.0]]])
        >>> dist.marginal(1).mean()
        array([1.])
        """
        (q,) = self.response.y_shape
        j = check_integer("j", j, low=-q, high=q - 1)
        response, theta = self.response.marginal(self.theta(), j)
        error = None if self.error is None else self.error[:, j, None]
        return Mixture(response, theta, self.units[j], self.weights, error)

    def columns(
        self, quantiles: Any = QUANTILES, names: Sequence[str] | None = None,
        band: float | None = None,
    ) -> dict[str, Array]:  # fmt: skip
        """Compute the columns of `to_frame`, for each column of y in turn.

        Parameters
        ----------
        quantiles : float, list of floats or None, default=(0.05, 0.5, 0.95)
            Levels of the quantiles.
        names : list of str, optional
            Names of the columns of y; their numbers by default.
        band : float, optional
            Coverage of a credible band of the mean, as in `band`; none by default.

        Returns
        -------
        dict of str to ndarray of shape (n,)
            The columns by name.
        """
        (q,) = self.response.y_shape
        return {
            f"{name}_{what}": values
            for j, name in enumerate(names_of(names, q))
            for what, values in self.marginal(j).columns(quantiles, band=band).items()
        }

    # --- moments of the columns ---------------------------------------------------------------

    def _over_columns(self, values: Any, *shape: int) -> Array:
        """Return the mean (n, *shape) over particles of values(theta) (r, m, *shape)."""

        def averaged(theta: Array, weights: Array | None) -> Array:
            last = values(theta).reshape(*theta.shape[:2], -1).swapaxes(1, 2)
            each = mix(last, None if weights is None else weights[:, None])
            return each.reshape(len(theta), *shape)

        return self.over_rows(averaged, *shape)

    def mean(self) -> Array:
        """Compute the mean of each column.

        Returns
        -------
        ndarray of shape (n, q)
        """
        return self.units.restore(self._over_columns(self.response.mean, *self.response.y_shape))

    def cov(self) -> Array:
        """Compute the covariance of the columns of each row.

        Returns
        -------
        ndarray of shape (n, q, q)

        Examples
        --------
        >>> from wgboost import MultivariateNormal
        >>> from wgboost.predictive import JointMixture
        >>> JointMixture(MultivariateNormal(2), [[[0.0, 1.0, 0.0, 0.0, 0.0]]]).cov()
        array([[[1., 0.],
                [0., 1.]]])
        """
        (q,) = self.response.y_shape

        def spread(theta: Array, weights: Array | None) -> Array:
            means = self.response.mean(theta)  # (r, m, q)
            share = np.full(means.shape[:2], 1 / means.shape[1]) if weights is None else weights
            deviations = means - (share[:, None] @ means)
            weighted = share[..., None] * deviations
            product: Array = np.swapaxes(weighted, 1, 2) @ deviations
            return product

        total = self._over_columns(self.response.cov, q, q) + self.over_rows(spread, q, q)
        scaled: Array = total * np.outer(self.units.scale, self.units.scale)
        return scaled

    def _mean_of_variances(self) -> Array:
        return self._over_columns(self.response.var, *self.response.y_shape)

    def _variance_of_means(self) -> Array:
        def spread(theta: Array, weights: Array | None) -> Array:
            means = np.swapaxes(self.response.mean(theta), 1, 2)  # (r, q, m)
            weights = None if weights is None else weights[:, None]
            return mix(np.square(means - mix(means, weights)[..., None]), weights)

        return self.over_rows(spread, *self.response.y_shape)

    def support(self) -> tuple[Array, Array]:
        """Return the smallest and the largest possible y of each column.

        Returns
        -------
        low, high : ndarray of shape (n, q)
            The ends of the support.
        """
        shape = (len(self), *self.response.y_shape)
        low, high = (np.full(shape, end) for end in self.response.support)
        return self.units.restore(low), self.units.restore(high)

    # --- methods of a single column -----------------------------------------------------------

    def _probability(self, y: Any, side: Any) -> Array:
        del y
        raise_no_joint(self.response.name, side.__name__)

    def _quantile(self, q: Any, upper: bool) -> Array:
        del q, upper
        raise_no_joint(self.response.name, "quantiles")

    def entropy(self) -> Array:
        """Raise AttributeError: the columns together would need an integral over all of them."""
        raise_no_joint(self.response.name, "entropy in closed form")

    def mutual_information(self) -> Array:
        """Raise AttributeError: the columns together would need an integral over all of them."""
        raise_no_joint(self.response.name, "mutual information in closed form")


def make_mixture(
    response: Response, particles: Any, units: Units | None = None, weights: Any = None,
    error: Any = None,
) -> Mixture:  # fmt: skip
    """Make predictive distributions: a `JointMixture` if y has several columns, else a `Mixture`.

    Parameters
    ----------
    response : Response
        The response.
    particles : array-like of shape (n, m, d)
        The particles, in standardised units.
    units : Units, optional
        The units of y.
    weights : array-like of shape (n, m), optional
        Weights of the particles; equal by default.
    error : array-like of shape (n, q), optional
        Expected squared error; see `Mixture`.

    Returns
    -------
    Mixture

    Examples
    --------
    >>> from wgboost import Normal
    >>> from wgboost.predictive import make_mixture
    >>> make_mixture(Normal(), [[[0.0, 0.0]]])
    <Mixture of normal: 1 rows, 1 particles>
    """
    kind = JointMixture if isinstance(response, Multivariate) else Mixture
    return kind(response, particles, units, weights, error)
