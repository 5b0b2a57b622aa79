"""The tracker, through which XGBoost's workers find each other, in a process of its own.

Where a worker dies while it is being connected, XGBoost's tracker can end the process that it runs
in, or miss that it should end itself. So it is not in that of the client.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Self

__all__ = ["Tracker"]

# Ends when its input does: with the client, whatever becomes of that.
_SCRIPT = """
import json, os, signal, sys

signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the client's affair
sys.modules["sklearn"] = None  # which xgboost would import, and that takes a second
from xgboost.tracker import RabitTracker

tracker = RabitTracker(n_workers=int(sys.argv[2]), host_ip=sys.argv[1], sortby="task")
tracker.start()
print(json.dumps(tracker.worker_args()), flush=True)
nowhere = os.open(os.devnull, os.O_WRONLY)
os.dup2(nowhere, 1)
os.dup2(nowhere, 2)
sys.stdin.read()
os._exit(0)
"""


class Tracker:
    """A tracker of so many workers, at an address of this machine, until it is left."""

    def __init__(self, n_workers: int, host: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT, host, str(n_workers)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        said = self._process.stdout.readline() if self._process.stdout else ""
        if not said:
            _, errors = self._process.communicate()
            reasons = [line for line in errors.splitlines() if "error" in line.lower()]
            raise RuntimeError(
                f"XGBoost's tracker cannot be at {host!r}: {' '.join(reasons[-2:])}; "
                "tracker_host=... is an address of this machine that workers can connect to"
            )
        self.worker_args: dict[str, Any] = json.loads(said)

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
