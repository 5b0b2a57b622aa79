"""From what `fit` is given to a request for a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from wgboost.data import Batches
from wgboost.data.naming import named_columns
from wgboost.data.schema import Schema
from wgboost.metrics.metadata import describe_metadata
from wgboost.model import FittedModel
from wgboost.persistence.checkpoints import Checkpoint, CheckpointWriter, read_checkpoint
from wgboost.persistence.model_checks import check_saved
from wgboost.training.constraints import held_parameter, tree_constraints
from wgboost.training.continuing import check_continuation
from wgboost.training.copies import grouped
from wgboost.training.cost import check_cost
from wgboost.training.data import TrainingData
from wgboost.training.encoding import ClassEncoder, NumericEncoder
from wgboost.training.engine import check_columns
from wgboost.training.few_rows import cross_validates
from wgboost.training.fit import described_model
from wgboost.training.fit_warnings import warn_fixed_rounds, warn_weights
from wgboost.training.posterior_data import PosteriorData, check_evidence, known_parts, without_rows
from wgboost.training.progress import FitProgress
from wgboost.training.readers import MemoryReader, TableReader
from wgboost.training.request import FitRequest
from wgboost.training.row_hashes import warn_other_rows
from wgboost.training.settings import Settings, resolve_settings
from wgboost.training.starts import check_start, starts_to_compare
from wgboost.training.target_data import TargetData
from wgboost.training.validation_sets import validation_sets
from wgboost.trees import Constraints
from wgboost.trees.xgboost import check_installed
from wgboost.typing import Array
from wgboost.validation import check_unmasked, check_weight

__all__ = ["FitArguments", "posterior_data", "prepare_fit", "training_data"]


@dataclass(frozen=True, eq=False)
class FitArguments:
    """What `fit` is given.

    Attributes
    ----------
    X
        The training table.
    fit_params : dict
        What belongs to rows, by parameter: y, sample_weight, ...
    X_val
        One table to validate with, or a list.
    fit_params_val : dict
        What belongs to their rows: y_val, sample_weight_val, ...
    validation_rows, callbacks, resume_from
        As in `fit`.
    """

    X: Any
    fit_params: dict[str, Any]
    X_val: Any = None
    fit_params_val: dict[str, Any] = field(default_factory=lambda: {"y_val": None})
    validation_rows: Any = None
    callbacks: Sequence[Any] = ()
    resume_from: Any = None


def prepare_fit(
    name: str,
    params: dict[str, Any],
    given: FitArguments,
    *,
    fitted: FittedModel | None = None,
    reader: TableReader | None = None,
    progress: FitProgress | None = None,
    stacklevel: int = 2,
) -> FitRequest:
    """Return the request for a fit; raise for all that is wrong before any work.

    Parameters
    ----------
    name : str
        The class of the estimator.
    params : dict
        Its parameters.
    given : FitArguments
        What `fit` was given.
    fitted : FittedModel, optional
        The model that it has; used by a warm start.
    reader : TableReader, optional
        How tables are read, by default in memory.
    progress : FitProgress, optional
        Of a fit that this one is a part of.
    stacklevel : int
        Of warnings, as the caller of this function would give it to `warnings.warn`.
    """
    settings = resolve_settings(params, given.callbacks)
    for key, value in {**given.fit_params, **given.fit_params_val}.items():
        check_unmasked(key, value)
    check_installed(settings.engine)
    checkpoint = None
    if given.resume_from is not None:
        checkpoint = read_checkpoint(given.resume_from, name, params, check_saved)
    previous = fitted if settings.warm_start else None
    previous = checkpoint.model if checkpoint is not None else previous
    X, fit_params, names = named_columns(given.X, given.fit_params)
    groups = fit_params.pop("groups", None)
    known = describe_metadata(fit_params, names)
    if "groups" in names:  # no feature, here and in predictions
        known["groups"] = names["groups"]
    if isinstance(given.X_val, Batches):
        raise TypeError(
            "X_val in batches: rows to watch have to be in memory, and some ten thousand do; or "
            "set early_stopping=True, which holds out some of the rows to train on"
        )
    if reader is None:
        ignored = tuple(one for one in known.values() if isinstance(one, str))
        reader = MemoryReader(name, settings, params["categorical_features"], ignored)
    schema, data, encoder = _read_data(params, settings, X, fit_params, reader, previous)
    warn_weights(settings, data.weight, stacklevel + 1)
    if previous is None:
        check_cost(settings.at(n_rows=data.total(data.counted)), data)
        warn_fixed_rounds(settings, stacklevel + 1)
    sets = validation_sets(
        data, encoder, partial(reader.validation, schema=schema), given.X_val,
        given.fit_params_val,
    )  # fmt: skip
    if sets and given.validation_rows is not None:
        raise ValueError("give X_val and y_val, or validation_rows: one of the two")
    if groups is not None and given.validation_rows is not None:
        raise ValueError("give validation_rows, or groups to hold out: one of the two")
    request = FitRequest(
        settings=settings,
        schema=schema,
        data=data,
        encoder=encoder,
        validation=sets,
        validation_rows=given.validation_rows,
        groups=None if groups is None else grouped(groups, data.weight, len(data)),
        early_stopping=settings.stops_early(len(data.to_split)),
        callbacks=given.callbacks,
        previous=previous,
        paused=None if checkpoint is None else checkpoint.paused,
        progress=FitProgress() if progress is None else progress,
        row_parameters=known,
    )
    return _resolved(name, params, request, checkpoint, stacklevel + 1)


def _resolved(
    name: str, params: dict[str, Any], request: FitRequest, checkpoint: Checkpoint | None,
    stacklevel: int,
) -> FitRequest:  # fmt: skip
    """Return a request with all that follows from its data: evidence, seed, constraints."""
    settings, data, previous = request.settings, request.data, request.previous
    continued = previous is not None and checkpoint is None
    seeking = request.early_stopping
    if continued and previous is not None:
        seeking = previous.search_trials is not None
    search = isinstance(settings.evidence, str) or (settings.evidence is None and seeking)
    by_folds = not (request.early_stopping or request.holds_out or request.validation)
    by_folds = by_folds and cross_validates(settings, data, groups=request.groups is not None)
    starts = starts_to_compare(settings, data) if seeking and not by_folds else ()
    settings = replace(settings, search_evidence=search and not by_folds, starts=starts)
    request = replace(request, cross_validates=by_folds)
    if request.validation or request.holds_out or settings.eval_metric is not None:
        for one in request.validation.values() or [data]:
            one.metrics(settings.eval_metric)
    constraints = _constraints(settings, request.schema, data, request.encoder)
    request = replace(request, constraints=constraints)
    if previous is None:
        settings = replace(settings, seed=_draw_seed(params["random_state"]))
    else:
        settings = replace(settings, seed=previous.seed)
        _check_previous(previous, settings, data, constraints)
        if continued and isinstance(data, PosteriorData):
            _warn_other_data(previous, data, stacklevel + 1)
    request = replace(request, settings=settings)
    described = partial(described_model, request)
    writer = CheckpointWriter(name, params, data, request.validation, described)
    if checkpoint is not None:
        checkpoint.check_data(writer.identity)
        _draw_seed(params["random_state"])  # a RandomState moves on as in the fit that was paused
    return replace(request, save=writer)


def _read_data(
    params: Mapping[str, Any], settings: Settings, X: Any, fit_params: dict[str, Any],
    reader: TableReader, previous: FittedModel | None,
) -> tuple[Schema, TrainingData, Any]:  # fmt: skip
    """Return the columns, the training data and the encoder of y."""
    params = dict(params)
    known = None if previous is None else previous.schema

    def weigh(y: Any, weight: Any) -> Array | None:
        n = len(weight) if y is None else len(y)
        if params.get("class_weight") is None:
            return check_weight(weight, n)
        encoder, codes = _encoded(params, y, None, None, previous)
        return encoder.weight(codes, weight, n) if len(codes) == n else check_weight(weight, n)

    schema, matrix, fit_params = reader.training(X, fit_params, known, weigh)
    if "target" in params:
        y, weight = fit_params["y"], fit_params["sample_weight"]
        targets = TargetData.of(params["target"], matrix, y, weight)
        check_columns(settings.engine, schema)
        return schema, targets, None
    encoder, codes = _encoded(params, fit_params["y"], matrix, fit_params["exposure"], previous)
    data = posterior_data(matrix, codes, fit_params, encoder, params)
    check_columns(settings.engine, schema)
    return schema, data, encoder


def _encoded(
    params: dict[str, Any], y: Any, X: Any, exposure: Any, previous: FittedModel | None
) -> tuple[Any, Array]:
    kind: Any = ClassEncoder if "class_weight" in params else NumericEncoder
    if previous is None:
        encoder, codes = kind.fit(params, y, X=X, exposure=exposure)
        return encoder, codes
    encoder = kind.of(params, previous)
    return encoder, encoder.encode(y)


def posterior_data(
    X: Any, codes: Array, fit_params: Mapping[str, Any], encoder: Any, params: Mapping[str, Any]
) -> PosteriorData:
    """Return the data of a model of y, checked."""
    n = X.shape[0]
    if len(codes) != n:
        raise ValueError(f"X has {n} rows, y has {len(codes)}")
    weight = encoder.weight(codes, fit_params["sample_weight"], n)
    response = encoder.response
    response = response.infer_from(codes)
    response.check_rows(n)
    names = ("offset", "exposure", "y_std")
    known = known_parts(response, codes, *(fit_params[name] for name in names))
    evidence = params["evidence"]
    unsaid = evidence is None or isinstance(evidence, str)
    level = 1.0 if unsaid else check_evidence(evidence, n)
    return PosteriorData(X, weight, response.check(codes), response, level, *known)


def training_data(
    name: str, params: dict[str, Any], X: Any, fit_params: dict[str, Any], *, check: bool = False
) -> tuple[Schema, PosteriorData]:
    """Return the columns and the training data of a fit.

    Parameters
    ----------
    name, params
        The class and the parameters of the estimator.
    X, fit_params
        As in `FitArguments`.
    check : bool
        Also raise for what a fit would raise for once it has begun.
    """
    settings = resolve_settings(params)
    if check:
        check_installed(settings.engine)
    reader = MemoryReader(name, settings, params["categorical_features"])
    schema, data, encoder = _read_data(params, settings, X, fit_params, reader, None)
    if not isinstance(data, PosteriorData):
        raise TypeError(f"{name} has no response")
    if check:
        data.metrics(settings.eval_metric)
        _constraints(settings, schema, data, encoder)
        check_start(settings, data)
    return schema, data


def _constraints(
    settings: Settings, schema: Schema, data: TrainingData, encoder: Any
) -> Constraints | None:
    names, n_params = data.param_names, data.n_params(settings)
    given, monotone = settings.monotone_parameter, settings.monotone_constraints
    if encoder is None:
        parameter, sign = held_parameter(given, names, n_params), 1
    else:
        parameter, sign = encoder.constrained_parameter(
            given, names, n_params, monotone=monotone is not None
        )
    return tree_constraints(monotone, settings.interaction_constraints, schema, parameter, sign)


def _check_previous(
    previous: FittedModel, settings: Settings, data: TrainingData, constraints: Any
) -> None:
    """Raise ValueError unless the rounds of a model can be continued."""
    fixed: dict[str, tuple[Any, Any]] = {}
    if isinstance(data, PosteriorData):
        fixed["response"] = previous.response, without_rows(data.response)
    else:
        fixed["n_params"] = previous.start.shape[1], data.n_params(settings)
    fixed["constraints"] = previous.constraints, repr(constraints)
    check_continuation(previous, settings, fixed)


def _warn_other_data(previous: FittedModel, data: PosteriorData, stacklevel: int) -> None:
    some = data.counted
    X = data.X[some] if isinstance(data.X, np.ndarray) else data.X
    warn_other_rows(previous.row_hashes, X, data.y[some], stacklevel + 1)


def _draw_seed(random_state: Any) -> int:
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
