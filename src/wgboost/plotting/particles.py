"""The particles of chosen rows: what the model does not know about the parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.estimators import WGBoost
from wgboost.metrics.estimates import transformed
from wgboost.plotting.display import Display
from wgboost.plotting.inputs import distributions, fitted, rows_of
from wgboost.plotting.style import class_colours
from wgboost.plotting.texts import plain
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_choice

__all__ = ["ParticlesDisplay"]

_MOST = 8


@dataclass(eq=False, repr=False)
class ParticlesDisplay(Display):
    """Two parameters of each particle, for a few rows.

    The shade around a row's particles is the normal density with their mean and covariance, at
    one and two standard deviations; it is left out below five particles. One parameter alone is
    drawn along a line for each row.

    Attributes
    ----------
    rows : Array
        Numbers of the rows.
    names : tuple of str
        The parameters, two or one.
    values : tuple of Array
        Their values (rows, m), in the user's units.
    weights : Array or None
        Weights (rows, m) of the particles, if they differ; drawn as sizes.
    labels : tuple of str
        What the axes say.
    """

    rows: Array
    names: tuple[str, ...]
    values: tuple[Array, ...]
    weights: Array | None = None
    labels: tuple[str, ...] = ()

    size: ClassVar[tuple[float, float]] = (5.0, 3.8)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, rows: Any = None, params: Any = None, offset: Any = None,
        exposure: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw particles of a fitted model, of any estimator of this package.

        `rows` are numbers of up to 8 rows, `params` the names of one or two parameters; by
        default some rows and the first two. Those of `WGBoost` are "theta_0", "theta_1", ...
        `offset` and `exposure` are those of the rows of X, as in `predict_dist`.
        """
        model = fitted(estimator, "predict_particles")
        if isinstance(model, WGBoost):
            particles = model.predict_particles(transformed(estimator, X)).astype(np.float64)
            named = {f"theta_{j}": particles[..., j] for j in range(particles.shape[2])}
            return cls._of(named, None, rows, params, ax)
        dist = distributions(estimator, X, offset=offset, exposure=exposure)
        classes = getattr(model, "classes_", None)
        return cls.from_predictions(dist, rows=rows, params=params, classes=classes, ax=ax)

    @classmethod
    def from_predictions(
        cls, dist: Mixture, *, rows: Any = None, params: Any = None, classes: Any = None,
        ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the particles of predictive distributions; `classes` are names of codes."""
        if not isinstance(dist, Mixture):
            raise TypeError(f"dist={dist!r} must be a predictive distribution, as of predict_dist")
        named = {name: v for name, v in dist.params().items() if np.ndim(v) == 2}
        classes = range(len(named)) if classes is None else classes
        labels = {f"probability_{i}": f"probability of {plain(c)}" for i, c in enumerate(classes)}
        return cls._of(named, dist.weights, rows, params, ax, labels)

    @classmethod
    def _of(
        cls, named: dict[str, Array], weights: Array | None, rows: Any, params: Any, ax: Any,
        labels: dict[str, str] | None = None,
    ) -> Self:  # fmt: skip
        names = list(named)[:2] if params is None else params
        names = (names,) if isinstance(names, str) else tuple(names)
        if len(names) not in (1, 2):
            raise ValueError(f"params={params!r} must name one or two of {', '.join(named)}")
        for name in names:
            check_choice("params", name, named)
        chosen = rows_of(rows, len(named[names[0]]), _MOST)
        shown = tuple(np.asarray(named[name], dtype=float)[chosen] for name in names)
        known = labels or {}
        texts = tuple(known.get(name, name.replace("_", " ")) for name in names)
        heavy = None if weights is None else weights[chosen]
        return cls(chosen, names, shown, heavy, texts).plot(ax)

    def draw(self, ax: Any) -> None:
        """Put the particles into axes."""
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
                _shade(ax, x, y, share, colour)
        ax.set(title="Particles", xlabel=(self.labels or self.names)[0])
        if len(self.values) == 2:
            ax.set_ylabel((self.labels or self.names)[1])
            ax.legend(loc="best")
        else:
            ax.set_yticks(range(len(self.rows)), [f"row {row}" for row in self.rows])
            ax.set_ylim(-0.7, len(self.rows) - 0.3)
        ax.margins(0.08)


def _shade(ax: Any, x: Array, y: Array, share: Array, colour: Any) -> None:
    """Ellipses of one and two standard deviations."""
    from matplotlib.patches import Ellipse

    centre = np.array([share @ x, share @ y])
    apart = np.stack([x, y]) - centre[:, None]
    variance, axes = np.linalg.eigh((apart * share) @ apart.T)
    width, height = 2 * np.sqrt(np.maximum(variance[::-1], 0))
    angle = np.degrees(np.arctan2(axes[1, 1], axes[0, 1]))
    for times in (1, 2):
        size = {"width": times * width, "height": times * height, "angle": angle}
        ax.add_patch(Ellipse(tuple(centre), **size, facecolor=colour, alpha=0.12, lw=0, zorder=1))
