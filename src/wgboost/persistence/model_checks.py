"""Checks of a model that was read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wgboost.boosting.start import ConstantStart, GPStart
from wgboost.calibration import Calibration, OODReference
from wgboost.data.binning import MAX_BINS
from wgboost.data.level_groups import LevelGroups
from wgboost.model import ErrorModel, FittedModel
from wgboost.responses import ColumnUnits, Ordinal, Response, Units
from wgboost.smooth.gp_model import GPModel
from wgboost.training.settings import resolve_settings
from wgboost.trees import Constraints
from wgboost.trees.flat import FlatTrees
from wgboost.trees.support import Support
from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.persistence.models import SavedModel

__all__ = [
    "ALWAYS",
    "BAG",
    "FITTED",
    "SHARED",
    "check_bag",
    "check_learned",
    "check_model",
    "check_saved",
]

# Fitted attributes, in the order of a file.
FITTED = (
    "ensemble_", "start_", "units_", "response_", "_init", "_constraints", "n_estimators_",
    "history_", "validation_rows_", "interrupted_", "refitted_", "seed_", "n_outputs_", "proposal_",
    "classes_", "ranks_", "evidence_", "search_", "calibration_", "ood_reference_",
    "_row_marks",
    "row_parameters_", "errors_", "_support", "_held_out_lack",
    "evidence_trials_",  # "search_" of earlier versions
)  # fmt: skip
ALWAYS = (*FITTED[:2], *FITTED[4:11])
# Attributes of a bag itself, and those that it takes from its members.
BAG = (
    "seed_", "interrupted_", "best_recipe_", "best_params_", "best_value_", "cv_results_",
    "calibration_", "ood_reference_", "ood_references_", "row_parameters_",
)  # fmt: skip
SHARED = (
    "schema_", "n_features_in_", "feature_names_in_", "response_", "units_", "classes_", "ranks_",
    "n_outputs_", "proposal_",
)  # fmt: skip
_COLUMNS = {
    "recipe": "U", "fold": "i", "trial": "b", "value": "f", "rounds": "i", "evidence": "f",
    "seconds": "f", "kept": "b",
}  # fmt: skip


def check_saved(saved: SavedModel, model: FittedModel) -> None:
    """Raise ValueError unless the parts of a saved model are consistent.

    Parameters
    ----------
    saved : SavedModel
        Contents of the file.
    model : FittedModel
        The model of the file.
    """
    resolve_settings(saved.params)
    check_model(
        model,
        n_rounds=saved.fitted.get("n_estimators_"),
        classes="class_weight" in saved.params,
        evidence=saved.params.get("evidence"),
    )
    check_learned(saved.fitted)


def check_model(model: FittedModel, *, n_rounds: Any, classes: bool, evidence: Any = None) -> None:
    """Raise ValueError unless the parts of a model are consistent and can predict.

    Parameters
    ----------
    model : FittedModel
        The model.
    n_rounds : int
        Number of rounds according to the file.
    classes : bool
        Whether it is the model of a classifier.
    evidence
        The parameter `evidence` of the estimator.
    """
    _check_start(model)
    _check_trees(model.ensemble, model.n_features, model.start.shape)  # type: ignore[arg-type]
    if model.schema is not None:
        groups = model.ensemble.level_groups  # type: ignore[union-attr]
        _check_groups(groups, model.schema.n_levels)
    _check_reach(model.start.particles, model.ensemble)  # type: ignore[attr-defined, arg-type]
    same = type(n_rounds) is int and n_rounds == model.n_rounds
    _require(same, "rounds do not count up")
    _require(isinstance(model.interrupted, bool), "interrupted_ is neither true nor false")
    _require(isinstance(model.refitted, bool), "refitted_ is neither true nor false")
    _require(isinstance(model.init, str), "the start is not described")
    _require(isinstance(model.constraints, str), "the constraints are not described")
    Constraints.parse(model.constraints)
    _require(type(model.seed) is int and 0 <= model.seed < 2**31, "the seed is out of range")
    _check_history(model.history)
    _check_rows(model.held_out)
    _check_marks(model.row_hashes)
    _check_evidence(model, evidence)
    _check_row_parameters(model.row_parameters)
    if model.errors is not None:
        _check_errors(model.errors, model)
    if model.known_support is not None:
        _check_support(model.known_support, model)
    lack = model.held_out_lack
    _require(lack is None or (type(lack) is float and 0 <= lack <= 1), "the lack of support")
    if model.response is not None:
        _check_response(model, classes=classes)


def _check_errors(errors: Any, model: FittedModel) -> None:
    _require(isinstance(errors, ErrorModel) and model.response is not None, "the errors are none")
    response = model.response
    single = response is None or response.nominal or not response.y_shape
    errors.check(model.n_features, 1 if single else response.y_shape[0])  # type: ignore[union-attr]
    _check_trees(errors.trees, model.n_features, (1, 1))
    _check_reach(np.ones((1, 1)), errors.trees)
    if model.schema is not None:
        _check_groups(errors.trees.level_groups, model.schema.n_levels)


def _check_support(support: Any, model: FittedModel) -> None:
    _require(isinstance(support, Support), "the support is none")
    support.check(model.ensemble)
    # Lost values are at most the sum of all contrasts, and twice that less their mean.
    lost = 2 * np.abs(support.contrast, dtype=np.float64).max(initial=0.0) * len(support.contrast)
    start: Any = model.start
    _check_reach(start.particles, model.ensemble, lost)  # type: ignore[arg-type]


def _check_groups(groups: Any, n_levels: Array) -> None:
    if groups is None:
        _require((n_levels <= MAX_BINS).all(), "a category has more levels than codes")
        return
    _require(isinstance(groups, LevelGroups), "the groups of levels are none")
    groups.check(n_levels)


def check_bag(fitted: dict[str, Any], members: Sequence[FittedModel]) -> None:
    """Raise ValueError unless a bag of checked models can predict.

    Parameters
    ----------
    fitted : dict
        Attributes of the bag itself.
    members : sequence of FittedModel
        Its models.
    """
    first = members[0]
    for name in BAG[:6]:
        _require(name in fitted, f"{name} is missing")
    for one in members:
        same = one.response == first.response and one.units == first.units
        _require(same and one.start.shape == first.start.shape, "members do not fit together")
        for mine, theirs in ((one.classes, first.classes), (one.ranks, first.ranks)):
            here, there = (np.asarray(() if each is None else each) for each in (mine, theirs))
            _require(np.array_equal(here, there), "members have other classes")
    seed, best = fitted["seed_"], fitted["best_recipe_"]
    _require(type(seed) is int and 0 <= seed < 2**31, "the seed is out of range")
    _require(isinstance(fitted["interrupted_"], bool), "interrupted_ is neither true nor false")
    _require(isinstance(best, str), "the best recipe has no name")
    _require(isinstance(fitted["best_params_"], dict), "the best recipe has no parameters")
    _require(type(fitted["best_value_"]) is float, "the best value is no number")
    columns = fitted["cv_results_"]
    expected = [one for one in _COLUMNS if one != "trial" or one in columns]  # not in old files
    _require(isinstance(columns, dict) and list(columns) == expected, "the table of recipes")
    for name, values in columns.items():
        good = isinstance(values, np.ndarray) and values.dtype.kind == _COLUMNS[name]
        _require(good and values.ndim == 1, f"the recipes' {name} is no column")
    lengths = {len(values) for values in columns.values()}
    _require(len(lengths) == 1, "columns of the table of recipes differ in length")
    kept = columns["recipe"][columns["kept"]]
    _require(len(kept) != len(members) or best in kept, "no member is the best's")
    _check_row_parameters(fitted.get("row_parameters_", {}))


def _check_row_parameters(given: Any) -> None:
    good = isinstance(given, dict) and all(isinstance(one, str) for one in given)
    _require(good, "the parameters that belong to rows have no names")
    named = all(one is True or isinstance(one, str) for one in given.values())
    _require(named, "a parameter that belongs to rows is neither given nor a column")


def _require(condition: Any, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)


def _check_start(model: FittedModel) -> None:
    _require(isinstance(model.ensemble, FlatTrees), "the ensemble is not one of trees")
    _require(isinstance(model.start, ConstantStart), "the start is of an unknown kind")
    start = model.start.particles  # type: ignore[attr-defined]
    good = isinstance(start, np.ndarray) and start.dtype == np.float32 and start.ndim == 2
    _require(good and start.size and np.isfinite(start).all(), "start particles are not numbers")
    if isinstance(model.start, GPStart):
        known = model.start.data
        _require(isinstance(known, str) and len(known) == 64, "the start's rows are not known")
        response = model.response
        scaled = response is not None and response.log_scale is not None
        _require(scaled, "the response has no scale")
        _require(isinstance(model.start.gp, GPModel), "the start has no Gaussian process")
        model.start.gp.check(model.n_features)


def _check_reach(start: Array, trees: FlatTrees, more: float = 0.0) -> None:
    """Raise ValueError if the start plus the leaves of all trees, and more, could overflow."""
    leaves = np.abs(trees.values).max(initial=0.0).astype(np.float64) * trees.output.size
    most = np.abs(start).max().astype(np.float64) + leaves + more
    finite = most <= np.finfo(np.float32).max
    _require(finite, "start and leaf values may add up to particles that are not finite")


def _check_history(history: Any) -> None:
    for name, metrics in history.items():
        for metric, values in metrics.items():
            words = isinstance(name, str) and isinstance(metric, str)
            numbers = isinstance(values, list) and all(type(v) is float for v in values)
            _require(words and numbers, "the history is not one of numbers")


def _check_evidence(model: FittedModel, evidence: Any) -> None:
    level, trials = model.evidence, model.search_trials or []
    _require(type(level) is float and 0 < level < np.inf, "the evidence is no number > 0")
    kinds = {"evidence": float, "rounds": int, "value": float, "start": float}
    for trial in trials:
        more = {"chosen": bool, "rows": int, "init": str, "trained": int, "leaf_share": float}
        more["by_error"] = bool  # in earlier files
        known = kinds | {name: kind for name, kind in more.items() if name in trial}
        found = {name: type(value) for name, value in trial.items()}
        _require(found == known, "the evidence that was tried is not in numbers")
    if trials and isinstance(evidence, str):
        _require(sum("chosen" in trial for trial in trials) <= 1, "no one evidence was chosen")


def _check_rows(rows: Any) -> None:
    if rows is not None:
        good = isinstance(rows, np.ndarray) and rows.dtype == np.int64 and rows.ndim == 1
        _require(good, "rows held out are not indices")
        _require((np.diff(rows, prepend=-1) > 0).all(), "rows held out are not in order")


def _check_marks(marks: Any) -> None:
    if marks is not None:
        good = isinstance(marks, np.ndarray) and marks.dtype == np.int64 and marks.ndim == 2
        _require(good and marks.shape[0] == 2 and marks.shape[1] > 0, "hashes of rows are none")


def check_learned(fitted: dict[str, Any]) -> None:
    """Raise ValueError if a calibration or an OOD reference is invalid."""
    calibration = fitted.get("calibration_", Calibration())
    _require(isinstance(calibration, Calibration), "the calibration is none")
    for value in (calibration.nll_before, calibration.nll_after):
        _require(value is None or type(value) is float, "the calibration's NLL is no number")
    if "ood_reference_" in fitted:
        reference = fitted["ood_reference_"]
        _require(isinstance(reference, OODReference), "the OOD reference is none")
    references = fitted.get("ood_references_", {})
    named = isinstance(references, dict) and all(
        isinstance(one, OODReference) and one.method == name for name, one in references.items()
    )
    _require(named, "the OOD references are none")


def _check_response(model: FittedModel, *, classes: bool) -> None:
    response, units, d = model.response, model.units, model.start.shape[1]
    if not isinstance(response, Response):
        raise ValueError("the response is none")
    _require(response.n_params == d, f"{d} coordinates are not those of the response")
    shape = response.y_shape
    kind = ColumnUnits if shape else Units
    _require(type(units) is kind, "the units are not those of the response")
    if isinstance(units, ColumnUnits):
        _require(units.shift.shape == units.scale.shape == shape, "a column has no unit")
    else:
        numbers = all(isinstance(value, float) for value in (units.shift, units.scale))
        _require(numbers, "the units are not numbers")
        _require(not classes or units == Units(), "classes have units")
    if classes:
        _check_classes(model, response)
        return
    columns = shape[0] if shape else 1
    _require(model.n_outputs == columns and type(model.n_outputs) is int, "columns of y")
    proposal = ("", "") if model.proposal is None else model.proposal
    words = isinstance(proposal, tuple) and [type(part) for part in proposal] == [str, str]
    _require(words, "the proposal is not in words")


def _check_classes(model: FittedModel, response: Response) -> None:
    classes, ranks, d = model.classes, model.ranks, model.start.shape[1]
    if not isinstance(classes, np.ndarray) or classes.ndim != 1:
        raise ValueError("the classes are no list")
    _require(response.nominal or isinstance(response, Ordinal), "the response has no classes")
    _require(max(2, classes.size) == d + 1, f"{classes.size} classes for {d} log-ratios")
    _require((classes[:-1] < classes[1:]).all(), "the classes are not in order")
    same = isinstance(ranks, np.ndarray) and ranks.shape == classes.shape
    _require(same and (np.sort(ranks) == classes).all(), "the ranks are not those of the classes")  # type: ignore[arg-type]


def _check_trees(trees: FlatTrees, n_features: int, shape: tuple[int, int]) -> None:
    """Raise ValueError unless trees are valid and have these features and particles."""
    if trees.n_features != n_features or trees.shape != shape:
        raise ValueError(
            f"trees of {trees.n_features} features and particles {trees.shape} in a model of "
            f"{n_features} and {shape}"
        )
    trees.check_arrays()
    if not np.isfinite(trees.values).all():
        raise ValueError("a leaf value is not finite")
    if not np.isfinite(trees.gain).all() or (trees.cover < 0).any():
        raise ValueError("a gain is not finite, or a node has a negative number of rows")
