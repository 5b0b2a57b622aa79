"""Jobs that run in parallel, show progress and are not done twice."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

__all__ = ["Job", "run"]


@dataclass(frozen=True)
class Job:
    """A function of settings that JSON can hold, and the name its result is kept under."""

    name: str  # a path below the folder of results, without suffix
    function: Callable[..., dict[str, Any]]
    settings: dict[str, Any]
    data: str | None = None  # the data folder, handed on; the result is the same in any place
    version: int = 1  # of the function; a new one forgets old results

    def file(self, folder: Path) -> Path:
        """Where the result is kept."""
        return folder / f"{self.name}.json"

    @property
    def _asked(self) -> str:
        text = json.dumps([self.version, self.settings], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def result(self, folder: Path) -> dict[str, Any] | None:
        """The kept result of the same settings, or None."""
        try:
            kept = json.loads(self.file(folder).read_text())
        except (FileNotFoundError, json.JSONDecodeError):  # none, or the machine went down in it
            return None
        return kept["result"] if kept.get("asked") == self._asked else None

    def do(self, folder: Path) -> dict[str, Any]:
        """Run the function and keep what it returns, with the seconds it took."""
        begin, used = time.perf_counter(), time.process_time()
        result = self.function(data=self.data, **self.settings)
        result["seconds"] = time.perf_counter() - begin
        result["cpu_seconds"] = time.process_time() - used
        file = self.file(folder)
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({"asked": self._asked, "result": result}))
        part.replace(file)
        return result


def run(
    jobs: Sequence[Job], folder: Path, *, workers: int, say: Callable[[str], None] = print
) -> list[dict[str, Any]]:
    """Return the results in the order of the jobs; those that are kept are not run again."""
    results = {i: kept for i, job in enumerate(jobs) if (kept := job.result(folder)) is not None}
    open_jobs = [(i, job) for i, job in enumerate(jobs) if i not in results]
    if results and open_jobs:
        say(f"{len(results)} of {len(jobs)} jobs were done before")
    begin = time.perf_counter()

    def note(i: int, result: dict[str, Any], done: int) -> None:
        results[i] = result
        left = (time.perf_counter() - begin) / done * (len(open_jobs) - done)
        say(
            f"[{done}/{len(open_jobs)}] {jobs[i].name}  {result['seconds']:.1f} s, "
            f"about {left / 60:.1f} min left"
        )

    if workers == 1 or len(open_jobs) < 2:
        for done, (i, job) in enumerate(open_jobs, 1):
            note(i, job.do(folder), done)
    else:
        # Spawned: a forked child would inherit threads of the numerical libraries.
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            futures = {pool.submit(job.do, folder): i for i, job in open_jobs}
            try:
                for done, future in enumerate(as_completed(futures), 1):
                    note(futures[future], future.result(), done)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    return [results[i] for i in range(len(jobs))]
