"""Flags as fields of dataclasses, and functions as commands that take them."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import field, fields
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from wgboost.cli.screen import Screen, one_line

__all__ = [
    "DataFile",
    "Force",
    "ModelFile",
    "Threads",
    "as_command",
    "flag",
    "flags_of",
    "parse_flags",
]

_Made = TypeVar("_Made")

ModelFile = Annotated[
    str, typer.Argument(metavar="MODEL", help="A file that fit wrote; - is standard input.")
]
DataFile = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="CSV (also gzipped) or Parquet, told by contents; - is standard input."
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", metavar="int", show_default=False,
        help="Threads; results do not depend on it. [default: all cores]",
    ),
]  # fmt: skip
Force = Annotated[bool, typer.Option("--force", help="Write over a file of another kind.")]


def flag(
    words: str, metavar: str | None = None, *, panel: str | None = None, default: Any = None
) -> Any:
    """Return a field of a dataclass that a flag of its name fills.

    A field of type bool is a switch, and one of type tuple takes the flag several times.
    """
    return field(default=default, metadata={"words": words, "metavar": metavar, "panel": panel})


def _parameter(name: str, kind: Any, words: str, metavar: str | None, panel: str | None) -> Any:
    several = getattr(kind, "__origin__", None) is tuple
    option = typer.Option(
        f"--{name.replace('_', '-')}", metavar=metavar, help=words, rich_help_panel=panel,
        show_default=False,
    )  # fmt: skip
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if kind is bool else None,
        annotation=Annotated[list[str] | None if several else kind, option],
    )


def flags_of(kind: type, note: str = "") -> list[inspect.Parameter]:
    """Return the flags of a dataclass as parameters of a command; words end with `note`."""
    hints = get_type_hints(kind)
    return [
        _parameter(
            one.name, hints[one.name], one.metadata["words"] + note, one.metadata["metavar"],
            one.metadata["panel"],
        )
        for one in fields(kind)
    ]  # fmt: skip


def parse_flags(kind: type[_Made], given: dict[str, Any]) -> _Made:
    """Take the flags of a dataclass out of those given, and make it."""
    hints = get_type_hints(kind)
    values = {one.name: given.pop(one.name) for one in fields(kind)}  # type: ignore[arg-type]
    for name, value in values.items():
        if getattr(hints[name], "__origin__", None) is tuple:
            values[name] = tuple(value or ())
    return kind(**values)


_COMMON = [
    _parameter(
        "json", bool, "Print the result as JSON, and nothing else on stdout.", None, "Output"
    ),
    _parameter("quiet", bool, "No notes and no progress on stderr.", None, "Output"),
    _parameter("debug", bool, "Show where an error came from.", None, "Output"),
]


def as_command(
    function: Callable[..., None], flags: Sequence[inspect.Parameter] = ()
) -> Callable[..., None]:
    """Return a function that typer makes a command of.

    It has the arguments of `function` without the first, its screen, with `flags` in place of its
    `**flags`, and the flags that all commands have. Warnings become notes, and whatever is printed
    goes to stderr: stdout is for the result.
    """
    own = [
        one
        for one in list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        if one.kind is not inspect.Parameter.VAR_KEYWORD
    ]

    def command(**given: Any) -> None:
        screen = Screen(given.pop("json"), given.pop("quiet"))
        given.pop("debug")  # for whoever reports errors

        def note(message: Any, *_: Any, **__: Any) -> None:
            screen.note(one_line(message))

        try:
            with warnings.catch_warnings(), redirect_stdout(sys.stderr):
                warnings.simplefilter("always")
                for other in (DeprecationWarning, PendingDeprecationWarning):
                    warnings.simplefilter("ignore", other)  # for developers of packages
                warnings.showwarning = note
                function(screen, **given)
        except KeyboardInterrupt as error:
            raise typer.Exit(130) from error

    parameters = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*own, *flags, *_COMMON)
    ]
    functools.update_wrapper(command, function, assigned=("__module__", "__name__", "__doc__"))
    del command.__wrapped__  # type: ignore[attr-defined]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command
