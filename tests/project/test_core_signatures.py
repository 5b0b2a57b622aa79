"""Functions of the compiled core take named arguments."""

import inspect

import numpy as np
import pytest

from wgboost import _core


def overloads():
    """Yield the name and the signature of every function and method of the core."""
    for name, value in vars(_core).items():
        members = {name: value}
        if inspect.isclass(value):
            members = {f"{name}.{key}": member for key, member in vars(value).items()}
        for label, member in members.items():
            for signature in getattr(member, "__nb_signature__", ()):
                yield label, signature[0]


OVERLOADS = list(overloads())


def test_the_functions_of_the_core_are_found():
    assert {"grow", "Forest.predict", "NormalPosterior.__init__"} <= {name for name, _ in OVERLOADS}


@pytest.mark.parametrize(("name", "signature"), OVERLOADS)
def test_two_or_more_arguments_are_given_by_name(name, signature):
    arguments = signature.partition("(")[2].removeprefix("self").removeprefix(", ")
    n_arguments = arguments.rpartition(" -> ")[0].count(": ")
    assert arguments.startswith("*, ") == (n_arguments > 1), f"{name}: {signature}"


def test_arguments_without_names_are_refused():
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.apply_cuts(np.zeros((2, 1)), [np.zeros(1)], np.ones(1, np.int32), 1)
