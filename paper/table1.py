"""Table 1: nine regression sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paper.jobs import Job
from paper.regression import CRITERIA, one_repeat

__all__ = ["jobs", "repeats"]


def repeats(name: str) -> int:
    """How often the paper repeats a set."""
    return 5 if name == "protein" else 20


def jobs(
    names: Any, data: str | None, *, label: str = "table1",
    changes: dict[str, Any] | None = None, most: int | None = None,
    criteria: Sequence[str] = CRITERIA,
) -> list[Job]:  # fmt: skip
    """One job for every repeat of every set."""
    out = []
    for name in names:
        n = repeats(name) if most is None else min(most, repeats(name))
        for i in range(n):
            settings = {"name": name, "repeat": i, "changes": changes or {}}
            if tuple(criteria) != CRITERIA:
                settings["criteria"] = list(criteria)
            out.append(Job(str(Path(label) / name / f"{i:02d}"), one_repeat, settings, data))
    return out
