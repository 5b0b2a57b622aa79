"""The output of a command: results on stdout, notes and errors on stderr."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from datetime import time as clock
from decimal import Decimal
from typing import IO, Any

import numpy as np
from rich.console import Console, RenderableType
from rich.progress import track
from rich.segment import Segment, Segments
from rich.text import Text

__all__ = [
    "CommandError",
    "MultipleError",
    "Problems",
    "Screen",
    "one_line",
    "pluralize",
    "printable",
    "quoted",
]

_PROBLEMS = 20  # in one message
_LONG = 80  # characters of a value in a message
_LONGEST = 8000  # characters of a message
_WIDTH = 100  # characters of a line in a file or a pipe


class CommandError(Exception):
    """End a command with one line on stderr and an exit code."""

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


class MultipleError(CommandError):
    """Report several problems in one line."""

    def __init__(self, problems: list[CommandError]) -> None:
        named = [f"({i}) {one}" for i, one in enumerate(problems[:_PROBLEMS], start=1)]
        if len(problems) > _PROBLEMS:
            named.append(f"and {len(problems) - _PROBLEMS} more")
        super().__init__(f"{len(problems)} problems: {'; '.join(named)}")
        self.problems = problems


@dataclass
class Problems:
    """Collect errors, so that one message reports all of them.

    Examples
    --------
    >>> problems = Problems()
    >>> for name in ("a", "b"):
    ...     with problems:
    ...         raise CommandError(f"no column {name}")
    >>> problems.check()
    Traceback (most recent call last):
    wgboost.cli.screen.MultipleError: 2 problems: (1) no column a; (2) no column b
    """

    found: list[CommandError] = field(default_factory=list)

    def __enter__(self) -> Problems:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> bool:
        if not isinstance(error, CommandError):
            return False
        known = {str(one) for one in self.found}
        several = error.problems if isinstance(error, MultipleError) else [error]
        self.found += [one for one in several if str(one) not in known]
        return True

    def check(self) -> None:
        """Raise CommandError if there are errors."""
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            raise MultipleError(self.found)


def pluralize(n: int, word: str = "row") -> str:
    """Return a count with its noun."""
    return f"{n} {word}{'' if n == 1 else 's'}"


def one_line(text: object) -> str:
    """Return text in one line without control characters; a long text loses its middle."""
    line = " ".join(str(text).split())
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    return printable(line)


def printable(text: str) -> str:
    """Return text that cannot control a terminal.

    Control characters, such as those of escape sequences, and marks of the writing direction are
    escaped as in Python; line breaks stay.
    """
    if text.isprintable():
        return text
    return "".join(
        one if one in "\n\t" or one.isprintable() else one.encode("unicode_escape").decode()
        for one in text
    )


def quoted(value: object) -> str:
    """Return a value for a message, in quotation marks; a long value is cut off."""
    text = str(value)
    return repr(text) if len(text) <= _LONG else f"{text[:_LONG]!r}... ({len(text)} characters)"


@dataclass
class Screen:
    """The output of a command.

    Attributes
    ----------
    json : bool
        Whether to print the result as JSON.
    quiet : bool
        Whether to omit notes and progress.
    stdout : text file
        File for the results.
    notes : list of str
        The notes so far.
    """

    json: bool = False
    quiet: bool = False
    stdout: IO[str] = field(default_factory=lambda: sys.stdout)
    notes: list[str] = field(default_factory=list)

    @property
    def live(self) -> bool:
        """Whether progress can be drawn on stderr."""
        return not self.quiet and sys.stderr.isatty()

    def note(self, text: object) -> None:
        """Print a note on stderr, unless it was printed before."""
        line = one_line(text)
        if line in self.notes:
            return
        self.notes.append(line)
        if not self.quiet:
            print(f"wgboost: note: {line}", file=sys.stderr, flush=True)

    def show(self, facts: dict[str, Any], *parts: RenderableType) -> None:
        """Print the result: the facts and notes as JSON, or its parts as text."""
        if self.json:
            known = {**facts, "notes": self.notes}
            print(json.dumps(_plain(known), allow_nan=False), file=self.stdout)
        else:
            width = None if self.stdout.isatty() else _WIDTH
            console = Console(file=self.stdout, width=width, highlight=False)
            with console.capture() as captured:
                for part in parts:
                    soft = isinstance(part, Text)
                    console.print(
                        _without_control(console, part, soft), markup=False, soft_wrap=soft
                    )
            lines = captured.get().splitlines()
            print("\n".join(line.rstrip() for line in lines), file=self.stdout)
        self.stdout.flush()

    def track(self, items: Iterable[Any], total: int, words: str) -> Iterable[Any]:
        """Return the items, with a progress bar on stderr."""
        if not self.live:
            return items
        return track(
            items, words, total=total, transient=True, console=Console(stderr=True, highlight=False)
        )

    def write(self, data: bytes) -> None:
        """Write bytes to stdout."""
        self.stdout.flush()
        raw: Any = self.stdout.buffer  # type: ignore[attr-defined]
        rest = memoryview(data)
        while rest:  # with PYTHONUNBUFFERED a call may write only a part
            rest = rest[raw.write(rest) :]
        raw.flush()


def _without_control(console: Console, part: RenderableType, soft_wrap: bool) -> Segments:
    """Return the segments to print, without control characters other than those of styles."""
    options = console.options
    if soft_wrap:
        options = options.update(no_wrap=True, overflow="ignore")
    return Segments(
        [
            one if one.control else Segment(printable(one.text), one.style)
            for one in console.render(part, options)
        ]
    )


def _plain(value: Any) -> Any:
    """Return a value for JSON: infinite numbers and NaN are null, dates are ISO 8601."""
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, (float, Decimal)):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (date, clock)):  # a datetime is a date
        return value.isoformat()
    return repr(value)
