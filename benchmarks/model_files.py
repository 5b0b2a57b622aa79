"""Test model files by mutations, and by killing processes while they save.

    python benchmarks/model_files.py --mutants 10000 --kills 100

Mutants are made from files of every response and every kind of model, including bags. Every second
mutant has a valid checksum, as a malicious file would. A mutant is refused (ModelFileError) or
harmless: it loads, and returns particles, predictions, quantiles and samples within SECONDS.
Anything else is printed, and the script fails.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import resource
import signal
import tempfile
import time
import tracemalloc
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

import wgboost
from wgboost import ModelFileError, WGBoost, WGBRegressor

FILES = Path(__file__).parent.parent / "tests" / "files" / "format_2"
DIGEST = slice(8 + 27, 8 + 27 + 64)  # after {"__metadata__":{"sha256":"
NUMBERS = [-1, 0, 1, 2, 7, 255, 256, 65535, 2**31 - 1, 2**31, 2**32, 2**53, 2**63, 2**64, 10**30]
SLACK = 2**18  # bytes beyond twice the file, which Python needs for a header
MEMORY = 2**30  # bytes beyond those of the process: an unlimited allocation fails
SECONDS = 10
ROWS = 20


def bases() -> dict[str, bytes]:
    """Return files of every kind of model and every response, by name."""
    return {path.stem: path.read_bytes() for path in sorted(FILES.glob("*.wgb"))}


# --- mutations: bytes -> bytes ----------------------------------------------------------------


def repaired(data: bytes) -> bytes:
    """Return the file with a valid checksum."""
    fresh = bytearray(data)
    fresh[DIGEST] = b"0" * 64
    fresh[DIGEST] = hashlib.sha256(fresh).hexdigest().encode()
    return bytes(fresh)


def split(data: bytes) -> tuple[bytes, bytes]:
    length = int.from_bytes(data[:8], "little")
    return data[8 : 8 + length].rstrip(b" "), data[8 + length :]


def joined(header: bytes, body: bytes) -> bytes:
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + body


def flip_bits(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 4, 64])):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def change_header_bytes(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    out[rng.randrange(8 + len(split(data)[0]))] = rng.randrange(256)
    return bytes(out)


def cut_or_extend(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return rng.choice([data[:at], data + rng.randbytes(at), data[:at] + data[at + 8 :]])


def move_blocks(data: bytes, rng: random.Random) -> bytes:
    size = rng.choice([8, 64, 512])
    a, b = (rng.randrange(max(1, len(data) - size)) for _ in range(2))
    block = rng.choice([data[a : a + size], b"\0" * size, b"\xff" * size])
    return data[:b] + block + data[b + size :]


def change_header_number(data: bytes, rng: random.Random) -> bytes:
    header, body = split(data)
    found = [m for m in re.finditer(rb"-?\d+(\.\d+)?", header) if m.start() > 110]
    where = rng.choice(found)
    value = rng.choice([str(rng.choice(NUMBERS)), "1e999", "-0.0", "NaN", "[]", '"x"', "null"])
    if rng.random() < 0.3:
        value = str(int(float(where[0])) + rng.choice([-1, 1]))
    return joined(header[: where.start()] + value.encode() + header[where.end() :], body)


def change_tensor(data: bytes, rng: random.Random) -> bytes:
    """Set an entry of a tensor to an extreme value or to another entry."""
    header, body = split(data)
    table = {k: v for k, v in json.loads(header).items() if k != "__metadata__"}
    entry = table[rng.choice(sorted(table))]
    kinds = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U32": "<u4"}
    kinds |= {"U8": "u1", "BOOL": "u1", "U64": "<u8"}
    start, end = entry["data_offsets"]
    values = np.frombuffer(body[start:end], kinds[entry["dtype"]]).copy()
    if values.size:
        extreme = [np.nan, np.inf, -np.inf, 1e38, -1e38, 0.0, 1e-45]
        if values.dtype.kind != "f":
            limits = np.iinfo(values.dtype)
            extreme = [limits.min, limits.max, 0, 1, int(values[rng.randrange(values.size)])]
        values[rng.randrange(values.size)] = rng.choice(extreme)
    return joined(header, body[:start] + values.tobytes() + body[end:])


def change_table(data: bytes, rng: random.Random) -> bytes:
    """Change the type, shape, name or offsets of a tensor in the header."""
    header, body = split(data)
    value = json.loads(header)
    name = rng.choice(sorted(set(value) - {"__metadata__"}))
    entry = value[name]
    what = rng.randrange(5)
    if what == 0:
        entry["dtype"] = rng.choice(["F64", "F32", "I64", "I32", "U8", "BOOL", "F8"])
    elif what == 1:
        entry["shape"] = rng.choice([[2**40, 2**40], [0, 2**62], [1] * 40, [-1], [], [2, 3]])
    elif what == 2:
        entry["shape"] = [*entry["shape"][::-1], 1]
    elif what == 3:
        value[rng.choice(["x", "fitted.ensemble_.left"])] = value.pop(name)
    else:
        entry["data_offsets"] = [rng.choice(NUMBERS), rng.choice(NUMBERS)]
    return joined(json.dumps(value, separators=(",", ":")).encode(), body)


def change_model(data: bytes, rng: random.Random) -> bytes:
    """Drop, duplicate or replace a part of the description of the model."""
    header, body = split(data)
    value = json.loads(header)
    model = json.loads(value["__metadata__"]["model"])
    if rng.random() < 0.5 and "members" in model:
        model_part = rng.choice(model["members"])
    else:
        model_part = model
    part = model_part[rng.choice(["parameters", "fitted", "fitted", "features"] if "features" in
                                 model_part else ["parameters", "fitted"])]  # fmt: skip
    for _ in range(rng.choice([0, 0, 1, 2, 3])):  # deeper: the fields of an object
        inner = [v["fields"] for v in part.values() if isinstance(v, dict) and v.get("fields")]
        part = rng.choice(inner) if inner else part
    name = rng.choice(sorted(part))
    nested: list = []
    for _ in range(rng.choice([3, 30, 900])):
        nested = [nested]
    known = rng.choice(
        ["Normal", "FlatTrees", "Units", "ColumnUnits", "Poisson", "StudentT", "os.system"]
    )
    part[name] = rng.choice(
        [
            None, True, 1e300, -1.0, 0, "x", nested, [0] * 9, part[rng.choice(sorted(part))],
            {"kind": "object", "class": known, "fields": {}},
            {"kind": "array", "tensor": "fitted.start_.particles"},
            {"kind": "foreign", "name": "f", "needed": rng.random() < 0.2},
            {"kind": rng.choice(["list", "text", "class", "value"]), "tensor": "features.types"},
        ]
    )  # fmt: skip
    if rng.random() < 0.2:
        del part[name]
    value["__metadata__"]["model"] = json.dumps(model)
    return joined(json.dumps(value, separators=(",", ":")).encode(), body)


MUTATIONS = [
    flip_bits, change_header_bytes, cut_or_extend, move_blocks, change_header_number, change_tensor,
    change_table, change_model,
]  # fmt: skip


# --- trials -----------------------------------------------------------------------------------


def rows_for(model: object) -> object:
    """Return rows for a model: a frame if its columns have names, with known categories."""
    rng = np.random.default_rng(1)
    schema, columns = model.model_.schema, []
    for i, known in enumerate(schema.levels[:1000]):
        column = rng.normal(size=ROWS)
        if i in schema.dates:
            column = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(ROWS), unit="D")
        if known is not None and known.values:
            column = np.array(known.values, dtype=object)[np.arange(ROWS) % len(known.values)]
        columns.append(column)
    if schema.names is None:
        return np.array(columns, dtype=np.float64).T
    return pd.DataFrame(dict(zip(schema.names, columns, strict=False)))


def predictions(model: object, X: object) -> list[np.ndarray]:
    if isinstance(model, WGBoost):
        return [model.predict_particles(X), model.predict_quantiles(X), model.sample(X, 2, 0)]
    answers = [model.predict_dist(X).theta(), model.predict(X), model.sample(X, 2, 0)]
    answers.append(model.ood_score(X))
    if model.response_.has_mean:
        answers += [*model.predict_uncertainty(X).values()]
    if model.model_.knows_support:
        answers += [model.predict_support(X), model.explain_support(X)]
    if hasattr(model, "predict_proba"):
        return [*answers, model.predict_proba(X)]
    if not model.response_.y_shape:
        answers.append(model.predict_quantiles(X))
    return answers


def model_bytes(model: object) -> int:
    members = getattr(model, "members_", [model])
    arrays = [
        array
        for one in members
        for array in (*vars(one.model_.ensemble).values(), one.model_.start.particles)
    ]
    return sum(a.nbytes for a in arrays if isinstance(a, np.ndarray))


def trial(path: Path, reference: list[np.ndarray]) -> tuple[str, int]:
    """Return the outcome of loading a file, and the bytes it took beyond the model."""
    size = path.stat().st_size
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    signal.alarm(SECONDS)
    model = None
    try:
        model = wgboost.load(path)
    except ModelFileError:
        outcome = "refused"
    except TypeError as error:
        if "which the file does not hold: load(path" not in str(error):
            raise
        outcome = "refused"
    peak = tracemalloc.get_traced_memory()[1] - before
    if model is not None:
        peak -= model_bytes(model)
        answers = predictions(model, rows_for(model))
        same = len(answers) == len(reference) and all(
            np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
            for a, b in zip(answers, reference, strict=True)
        )
        outcome = "harmless, same predictions" if same else "harmless, other numbers"
    signal.alarm(0)
    if peak > 2 * size + SLACK:
        raise MemoryError(f"{peak} bytes for a file of {size}")
    return outcome, peak


def too_long(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def attack(n: int, folder: Path, seed: int = 0) -> int:
    """Load n mutants, print the outcomes, and return the number of harmful ones."""
    known = []
    for name, data in bases().items():
        model = wgboost.load(FILES / f"{name}.wgb")
        known.append((name, data, predictions(model, rows_for(model))))
    signal.signal(signal.SIGALRM, too_long)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    counts: dict[str, Counter] = {"as they are": Counter(), "checksum repaired": Counter()}
    by_kind: dict[str, Counter] = {}
    worst, slowest, path = 0.0, 0.0, folder / "mutant"
    tracemalloc.start()
    for i in range(n):
        rng = random.Random(f"{seed} {i}")
        name, data, reference = rng.choice(known)
        mutation = rng.choice(MUTATIONS)
        mutant = data
        while mutant == data:
            mutant = mutation(data, rng)
        fix = i % 2 == 1 and len(mutant) > DIGEST.stop
        path.write_bytes(repaired(mutant) if fix else mutant)
        start = time.monotonic()
        try:
            outcome, peak = trial(path, reference)
            worst = max(worst, peak / (2 * path.stat().st_size + SLACK))
        except BaseException as error:
            signal.alarm(0)
            outcome = "HARM"
            if sum(counter["HARM"] for counter in counts.values()) < 20:
                message = f"{type(error).__name__}: {error}"
                print(f"mutant {i} of {name} ({mutation.__name__}): {message:.300}", flush=True)
        slowest = max(slowest, time.monotonic() - start)
        counts["checksum repaired" if i % 2 else "as they are"][outcome] += 1
        by_kind.setdefault(mutation.__name__, Counter())[outcome] += 1
    tracemalloc.stop()
    for name, counter in {**counts, **by_kind}.items():
        found = ", ".join(f"{k} {v}" for k, v in sorted(counter.items()))
        print(f"{name:22} {counter.total():6}: {found}")
    print(
        f"memory beyond the model: at most {worst:.0%} of twice the file + 256 KiB; "
        f"slowest {slowest:.2f} s"
    )
    harm = sum(counter["HARM"] for counter in counts.values())
    print(f"mutants {n}, harm {harm}")
    return harm


def kill_savers(n: int, folder: Path) -> int:
    """Kill a process that saves two models in turn, n times; return how often no file loads."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    models = [
        WGBRegressor(n_estimators=rounds, max_depth=6, random_state=0, n_jobs=1).fit(X, X[:, 0])
        for rounds in (20, 40)
    ]
    path, wrong, cut, known = folder / "killed", 0, 0, set()
    expected = [model.predict(X[:50]).tobytes() for model in models]
    models[0].save(path)
    for _ in range(n):
        child = os.fork()
        if child == 0:
            while True:
                for model in models:
                    model.save(path)
        time.sleep(float(rng.uniform(0.005, 0.06)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        left = {file.name for file in folder.glob(".wgboost-*.tmp")}
        cut += bool(left - known)
        known = left
        wrong += wgboost.load(path).predict(X[:50]).tobytes() not in expected
    models[0].save(path)  # removes temporary files of the last kill
    left = {file.name for file in folder.glob(".wgboost-*.tmp")}
    print(
        f"kills {n} ({cut} in the middle of a file), files that do not load {wrong}, temporary "
        f"files after the next save {len(left)}"
    )
    return wrong + len(left)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # overflows of mutated numbers
    with tempfile.TemporaryDirectory() as name:
        harm = kill_savers(arguments.kills, Path(name)) if arguments.kills else 0
        harm += attack(arguments.mutants, Path(name), arguments.seed) if arguments.mutants else 0
    raise SystemExit(1 if harm else 0)


if __name__ == "__main__":
    main()
