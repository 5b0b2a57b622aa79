"""What every estimator of the package does as scikit-learn's do, or a little better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from sklearn.base import BaseEstimator

from wgboost.validation import nearest_name, resolve_threads

__all__ = ["Conventions"]


class Conventions(BaseEstimator):  # type: ignore[misc]
    """Names of parameters, what goes in, and a fit that does all or nothing."""

    def __new__(cls, *_: Any, **params: Any) -> Self:
        """Answer a misspelled parameter with the nearest valid one."""
        cls._check_names(params, cls._get_param_names(), TypeError)
        made: Self = super().__new__(cls)
        return made

    def _store(self, given: dict[str, Any]) -> None:
        """Keep the arguments of `__init__`, its `locals()`, as attributes, and nothing else."""
        for name in self._get_param_names():
            setattr(self, name, given[name])

    @classmethod
    def _check_names(cls, names: Iterable[str], valid: Iterable[str], error: Any) -> None:
        for name in names:
            if name.split("__")[0] not in valid:
                raise error(f"{cls.__name__} has no parameter {name!r}{nearest_name(name, valid)}")

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a misspelled name is answered with the nearest valid one."""
        self._check_names(params, self._get_param_names(), ValueError)
        super().set_params(**params)
        return self

    def _n_threads(self) -> int:
        return min(resolve_threads(self.n_jobs), 1024)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """What raises in here leaves the estimator as it was."""
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
