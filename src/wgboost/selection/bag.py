"""A bag: the models of all folds of the best recipe, as one model."""

from __future__ import annotations

import copy
import time
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from wgboost.boosting import Interrupted
from wgboost.calibration import Fold
from wgboost.callbacks import Checkpoint
from wgboost.data import named_columns
from wgboost.data.rows import take_rows
from wgboost.estimators.calibrated import Calibrated, fitted_factors
from wgboost.estimators.course import Course
from wgboost.estimators.file_checks import SHARED
from wgboost.estimators.fitting import AT_THE_LIMIT, warn_copies
from wgboost.estimators.parameters import checked_matrix
from wgboost.estimators.saving import Saving
from wgboost.metrics.row_parameters import row_parameters
from wgboost.predictive import Mixture
from wgboost.responses import Ground
from wgboost.selection.folds import bag_folds
from wgboost.selection.forward import is_forward
from wgboost.selection.members import Members, noted, told_once
from wgboost.selection.race import (
    Entry,
    StoppedError,
    leader,
    run_race,
    run_some,
    unbiased_value,
)
from wgboost.selection.recipes import FEW, Recipes, checked_recipes
from wgboost.selection.results import results_table
from wgboost.selection.unseen import references_of_bag
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer, check_number

__all__ = ["Bag"]

_KEPT = 1 / 2, 1 / 3  # share of the recipes that reach the next fold, below FEW rows and above
_JUDGES = 3, 1  # folds before a single one is left: one fold of few rows says little
_WIDE, _APART = "wide", 4  # what further members are called; one for so many folds
_COMPARED = 2000  # rows by which the scales of members' and the bag's OOD scores are compared


