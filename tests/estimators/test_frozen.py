"""Small fits of every kind give the stored results; `frozen.py` says how they are recorded."""

from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest

import frozen
from frozen_fits import FITS

KNOWN = frozen.stored()["fits"]


@cache
def found(name):
    if name.startswith(("xgboost", "dask")):
        pytest.importorskip("xgboost")
    if name == "dask":
        pytest.importorskip("distributed")
    if name == "general-differentiated" and find_spec("jax") is None:
        pytest.skip("JAX is not installed")
    return frozen.records(FITS[name]())


def test_every_fit_is_stored():
    """A response that is new to the registry is stored with the next ones."""
    assert set(KNOWN) <= set(FITS)
    assert [name for name in FITS if name not in KNOWN and not name.startswith("response-")] == []


@pytest.mark.parametrize("name", KNOWN)
def test_a_fit_gives_the_stored_values(name):
    assert frozen.far(found(name), KNOWN[name]) == []


@pytest.mark.skipif(not frozen.compares_bits(), reason="stored by another machine: last digits")
@pytest.mark.parametrize("name", KNOWN)
def test_a_fit_gives_the_stored_bits(name):
    assert frozen.differing(found(name), KNOWN[name]) == []


def test_a_digest_is_of_every_bit():
    values = np.linspace(-1, 1, 50)
    other = values.copy()
    other[17] = np.nextafter(other[17], 2)
    one, two = frozen.records({"a": values}), frozen.records({"a": other})
    assert frozen.differing(one, two) == ["a"]
    assert frozen.far(one, two) == []
    assert frozen.differing(one, {"b": one["a"]}) == frozen.far(one, {"b": one["a"]}) == ["a", "b"]


@pytest.mark.parametrize("other", [np.linspace(-1, 1.001, 50), np.linspace(-1, 1, 51)])
def test_other_values_and_other_shapes_are_far(other):
    one, two = (frozen.records({"a": values}) for values in (np.linspace(-1, 1, 50), other))
    assert frozen.far(one, two) == ["a"]
