"""Particles of selected rows: the uncertainty about the parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.estimators import WGBoost
from wgboost.metrics.unwrapping import transform_features
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import (
    check_distributions,
    class_labels,
    fitted_estimator,
    predictive_distributions,
    select_rows,
)
from wgboost.plotting.labels import short_name
from wgboost.plotting.style import class_colours
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_choice

__all__ = ["ParticlesDisplay"]

_MOST = 8


@dataclass(eq=False, repr=False)
class ParticlesDisplay(Display):
    """Show one or two parameters of the particles of a few rows.

    Ellipses show one and two standard deviations around the mean of the particles of a row, if
    there are five particles or more. A single parameter is drawn along a line for each row.

    Parameters
    ----------
    rows : Array
        Numbers of the rows.
    names : tuple of str
        The parameters, two or one.
    values : tuple of Array
        Their values (rows, m), in the units of y.
    weights : Array or None, default=None
        Weights (rows, m) of the particles if they differ; drawn as sizes.
    labels : tuple of str, default=()
        Labels of the axes.

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes drawn in.
    figure_ : matplotlib figure
        The figure of these axes.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.plotting import ParticlesDisplay
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
    >>> display = ParticlesDisplay.from_estimator(model, X, rows=[0, 30])
    >>> display.names
    ('mean', 'scale')
    """

    rows: Array
    names: tuple[str, ...]
    values: tuple[Array, ...]
    weights: Array | None = None
    labels: tuple[str, ...] = ()

    size: ClassVar[tuple[float, float]] = (5.0, 3.8)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: Any, *, rows: Any = None, params: Any = None,
        offset: Any = None, exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the particles of rows by any fitted estimator of this package.

        Parameters
        ----------
        estimator : estimator of wgboost
            A fitted estimator, or a pipeline or a search that ends with one.
        X : array or frame (n, p)
            Rows to predict.
        rows : list of int or mask, default=None
            Up to 8 rows to show. None takes four evenly spaced ones.
        params : str or list of str, default=None
            One or two parameters to show; those of `WGBoost` are "theta_0", "theta_1", ... None
            takes the first two.
        offset : array or str, default=None
            Offset of the rows, as in `predict_dist`.
        exposure : array or str, default=None
            Exposure of the rows, as in `predict_dist`.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        ParticlesDisplay
            The display, already drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import ParticlesDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = ParticlesDisplay.from_estimator(model, X, params="scale", ax=ax)
        >>> display.names
        ('scale',)
        """
        model = fitted_estimator(estimator, "predict_particles")
        if isinstance(model, WGBoost):
            particles = model.predict_particles(transform_features(estimator, X)).astype(np.float64)
            named = {f"theta_{j}": particles[..., j] for j in range(particles.shape[2])}
            return cls._from_values(named, None, rows, params, ax)
        dist = predictive_distributions(estimator, X, offset=offset, exposure=exposure)
        classes = class_labels(model)
        return cls.from_predictions(dist, rows=rows, params=params, classes=classes, ax=ax)

    @classmethod
    def from_predictions(
        cls, dist: Mixture, *, rows: Any = None, params: Any = None, classes: Any = None,
        ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the particles of predictive distributions.

        Parameters
        ----------
        dist : Mixture
            Predictive distributions, as `predict_dist` returns them.
        rows : list of int or mask, default=None
            Up to 8 rows to show. None takes four evenly spaced ones.
        params : str or list of str, default=None
            One or two parameters to show. None takes the first two.
        classes : list, default=None
            Labels of the classes, in the order of their codes. None shows codes.
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        ParticlesDisplay
            The display, already drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from wgboost import WGBRegressor
        >>> from wgboost.plotting import ParticlesDisplay
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> y = np.sin(6 * X[:, 0])
        >>> model = WGBRegressor(n_estimators=10, evidence=10, random_state=0).fit(X, y)
        >>> ax = Figure().subplots()
        >>> display = ParticlesDisplay.from_predictions(model.predict_dist(X), rows=[3], ax=ax)
        >>> display.rows.tolist()
        [3]
        """
        check_distributions(dist)
        named = {name: v for name, v in dist.params().items() if np.ndim(v) == 2}
        classes = range(len(named)) if classes is None else classes
        labels = {
            f"probability_{i}": f"probability of {short_name(c)}" for i, c in enumerate(classes)
        }
        return cls._from_values(named, dist.weights, rows, params, ax, labels)

    @classmethod
    def _from_values(
        cls, named: dict[str, Array], weights: Array | None, rows: Any, params: Any, ax: Any,
        labels: dict[str, str] | None = None,
    ) -> Self:  # fmt: skip
        names = list(named)[:2] if params is None else params
        names = (names,) if isinstance(names, str) else tuple(names)
        if len(names) not in (1, 2):
            raise ValueError(f"params={params!r} must name one or two of {', '.join(named)}")
        for name in names:
            check_choice("params", name, named)
        chosen = select_rows(rows, len(named[names[0]]), _MOST)
        values = tuple(np.asarray(named[name], dtype=float)[chosen] for name in names)
        known = labels or {}
        texts = tuple(known.get(name, name.replace("_", " ")) for name in names)
        row_weights = None if weights is None else weights[chosen]
        return cls(chosen, names, values, row_weights, texts).plot(ax)

    def draw(self, ax: Any) -> None:
        """Draw the particles into axes."""
        m = self.values[0].shape[1]
        colours = class_colours(len(self.rows))
        for i, (row, colour) in enumerate(zip(self.rows, colours, strict=True)):
            share = np.full(m, 1 / m) if self.weights is None else self.weights[i]
            sizes = np.clip(26 * m * share, 2, 200) if m <= 60 else np.clip(10 * m * share, 2, 80)
            x = self.values[0][i]
            y = self.values[1][i] if len(self.values) == 2 else np.full(m, float(i))
            style = {"s": sizes, "color": colour, "alpha": 0.8, "linewidths": 0, "zorder": 3}
            ax.scatter(x, y, label=f"row {row}", **style)
            if len(self.values) == 2 and m >= 5:
                _draw_ellipses(ax, x, y, share, colour)
        ax.set(title="Particles", xlabel=(self.labels or self.names)[0])
        if len(self.values) == 2:
            ax.set_ylabel((self.labels or self.names)[1])
            ax.legend(loc="best")
        else:
            ax.set_yticks(range(len(self.rows)), [f"row {row}" for row in self.rows])
            ax.set_ylim(-0.7, len(self.rows) - 0.3)
        ax.margins(0.08)


def _draw_ellipses(ax: Any, x: Array, y: Array, share: Array, colour: Any) -> None:
    """Draw ellipses of one and two standard deviations."""
    from matplotlib.patches import Ellipse

    centre = np.array([share @ x, share @ y])
    deviation = np.stack([x, y]) - centre[:, None]
    variance, axes = np.linalg.eigh((deviation * share) @ deviation.T)
    width, height = 2 * np.sqrt(np.maximum(variance[::-1], 0))
    angle = np.degrees(np.arctan2(axes[1, 1], axes[0, 1]))
    for times in (1, 2):
        size = {"width": times * width, "height": times * height, "angle": angle}
        ax.add_patch(Ellipse(tuple(centre), **size, facecolor=colour, alpha=0.12, lw=0, zorder=1))
