"""The command line: `wgboost`, or `python -m wgboost`. It needs the extra `cli`."""

from __future__ import annotations

import sys

__all__ = ["main"]

_NEEDED = ("typer", "rich", "polars")


def main() -> int:
    """Run the command in `sys.argv`.

    Returns
    -------
    int
        The exit code: 0 done, 1 failed, 2 wrong usage or bad input, 130 interrupted.

    Examples
    --------
    >>> import sys
    >>> from unittest.mock import patch
    >>> from wgboost.cli import main
    >>> with patch.object(sys, "argv", ["wgboost", "--version"]):
    ...     code = main()  # doctest: +ELLIPSIS
    0...
    >>> code
    0
    """
    try:
        from wgboost.cli.app import run
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0]
        if missing not in _NEEDED:
            raise
        print(
            f"wgboost: the command line needs {missing}: pip install 'wgboost[cli]'",
            file=sys.stderr,
        )
        return 1
    return run()
