"""Start particles as a function of x."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from wgboost.responses import Response, Units
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.smooth.gp_model import GPModel
from wgboost.typing import Array, Directions

__all__ = [
    "ConstantStart",
    "EstimatorStart",
    "GPStart",
    "Start",
    "log_ratios",
    "predicted_location",
]


class Start(Protocol):
    """Give the particles of rows before the first round.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.boosting.start import ConstantStart, Start
    >>> start: Start = ConstantStart(np.zeros((3, 2)))
    >>> start.shape
    (3, 2)
    """

    @property
    def shape(self) -> tuple[int, int]:
        """(m, d)."""
        ...

    def at(self, X: Any) -> Directions:
        """Return start particles of rows.

        Parameters
        ----------
        X : array (n, p)
            Features.

        Returns
        -------
        array (n, m, d)
            Particles in float32.
        """
        ...

    def shift(self, X: Any) -> LocationScaleShift | None:
        """Return what the particles of rows are relative to.

        Parameters
        ----------
        X : array (n, p)
            Features.

        Returns
        -------
        LocationScaleShift or None
            Location and scale, or None if particles are not relative.
        """
        ...


@dataclass(frozen=True, eq=False)
class ConstantStart:
    """Start every row at the same particles.

    Parameters
    ----------
    particles : array (m, d)
        The particles.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.boosting.start import ConstantStart
    >>> ConstantStart(np.zeros((3, 2))).at(np.zeros((5, 1))).shape
    (5, 3, 2)
    """

    particles: Array  # (m, d)

    @property
    def shape(self) -> tuple[int, int]:
        """(m, d)."""
        return self.particles.shape[0], self.particles.shape[1]

    def at(self, X: Any) -> Directions:
        """Return start particles of rows.

        Parameters
        ----------
        X : array (n, p)
            Features.

        Returns
        -------
        array (n, m, d)
            Particles in float32.
        """
        out = np.empty((len(X), *self.shape), dtype=np.float32)
        out[...] = self.particles
        return out

    def shift(self, X: Any) -> LocationScaleShift | None:  # noqa: ARG002
        """Return None: particles are not relative.

        Parameters
        ----------
        X : array (n, p)
            Features.

        Returns
        -------
        None
            Nothing.
        """
        return None


@dataclass(frozen=True, eq=False)
class GPStart(ConstantStart):
    """Start every row at the same particles, relative to a Gaussian process and its scale.

    Parameters
    ----------
    particles : array (m, d)
        The particles.
    gp : GPModel
        Location and scale as smooth functions of x.
    data : str
        Identity of the rows that the process was fitted to.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> few = {"n_estimators": 3, "n_particles": 3, "early_stopping": True, "random_state": 0}
    >>> model = WGBRegressor(init="smooth", refit=False, **few).fit(X, np.sin(X[:, 0]))
    >>> type(model.model_.start).__name__
    'GPStart'
    """

    gp: GPModel
    data: str  # the identity of the rows that the process was fitted to

    def shift(self, X: Any) -> LocationScaleShift | None:
        """Return location and scale of rows.

        Parameters
        ----------
        X : array (n, p)
            Features.

        Returns
        -------
        LocationScaleShift
            Location and scale.
        """
        return self.gp.at(X)


@dataclass(frozen=True, eq=False)
class EstimatorStart:
    """Start rows at common particles, moved by the predictions of an estimator.

    Parameters
    ----------
    particles : array (m, d)
        The common particles.
    estimator : estimator
        Fitted on all training rows.
    response : Response
        The response.
    units : Units
        Units of y.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from wgboost.boosting.start import EstimatorStart
    >>> from wgboost.responses import Normal, Units
    >>> X = np.arange(4.0)[:, None]
    >>> line = LinearRegression().fit(X, X[:, 0])
    >>> start = EstimatorStart(np.zeros((1, 2)), line, Normal(), Units())
    >>> start.at(X)[:, 0, 0].round(3).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """

    particles: Array  # (m, d)
    estimator: Any  # fitted on all training rows
    response: Response
    units: Units

    @property
    def shape(self) -> tuple[int, int]:
        """(m, d)."""
        return self.particles.shape[0], self.particles.shape[1]

    def at(self, X: Any) -> Directions:
        """Return start particles of rows.

        Parameters
        ----------
        X : array (n, p)
            Features.

        Returns
        -------
        array (n, m, d)
            Particles in float32.
        """
        return self.moved(predicted_location(self.estimator, X, self.response, self.units))

    def shift(self, X: Any) -> LocationScaleShift | None:  # noqa: ARG002
        """Return None: the particles themselves are moved.

        Parameters
        ----------
        X : array (n, p)
            Features.

        Returns
        -------
        None
            Nothing.
        """
        return None

    def moved(self, location: Array) -> Directions:
        """Return the particles moved by a location.

        Parameters
        ----------
        location : array (n,) or (n, d)
            Location like y, or log-ratios of classes.

        Returns
        -------
        array (n, m, d)
            Particles in float32.
        """
        out = np.empty((len(location), *self.shape), dtype=np.float32)
        out[...] = self.particles
        moving = slice(None) if self.response.nominal else self.response.location
        out[:, :, moving] += location[:, None].astype(np.float32)
        return out


def log_ratios(probabilities: Array) -> Array:
    """Log-ratios (n, k - 1) of class probabilities (n, k) to those of the last class."""
    log = np.log(np.clip(probabilities, 1e-6, None))
    ratios: Array = log[:, :-1] - log[:, -1:]
    return ratios


def predicted_location(estimator: Any, X: Any, response: Response, units: Units) -> Array:
    """What an estimator predicts, in the coordinates of the particles."""
    if response.nominal:
        probabilities = np.zeros((len(X), response.n_params + 1))
        probabilities[:, np.asarray(estimator.classes_, dtype=int)] = estimator.predict_proba(X)
        return log_ratios(probabilities)
    prediction = np.asarray(estimator.predict(X), dtype=np.float64)
    shape = (len(X), *response.y_shape)
    if prediction.shape != shape:
        raise ValueError(
            f"the start estimator predicts shape {prediction.shape}; {shape} is needed"
        )
    if response.offset_link == "identity":
        standardised: Array = units.standardise(prediction)
        return standardised
    if response.offset_link != "log":
        raise ValueError(f"the response {response.name!r} has no location to start at")
    if not (prediction > 0).all():
        row = int(np.argmin(prediction > 0))
        raise ValueError(
            f"the start estimator predicts {prediction[row]:g}, at the {row}th of these rows; the "
            f"response {response.name!r} starts at the log of a positive number"
        )
    return np.log(prediction / units.scale)
