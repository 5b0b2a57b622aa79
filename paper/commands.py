"""The command line: run parts of the paper's experiments and write the report."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from paper import best, best_report, jobs, peers
from paper.data import REGRESSION, NoDataError
from paper.methods import PEERS
from paper.plan import PARTS, Plan
from paper.report import as_page
from paper.sections import SECTIONS

__all__ = ["main", "write"]

HERE = Path(__file__).parent
ESSAY = HERE / "findings.md"


def _say(text: str) -> None:
    print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m paper", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="part", default=["all"],
        help=f"all, quick, report, best, peers, or some of {', '.join(PARTS)}",
    )  # fmt: skip
    parser.add_argument(
        "--data", default=os.environ.get("WGBOOST_DATA"), metavar="FOLDER",
        help="folder with uci/<name>.npz and paper/; without one, OpenML",
    )  # fmt: skip
    parser.add_argument("--results", type=Path, default=HERE / "results", help="kept results")
    parser.add_argument(
        "--workers", "--jobs", type=int, default=os.cpu_count(), metavar="N",
        help="jobs side by side",
    )  # fmt: skip
    only = parser.add_argument_group(
        "of best and peers", "estimators as they come, and other methods"
    )
    only.add_argument("--sets", nargs="+", choices=(*REGRESSION, *best.CLASSES), metavar="SET")
    only.add_argument(
        "--estimators", nargs="+", choices=best.METHODS, default=best.METHODS, metavar="KIND",
        help="of best: cv, single",
    )  # fmt: skip
    only.add_argument(
        "--methods", nargs="+", choices=PEERS, metavar="METHOD", help=", ".join(PEERS)
    )
    only.add_argument("--splits", type=int, metavar="N", help="the first N of each set")
    return parser


def write(plan: Plan, results: Path, folder: Path) -> Path:
    """Write report and pictures from the results that are there."""
    done = [kept for job in plan.jobs() if (kept := job.result(results)) is not None]
    hours = sum(kept["cpu_seconds"] for kept in done) / 3600
    command = "make paper-quick" if plan.quick else "make paper"
    text = [
        "# The paper, reproduced\n\n"
        f"Made by `{command}`: {len(done)} of {len(plan.jobs())} jobs, "
        f"{hours:.1f} hours of CPU time,\n"
        f"so about {60 * hours / 2:.0f} minutes on two free cores. Every figure is of this run\n"
        'unless it says "reported" or stands below "paper"; tables say how many repeats they '
        "hold.\n"
    ]
    if not plan.quick:
        text.append(ESSAY.read_text())
    text += [section(plan, results, folder / "figures") for section in SECTIONS]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.md"
    path.write_text(as_page(text))
    return path


def _chosen(options: argparse.Namespace, of: Sequence[str]) -> list[str]:
    """Which of some sets are asked for: without a word all of them."""
    return [name for name in of if options.sets is None or name in options.sets]


def _peers(options: argparse.Namespace) -> None:
    """Run other methods and show their tables; those that are not installed are named."""
    methods = options.methods or list(PEERS)
    absent = peers.missing(methods)
    for method, package in absent.items():
        title = PEERS[method].title
        _say(f"{title} is left out: {package} is not installed; pip install '.[peers]' brings it")
    todo = peers.jobs(
        options.data, sets=_chosen(options, REGRESSION),
        methods=[m for m in methods if m not in absent], most=options.splits,
    )  # fmt: skip
    jobs.run(todo, options.results, workers=options.workers, say=_say)
    _say(peers.section(options.results))


def main(arguments: list[str] | None = None) -> None:
    """Run what the arguments ask for."""
    parser = _parser()
    options = parser.parse_args(arguments)
    known = ("all", "quick", "report", "best", "peers", *PARTS)
    unknown = [part for part in options.parts if part not in known]
    if unknown:
        parser.error(f"unknown part {unknown[0]!r}: {', '.join(known)}")
    quick = "quick" in options.parts
    plan = Plan(options.data, quick=quick)
    parts = [part for part in options.parts if part in PARTS]
    if quick or "all" in options.parts:
        parts = list(PARTS)
    try:
        if "best" in options.parts:
            todo = best.jobs(
                options.data, names=_chosen(options, REGRESSION),
                classes=_chosen(options, best.CLASSES), most=options.splits,
                methods=options.estimators,
            )  # fmt: skip
            jobs.run(todo, options.results, workers=options.workers, say=_say)
        if "peers" in options.parts:
            _peers(options)
        if "best" in options.parts:
            path = best_report.write(
                options.results, HERE / "best.md", peers.section(options.results)
            )
            _say(f"report: {path}")
        if set(options.parts) <= {"best", "peers"}:
            return
        if parts:
            jobs.run(plan.jobs(parts), options.results, workers=options.workers, say=_say)
        folder = options.results / "quick" if quick else HERE
        _say(f"report: {write(plan, options.results, folder)}")
    except NoDataError as error:
        parser.exit(2, f"{error}\n")
