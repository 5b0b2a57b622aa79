"""The report: Markdown tables of what the jobs gave, beside what the paper reports."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paper.jobs import Job
from paper.reported import (
    CLASSIFICATION,
    CLASSIFICATION_METHODS,
    METHODS,
    NLL,
    RMSE,
    deviation,
)

__all__ = [
    "Found",
    "against_author",
    "as_page",
    "markdown",
    "methods",
    "plus_minus",
    "table1",
    "table2",
]

_BLOCKS = ("|", "#", "!", "    ", "- ")  # what begins a line of its own; items are wrapped
Found = dict[str, dict[int, dict[str, Any]]]  # results by set and repeat


def collect(jobs: Sequence[Job], folder: Path, key: str = "repeat") -> Found:
    """The results that are there, by set and repeat."""
    out: Found = {}
    for job in jobs:
        result = job.result(folder)
        if result is not None:
            out.setdefault(job.settings["name"], {})[job.settings[key]] = result
    return out


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the first column is text, the others are numbers."""
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def as_page(parts: Sequence[str]) -> str:
    """The parts of a page one after the other, their paragraphs wrapped at 100 characters."""
    lines: list[str] = []
    paragraph: list[str] = []
    for line in "\n".join(part.rstrip() + "\n" for part in parts if part).splitlines():
        if paragraph and (not line or line.startswith(_BLOCKS)):
            lines += _wrapped(" ".join(paragraph))
            paragraph = []
        if line and not line.startswith(_BLOCKS[:-1]):
            paragraph.append(line.strip())
        else:
            lines.append(line)
    return "\n".join([*lines, *_wrapped(" ".join(paragraph))]).rstrip() + "\n"


def _wrapped(paragraph: str) -> list[str]:
    indent = "  " if paragraph.startswith("- ") else ""
    return textwrap.wrap(
        paragraph, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def plus_minus(values: Any, digits: int = 2) -> str:
    """Mean and standard deviation, as the paper prints them."""
    values = np.asarray(values, dtype=float)
    return f"{values.mean():.{digits}f} ± {values.std():.{digits}f}"


def _printed(reported: tuple[float, float], digits: int = 2) -> str:
    return f"{reported[0]:.2f} ± {reported[1]:.{digits}f}"


def values(found: dict[int, dict[str, Any]], key: str) -> np.ndarray:
    """One figure of all repeats."""
    return np.array([result[key] for _, result in sorted(found.items())], dtype=float)


def table1(found: Found, criterion: str) -> tuple[str, dict[str, float]]:
    """Our figures beside the paper's; and how far they are from it, in its deviations."""
    reported = {"nll": NLL, "rmse": RMSE}[criterion]
    digits = 3 if criterion == "rmse" else 2
    rows, deviations = [], {}
    for name in (name for name in reported if name in found):
        ours = values(found[name], criterion)
        deviations[name] = deviation(ours.mean(), reported[name][0])
        rows.append([
            name, str(len(ours)), plus_minus(ours, digits), _printed(reported[name][0]),
            f"{deviations[name]:+.2f}",
            f"{np.median(values(found[name], criterion + '_rounds')):.0f}",
            f"{np.mean(values(found[name], 'cpu_seconds')):.0f}",
        ])  # fmt: skip
    name = criterion.upper()
    head = ["set", "repeats", f"{name}, ours", "paper", "difference / its sd", "rounds (median)",
            "CPU s a repeat"]  # fmt: skip
    return markdown(head, rows), deviations


def methods(found: Found, criterion: str) -> str:
    """Our figures beside those the paper quotes for other methods."""
    reported = {"nll": NLL, "rmse": RMSE}[criterion]
    rows = [
        [name, plus_minus(values(found[name], criterion)), *map(_printed, reported[name])]
        for name in reported
        if name in found
    ]
    return markdown(["set", "ours (run)", *METHODS], rows)


def table2(found: Found) -> str:
    """Accuracy and OOD average precision beside the paper's."""
    rows = []
    for name, results in found.items():
        known, subset = name.removesuffix("_2200"), name.endswith("_2200")
        label = f"{known} (subset of 2,200 rows)" if subset else known
        for key, title in (("accuracy", "accuracy"), ("ood", "OOD")):
            ours, reported = values(results, key), CLASSIFICATION[known, key]
            distance = deviation(ours.mean(), reported[0], digits=1)
            rows.append([
                label, title, plus_minus(ours), _printed(reported[0], 1),
                "other data" if subset else f"{distance:+.2f}",
                *(_printed(r, 1) for r in reported[1:]),
            ])  # fmt: skip
    head = ["set", "criterion", "ours (run)", "paper", "difference / its sd",
            *CLASSIFICATION_METHODS[1:]]  # fmt: skip
    return markdown(head, rows)


def against_author(
    found: Found, author: dict[tuple[str, str], dict[int, tuple[float, int]]], criterion: str
) -> list[list[str]]:
    """Per set: means, correlation over repeats, and the ratio of rounds."""
    rows = []
    for name, results in found.items():
        theirs = np.array([author[name, criterion][i] for i in sorted(results)], dtype=float)
        ours = values(results, criterion)
        ratio = values(results, f"{criterion}_rounds") / theirs[:, 1]
        related = np.corrcoef(ours, theirs[:, 0])[0, 1] if len(ours) > 2 else np.nan
        rows.append([
            name, str(len(ours)), f"{ours.mean():.3f}", f"{theirs[:, 0].mean():.3f}",
            f"{related:.3f}", f"{np.median(ratio):.2f}",
        ])  # fmt: skip
    return rows
