"""`make lint-docstrings` finds what is missing in the docstrings of public objects."""

from typing import Protocol

import pytest

pytest.importorskip("numpydoc")

from numpydoc.hooks.validate_docstrings import parse_config
from numpydoc.validate import ERROR_MSGS

from docstring_lint import ROOT, findings

CHECKS = parse_config(str(ROOT))["checks"]


def complete(x):
    """Return the number.

    Parameters
    ----------
    x : int
        Number.

    Returns
    -------
    int

    Examples
    --------
    >>> complete(1)
    1
    """
    return x


def bare(x):
    """Returns the number"""
    return x


class Named(Protocol):
    """Class of which nobody makes an instance."""

    name: str


def codes(value):
    return {line.split()[2] for line in findings({"name": value}, CHECKS)}


def test_a_complete_docstring_passes():
    assert codes(complete) == set()


def test_what_is_missing_is_found():
    assert codes(bare) == {"SS03", "SS05", "PR01", "RT01", "EX01"}


def test_a_protocol_has_no_parameters():
    assert codes(Named) == {"EX01"}


def test_a_finding_names_the_place():
    first = next(iter(findings({"bare": bare}, {"PR01"})))
    assert first.startswith("tests/project/test_docstring_lint.py:")
    assert first.endswith("bare PR01 Parameters {'x'} not documented")


def test_the_selected_checks_exist():
    assert CHECKS - set(ERROR_MSGS) == set()
