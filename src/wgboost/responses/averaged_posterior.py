"""The average over rows of their posteriors at particles that all rows share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wgboost.responses.likelihood import Likelihood
from wgboost.responses.native import CompiledAverage
from wgboost.responses.numerics import working_float
from wgboost.responses.prior import Prior
from wgboost.typing import Array

__all__ = ["AveragedPosterior"]


@dataclass(frozen=True, eq=False)
class AveragedPosterior(Likelihood, Prior):
    """Averages over rows of the derivatives of posteriors, from statistics of y."""

    sufficient: ClassVar[bool] = False
    """Whether the likelihood's averages over rows reduce to `statistics`."""
    statistics_are_values: ClassVar[bool] = False
    """Whether `statistics` are values of y with their shares."""

    @property
    def has_statistics(self) -> bool:
        """Whether averages over rows reduce to `statistics`; never with a prior per row."""
        return self.sufficient and not self.per_row()

    def statistics(self, y: Array, weight: Array | None = None) -> Array:
        """Return statistics that averages of the likelihood over rows depend on.

        With evidence per row, pass weight * evidence here and the weighted mean of evidence to
        `average_score` and `average_curvature`.

        Parameters
        ----------
        y : array of shape (n,)
            Standardised y.
        weight : array of shape (n,), optional
            Sample weights.

        Returns
        -------
        array
            The statistics.

        Raises
        ------
        NotImplementedError
            If averages do not reduce to statistics.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().statistics(np.array([1.0, 3.0]))
        array([2., 1.])
        """
        raise NotImplementedError(f"{self.name!r} has no statistics; average over rows instead")

    def statistics_score(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of `likelihood_score`.

        Parameters
        ----------
        theta : array of shape (m, d)
            Particles that all rows share.
        statistics : array
            What `statistics` returned.

        Returns
        -------
        array of shape (m, d)

        Raises
        ------
        NotImplementedError
            If averages do not reduce to statistics.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().statistics_score(np.zeros((1, 2)), np.array([1.0, 0.5]))
        array([[1. , 0.5]])
        """
        raise NotImplementedError(f"{self.name!r} has no statistics; average over rows instead")

    def statistics_curvature(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of `likelihood_curvature`.

        With `curvature_kind` = "damped" the bound is taken of the mean of the Hessian.

        Parameters
        ----------
        theta : array of shape (m, d)
            Particles that all rows share.
        statistics : array
            What `statistics` returned.

        Returns
        -------
        array of shape (m, d)

        Raises
        ------
        NotImplementedError
            If averages do not reduce to statistics.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().statistics_curvature(np.zeros((1, 2)), np.array([1.0, 0.5]))
        array([[1., 3.]])
        """
        raise NotImplementedError(f"{self.name!r} has no statistics; average over rows instead")

    def compiled_average(
        self, statistics: Array, evidence: float = 1.0  # noqa: ARG002
    ) -> CompiledAverage | None:  # fmt: skip
        """Return the average over rows of the posteriors in the compiled core.

        Parameters
        ----------
        statistics : array
            What `statistics` returned.
        evidence : float, default=1.0
            Mean evidence of the rows.

        Returns
        -------
        CompiledAverage or None
            None if the core does not have it.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Poisson
        >>> Poisson().compiled_average(np.array([[1.0], [1.0]])) is None
        True
        """
        return None

    def _common(self, theta: Array) -> Array:
        if self.per_row():
            raise ValueError(f"{', '.join(self.per_row())} given per row: average over rows")
        theta = working_float(theta)
        if theta.ndim != 2 or theta.shape[-1] != self.n_params:
            raise ValueError(f"theta has shape {theta.shape}; (m, {self.n_params}) is needed")
        return theta

    def average_score(self, theta: Array, statistics: Array, evidence: float = 1.0) -> Array:
        """Return the mean over rows of `score`.

        Parameters
        ----------
        theta : array of shape (m, d)
            Particles that all rows share.
        statistics : array
            What `statistics` returned.
        evidence : float, default=1.0
            Mean evidence of the rows.

        Returns
        -------
        array of shape (m, d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().average_score(np.zeros((1, 2)), np.array([1.0, 0.5])).round(2)
        array([[1. , 0.5]])
        """
        theta = self._common(theta)
        with np.errstate(over="ignore"):
            return evidence * self.statistics_score(theta, statistics) + self.prior_score(theta)

    def average_curvature(self, theta: Array, statistics: Array, evidence: float = 1.0) -> Array:
        """Return the mean over rows of `curvature`.

        Parameters
        ----------
        theta : array of shape (m, d)
            Particles that all rows share.
        statistics : array
            What `statistics` returned.
        evidence : float, default=1.0
            Mean evidence of the rows.

        Returns
        -------
        array of shape (m, d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().average_curvature(np.zeros((1, 2)), np.array([1.0, 0.5])).round(2)
        array([[1.01, 3.01]])
        """
        theta = self._common(theta)
        with np.errstate(over="ignore"):
            likelihood = self.statistics_curvature(theta, statistics)
            return evidence * likelihood + self.prior_curvature(theta)
