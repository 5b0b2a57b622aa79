"""The container of model files: safetensors with a checksum.

    8 bytes   length of the header, little-endian
    header    JSON: {"__metadata__": {"sha256", "format", "format_version", "wgboost_version",
              "model"}, tensor name: {"dtype", "shape", "data_offsets"}, ...}
    data      the tensors in sequence, little-endian, in C order

"sha256" comes first, so that its 64 digits are always at the same place. It is the digest of the
whole file with zeros at this place. "model" is JSON in a string, since the metadata of safetensors
are strings. The size of the header is limited, so everything that grows with the data is in
tensors.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from dataclasses import dataclass
from io import BufferedReader
from typing import Any, BinaryIO, NoReturn

import numpy as np

from wgboost.atomic import replacing
from wgboost.persistence.errors import ModelFileError
from wgboost.typing import Array
from wgboost.version import __version__

__all__ = ["FORMAT", "Contents", "read_file", "write_file"]

FORMAT = 2
_DTYPES: dict[str, Any] = {
    "F64": np.float64, "I64": np.int64, "U64": np.uint64, "F32": np.float32, "I32": np.int32,
    "U32": np.uint32, "F16": np.float16, "I16": np.int16, "U16": np.uint16, "I8": np.int8,
    "U8": np.uint8, "BOOL": np.bool_,
}  # fmt: skip
_NAMES = {np.dtype(kind): name for name, kind in _DTYPES.items()}
_BEGIN = b'{"__metadata__":{"sha256":"'
_DIGEST = slice(8 + len(_BEGIN), 8 + len(_BEGIN) + 64)
_HEADER = 2**20  # bytes
_ITEMS = 2**16  # values of a JSON text, each of which takes much more memory than its text
_DIMENSIONS = 8
_CHUNK = 2**16


@dataclass(frozen=True, eq=False)
class Contents:
    """The contents of a file: the JSON value of its header, and its arrays by name."""

    model: Any
    tensors: dict[str, Array]


def write_file(path: Any, contents: Contents) -> None:
    """Write a model file; an existing file is replaced completely or not at all."""
    tensors = {name: _plain(name, array) for name, array in contents.tensors.items()}
    order = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))  # all aligned
    model = json.dumps(contents.model, separators=(",", ":"), allow_nan=False)
    header: dict[str, Any] = {
        "__metadata__": {
            "sha256": "0" * 64,
            "format": "wgboost",
            "format_version": str(FORMAT),
            "wgboost_version": __version__,
            "model": model,
        }
    }
    end = 0
    for name in order:
        begin, end = end, end + tensors[name].nbytes
        header[name] = {
            "dtype": _NAMES[tensors[name].dtype],
            "shape": list(tensors[name].shape),
            "data_offsets": [begin, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 8)
    if len(text) > _HEADER or max(_items(text), _items(model.encode())) > _ITEMS:
        raise ValueError(
            f"the settings take {len(text)} bytes of a model file's header, more than the "
            f"{_HEADER} or {_ITEMS} values that it holds; give long lists as arrays, and a bag "
            "fewer members"
        )
    head = len(text).to_bytes(8, "little") + text
    digest = hashlib.sha256(head)
    with replacing(path) as file:
        file.write(head)
        for name in order:
            if tensors[name].size:
                data = tensors[name].data.cast("B")
                digest.update(data)
                file.write(data)
        file.seek(_DIGEST.start)
        file.write(digest.hexdigest().encode("ascii"))


def _plain(name: str, array: Array) -> Array:
    if array.dtype.newbyteorder("=") not in _NAMES:
        raise TypeError(f"{name} has dtype {array.dtype}, which a model file cannot hold")
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def read_file(path: Any) -> Contents:
    """Return the contents of a model file.

    Sizes are checked against the length of the file before memory is allocated. Raise
    ModelFileError if the file is not a model file, is damaged or has another format, and OSError if
    it cannot be opened.
    """
    if os.path.isdir(path):
        _refuse(path, "is a folder")
    # Without O_NONBLOCK, opening a pipe would wait for a writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            _refuse(path, "is not a regular file")
        return _read(path, file, status.st_size)


def _refuse(path: Any, why: str) -> NoReturn:
    raise ModelFileError(f"{os.fspath(path)!r} {why}")


def _read(path: Any, file: BufferedReader, size: int) -> Contents:
    head = file.read(8 + len(_BEGIN))
    length = int.from_bytes(head[:8], "little")
    if len(head) < 8 + len(_BEGIN) or head[8:] != _BEGIN:
        _refuse(path, "is not a wgboost model file, or its beginning is damaged")
    if length > _HEADER or 8 + length > size:
        _refuse(path, f"is damaged: a header of {length} bytes in a file of {size}")
    text = head[8:] + file.read(length - len(_BEGIN))
    try:
        header = _parsed(text)
        metadata = header.pop("__metadata__")
        version = int(metadata["format_version"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelFileError(f"{os.fspath(path)!r} has a damaged header: {error}") from error
    intact = _digest(file) == text[_DIGEST.start - 8 : _DIGEST.stop - 8].decode("latin-1")
    if not intact:
        _refuse(path, "is damaged: its checksum does not match its contents")
    if version != FORMAT:
        writer = f"{metadata.get('wgboost_version')!s:.20}"
        remedy = (
            f"load it with wgboost {writer} or later"
            if version > FORMAT
            else "no release wrote this format, so fit the model again and save it"
        )
        _refuse(
            path,
            f"has format {version}, written by wgboost {writer}; wgboost {__version__} reads "
            f"format {FORMAT}: {remedy}",
        )
    try:
        table = _checked_table(header, size - 8 - length)
        file.seek(8 + length)
        tensors = {name: _array(file, *entry) for name, entry in table}
        return Contents(_parsed(metadata["model"].encode()), tensors)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelFileError(f"{os.fspath(path)!r} is damaged: {error}") from error


def _items(text: bytes) -> int:
    return sum(map(text.count, (b",", b"[", b"{")))


def _parsed(text: bytes) -> Any:
    """Return the value of a JSON text; raise ValueError if it is not strict, or too large."""
    if _items(text) > _ITEMS:
        raise ValueError(f"a JSON text of more than {_ITEMS} values")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name occurs twice in the header")
        return dict(pairs)

    def constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    return json.loads(text.decode("utf-8"), object_pairs_hook=unique, parse_constant=constant)


def _digest(file: BinaryIO) -> str:
    """Return the digest of the file, with zeros in place of the stored digest."""
    file.seek(0)
    begin = bytearray(file.read(_CHUNK))
    begin[_DIGEST] = b"0" * 64
    digest = hashlib.sha256(begin)
    while piece := file.read(_CHUNK):
        digest.update(piece)
    return digest.hexdigest()


def _checked_table(header: Any, size: int) -> list[tuple[str, tuple[Any, tuple[int, ...]]]]:
    """Return the name, dtype and shape of the tensors in the order of the data."""
    table, end = [], 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        kind, shape, (begin, stop) = entry["dtype"], entry["shape"], entry["data_offsets"]
        numbers = [*shape, begin, stop]
        if len(entry) != 3 or kind not in _DTYPES or len(shape) > _DIMENSIONS:
            raise ValueError(f"the tensor {name!r:.60} is of an unknown kind")
        if not all(type(number) is int and 0 <= number <= 2**62 for number in numbers):
            raise ValueError(f"the tensor {name!r:.60} has impossible sizes")
        taken = math.prod(shape) * np.dtype(_DTYPES[kind]).itemsize
        # The limit is for empty tensors: NumPy multiplies the sizes that are not zero.
        if begin != end or stop - begin != taken or math.prod(filter(None, shape)) > 2**48:
            raise ValueError(f"the tensor {name!r:.60} does not fit its place")
        end = stop
        table.append((name, (kind, tuple(shape))))
    if end != size:
        raise ValueError(f"the tensors take {end} bytes, the file has {size}")
    return table


def _array(file: BufferedReader, kind: str, shape: tuple[int, ...]) -> Array:
    dtype = np.dtype(_DTYPES[kind]).newbyteorder("<")
    array = np.empty(shape, np.uint8 if kind == "BOOL" else dtype)
    if array.size and file.readinto(array.data.cast("B")) != array.nbytes:
        raise ValueError("the file became shorter while it was read")
    if kind != "BOOL":
        return array.astype(_DTYPES[kind], copy=False)
    if array.size and array.max() > 1:
        raise ValueError("a truth value is neither 0 nor 1")
    return array.view(np.bool_)
