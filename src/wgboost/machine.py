"""The memory of the machine."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["memory_limit"]

_GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory_limit() -> float:
    """Return the memory that this process may use, in bytes.

    This is the physical memory, or less if a container or `ulimit -v` allows less.

    Returns
    -------
    float
        Bytes; infinite where the system does not say.

    Examples
    --------
    >>> from wgboost.machine import memory_limit
    >>> memory_limit() > 1e6
    True
    """
    limits = [float("inf")]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    for name in _GROUPS:
        if Path(name).is_file():
            text = Path(name).read_text().strip()
            limits += [float(text)] if text.isdigit() else []
    if os.name == "posix":
        import resource

        allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
        limits += [float(allowed)] if allowed != resource.RLIM_INFINITY else []
    return min(limits)
