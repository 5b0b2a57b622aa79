"""Base of responses: a likelihood, a prior, and the posterior of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.responses.censoring import is_censored
from wgboost.responses.row_posterior import RowPosterior
from wgboost.responses.units import Units
from wgboost.responses.y_checks import check_y
from wgboost.typing import Array

__all__ = ["Response"]


@dataclass(frozen=True, eq=False)
class Response(RowPosterior):
    """A response p(y | theta) with a prior of theta.

    The target of row i is its posterior: prior times likelihood of y_i to the power `evidence`, the
    number of observations that a row represents (1 in the paper). theta has unconstrained
    coordinates, and the prior contains the Jacobian of the transformation. y is in standardised
    units; `Units` converts.

    To add a response, write one file with a ``@dataclass(frozen=True, eq=False)`` subclass and add
    one line to ``responses/registry.py``. The contract tests run over the registry.

    1. Fields: the parameters of the prior, as ``prior_mean: Parameter = 0.0``. A field whose name
       begins with ``prior_`` is a number or an array with one value per row; this class checks it.
       `positive` names those that must be positive.
    2. Facts: `name`, `documentation`, `param_names`, and where the defaults are wrong
       `discrete`, `nominal`, `location`, `support`.
    3. y: `in_support` with `support_text`, and `units`.
    4. The prior, independent over coordinates: `coordinate_priors`, or `log_prior`, `prior_score`
       and `prior_curvature` themselves.
    5. The likelihood: the abstract methods of `Likelihood`. Override its other methods where a
       closed form is exact in the tails, or faster.
    6. `dispersion`: the coordinates that determine the spread of y, for calibration.
    7. If averages over rows reduce to a few numbers: `sufficient = True`, and `statistics` with
       `statistics_score` and `statistics_curvature`.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Normal, Response
    >>> response: Response = Normal()
    >>> response.check([1, 2]), response.in_support(np.array([np.nan]))
    (array([1., 2.]), array([False]))
    """

    longest_step: ClassVar[float] = np.inf
    """Largest move of a coordinate by a leaf in one round, before the learning rate.

    For responses whose Newton steps have no bound, as for outliers among counts."""

    # --- rows ---------------------------------------------------------------------------------

    @property
    def support_text(self) -> str:
        """Description of valid y, for the error message of `check`."""
        return "finite numbers"

    def in_support(self, y: Array) -> Array:
        """Return whether each y can occur.

        Parameters
        ----------
        y : array of shape (n,)
            y in the user's units.

        Returns
        -------
        array of bool
            True where y is possible.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().in_support(np.array([0.0]))
        array([ True])
        """
        low, high = self.support
        return (y >= low) & (y <= high)

    def clip_to_support(self, y: Array) -> Array:
        """Move draws that were rounded out of the support back into it.

        A beta draw closer to 1 than 1e-16 is rounded to 1, and a gamma draw of a small shape to 0.
        They become the nearest normal number inside the support.

        Parameters
        ----------
        y : array
            Draws.

        Returns
        -------
        array
            Draws inside the support.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Gamma
        >>> Gamma().clip_to_support(np.array([0.0, 1.0])) > 0
        array([ True,  True])
        """
        y = np.asarray(y)
        outside = (~np.asarray(self.in_support(y)) | np.isinf(y)) & ~np.isnan(y)
        if not outside.any():
            return y
        (low, high), limits = self.support, np.finfo(np.float64)
        first = limits.tiny if low == 0 else np.nextafter(low, np.inf)
        last = np.nextafter(high, -np.inf)  # the largest number where the support has no end
        return np.where(outside, np.clip(y, first, last), y)

    def for_columns(self, n_columns: int) -> Self:  # noqa: ARG002
        """Return the response for a number of columns of y; only `Multivariate` changes.

        Parameters
        ----------
        n_columns : int
            Number of columns.

        Returns
        -------
        Response
            The response.

        Examples
        --------
        >>> from wgboost.responses import MultivariateNormal
        >>> MultivariateNormal().for_columns(2).n_dims
        2
        """
        return self

    def check(self, y: Any) -> Array:
        """Return y in float64.

        Parameters
        ----------
        y : array_like of shape (n,), or censored array
            y in the user's units.

        Returns
        -------
        array of shape (n,)
            Values, or censored y with its bounds clipped to the support.

        Raises
        ------
        ValueError
            With the first row whose value cannot occur.

        Examples
        --------
        >>> from wgboost.responses import Normal
        >>> Normal().check([1, 2])
        array([1., 2.])
        """
        if is_censored(y):
            self._check_bounds(y)
            return self._within_support(np.asarray(y))
        values = check_y(y)
        possible = self.in_support(values)
        if not possible.all():
            row = int(np.argmin(possible))
            raise ValueError(
                f"y is {values[row]:.17g} at row {row}; "
                f"the response {self.name!r} needs {self.support_text}"
            )
        return values

    def _check_bounds(self, y: Array) -> None:
        if self.nominal:
            raise ValueError(f"the response {self.name!r} has no order; y cannot be censored")
        low, high = self.support
        if self.discrete:
            impossible = np.ceil(np.maximum(y["lower"], low)) > np.floor(
                np.minimum(y["upper"], high)
            )
        else:  # bounds that only touch the support are impossible
            impossible = (y["upper"] <= low) | (y["lower"] >= high)
        known = y["lower"] == y["upper"]
        impossible[known] = ~self.in_support(y["lower"][known])
        if impossible.any():
            row = int(np.argmax(impossible))
            raise ValueError(
                f"y is between {y['lower'][row]:.17g} and {y['upper'][row]:.17g} at row {row}; "
                f"the response {self.name!r} needs {self.support_text}"
            )

    def _within_support(self, y: Array) -> Array:
        low, high = self.support
        inside = y.copy()
        inside["lower"], inside["upper"] = np.maximum(y["lower"], low), np.minimum(y["upper"], high)
        return inside

    def infer_from(self, y: Array) -> Self:  # noqa: ARG002
        """Return the response with settings inferred from y, such as the number of classes.

        Parameters
        ----------
        y : array of shape (n,)
            y in the user's units.

        Returns
        -------
        Response
            The response.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Ordinal
        >>> Ordinal().infer_from(np.array([0.0, 2.0])).n_classes
        3
        """
        return self

    def units(self, y: Array, weight: Array | None = None) -> Units:  # noqa: ARG002
        """Return the units in which to standardise y.

        Parameters
        ----------
        y : array of shape (n,)
            y in the user's units.
        weight : array of shape (n,), optional
            Sample weights.

        Returns
        -------
        Units
            The user's own units by default.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().units(np.array([1.0, 3.0]))
        Units(shift=2.0, scale=1.0)
        """
        return Units()

    def initial_theta(self, y: Array, weight: Array | None = None) -> Array:  # noqa: ARG002
        """Return parameters around which to look for start particles.

        Parameters
        ----------
        y : array of shape (n,)
            Standardised y.
        weight : array of shape (n,), optional
            Sample weights.

        Returns
        -------
        array of shape (d,)
            The origin, unless units cannot bring y near to it.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().initial_theta(np.zeros(3))
        array([0., 0.])
        """
        return np.zeros(self.n_params)

    def check_offset(self, offset: Any, n: int) -> Array:
        """Return known offsets of the location, shaped like y.

        Parameters
        ----------
        offset : float or array_like
            Offset of all rows, or of each.
        n : int
            Number of rows.

        Returns
        -------
        array of shape (n,) or (n, q)
            The offsets.

        Raises
        ------
        ValueError
            If the response takes no offset, or it has a wrong shape or is not finite.

        Examples
        --------
        >>> from wgboost.responses import Normal
        >>> Normal().check_offset(1.0, 2)
        array([1., 1.])
        """
        if self.offset_link is None:
            raise ValueError(f"the response {self.name!r} takes no offset")
        values, shape = np.asarray(offset, dtype=np.float64), (n, *self.y_shape)
        if values.shape not in ((), shape):
            raise ValueError(f"offset has shape {values.shape}; a number or {shape} is needed")
        if not np.isfinite(values).all():
            raise ValueError(
                f"offset is not finite at row {np.argwhere(~np.isfinite(values))[0, 0]}"
            )
        return np.broadcast_to(values, shape)

    def with_offset(self, theta: Array, offset: Array, units: Units) -> Array:
        """Add offsets to the location of particles.

        Parameters
        ----------
        theta : array of shape (n, m, d)
            Particles of each row.
        offset : array of shape (n,)
            Offset of each row, in the user's units.
        units : Units
            Units of y.

        Returns
        -------
        array of shape (n, m, d)
            Particles in float64.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> from wgboost.responses import Units
        >>> Normal().with_offset(np.zeros((1, 1, 2)), np.array([4.0]), Units(0.0, 2.0))
        array([[[2., 0.]]])
        """
        moved = np.array(theta, dtype=np.float64)
        step = offset / units.scale if self.offset_link == "identity" else offset
        moved[..., self.location] += step[:, None]
        return moved
