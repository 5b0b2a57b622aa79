"""Conformal prediction written from the definitions, slow and without cleverness."""

import math
from fractions import Fraction

import numpy as np


def rank(n, confidence):
    """ceil((n + 1) confidence), of a confidence that is a decimal."""
    return math.ceil((n + 1) * Fraction(str(confidence)))


def cv_plus(ends, scores, confidence):
    """Order statistics of the ends (low, high) that every row's score has by its fold's model.

    `ends(fold, score)` returns both, (n,) each.
    """
    pairs = [ends(k, score) for k, of_fold in enumerate(scores) for score in of_fold]
    lows, highs = (np.sort(np.stack(side), axis=0) for side in zip(*pairs, strict=True))
    n = len(pairs)
    outside = n + 1 - rank(n, confidence)
    return lows[outside - 1], highs[n - outside]


def mass_before(probabilities, code):
    """The probability of all classes that are more probable than this one."""
    return sum(p for p in probabilities if p > probabilities[code])


def cross_set(class_scores, scores, confidence):
    """Which classes of one row are less odd than enough rows; class_scores (folds, k)."""
    n = sum(len(of_fold) for of_fold in scores)
    inside = []
    for code in range(len(class_scores[0])):
        less = sum(
            1 for of_fold, own in zip(scores, class_scores, strict=True)
            for score in of_fold if score < own[code]
        )  # fmt: skip
        inside.append(less < (n + 1) * Fraction(str(confidence)))
    return inside
