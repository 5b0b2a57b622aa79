"""Print pip constraints that pin every dependency in pyproject.toml to its minimum version.

`make test-lowest` installs with them: `python tests/support/lowest.py > constraints.txt`.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def requirements(pyproject: dict[str, Any]) -> Iterator[Requirement]:
    """Yield what building, the package and its extras require, without the package itself."""
    project = pyproject["project"]
    extras = project["optional-dependencies"].values()
    groups = [pyproject["build-system"]["requires"], project["dependencies"], *extras]
    for line in (line for group in groups for line in group):
        requirement = Requirement(line)
        if requirement.name != project["name"]:
            yield requirement


def minimum(requirement: Requirement) -> Version:
    """Return the lowest version allowed; raise ValueError unless it is stated as >=."""
    lower = [part.version for part in requirement.specifier if part.operator == ">="]
    if len(lower) != 1:
        raise ValueError(f"{str(requirement)!r} must state its minimum once: name>=version")
    return Version(lower[0])


def minima(pyproject: dict[str, Any]) -> dict[str, Version]:
    """Return the minimum of every package; raise ValueError if two extras state different ones."""
    found: dict[str, Version] = {}
    for requirement in requirements(pyproject):
        lowest = minimum(requirement)
        if found.setdefault(requirement.name, lowest) != lowest:
            raise ValueError(
                f"{str(requirement)!r} and {requirement.name}>={found[requirement.name]} must "
                "state the same minimum"
            )
    return found


if __name__ == "__main__":
    for package, lowest in minima(tomllib.loads(PYPROJECT.read_text())).items():
        print(f"{package}=={lowest}")
