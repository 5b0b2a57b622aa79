"""What a command says, and where: results on stdout, all else on stderr."""

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

_PROBLEMS = 20  # that are named at once
_LONG = 80  # characters of a value that a message shows
_LONGEST = 8000  # of a message

_WIDTH = 100  # of what is printed to a file or a pipe


class CommandError(Exception):
    """Ends a command with one line on stderr and an exit code."""

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


class MultipleError(CommandError):
    """Names several problems in one line."""

    def __init__(self, problems: list[CommandError]) -> None:
        named = [f"({i}) {one}" for i, one in enumerate(problems[:_PROBLEMS], start=1)]
        if len(problems) > _PROBLEMS:
            named.append(f"and {len(problems) - _PROBLEMS} more")
        super().__init__(f"{len(problems)} problems: {'; '.join(named)}")
        self.problems = problems


@dataclass
class Problems:
    """Collects the errors of several parts of a command, so that one message names them all.

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
        """Raise CommandError if there are any."""
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            raise MultipleError(self.found)


def pluralize(n: int, word: str = "row") -> str:
    """Return a number of things in words."""
    return f"{n} {word}{'' if n == 1 else 's'}"


def one_line(text: object) -> str:
    """Return text without line breaks and control characters, the middle of a long one left out."""
    line = " ".join(str(text).split())
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    return printable(line)


def printable(text: str) -> str:
    """Return text that changes nothing on a terminal but by being shown.

    Control characters, such as those that begin escape sequences, and marks that turn the direction
    of writing are shown as Python writes them; line breaks stay.
    """
    if text.isprintable():
        return text
    return "".join(
        one if one in "\n\t" or one.isprintable() else one.encode("unicode_escape").decode()
        for one in text
    )


def quoted(value: object) -> str:
    """Return a value of a table as messages show it: in quotation marks, a long one cut off."""
    text = str(value)
    return repr(text) if len(text) <= _LONG else f"{text[:_LONG]!r}... ({len(text)} characters)"


@dataclass
class Screen:
    """Where a command shows its result and says what it has noticed.

    Attributes
    ----------
    json : bool
        Whether the result is to be JSON, and nothing else on stdout.
    quiet : bool
        Whether to leave out notes and progress.
    stdout : text file
        Where results go.
    notes : list of str
        What has been said so far.
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
        """Say something on stderr, once."""
        line = one_line(text)
        if line in self.notes:
            return
        self.notes.append(line)
        if not self.quiet:
            print(f"wgboost: note: {line}", file=sys.stderr, flush=True)

    def show(self, facts: dict[str, Any], *parts: RenderableType) -> None:
        """Print the result: the facts and notes as JSON, or its parts for a person."""
        if self.json:
            known = {**facts, "notes": self.notes}
            print(json.dumps(_plain(known), allow_nan=False), file=self.stdout)
        else:
            wide = None if self.stdout.isatty() else _WIDTH
            console = Console(file=self.stdout, width=wide, highlight=False)
            with console.capture() as captured:
                for part in parts:
                    soft = isinstance(part, Text)
                    console.print(_harmless(console, part, soft), markup=False, soft_wrap=soft)
            lines = captured.get().splitlines()
            print("\n".join(line.rstrip() for line in lines), file=self.stdout)
        self.stdout.flush()

    def track(self, items: Iterable[Any], total: int, words: str) -> Iterable[Any]:
        """Return the items, with a bar on stderr while they are worked on."""
        if not self.live:
            return items
        return track(
            items, words, total=total, transient=True, console=Console(stderr=True, highlight=False)
        )

    def write(self, data: bytes) -> None:
        """Write bytes to stdout, all of them."""
        self.stdout.flush()
        raw: Any = self.stdout.buffer  # type: ignore[attr-defined]
        rest = memoryview(data)
        while rest:  # with PYTHONUNBUFFERED a call may write a part only
            rest = rest[raw.write(rest) :]
        raw.flush()


def _harmless(console: Console, part: RenderableType, soft_wrap: bool) -> Segments:
    """Return what is to be printed, with no other control characters than those of its styles."""
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
    """Return what JSON can say: numbers that are not finite are null, dates are ISO 8601."""
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if hasattr(value, "tolist"):  # of NumPy
        return _plain(value.tolist())
    if isinstance(value, (float, Decimal)):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (date, clock)):  # a datetime is a date
        return value.isoformat()
    return repr(value)
