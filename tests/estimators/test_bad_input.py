"""Input that makes no sense is refused with a message that names it and the remedy."""

import datetime

import numpy as np
import pytest

from making import assert_same_tree, grow, made
from wgboost.data import Features
from wgboost.data.binning import Binned, Cuts
from wgboost.data.matrix import as_matrix
from wgboost.learners.hist_tree import HistTree
from wgboost.validation import (
    check_choice,
    check_integer,
    check_number,
    nearest_name,
    resolve_threads,
)  # fmt: skip

X, G = made(1, 50, 3, 2, 2)
FEATURES = Features.from_raw(X)


@pytest.mark.parametrize(
    "wrong",
    [
        np.array([["a", "b"]]),
        np.array([[1, "b"]], dtype=object),
        np.array([[1 + 2j]]),
        np.array([[datetime.datetime(2020, 1, 1)]], dtype="datetime64[s]"),
        np.array([[b"x"]]),
        None,
    ],
    ids=["text", "objects", "complex", "dates", "bytes", "nothing"],
)
def test_features_that_are_no_numbers_are_refused(wrong):
    uses = (Cuts.find, FEATURES.cuts.apply, HistTree().fit(FEATURES, G).predict, Features.from_raw)
    for use in uses:
        with pytest.raises(TypeError, match=r"X has dtype .*; numbers are needed: encode"):
            use(wrong)


@pytest.mark.parametrize("shape", [(), (4,), (4, 3, 2)])
def test_features_of_another_shape_are_refused(shape):
    with pytest.raises(ValueError, match=r"X has shape .* a matrix \(rows, features\) is needed"):
        as_matrix(np.zeros(shape))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_empty_features_are_refused(shape):
    with pytest.raises(ValueError, match=r"is empty; at least one row and feature"):
        Features.from_raw(np.zeros(shape))


@pytest.mark.parametrize("dtype", [object, str, complex, "datetime64[s]", bool])
@pytest.mark.parametrize("which", ["targets", "curvature"])
def test_targets_that_are_no_numbers_are_refused(dtype, which):
    wrong = np.ones(G.shape).astype(int).astype(dtype)
    with pytest.raises(TypeError, match=f"{which} has dtype .* floating point numbers are needed"):
        HistTree().fit(FEATURES, **{"targets": G, which: wrong})


@pytest.mark.parametrize("shape", [(50,), (50, 4), (50, 2, 2, 1), ()])
@pytest.mark.parametrize("which", ["targets", "curvature"])
def test_targets_of_another_shape_are_refused(shape, which):
    with pytest.raises(ValueError, match=r"reshape\(n, 1, K\) makes K outputs of one particle"):
        HistTree().fit(FEATURES, **{"targets": G, which: np.ones(shape)})


@pytest.mark.parametrize("which", ["targets", "curvature"])
def test_targets_of_other_rows_are_refused(which):
    with pytest.raises(ValueError, match=f"{which} has 49 rows, the features have 50"):
        HistTree().fit(FEATURES, **{"targets": G, which: G[:49] ** 2})


@pytest.mark.parametrize("shape", [(50, 0, 2), (50, 2, 0)])
def test_targets_without_outputs_are_refused(shape):
    with pytest.raises(ValueError, match="is empty"):
        HistTree().fit(FEATURES, np.zeros(shape))


@pytest.mark.parametrize("value", [np.nan, -np.nan, np.inf, -np.inf, 1e39, -1e300])
@pytest.mark.parametrize("which", ["targets", "curvature"])
def test_values_that_are_not_finite_are_refused(value, which):
    wrong = np.ones(G.shape)
    wrong[7, 1, 0] = value
    for settings in ({}, {"tree": "per_particle", "l2": 1.0}, {"split_on": 1}, {"split_on": "sum"}):
        with pytest.raises(ValueError, match=rf"{which} is .* at \(7, 1, 0\); "):
            grow(FEATURES, **{"targets": G, which: wrong}, **settings)


def test_infinite_targets_of_both_signs_are_refused():
    wrong = G.copy()
    wrong[3], wrong[5] = np.inf, -np.inf
    with pytest.raises(ValueError, match=r"targets is inf at \(3, 0, 0\); every value has to be"):
        HistTree().fit(FEATURES, wrong)


def test_targets_that_are_not_finite_are_refused_even_where_no_leaf_moves():
    wrong = G.copy()
    wrong[3] = np.nan
    with pytest.raises(ValueError, match="targets is nan"):
        HistTree().fit(FEATURES, wrong, np.zeros_like(G))


def test_a_negative_curvature_is_refused_and_a_negative_zero_is_none():
    c = np.ones_like(G)
    c[9, 0, 1] = -0.25
    with pytest.raises(ValueError, match=r"curvature is -0.25 at \(9, 0, 1\); it has to be >= 0"):
        HistTree().fit(FEATURES, G, c)
    c[9, 0, 1] = -0.0
    signed = HistTree().fit(FEATURES, G, c)
    c[9, 0, 1] = 0.0
    assert_same_tree(signed.trees[0], HistTree().fit(FEATURES, G, c).trees[0])


