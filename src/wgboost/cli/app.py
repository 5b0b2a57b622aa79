"""The application: its commands, and how it reports errors."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from wgboost.cli.demo import demo
from wgboost.cli.evaluate import evaluate
from wgboost.cli.fit import FitOptions, fit
from wgboost.cli.flags import as_command, flags_of
from wgboost.cli.help import CommandWithExamples
from wgboost.cli.info import info
from wgboost.cli.options import estimator_flags, with_flag_names
from wgboost.cli.plot import plot
from wgboost.cli.predict import PredictOptions, predict
from wgboost.cli.reading import ReadOptions
from wgboost.cli.roles import ColumnRoles
from wgboost.cli.screen import CommandError, one_line, printable
from wgboost.validation import nearest_name
from wgboost.version import __version__

__all__ = ["Commands", "app", "run"]

_UsageError: Any = typer.BadParameter.__bases__[0]  # of click, whose place in typer varies
_BAD_INPUT = (ValueError, TypeError)  # raised by the library; ModelFileError is a ValueError


class Commands(TyperGroup):
    """The group of commands, which prints an error as one line on stderr."""

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command and exit with 0, 1 if it failed, 2 for bad input, or 130 after Ctrl-C."""
        given = list(sys.argv[1:] if args is None else args) or ["--help"]
        extra.update(prog_name="wgboost", standalone_mode=False)
        try:
            code = super().main(args=given, **extra)
            sys.stdout.flush()
        except KeyboardInterrupt:
            code = 130
        except Exception as error:
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                # The reader closed the pipe. Without this Python would complain again at exit.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                sys.exit(1)
            if "--debug" in given:
                print(printable("".join(traceback.format_exception(error))), file=sys.stderr)
            message, code = _explain(error)
            print(f"wgboost: error: {one_line(message)}", file=sys.stderr)
        if code == 130:
            print("wgboost: interrupted", file=sys.stderr)
        sys.exit(code if isinstance(code, int) else 0)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command; the error for an unknown one names the nearest."""
        if args[0] not in self.commands and not ctx.resilient_parsing:
            suggestion = nearest_name(args[0], self.commands)
            known = "" if suggestion else f"; the commands are {', '.join(self.commands)}"
            raise CommandError(f"no command {args[0]!r}{suggestion}{known}")
        return super().resolve_command(ctx, args)


def _explain(error: Exception) -> tuple[str, int]:
    """Return the message of an error and the exit code."""
    if isinstance(error, CommandError):
        return str(error), error.code
    if isinstance(error, _UsageError):
        return _usage_message(error), 2
    if isinstance(error, _BAD_INPUT):
        return with_flag_names(str(error)), 2
    if isinstance(error, OSError):
        return f"{error.strerror or error}{f' ({error.filename})' if error.filename else ''}", 1
    if isinstance(error, ImportError):
        return str(error), 1
    if isinstance(error, MemoryError):
        return f"out of memory {error}".strip(), 1
    return f"{type(error).__name__}: {error}; --debug shows where", 1


def _usage_message(error: Any) -> str:
    """Return a message of typer with the nearest option and the command for help."""
    context = getattr(error, "ctx", None)
    name = getattr(error, "option_name", None)
    message = error.format_message()
    if name is not None and type(error).__name__ == "NoSuchOption":
        known = [] if context is None else [o for p in context.command.params for o in p.opts]
        message = f"no option {name!r}{nearest_name(name, known)}"
    path = "wgboost" if context is None else context.command_path
    return f"{message.rstrip('.')} (see {path} --help)"


def _version(given: bool) -> None:
    if given:
        print(__version__)
        raise typer.Exit


app = typer.Typer(
    cls=Commands, no_args_is_help=False, rich_markup_mode=None, pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)  # fmt: skip


@app.callback()
def _about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Gradient boosting that predicts distributions, from tables to reports.

    Fit a model, predict with it, evaluate it on test rows, plot it. Files are CSV or Parquet, '-'
    is standard input or output. Exit codes: 0 done, 1 failed, 2 wrong usage or bad input, 130
    interrupted.
    """


_AS_IN_FIT = " [default: as in fit]"
_READING = flags_of(ReadOptions)
for _function, _flags in (
    (fit, [*flags_of(ColumnRoles), *estimator_flags(), *flags_of(FitOptions), *_READING]),
    (predict, [*flags_of(PredictOptions), *_READING]),
    (evaluate, [*flags_of(ColumnRoles, _AS_IN_FIT), *_READING]),
    (plot, [*flags_of(ColumnRoles, _AS_IN_FIT), *_READING]),
    (info, []),
    (demo, []),
):
    app.command(_function.__name__, cls=CommandWithExamples)(as_command(_function, _flags))


def run() -> int:
    """Run the command in `sys.argv`, and return the exit code."""
    try:
        app()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0
