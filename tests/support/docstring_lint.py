"""Validate the docstrings of the public objects with numpydoc: `make lint-docstrings`.

`[tool.numpydoc_validation]` in pyproject.toml selects the checks. numpydoc's own hook reads
files, and so validates private functions and overrides too. The public objects are those that
`benchmarks/source_rules.py` finds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numpydoc.docscrape import get_doc_object
from numpydoc.hooks.validate_docstrings import parse_config
from numpydoc.validate import validate

from source_rules import is_protocol, public_callables

__all__ = ["findings"]

ROOT = Path(__file__).parents[2]


def findings(objects: dict[str, Any], checks: set[str]) -> Iterator[str]:
    """Yield a line `path:line name code message` for each selected check that fails."""
    for name, value in objects.items():
        report = validate(get_doc_object(value))
        path = Path(report["file"])
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        ignored = {"PR01"} if is_protocol(value) else set()  # it has no constructor
        for code, message in report["errors"]:
            if code in checks - ignored:
                yield f"{shown}:{report['file_line']} {name} {code} {message}"


def main() -> int:
    """Print what is to be mended, and return the exit code."""
    checks = parse_config(str(ROOT))["checks"]
    found = list(findings(public_callables(), checks))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(found)} problems in the docstrings of the public objects")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