class Bag(Saving, Calibrated):
    """What `WGBRegressorCV` and `WGBClassifierCV` share: a race of recipes, and what is left."""

    __metadata_request__fit: ClassVar[dict[str, bool]] = {
        "offset": True,
        "exposure": True,
        "y_std": True,
    }
    _kind: ClassVar[type[Any]]  # of the members
    _common: ClassVar[tuple[str, ...]]  # parameters that members have from the bag

    @abstractmethod
    def _usual_recipes(self, rows: Any) -> Recipes:
        """Return what to try with these rows."""

    def _further_recipe(self, rows: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Return what one of four folds may have a second member of, if anything."""
        return None

    def _apart(self, member: Any, rows: Any, some: Array) -> Any:  # noqa: ARG002
        """Return a model for some of the rows, as if there were no others."""
        return member

    def _helps(self, rows: Any, *trial: Any, budget: float | None) -> bool:  # noqa: ARG002
        """Return whether to have second members; the trial is as `gain_of_left_out` takes it."""
        return True

    # --- fitting ------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, offset: Any = None,
        exposure: Any = None, y_std: Any = None, callbacks: Sequence[Any] = (),
    ) -> Any:  # fmt: skip
        """Try the recipes, keep the models of the best one, and calibrate them.

        Parameters
        ----------
        X, y, sample_weight, offset, exposure, y_std
            Rows, as in `WGBRegressor.fit`.
        groups : array (n,), optional
            Rows of one group are in one fold.
        callbacks : sequence of callables
            Called after every round of every model, with the "member" in the dict; see
            `wgboost.callbacks`. A callback that returns True ends the fit, as `MaxTime` does: the
            bag then has the models of the best recipe so far that were finished, or the first one.

        Notes
        -----
        Ctrl-C ends the fit with the folds that the best recipe so far has finished, and the warning
        `Interrupted`; before there is one it raises KeyboardInterrupt. A fit that raises leaves the
        estimator as it was.
        """
        beside = {
            "sample_weight": sample_weight, "offset": offset, "exposure": exposure, "y_std": y_std,
        }  # fmt: skip
        with self._all_or_nothing():
            self._check_parameters(callbacks)
            X, beside, names = named_columns(X, {"y": y, "groups": groups, **beside})
            self.row_parameters_ = row_parameters(beside, names)
            self._race(X, beside.pop("y"), beside.pop("groups"), beside, callbacks)
        _warn_limit(self)
        if self.interrupted_:
            warnings.warn(
                f"interrupted: the bag consists of {len(self.members_)} models of the recipe "
                f"{self.best_recipe_!r}",
                Interrupted,
                stacklevel=2,
            )
        return self

    def _check_parameters(self, callbacks: Any = ()) -> None:
        if isinstance(callbacks, Sequence) and any(isinstance(c, Checkpoint) for c in callbacks):
            raise ValueError(
                f"{type(self).__name__} cannot go on from a checkpoint: leave Checkpoint out; "
                "time_budget or callbacks.MaxTime limits the time of a fit, and Ctrl-C ends it "
                "with the models so far"
            )
        if self.time_budget is not None:
            check_number("time_budget", self.time_budget, above=0)
        if not isinstance(self.calibrated, (bool, np.bool_)):
            raise TypeError(f"calibrated={self.calibrated!r} must be True or False")
        if not isinstance(self.verbose, bool):
            check_integer("verbose", self.verbose, low=0)
        self._n_threads()

    def _member(self, recipe: dict[str, Any], fold: int = 0, seed: int = 0) -> Any:
        """Return a model of a recipe, not yet fitted."""
        common = {name: getattr(self, name) for name in self._common}
        common["early_stopping"] = True
        own = {
            "refit": False, "n_jobs": self.n_jobs,
            "random_state": int(np.random.default_rng([seed, fold]).integers(2**31 - 1)),
            "verbose": max(0, int(self.verbose) - 1),
        }  # fmt: skip
        return self._kind(**{**common, **recipe, **own})

    def _race(
        self, X: Any, y: Any, groups: Any, beside: dict[str, Any], callbacks: Sequence[Any]
    ) -> None:
        course = Course()
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        given = {} if self.recipes is None else checked_recipes(self.recipes, self._kind)
        for name, recipe in given.items():
            noted(self._member(recipe)._check_parameters, name)
        # What all members will see of the rows: columns, classes and the units of y. A recipe may
        # have the response that y needs, such as one for several columns.
        first = next(iter(given), "")
        probe = self._member(given.get(first, {}))
        probe._check_parameters(callbacks)
        taken = partial(probe._rows, X, fitting=True, y=y, **beside)
        rows = noted(taken, first) if given else taken()
        recipes = dict(given or self._usual_recipes(rows))
        if not rows.response.y_shape and np.asarray(y).ndim == 2:
            y = column_or_1d(np.asarray(y))
        racing, further, wide = list(recipes), self._further_recipe(rows), _WIDE
        while wide in recipes:
            wide += "_"
        if further is not None:
            recipes[wide] = further
        units = dict.fromkeys(recipes, rows.merged().units())
        for name, recipe in given.items():  # a response of its own may see y in others
            checked = partial(self._member(recipe)._checked_rows, X, y=y, **beside)
            units[name] = noted(partial(told_once, checked), name).merged().units()
        weight = np.ones(len(rows)) if rows.weight is None else rows.weight.astype(np.float64)
        splits = bag_folds(self, rows, groups, seed)
        if groups is None and hasattr(self.cv, "split"):
            warn_copies(rows.distinct.shared(*splits[0]), stacklevel=3)  # of `fit`
        members = Members(
            X, y, beside, weight, splits, units,
            lambda recipe, fold: self._member(recipes[recipe], fold, seed), bool(self.verbose),
            callbacks, course,
        )  # fmt: skip
        forward = is_forward(splits)
        deadline = None if self.time_budget is None else time.perf_counter() + self.time_budget
        share = self.time_budget
        if share is not None and (further is not None or forward):
            share /= 2
        many = len(rows.to_split) >= FEW
        entries, interrupted = run_race(
            racing, len(members.splits), members.fit, keep=_KEPT[many], judges=_JUDGES[many],
            budget=share,
        )  # fmt: skip
        best = leader(entries)
        kept = sorted((e for e in entries if e.recipe == best), key=lambda e: e.fold)
        self.best_value_ = unbiased_value(entries, best)
        if further is not None and not interrupted:
            # As many particles as the winner's, so that members count alike.
            further["n_particles"] = self._member(recipes[best]).n_particles
            more, interrupted = self._wide_ones(members, rows, best, wide, kept, deadline)
            entries, kept = entries + more, kept + more
        self.seed_, self.interrupted_ = seed, interrupted
        self.best_recipe_, self.best_params_ = best, recipes[best]
        self.cv_results_ = results_table(entries, kept)
        models = [entry.model for entry in kept]
        if forward and not interrupted:
            models, self.interrupted_ = members.refitted(kept)
        self._adopt(models)
        self._forget()
        self._learn(
            X, y, rows, [(members.splits[entry.fold], entry.model) for entry in kept], beside
        )  # fmt: skip
        if self.verbose:
            print(f"best: {best!r}, a bag of {len(self.members_)}", flush=True)

    def _wide_ones(
        self, members: Members, rows: Any, best: str, wide: str, kept: list[Entry],
        deadline: float | None,
    ) -> tuple[list[Entry], bool]:  # fmt: skip
        """Return second members of some folds, if they help, and whether Ctrl-C came."""
        weighed = replace(members, beside={**members.beside, "sample_weight": rows.weight})

        def pair(train: Array, test: Array) -> tuple[Any, Any]:
            some = np.concatenate([train, test])
            two = [self._apart(members.new(one, 0), rows, some) for one in (best, wide)]
            named = zip(two, (best, wide), strict=True)
            both = [weighed.fit_alone(one, name, train, test) for one, name in named]
            return both[0], self._of(both)

        def left() -> float | None:
            return None if deadline is None else deadline - time.perf_counter()

        try:
            trial = members.splits[0], pair, lambda some: take_rows(members.X, some)
            if not self._helps(rows, *trial, budget=left()):
                return [], False
        except StoppedError:
            return [], False
        except KeyboardInterrupt:
            return [], True
        folds = [entry.fold for entry in kept[::_APART]]
        return run_some(wide, folds, members.fit, budget=left())

    def _adopt(self, members: list[Any]) -> None:
        """Take members, and what they have in common; what a file said of earlier ones is gone."""
        self.members_ = members
        for name in ("metadata_", *SHARED):
            self.__dict__.pop(name, None)
            if hasattr(members[0], name):
                setattr(self, name, getattr(members[0], name))

    def _learn(
        self, X: Any, y: Any, rows: Any, members: list[tuple[tuple[Array, Array], Any]],
        beside: dict[str, Any],
    ) -> None:  # fmt: skip
        """Calibrate with the rows of each fold, by the members that were fitted without them."""
        parts: dict[int, tuple[tuple[Array, Array], list[Any]]] = {}
        for split, member in members:
            parts.setdefault(id(split), (split, []))[1].append(member)

        def fold(split: tuple[Array, Array], some: list[Any]) -> Fold:
            test, weight = rows.once(split[1])  # to the prior of factors a copy is no other row
            known = None if weight is None else np.zeros(len(rows))
            if known is not None:
                known[test] = weight
            return Fold.of(self._of(some), X, y, split[0], test, {**beside, "sample_weight": known})

        # The winner's member of a fold is its first.
        speaking = [fold(split, some[:1]) for split, some in parts.values()]
        folds = [fold(split, some) for split, some in parts.values()]
        if self.calibrated:
            # A bag is wider than its members and errs less. Members that were stopped at their
            # least NLL are wide enough, so what would widen them does not suit the bag.
            first = self.members_[0]
            metric = next(iter(first.history_["validation"]))
            stopped = first.early_stopping is None or bool(first.early_stopping)
            dists = [fold.dist() for fold in speaking]
            widen = metric != "nll" or not stopped
            self.calibration_ = fitted_factors(dists, speaking, widen=widen)
        counted = np.unique(np.concatenate([part for split, _ in parts.values() for part in split]))
        counted = rows.once(counted)[0]
        some = counted[:: -(-counted.size // _COMPARED)]
        matrix = checked_matrix(self, take_rows(X, some), reset=False)
        self.ood_references_ = references_of_bag(self, folds, matrix, self.seed_)
        self.ood_reference_ = next(iter(self.ood_references_.values()))

    def _of(self, members: list[Any]) -> Any:
        """Return some of the members as a model: the one, or a bag of them."""
        if len(members) == 1:
            return members[0]
        bag = copy.copy(self)
        bag._adopt(members)
        bag._forget()
        return bag

    # --- predicting ---------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "members_")

    def _models(self) -> list[Any]:
        """Return the members that predictions are made of: wide ones are for OOD scores alone."""
        known = getattr(self, "cv_results_", None)
        if known is None:
            return list(self.members_)
        kept = known["recipe"][known["kept"]]
        if kept.size != len(self.members_):
            return list(self.members_)
        return self.members_[: int((kept == self.best_recipe_).sum())]

    def _spoken(self, dist: Mixture) -> Mixture:
        """Leave out the particles of wide members, which are there for OOD scores alone."""
        n_members, n_models = len(self.members_), len(self._models())
        if n_models == n_members:
            return dist
        return dist.of_particles(slice(0, dist.particles.shape[1] // n_members * n_models))

    def _relative(self, X: Any, n_rounds: int | None = None) -> tuple[Directions, Ground | None]:
        check_is_fitted(self)
        return self._relative_at(checked_matrix(self, X, reset=False), self._n_threads(), n_rounds)

    def _relative_at(
        self, matrix: Array, n_threads: int, n_rounds: int | None = None
    ) -> tuple[Directions, Ground | None]:
        return _side_by_side(
            [one._relative_at(matrix, n_threads, n_rounds) for one in self.members_]
        )

    def _staged(self, X: Any) -> Iterator[tuple[Directions, Ground | None]]:
        """Yield `_relative` after 1, 2, ... rounds; members with fewer rounds wait."""
        check_is_fitted(self)
        matrix = checked_matrix(self, X, reset=False)
        n_threads = self._n_threads()
        stages = [one._staged_particles_at(matrix, n_threads) for one in self.members_]
        latest = [one.start_.at(matrix) for one in self.members_]
        grounds = [one.start_.ground(matrix) for one in self.members_]
        for _ in range(max(one.n_estimators_ for one in self.members_)):
            latest = [next(stage, last) for stage, last in zip(stages, latest, strict=True)]
            yield _side_by_side(list(zip(latest, grounds, strict=True)))

    @property
    def feature_importances_(self) -> Array:
        """The share (p,) of each feature in the gain of all splits, a mean over members."""
        check_is_fitted(self)
        shares = self._importances()
        if shares is None:
            raise AttributeError("feature importances need native trees")
        return shares

    def _importances(self) -> Array | None:
        """Return `feature_importances_`, or None if another learner than trees was used."""
        each = [one._importances() for one in self.members_]
        known = [one for one in each if one is not None]
        return np.mean(known, axis=0) if len(known) == len(each) else None


def _side_by_side(
    parts: list[tuple[Directions, Ground | None]],
) -> tuple[Directions, Ground | None]:
    """Return the particles of all members, each relative to what its own member says."""
    particles = [theta for theta, _ in parts]
    grounds = [ground for _, ground in parts]
    together: Directions = np.concatenate(particles, axis=1)
    if all(ground is None for ground in grounds):
        return together, None
    return together, Ground.side_by_side(grounds, [theta.shape[:2] for theta in particles])


def _warn_limit(bag: Bag) -> None:
    """Tell the caller of `fit` that most members ran out of rounds."""
    ended = [one for one in bag.members_ if one._limit is not None]
    if len(ended) > len(bag.members_) / 2:
        warnings.warn(
            f"{AT_THE_LIMIT} of {ended[0]._limit} rounds (n_estimators) in {len(ended)} of "
            f"{len(bag.members_)} models of the recipe {bag.best_recipe_!r}: more rounds or a "
            "larger learning_rate may give a better bag",
            stacklevel=3,
        )
