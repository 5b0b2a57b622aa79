"""Validation sets and early stopping."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from wgboost.data.binning import Binned
from wgboost.typing import Array, Directions

__all__ = ["Interrupted", "StoppingRule", "Validation"]


_MANY = 500  # rounds from which on it is a surprise that the best are the last
_LAST = 50  # rounds that are the last, where patience is endless


class Interrupted(UserWarning):
    """Warn that training was interrupted by hand; the model consists of the rounds so far.

    Examples
    --------
    >>> from wgboost import Interrupted
    >>> issubclass(Interrupted, UserWarning)
    True
    """


@dataclass(eq=False)
class Validation:
    """Track metrics on rows that are not trained on.

    Parameters
    ----------
    name : str
        Name of the validation set.
    raw : array (n, p)
        Raw features.
    binned : Binned or None
        Binned features, if the learner uses them.
    particles : array (n, m, d)
        Particles, updated every round.
    metrics : dict of callables
        Functions of the particles by name; smaller is better.
    history : dict of lists, default={}
        Values by metric, from before the first round on.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.boosting.early_stopping import Validation
    >>> metric = {"mean": lambda particles: particles.mean()}
    >>> validation = Validation("rows", np.zeros((2, 1)), None, np.ones((2, 3, 1)), metric)
    >>> validation.measure()
    {'mean': 1.0}
    """

    name: str
    raw: Array  # (n, p)
    binned: Binned | None
    particles: Directions  # (n, m, d), updated every round
    metrics: dict[str, Callable[[Directions], float]]  # each smaller is better
    history: dict[str, list[float]] = field(default_factory=dict)

    def measure(self) -> dict[str, float]:
        """Append the metrics of the present particles to the history.

        Returns
        -------
        dict of float
            The values by metric.
        """
        values = {name: float(metric(self.particles)) for name, metric in self.metrics.items()}
        for name, value in values.items():
            self.history.setdefault(name, []).append(value)
        return values

    def add(self, fitted: Any) -> None:
        """Move the particles by the function of one round.

        Parameters
        ----------
        fitted : FittedLearner
            The fitted learner of the round.
        """
        flat = getattr(fitted, "flat", None)
        if flat is not None and self.binned is not None:
            flat.add_binned(self.binned, self.particles)
        else:
            self.particles += fitted.predict(self.raw)


@dataclass(eq=False)
class StoppingRule:
    """Find the best number of rounds by one metric of one validation set.

    A value that is not finite is worse than any number.

    Parameters
    ----------
    validation : Validation
        The validation set.
    metric : str
        Name of the metric.
    patience : int or None, default=None
        Number of rounds to wait for a better value. None waits for ever.
    best_round : int, default=0
        Best number of rounds so far.
    best_value : float, default=inf
        Its value.
    odd_rounds : list of int, default=[]
        Rounds without a finite value.
    begun : bool, default=False
        Whether the rule continues an earlier one.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.boosting.early_stopping import StoppingRule, Validation
    >>> values = iter([3.0, 1.0, 2.0])
    >>> metric = {"m": lambda particles: next(values)}
    >>> validation = Validation("rows", np.zeros((1, 1)), None, np.zeros((1, 1, 1)), metric)
    >>> rule = StoppingRule(validation, "m", patience=1)
    >>> _ = validation.measure()
    >>> rule.begin(0)
    >>> [bool(validation.measure() and rule.update(r)) for r in (1, 2)], rule.best_round
    ([False, True], 1)
    """

    validation: Validation
    metric: str
    patience: int | None = None
    best_round: int = 0
    best_value: float = math.inf
    odd_rounds: list[int] = field(default_factory=list)  # those without a finite value
    begun: bool = False

    def begin(self, first_round: int) -> None:
        """Record the value of the model that rounds are added to.

        Parameters
        ----------
        first_round : int
            Number of its rounds.
        """
        if self.begun:
            return
        value = self.validation.history[self.metric][-1]
        self.best_round = first_round
        # NaN is no fault yet: a correlation, say, has no value where all predictions are equal.
        self.best_value = value if math.isfinite(value) else math.inf

    def update(self, n_rounds: int) -> bool:
        """Record the latest value.

        Parameters
        ----------
        n_rounds : int
            Number of rounds of the model.

        Returns
        -------
        bool
            Whether to stop.

        Raises
        ------
        ValueError
            If no value so far has been finite.
        """
        value = self.validation.history[self.metric][-1]
        if not math.isfinite(value):
            if not math.isfinite(self.best_value):
                raise ValueError(
                    f"the metric {self.metric!r} is {value} on {self.validation.name!r} after "
                    f"round {n_rounds}, and has been no finite number before: there is no best "
                    "round to find. Correct the metric, or set early_stopping=False"
                )
            self.odd_rounds.append(n_rounds)
        elif value < self.best_value:
            self.best_value, self.best_round = value, n_rounds
        return self.patience is not None and n_rounds - self.best_round >= self.patience

    def ran_out(self, n_rounds: int) -> bool:
        """Return whether the best round is among the last of at least 500.

        Parameters
        ----------
        n_rounds : int
            Number of rounds that were allowed.

        Returns
        -------
        bool
            Whether more rounds may give a better model.
        """
        last = _LAST if self.patience is None else self.patience
        return n_rounds >= _MANY and n_rounds - self.best_round < last

    def end(self) -> None:
        """Warn if some rounds had no finite value."""
        if self.odd_rounds:
            warnings.warn(
                f"the metric {self.metric!r} was not finite on {self.validation.name!r} after "
                f"{len(self.odd_rounds)} rounds, first after round {self.odd_rounds[0]}; those "
                "count as worse than any other",
                stacklevel=2,
            )
