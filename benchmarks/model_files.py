"""Model files under attack: mutants, and processes that are killed while they save.

    python benchmarks/model_files.py --mutants 10000 --kills 100

Every second mutant has its checksum repaired, as one made on purpose would. A mutant is refused
(ModelFileError), or harmless: it loads and predicts. Anything else is printed and the script fails.
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

import wgboost
from wgboost import ModelFileError, SmoothStart, WGBClassifier, WGBoost, WGBRegressor

DIGEST = slice(8 + 27, 8 + 27 + 64)  # after {"__metadata__":{"sha256":"
NUMBERS = [-1, 0, 1, 2, 7, 255, 256, 65535, 2**31 - 1, 2**31, 2**32, 2**53, 2**63, 2**64, 10**30]
SLACK = 2**18  # bytes beside twice the file: what Python itself takes for a header
MEMORY = 2**30  # beyond what the process has: an allocation without limit fails at once
SECONDS = 10


def models() -> list:
    """Small models of every estimator."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=150)
    small = {"n_estimators": 6, "n_particles": 4, "random_state": 0, "n_jobs": 1}
    names = np.array(["ash", "beech", "cedar"])[np.digitize(y, [-0.4, 0.4])]
    two, codes = np.stack([y, X[:, 1]], axis=1), rng.integers(0, 9, size=150)
    mixed = np.c_[np.where(X[:, :2] > 1.5, np.nan, X[:, :2]), codes]
    smooth = {"scaling": "between", "kernel": "matern52"}
    return [
        WGBRegressor(early_stopping=True, prior={"mean": 0.1}, **small).fit(X, y),
        WGBRegressor(response="multivariate_normal", **small).fit(X, two),
        WGBRegressor(response="negative_binomial", tree="per_particle", **small).fit(
            X, rng.poisson(np.exp(1 + y))
        ),
        WGBClassifier(init=rng.normal(size=(4, 2)), **small).fit(X, names),
        WGBRegressor(categorical_features=[2], **small).fit(np.c_[X[:, :2], codes], y + codes % 3),
        WGBRegressor(init=SmoothStart(**smooth), **small).fit(X[:60], y[:60]),
        WGBRegressor(
            init=SmoothStart(exact_rows=50, landmarks=20, **smooth),
            categorical_features=[2],
            **small,
        ).fit(mixed, y + codes % 3),
        WGBoost(direction="energy", **small).fit(X, rng.normal(y[:, None], size=(150, 8))),
    ]


# --- mutations: bytes -> bytes ----------------------------------------------------------------


def repaired(data: bytes) -> bytes:
    """The same file with the checksum of what it holds."""
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
    """Entries of one tensor are set to something extreme, or to one of their neighbours."""
    header, body = split(data)
    table = {k: v for k, v in json.loads(header).items() if k != "__metadata__"}
    entry = table[rng.choice(sorted(table))]
    kinds = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U32": "<u4"}
    kinds |= {"U8": "u1", "BOOL": "u1"}
    begin, end = entry["data_offsets"]
    values = np.frombuffer(body[begin:end], kinds[entry["dtype"]]).copy()
    if values.size:
        extreme = [np.nan, np.inf, -np.inf, 1e38, -1e38, 0.0, 1e-45]
        if values.dtype.kind != "f":
            limits = np.iinfo(values.dtype)
            extreme = [limits.min, limits.max, 0, 1, int(values[rng.randrange(values.size)])]
        values[rng.randrange(values.size)] = rng.choice(extreme)
    return joined(header, body[:begin] + values.tobytes() + body[end:])


def change_table(data: bytes, rng: random.Random) -> bytes:
    """A tensor gets another type, shape, name or place in the header."""
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
    """The description of the model changes: a part is dropped, doubled or replaced."""
    header, body = split(data)
    value = json.loads(header)
    model = json.loads(value["__metadata__"]["model"])
    part = model[rng.choice(["parameters", "fitted", "fitted", "features"])]
    name = rng.choice(sorted(part))
    nested: list = []
    for _ in range(rng.choice([3, 30, 900])):
        nested = [nested]
    known = rng.choice(["Normal", "FlatTrees", "Units", "Poisson", "AveragedFlow", "os.system"])
    part[name] = rng.choice(
        [
            None, True, 1e300, "x", nested, [0] * 9, part[rng.choice(sorted(part))],
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


def predictions(model: object, X: np.ndarray) -> list[np.ndarray]:
    if isinstance(model, WGBoost):
        return [model.predict_particles(X)]
    answers = [model.predict_dist(X).particles, model.predict(X)]
    return [*answers, model.predict_proba(X)] if isinstance(model, WGBClassifier) else answers


def model_bytes(model: object) -> int:
    arrays = [*vars(model.ensemble_).values(), model.start_.particles]
    return sum(a.nbytes for a in arrays if isinstance(a, np.ndarray))


def trial(path: Path, reference: list[np.ndarray]) -> tuple[str, int]:
    """What becomes of a file, and the bytes that loading it took beyond the model."""
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
        rows = np.random.default_rng(1).normal(size=(20, min(model.n_features_in_, 1000)))
        answers = predictions(model, rows)
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
    """Load n mutants; print what became of them and return how many did harm."""
    bases = []
    for i, model in enumerate(models()):
        model.save(folder / f"base_{i}")
        rows = np.random.default_rng(1).normal(size=(20, 3))
        bases.append(((folder / f"base_{i}").read_bytes(), predictions(model, rows)))
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
        data, reference = rng.choice(bases)
        mutation = rng.choice(MUTATIONS)
        mutant = data
        while mutant == data:
            mutant = mutation(data, rng)
        fix = i % 2 == 1 and len(mutant) > DIGEST.stop
        path.write_bytes(repaired(mutant) if fix else mutant)
        began = time.monotonic()
        try:
            outcome, peak = trial(path, reference)
            worst = max(worst, peak / (2 * path.stat().st_size + SLACK))
        except BaseException as error:
            signal.alarm(0)
            outcome = "HARM"
            if sum(counter["HARM"] for counter in counts.values()) < 20:
                print(f"mutant {i} ({mutation.__name__}): {type(error).__name__}: {error}")
        slowest = max(slowest, time.monotonic() - began)
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
    """Kill a process that saves two models in turns, n times; return how often no file loads."""
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
    models[0].save(path)  # which removes what the last kill has left
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
    warnings.simplefilter("ignore")  # overflows of numbers that were changed
    with tempfile.TemporaryDirectory() as name:
        harm = kill_savers(arguments.kills, Path(name)) if arguments.kills else 0
        harm += attack(arguments.mutants, Path(name), arguments.seed) if arguments.mutants else 0
    raise SystemExit(1 if harm else 0)


if __name__ == "__main__":
    main()
