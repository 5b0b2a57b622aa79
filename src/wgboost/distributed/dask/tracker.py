"""The tracker through which XGBoost's workers find each other, in its own process.

When a worker dies while it connects, XGBoost's tracker can end its own process, or never return.
So it does not run in the process of the client.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Self

__all__ = ["Tracker"]

# The process ends when its input does, and so ends with the client.
_SCRIPT = """
import json, os, signal, sys

signal.signal(signal.SIGINT, signal.SIG_IGN)  # the client handles Ctrl-C
sys.modules["sklearn"] = None  # xgboost would import it, which takes a second
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
    """A running tracker, which ends with its context.

    Parameters
    ----------
    n_workers : int
        The number of workers that will connect.
    host : str
        An address of this machine that workers can connect to.

    Attributes
    ----------
    worker_args : dict
        What workers need in order to connect.

    Examples
    --------
    >>> with Tracker(2, "127.0.0.1") as tracker:
    ...     tracker.worker_args["dmlc_tracker_uri"]
    '127.0.0.1'
    """

    def __init__(self, n_workers: int, host: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT, host, str(n_workers)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            _, errors = self._process.communicate()
            reasons = [line for line in errors.splitlines() if "error" in line.lower()]
            raise RuntimeError(
                f"XGBoost's tracker cannot be at {host!r}: {' '.join(reasons[-2:])}; "
                "tracker_host=... is an address of this machine that workers can connect to"
            )
        self.worker_args: dict[str, Any] = json.loads(line)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