def test_a_leaf_value_beyond_float32_is_refused():
    c = np.full_like(G, 1e-40)
    with pytest.raises(ValueError, match=r"leaf value overflows float32: .* larger l2 bounds it"):
        HistTree().fit(FEATURES, 1e6 * G, c)
    assert np.isfinite(grow(FEATURES, 1e6 * G, c, l2=1.0)[1].flat.values).all()


WEIGHTS = [
    (np.nan, ValueError, "sample weight nan of row 4 is not finite"),
    (np.inf, ValueError, "sample weight inf of row 4 is not finite"),
    (-0.5, ValueError, "sample weight -0.5 of row 4 is negative"),
    (1e39, ValueError, "of row 4 is outside the range of float32; divide the weights by their"),
    (1e-60, ValueError, "of row 4 is outside the range of float32; divide the weights by their"),
]


@pytest.mark.parametrize(("value", "error", "message"), WEIGHTS)
def test_a_weight_that_is_no_weight_is_refused(value, error, message):
    weight = np.ones(50)
    weight[4] = value
    for use in (lambda: Cuts.find(X, weight=weight), lambda: grow(FEATURES, G, weight=weight)):
        with pytest.raises(error, match=message):
            use()


def test_weights_of_another_kind_are_refused():
    with pytest.raises(ValueError, match="all sample weights are zero; at least one row"):
        grow(FEATURES, G, weight=np.zeros(50))
    for shape in ((49,), (51,), (50, 1), ()):
        with pytest.raises(ValueError, match=r"sample weights have shape .*; \(50,\) is needed"):
            grow(FEATURES, G, weight=np.ones(shape))
    with pytest.raises(TypeError, match="sample weights have dtype"):
        grow(FEATURES, G, weight=np.array(["1"] * 50))


@pytest.mark.parametrize(
    ("bins", "error"),
    [(1, ValueError), (0, ValueError), (256, ValueError), (-3, ValueError), (True, TypeError),
     (12.0, TypeError), ("12", TypeError)],
)  # fmt: skip
def test_a_number_of_bins_that_makes_no_sense_is_refused(bins, error):
    with pytest.raises(error, match=rf"max_bins={bins!r} must be .*between 2 and 255"):
        Features.from_raw(X, bins=bins)


def test_codes_beyond_their_bins_are_refused():
    codes, n_bins = np.zeros((5, 2), np.uint8, order="F"), np.array([3, 200], np.int32)
    codes[2, 0] = 3  # missing
    assert Binned(codes, n_bins).codes is codes
    codes[4, 0] = 4
    with pytest.raises(ValueError, match="column 0 has code 4 but 3 bins"):
        Binned(codes, n_bins)
    for wrong in ([0, 3], [3, 256], [-1, 5]):
        with pytest.raises(ValueError, match="n_bins must be between 1 and 255"):
            Binned(np.zeros((5, 2), np.uint8, order="F"), np.array(wrong, np.int32))


def test_features_of_rows_that_do_not_belong_together_are_refused():
    other = Features(X[:40], FEATURES.cuts, FEATURES.binned)
    with pytest.raises(ValueError, match=r"."):
        HistTree().fit(other, G[:40])


@pytest.mark.parametrize(("n_jobs", "error"), [(0, ValueError), ("2", TypeError), (True, TypeError),
                                              (1.5, TypeError)])  # fmt: skip
def test_a_number_of_jobs_that_makes_no_sense_is_refused(n_jobs, error):
    with pytest.raises(error, match=f"n_jobs={n_jobs!r} .*-1"):
        resolve_threads(n_jobs)


def test_negative_jobs_count_from_all_cores(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)  # Dask sets it in its own process
    cores = resolve_threads(-1)
    assert resolve_threads(None) == cores >= 1
    assert resolve_threads(-2) == max(1, cores - 1)
    assert resolve_threads(-1000) == 1
    assert resolve_threads(np.int64(3)) == 3


def test_a_misspelt_option_is_answered_with_the_nearest_one():
    assert nearest_name("depthwise", ["depth_wise", "best_first"]) == "; did you mean 'depth_wise'?"
    assert nearest_name("zzz", ["depth_wise", "best_first"]) == ""
    with pytest.raises(ValueError, match="colour='rod' must be one of 'red', 'blue'; did you mean"):
        check_choice("colour", "rod", ["red", "blue"])
    with pytest.raises(ValueError, match="size=-1 must be > 0 and <= 1"):
        check_number("size", -1, above=0, high=1)
    with pytest.raises(ValueError, match="n=7 must be between 1 and 5; try 5"):
        check_integer("n", 7, low=1, high=5, hint="try 5")
