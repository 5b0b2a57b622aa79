"""Reference OOD scores of a bag, from rows that are new to all members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import rankdata

from wgboost.calibration import OODReference
from wgboost.calibration.ood import aligned_scores
from wgboost.folds import Fold
from wgboost.metrics import ood_scores
from wgboost.metrics.ood import combined, disagreement_share, novelty
from wgboost.metrics.unwrapping import predict_dist
from wgboost.model import FittedBag, FittedModel
from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = ["Folds", "SampledRows", "bag_ood_references", "mix_with_neighbours"]

_OF_CLASSES = "max_variance", "mutual_information"  # the default first
_OF_NUMBERS = "epistemic", "max_variance"
_NEIGHBOURS = 20  # nearest rows, one of which a row is mixed with
_MAX_FEATURES = 100  # features that distances to neighbours are computed from

Folds = Sequence[tuple[Fold, FittedModel]]
"""The rows of each fold, with the model that was not trained on them."""


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Hold a sample of the training rows of a bag.

    Parameters
    ----------
    rows : array of shape (r,)
        Their indices.
    matrix : array of shape (r, p)
        Their features, encoded by the schema of the bag.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.selection.ood_references import SampledRows
    >>> len(SampledRows(np.array([0, 2]), np.zeros((2, 1))).rows)
    2
    """

    rows: Array
    matrix: Array


def bag_ood_references(
    bag: FittedBag, folds: Folds, sample: SampledRows, seed: int, n_threads: int = 1
) -> dict[str, OODReference]:
    """Return the OOD scores of training rows as the bag would have given them if new, by method.

    The support is that by the model of the fold of a row. Distances are means over models, each of
    which leaves the row out. As to disagreement, a row is new to the model of its own fold, but all
    other members were trained on it. Their agreement and the disagreement of the one model would
    look like a large score of the bag. So models and bag are compared (`aligned_scores`) at rows
    that are new to all: mixtures of neighbouring rows. Scores that need an integral for every row
    are left out.

    Parameters
    ----------
    bag : FittedBag
        The bag.
    folds : sequence of (Fold, FittedModel)
        The rows of each fold, with the model that was not trained on them.
    sample : SampledRows
        Training rows that the models are compared at.
    seed : int
        Seed of the mixtures.
    n_threads : int
        Number of threads of predictions.
    """
    rng = np.random.default_rng([seed, 2**31 + 3])
    schema, response = bag.schema, bag.response
    if schema is None or response is None:
        raise TypeError("a bag of models of y is needed")
    mixtures = mix_with_neighbours(sample.matrix, schema.n_levels > 0, rng)
    methods = _OF_CLASSES if response.nominal else _OF_NUMBERS

    def predicted(model: FittedModel | FittedBag) -> Mixture:
        return model.mixture(*model.predict_particles(mixtures, n_threads))

    own = predicted(bag)
    dists = [
        (predict_dist(fold.estimator, fold.X, calibrated=False), predicted(model), own)
        for fold, model in folds
    ]
    found = {
        name: np.concatenate([
            aligned_scores(*(ood_scores(one, name) for one in each)) for each in dists
        ]) for name in methods
    }  # fmt: skip
    if bag.knows_support:
        shares = [aligned_scores(*map(disagreement_share, each)) for each in dists]
        found = _of_novelty(folds, sample, shares, n_threads) | found
    return {name: OODReference(scores, name) for name, scores in found.items()}


def _of_novelty(
    folds: Folds, sample: SampledRows, shares: Sequence[Array], n_threads: int
) -> dict[str, Array]:
    """Return the reference scores that support and distance are a part of.

    `shares` are the aligned disagreements of the rows of each fold.
    """
    n = len(sample.rows)
    support, share, distance = np.full(n, np.nan), np.full(n, np.nan), np.zeros(n)
    for (fold, model), values in zip(folds, shares, strict=True):
        trained = np.isin(sample.rows, fold.train_rows)
        supports, distances = model.surroundings(sample.matrix, trained, n_threads)
        distance += 1 / len(folds) * distances
        held = np.isin(sample.rows, fold.rows)
        order = np.argsort(fold.rows)
        place = order[np.searchsorted(fold.rows, sample.rows[held], sorter=order)]
        support[held], share[held] = supports[held], values[place]
    known = ~np.isnan(support)
    support, distance, share = support[known], distance[known], share[known]
    novel = novelty(support, distance)
    return {
        "combined": combined(novel, share), "novelty": novel, "support": 1 - support,
        "distance": distance,
    }  # fmt: skip


def mix_with_neighbours(matrix: Array, categorical: Array, rng: np.random.Generator) -> Array:
    """Return mixtures (n, p): each has some features of a row and the others of a neighbour.

    Neighbours are the 20 rows whose features differ least in rank; categories are equal or not. If
    there are many features, 100 of them are compared.

    Parameters
    ----------
    matrix : array (n, p)
        Features, with codes of categories, and NaN where values are missing.
    categorical : array (p,) of bool
        Which columns hold codes.
    rng : numpy.random.Generator
        Source of the draws.
    """
    n, p = matrix.shape
    some = np.sort(rng.permutation(p)[:_MAX_FEATURES])
    ranks = rankdata(matrix[:, some[~categorical[some]]], axis=0, nan_policy="omit") / n
    gaps = np.isnan(ranks)
    # The distance of two missing values is 0, that of a missing and a known one 1/2 to 1.
    numbers = np.hstack([np.where(gaps, 0.5, ranks), 0.5 * gaps[:, gaps.any(axis=0)]])
    codes = np.nan_to_num(matrix[:, some[categorical[some]]], nan=-1)
    distance = cdist(numbers, numbers, "cityblock")
    if codes.shape[1]:
        distance += codes.shape[1] * cdist(codes, codes, "hamming")
    np.fill_diagonal(distance, np.inf)
    k = min(_NEIGHBOURS, n - 1)
    nearest = np.argpartition(distance, k - 1, axis=1)[:, :k]
    other = nearest[np.arange(n), rng.integers(k, size=n)]
    mixed: Array = np.where(rng.random(matrix.shape) < 0.5, matrix, matrix[other])
    return mixed
