"""Flags as fields of dataclasses, and commands with such flags."""

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
    str, typer.Argument(metavar="MODEL", help="A model file of fit; - is standard input.")
]
DataFile = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="CSV (may be gzipped) or Parquet file; - is standard input."
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", metavar="int", show_default=False,
        help="Threads; results do not depend on them. [default: all cores]",
    ),
]  # fmt: skip
Force = Annotated[bool, typer.Option("--force", help="Overwrite a file of another kind.")]


def flag(
    text: str, metavar: str | None = None, *, panel: str | None = None, default: Any = None
) -> Any:
    """Return a field of a dataclass that is set by the flag of the same name.

    The flag of a field of type bool takes no value. That of a tuple may be repeated.
    """
    return field(default=default, metadata={"help": text, "metavar": metavar, "panel": panel})


def _parameter(name: str, kind: Any, text: str, metavar: str | None, panel: str | None) -> Any:
    several = getattr(kind, "__origin__", None) is tuple
    option = typer.Option(
        f"--{name.replace('_', '-')}", metavar=metavar, help=text, rich_help_panel=panel,
        show_default=False,
    )  # fmt: skip
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if kind is bool else None,
        annotation=Annotated[list[str] | None if several else kind, option],
    )


def flags_of(kind: type, note: str = "") -> list[inspect.Parameter]:
    """Return the flags of a dataclass as parameters of a command; help texts end with `note`."""
    hints = get_type_hints(kind)
    return [
        _parameter(
            one.name, hints[one.name], one.metadata["help"] + note, one.metadata["metavar"],
            one.metadata["panel"],
        )
        for one in fields(kind)
    ]  # fmt: skip


def parse_flags(kind: type[_Made], given: dict[str, Any]) -> _Made:
    """Return a dataclass with its flags, which are removed from those given."""
    hints = get_type_hints(kind)
    values = {one.name: given.pop(one.name) for one in fields(kind)}  # type: ignore[arg-type]
    for name, value in values.items():
        if getattr(hints[name], "__origin__", None) is tuple:
            values[name] = tuple(value or ())
    return kind(**values)


_COMMON = [
    _parameter("json", bool, "Print only the result on stdout, as JSON.", None, "Output"),
    _parameter("quiet", bool, "Omit notes and progress.", None, "Output"),
    _parameter("debug", bool, "Show the traceback of an error.", None, "Output"),
]


def as_command(
    function: Callable[..., None], flags: Sequence[inspect.Parameter] = ()
) -> Callable[..., None]:
    """Return a function that typer can turn into a command.

    It has the parameters of `function` without the first, the screen, with `flags` in place of
    `**flags`, and the flags of all commands. Warnings become notes, and printed text goes to
    stderr, because stdout is for the result.
    """
    own = [
        one
        for one in list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        if one.kind is not inspect.Parameter.VAR_KEYWORD
    ]

    def command(**given: Any) -> None:
        screen = Screen(given.pop("json"), given.pop("quiet"))
        given.pop("debug")  # read by `Commands.main`

        def note(message: Any, *_: Any, **__: Any) -> None:
            screen.note(one_line(message))

        try:
            with warnings.catch_warnings(), redirect_stdout(sys.stderr):
                warnings.simplefilter("always")
                for other in (DeprecationWarning, PendingDeprecationWarning):
                    warnings.simplefilter("ignore", other)  # these are for developers
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
