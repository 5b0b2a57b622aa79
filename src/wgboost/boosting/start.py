"""Start particles as a function of x."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, cast

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
    "StartClassifier",
    "StartRegressor",
    "log_ratios",
    "predicted_location",
]

_SMALLEST_PROBABILITY = 1e-6


class StartRegressor(Protocol):
    """A fitted regressor of scikit-learn or of the same interface."""

    def predict(self, X: Any) -> Any:
        """Return predictions of y."""
        ...


class StartClassifier(Protocol):
    """A fitted classifier of scikit-learn or of the same interface."""

    @property
    def classes_(self) -> Any:
        """Codes of the classes."""
        ...

    def predict_proba(self, X: Any) -> Any:
        """Return probabilities (n, classes)."""
        ...


class Start(Protocol):
    """Particles of rows before the first round."""

    @property
    def shape(self) -> tuple[int, int]:
        """(m, d)."""
        ...

    def at(self, X: Any) -> Directions:
        """Return the start particles (n, m, d) of rows, float32."""
        ...

    def shift(self, X: Any) -> LocationScaleShift | None:
        """Return what the particles of rows are relative to; None if they are not relative."""
        ...


@dataclass(frozen=True, eq=False)
class ConstantStart:
    """Start every row at the same particles.

    Parameters
    ----------
    particles : array of shape (m, d)
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
        """Return the start particles (n, m, d) of rows, float32."""
        return _repeated(self.particles, len(X))

    def shift(self, X: Any) -> LocationScaleShift | None:  # noqa: ARG002
        """Return None: the particles are not relative."""
        return None


@dataclass(frozen=True, eq=False)
class GPStart(ConstantStart):
    """Start every row at the same particles, relative to a Gaussian process and its scale.

    Parameters
    ----------
    particles : array of shape (m, d)
        The particles.
    gp : GPModel
        Location and scale as smooth functions of x.
    data : str
        Fingerprint of the rows that the process was fitted to.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> settings = {"n_estimators": 3, "n_particles": 3, "early_stopping": True, "random_state": 0}
    >>> model = WGBRegressor(init="smooth", refit=False, **settings).fit(X, np.sin(X[:, 0]))
    >>> type(model.model_.start).__name__
    'GPStart'
    """

    gp: GPModel
    data: str

    def shift(self, X: Any) -> LocationScaleShift | None:
        """Return the location and scale of rows."""
        return self.gp.at(X)


@dataclass(frozen=True, eq=False)
class EstimatorStart:
    """Start rows at common particles, moved by the predictions of an estimator.

    Parameters
    ----------
    particles : array of shape (m, d)
        The common particles.
    estimator : StartRegressor or StartClassifier
        An estimator that was fitted to all training rows.
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
    estimator: StartRegressor | StartClassifier
    response: Response
    units: Units

    @property
    def shape(self) -> tuple[int, int]:
        """(m, d)."""
        return self.particles.shape[0], self.particles.shape[1]

    def at(self, X: Any) -> Directions:
        """Return the start particles (n, m, d) of rows, float32."""
        return self.moved(predicted_location(self.estimator, X, self.response, self.units))

    def shift(self, X: Any) -> LocationScaleShift | None:  # noqa: ARG002
        """Return None: the particles themselves are moved."""
        return None

    def moved(self, location: Array) -> Directions:
        """Return the particles (n, m, d) moved by a location (n,), or log-ratios of classes."""
        out = _repeated(self.particles, len(location))
        moving = slice(None) if self.response.nominal else self.response.location
        out[:, :, moving] += location[:, None].astype(np.float32)
        return out


def _repeated(particles: Array, n: int) -> Directions:
    """Return particles (m, d) for each of n rows, float32."""
    out = np.empty((n, *particles.shape), dtype=np.float32)
    out[...] = particles
    return out


def log_ratios(probabilities: Array) -> Array:
    """Return log-ratios (n, k - 1) of class probabilities (n, k) to those of the last class."""
    log = np.log(np.clip(probabilities, _SMALLEST_PROBABILITY, None))
    ratios: Array = log[:, :-1] - log[:, -1:]
    return ratios


def predicted_location(
    estimator: StartRegressor | StartClassifier, X: Any, response: Response, units: Units
) -> Array:
    """Return the predictions of an estimator in the coordinates of the particles."""
    if response.nominal:
        classifier = cast(StartClassifier, estimator)
        probabilities = np.zeros((len(X), response.n_params + 1))
        probabilities[:, np.asarray(classifier.classes_, dtype=int)] = classifier.predict_proba(X)
        return log_ratios(probabilities)
    regressor = cast(StartRegressor, estimator)
    prediction = np.asarray(regressor.predict(X), dtype=np.float64)
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
            f"the start estimator predicts {prediction[row]:g} for row {row}; the response "
            f"{response.name!r} starts at the log of the prediction, which has to be positive"
        )
    return np.log(prediction / units.scale)
