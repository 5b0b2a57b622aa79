"""The command line."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from paper import jobs, table1
from paper.data import REGRESSION

__all__ = ["main"]

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m paper", description=__doc__)
    parser.add_argument("--data", default=os.environ.get("WGBOOST_DATA"))
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--label", default="table1")
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--most", type=int)
    parser.add_argument("--criteria", nargs="*", default=["nll", "rmse"])
    parser.add_argument("--changes", default="{}")
    options = parser.parse_args()
    import json
    options.changes = json.loads(options.changes)
    order = sorted(REGRESSION, key=lambda n: (n in ("protein",), n in ("naval", "kin8nm", "power")))
    jobs.run(table1.jobs(options.sets or order, options.data, label=options.label, changes=options.changes, most=options.most, criteria=options.criteria), options.results, workers=options.workers,
             say=lambda s: print(s, flush=True))
