"""What a fitted model knows of its training rows, in order to judge others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wgboost.boosting.start import ConstantStart
from wgboost.data.stored import PreparedMatrix
from wgboost.model import FittedModel
from wgboost.smooth.blas import one_thread
from wgboost.training.request import FitRequest
from wgboost.trees.flat import FlatTrees
from wgboost.trees.support import Support, make_support
from wgboost.typing import Array

__all__ = ["with_held_out_lack", "with_support"]

_ROWS = 2000  # training rows that donors, spreads and the supports of training rows come from


@one_thread()  # sums over rows have the same bits on any number of threads
def with_support(request: FitRequest, model: FittedModel) -> FittedModel:
    """Return a model that can judge how far it knows the surroundings of a row.

    The ranges of nodes are those of all training rows. The rest comes from all rows if there are at
    most 2,000, and from as many random ones otherwise.

    Parameters
    ----------
    request : FitRequest
        The fit, with its training rows.
    model : FittedModel
        The model of the fit.

    Returns
    -------
    FittedModel
        The model, unchanged if it has no trees or the fit asks for no support.
    """
    if not request.settings.support or not _knows_ranges(model):
        return model
    rows = request.data.counted
    if model.held_out is not None:
        rows = np.setdiff1d(rows, model.held_out)
    known = _support_by(request, model, rows)
    if model.held_out_lack is not None:
        known = known.with_usual_lack(model.held_out_lack)
    return replace(model, known_support=known)


@one_thread()
def with_held_out_lack(
    request: FitRequest, model: FittedModel, inside: Array, outside: Array
) -> FittedModel:
    """Return a model with the root mean square lack of support of the rows that were held out.

    Training rows that are left out lack more support than new rows, since trees have made their
    splits around them.

    Parameters
    ----------
    request : FitRequest
        The fit.
    model : FittedModel
        The model that was trained on `inside`.
    inside, outside : arrays
        Indices of the rows that it was trained on, and of those held out.

    Returns
    -------
    FittedModel
        The model, unchanged if support is not asked for or rows are not in memory.
    """
    X, trees = request.data.X, model.ensemble
    if not request.settings.support or not _knows_ranges(model) or not isinstance(X, np.ndarray):
        return model
    known = _support_by(request, model, inside, reference=False)
    new = X[_sampled(request, outside)]
    lack = 1 - known.judge(trees, new, n_threads=request.settings.n_threads).support  # type: ignore[arg-type]
    return replace(model, held_out_lack=float(np.sqrt(np.square(lack).mean())))


def _knows_ranges(model: FittedModel) -> bool:
    return isinstance(model.ensemble, FlatTrees) and model.ensemble.knows_ranges


def _support_by(
    request: FitRequest, model: FittedModel, rows: Array, *, reference: bool = True
) -> Support:
    """Return what a model knows of training rows, with those that are left out as a reference."""
    X = _raw_rows(request.data.X, _sampled(request, rows))
    settings, start, trees = request.settings, model.start, model.ensemble
    particles = start.particles if isinstance(start, ConstantStart) else start.at(X).mean(axis=0)
    if not isinstance(trees, FlatTrees):
        raise TypeError("support is that of trees")
    return make_support(
        trees, X, particles, settings.support, reference=reference, n_threads=settings.n_threads
    )


def _sampled(request: FitRequest, rows: Array) -> Array:
    """Return at most 2,000 of the rows."""
    rows, _ = request.data.once(rows)  # a weight of 2 is the row twice
    if len(rows) <= _ROWS:
        return rows
    rng = np.random.default_rng([request.settings.seed, 2**31 + 7])
    return np.sort(rng.choice(rows, _ROWS, replace=False))


def _raw_rows(X: Array | PreparedMatrix, rows: Array) -> Array:
    """Return some rows of the training features; of codes the largest values of their bins."""
    if not isinstance(X, PreparedMatrix):
        return X[rows]
    if X.ends is None:
        raise ValueError("the ends of the bins of the training data are not known")
    return X.ends.representatives(X[rows].codes_of_rows())
