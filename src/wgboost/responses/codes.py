"""Base of responses with finitely many values."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from scipy import special

from wgboost.responses.base import Response
from wgboost.responses.censoring import is_censored
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["ClassCodes", "pick"]


@dataclass(frozen=True, eq=False)
class ClassCodes(Response):
    """A code y from 0 to k - 1; the rest follows from the probabilities of the classes."""

    n_classes: int | None = None

    discrete: ClassVar[bool] = True
    sufficient: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_classes is not None:
            classes = max(2, check_integer("n_classes", self.n_classes, low=1))
            object.__setattr__(self, "n_classes", classes)

    @abstractmethod
    def log_probabilities(self, theta: Array) -> Array:
        """Return the log probability of each class.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (..., k)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Categorical
        >>> Categorical().log_probabilities(np.array([0.0])).round(3)
        array([-0.693, -0.693])
        """

    @abstractmethod
    def _below_and_above(self, theta: Array) -> tuple[Array, Array]:
        """Return the probabilities (..., k + 1) of a code < j and of a code >= j, j = 0 to k."""

    @property
    def _k(self) -> int:
        if self.n_classes is None:
            raise ValueError(
                f"the number of classes of {self.name!r} is not known; give n_classes, or fit an "
                "estimator, which takes it from y"
            )
        return self.n_classes

    @property
    def n_params(self) -> int:
        """Number d = k - 1 of coordinates of theta."""
        return self._k - 1

    @property
    def has_dispersion(self) -> bool:
        """Whether `scale_dispersion` changes anything; it divides logits."""
        return True

    @property
    def support(self) -> tuple[float, float]:
        """The first and the last code."""
        return 0.0, np.inf if self.n_classes is None else float(self.n_classes - 1)

    @property
    def support_text(self) -> str:
        """Description of valid y."""
        if self.n_classes is None:
            return "whole numbers from 0 on"
        return f"whole numbers from 0 to {self.n_classes - 1} (n_classes={self.n_classes})"

    def in_support(self, y: Array) -> Array:
        """Return whether each y is one of the codes."""
        known: Array = super().in_support(y) & (np.floor(y) == y)
        return known

    def infer_from(self, y: Array) -> Self:
        """Return the response with the number of classes of y, if it was not given."""
        if self.n_classes is not None:
            return self
        codes = np.stack([y["lower"], y["upper"]]) if is_censored(y) else np.asarray(y)
        return replace(self, n_classes=int(np.max(codes[np.isfinite(codes)], initial=0)) + 1)

    def probabilities(self, theta: Array) -> Array:
        """Return the probability of each class, (..., k)."""
        return np.exp(self.log_probabilities(theta))

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log probability of a code; -inf for any other number."""
        y = np.asarray(y)
        picked = pick(self.log_probabilities(theta), y)
        return np.where(self.in_support(y) | np.isnan(y), picked, -np.inf)

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a code <= y."""
        return pick(self._below_and_above(theta)[0], np.floor(y) + 1)

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a code > y."""
        return pick(self._below_and_above(theta)[1], np.floor(y) + 1)

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the smallest code with cdf >= q."""
        q = np.asarray(q, dtype=np.float64)
        code = (self._below_and_above(theta)[0][..., 1:-1] < q[..., None]).sum(axis=-1)
        return np.where((q >= 0) & (q <= 1), code, np.nan)

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the smallest code with sf <= q."""
        q = np.asarray(q, dtype=np.float64)
        code = (self._below_and_above(theta)[1][..., 1:-1] > q[..., None]).sum(axis=-1)
        return np.where((q >= 0) & (q <= 1), code, np.nan)

    def mean(self, theta: Array) -> Array:
        """Return the mean code, for codes whose order means something."""
        probabilities = self.probabilities(theta)
        mean: Array = probabilities @ np.arange(self._k, dtype=probabilities.dtype)
        return mean

    def var(self, theta: Array) -> Array:
        """Return the variance of the code."""
        probabilities, mean = self.probabilities(theta), self.mean(theta)
        deviation = np.arange(self._k, dtype=mean.dtype) - mean[..., None]
        variance: Array = (probabilities * deviation**2).sum(axis=-1)
        return variance

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        entropy: Array = special.entr(self.probabilities(theta)).sum(axis=-1)
        return entropy

    def statistics(self, y: Array, weight: Array | None = None) -> Array:
        """Return the weighted frequency of each class, (k,)."""
        codes = np.asarray(y).astype(np.intp)
        counts = np.bincount(codes, weights=weight, minlength=self._k)
        frequencies: Array = counts / counts.sum()
        return frequencies


def pick(table: Array, position: Array) -> Array:
    """Return table[..., position], with positions clipped to the table; NaN stays NaN.

    The table (..., k) and the positions broadcast without a copy of the table.
    """
    position = np.asarray(position, dtype=np.float64)
    shape = np.broadcast_shapes(position.shape, table.shape[:-1])
    known = ~np.isnan(position)
    index = np.where(known, position, 0).clip(0, table.shape[-1] - 1).astype(np.intp)
    full = np.broadcast_to(table, (*shape, table.shape[-1]))
    picked = np.take_along_axis(full, np.broadcast_to(index, shape)[..., None], axis=-1)[..., 0]
    return picked if known.all() else np.where(known, picked, np.nan)
