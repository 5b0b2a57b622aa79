"""The stored results of small fits, which a change of the code must not change.

    python tests/support/frozen.py --write            # record all fits anew
    python tests/support/frozen.py --write bag dask   # record some of them anew
    python tests/support/frozen.py                    # compare, and list what differs

`frozen.json` has two records of every array that `frozen_fits.FITS` returns. "sha256" is of its
bytes and is compared where `machine()` is the stored one: numpy, BLAS and the C library choose
their code by the CPU, which changes last digits. "values", a few of its numbers, are compared
everywhere, up to `RTOL` and `ATOL`, unless they are ranks.

WGBOOST_FROZEN=exact compares digests on any machine, WGBOOST_FROZEN=near on none.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

__all__ = [
    "ATOL",
    "RTOL",
    "compares_bits",
    "differing",
    "far",
    "machine",
    "record",
    "records",
    "stored",
]

FILE = Path(__file__).with_suffix(".json")
# Without AVX and FMA in numpy, BLAS and the C library values change by up to 5e-6 of their size.
RTOL, ATOL = 1e-4, 1e-5
RANKS = ("ood_pvalue",)  # a last digit of a score changes its rank among equal ones: digests only
PACKAGES = ("numpy", "scipy", "scikit-learn", "xgboost", "jax", "dask")


def machine() -> str:
    """Return what decides over last digits: versions, CPU, BLAS and C library, as a digest."""
    versions = []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(f"no {name}")
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    # As a set: which libraries are loaded by now depends on what was imported.
    blas = sorted({one["architecture"] for one in threadpool_info() if one["user_api"] == "blas"})
    parts = [platform.machine(), platform.system(), *platform.libc_ver(), *found, *blas, *versions]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def record(values: Any) -> dict[str, Any]:
    """Return the shape, the digest and some numbers of an array."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        text = "\n".join(map(str, array.ravel()))
        numbers, data = np.array([len(text)], dtype=np.float64), text.encode()
    else:
        numbers = np.ascontiguousarray(array, dtype=np.float64)
        data = numbers.tobytes()
    finite = np.nan_to_num(numbers.ravel(), nan=0.0, posinf=0.0, neginf=0.0)
    some = finite[np.linspace(0, finite.size - 1, min(3, finite.size)).astype(int)]
    figures = [finite.mean(), np.abs(finite).mean(), *some]
    return {
        "shape": list(array.shape),
        "sha256": hashlib.sha256(data).hexdigest()[:16],
        "values": [float(f"{one:.9g}") for one in figures],
    }


def records(arrays: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the record of each array."""
    return {name: record(values) for name, values in arrays.items()}


def stored() -> dict[str, Any]:
    """Return what the file has: "machine", and "fits" by name."""
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def compares_bits() -> bool:
    """Whether digests are compared here."""
    asked = os.environ.get("WGBOOST_FROZEN")
    if asked not in (None, "", "exact", "near"):
        raise ValueError(f"WGBOOST_FROZEN={asked!r} must be exact or near")
    return asked == "exact" or (asked != "near" and machine() == stored()["machine"])


def differing(found: Mapping[str, Any], known: Mapping[str, Any]) -> list[str]:
    """Return which arrays of a fit have other bytes than the stored ones, or are in one only."""
    names = [*found, *(name for name in known if name not in found)]
    return [name for name in names if found.get(name) != known.get(name)]


def far(found: Mapping[str, Any], known: Mapping[str, Any]) -> list[str]:
    """Return which arrays of a fit have other shapes or clearly other values than stored."""
    names = [*found, *(name for name in known if name not in found)]

    def close(name: str) -> bool:
        if name not in found or name not in known or found[name]["shape"] != known[name]["shape"]:
            return False
        values = found[name]["values"], known[name]["values"]
        return name in RANKS or np.allclose(*values, rtol=RTOL, atol=ATOL)

    return [name for name in names if not close(name)]


def write(names: list[str]) -> None:
    """Record fits anew, all of them where none are named."""
    from frozen_fits import FITS

    kept = {} if not names else stored()["fits"]
    if names and stored()["machine"] != machine():
        raise SystemExit("the file is of another machine: write all fits, without names")
    fits = {name: records(FITS[name]()) if name in names or not names else kept[name]
            for name in FITS}  # fmt: skip
    lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in fits.items()]
    body = ",\n".join(lines)
    FILE.write_text(f'{{"machine": "{machine()}", "fits": {{\n{body}\n}}}}\n')


def compare(names: list[str]) -> int:
    """Print which results differ from the stored ones, and return how many fits have some."""
    from frozen_fits import FITS

    known, n_changed = stored()["fits"], 0
    for name in names or FITS:
        changed = differing(records(FITS[name]()), known.get(name, {}))
        n_changed += bool(changed)
        if changed:
            print(f"{name}: {', '.join(changed)}")
    print(f"{n_changed} of {len(names or FITS)} fits differ")
    return n_changed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Compare small fits with their stored results.")
    parser.add_argument("--write", action="store_true", help="store the results of this code")
    parser.add_argument("names", nargs="*", help="fits; all of them if none are named")
    given = parser.parse_args()
    if given.write:
        write(given.names)
    else:
        raise SystemExit(compare(given.names) > 0)
