"""The help of a command."""

from __future__ import annotations

import inspect
from typing import Any

from typer.core import TyperCommand

__all__ = ["CommandWithExamples"]

_WIDTH = 27  # characters of the column of flags


class CommandWithExamples(TyperCommand):
    """A command whose help has examples, and flags under headings."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and the required flags."""
        params: list[Any] = list(self.get_params(ctx))
        pieces = [one.metavar for one in params if one.param_type_name == "argument"]
        needed = [one for one in params if one.required and one.param_type_name == "option"]
        pieces += [f"{max(one.opts, key=len)} {one.metavar}" for one in needed]
        formatter.write_usage(ctx.command_path, " ".join([*pieces, "[OPTIONS]"]))

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the docstring; paragraphs that start with "wgboost" are examples."""
        for paragraph in inspect.cleandoc(self.help or "").split("\n\n"):
            formatter.write_paragraph()
            formatter.indent()
            if paragraph.startswith("wgboost "):
                formatter.write(f"{'':{formatter.current_indent + 2}}{paragraph}\n")
            else:
                formatter.write_text(paragraph)
            formatter.dedent()

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and the flags."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        params: list[Any] = list(self.get_params(ctx))
        for one in params:
            argument = one.param_type_name == "argument"
            name = one.metavar if argument else ", ".join(sorted(one.opts, key=len))
            shown = "" if argument or not one.metavar else f" {one.metavar}"
            text = one.help or ""
            if not argument:
                text += " [required]" if one.required else _default(one.default, text)
            panel = "Arguments" if argument else getattr(one, "rich_help_panel", None) or "Options"
            panels.setdefault(panel, []).append((f"{name}{shown}", text.strip()))
        for panel, rows in panels.items():
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows, col_max=_WIDTH)


def _default(value: Any, text: str) -> str:
    """Return the default of a flag for its help, unless the help has it already."""
    is_shown = "[default: " in text or callable(value) or value in (None, False, (), [])
    return "" if is_shown else f" [default: {value}]"
