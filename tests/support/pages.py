"""Pages of the documents and what their examples leave behind."""

import re
from pathlib import Path

__all__ = ["ROOT", "examples", "ran"]

ROOT = Path(__file__).parents[2]


def examples(name):
    """Return the Python examples of a page."""
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), flags=re.DOTALL)


def ran(name, **given):
    """Return the names after the examples of a page, run one after the other."""
    names: dict = dict(given)
    for source in examples(name):
        exec(source, names)
    return names
