"""Conversion of Python values to JSON and arrays, and back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NoReturn

import numpy as np

from wgboost.typing import Array

__all__ = ["Reader", "Unsaved", "Writer"]

_LONG = 1000  # characters; longer texts are stored as arrays
_MANY = 8  # numbers; longer lists are stored as arrays
_DEPTH = 16  # of nested values
_CLOCK = re.compile(r"(datetime64|timedelta64)\[(Y|M|W|D|h|m|s|ms|us|ns)\]")


@dataclass(frozen=True)
class Unsaved:
    """Placeholder of a function or an object that a model file does not hold."""

    parameter: str
    name: str

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Raise TypeError with the remedy."""
        raise TypeError(
            f"{self.parameter} was {self.name!r}, which the model file does not hold; "
            f"use set_params({self.parameter}=...), or load(path, {self.parameter}=...)"
        )


@dataclass
class Writer:
    """Convert values to JSON, and collect their arrays.

    `classes` are the dataclasses that a file may hold, by name. `foreign` returns the JSON of any
    other object, or raises TypeError.
    """

    classes: Mapping[str, type[Any]]
    foreign: Callable[[Writer, str, Any], Any]
    tensors: dict[str, Array] = field(default_factory=dict)

    def json(self, name: str, value: Any) -> Any:
        """Return the value as JSON; its arrays get names that begin with `name`."""
        if value is None or type(value) in (bool, int):
            return value
        if isinstance(value, str):
            return str(value) if len(value) <= _LONG else self._text(name, value)
        if type(value) is float:
            return value if math.isfinite(value) else {"kind": "float", "value": str(value)}
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            item = self.json(name, value.item())
            return {"kind": "scalar", "dtype": value.dtype.name, "value": item}
        if isinstance(value, np.ndarray):
            return self._array(name, value)
        if isinstance(value, list) and (numbers := _numbers(value)) is not None:
            return {"kind": "list", "tensor": self._keep(name, numbers)}
        if isinstance(value, (list, tuple)):
            items = [self.json(f"{name}.{i}", item) for i, item in enumerate(value)]
            return items if isinstance(value, list) else {"kind": "tuple", "items": items}
        if isinstance(value, dict):
            pairs = [
                [self.json(f"{name}.{i}.key", key), self.json(f"{name}.{_label(key, i)}", item)]
                for i, (key, item) in enumerate(value.items())
            ]
            return {"kind": "dict", "items": pairs}
        if isinstance(value, np.random.RandomState):
            state = self.json(name, value.get_state(legacy=False))
            return {"kind": "random_state", "state": state}
        known = value if isinstance(value, type) else type(value)
        if self.classes.get(known.__name__) is known:
            if known is value:
                return {"kind": "class", "class": known.__name__}
            return {"kind": "object", "class": known.__name__, "fields": self.of(name, value)}
        if hasattr(value, "__array__") and not isinstance(value, type):  # a column of a frame
            return self._array(name, np.asarray(value))
        return self.foreign(self, name, value)

    def of(self, name: str, value: Any) -> dict[str, Any]:
        """Return the fields of a dataclass as JSON."""
        return {
            entry.name: self.json(f"{name}.{entry.name}", getattr(value, entry.name))
            for entry in fields(value) if entry.init
        }  # fmt: skip

    def _keep(self, name: str, array: Array) -> str:
        self.tensors[name] = array
        return name

    def _text(self, name: str, value: str) -> dict[str, Any]:
        data = np.frombuffer(value.encode(), np.uint8)
        return {"kind": "text", "tensor": self._keep(name, data)}

    def _array(self, name: str, value: Array) -> Any:
        if value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
            return {"kind": "array", "tensor": self._keep(name, value)}
        if value.dtype.kind in "mM" and _CLOCK.fullmatch(value.dtype.name):
            kept = self._keep(name, value.view(np.int64))
            return {"kind": "clock", "dtype": value.dtype.name, "tensor": kept}
        items = value.ravel().tolist()
        if value.dtype.kind in "OU" and all(isinstance(item, str) for item in items):
            coded = [item.encode() for item in items]
            ends = np.cumsum([len(item) for item in coded], dtype=np.int64).reshape(value.shape)
            data = np.frombuffer(b"".join(coded), np.uint8)
            # In an array of NumPy all texts take the space of the longest.
            return {
                "kind": "strings",
                "object": value.dtype.kind == "O" or not _fits(items, data.size),
                "tensor": self._keep(name, data),
                "ends": self._keep(f"{name}.ends", ends),
            }
        if value.dtype.kind == "O" and value.ndim == 1:
            return {"kind": "objects", "items": self.json(name, items)}
        return self.foreign(self, name, value)


def _numbers(value: list[Any]) -> Array | None:
    """Return a list of many numbers, or of lists of equal length, as an array; else None."""
    rows = value if value and all(type(row) is list for row in value) else [value]
    kinds = {type(number) for row in rows for number in row}
    if kinds not in ({float}, {int}) or len({len(row) for row in rows}) > 1:
        return None
    if len(rows) * len(rows[0]) < _MANY:
        return None
    array = np.array(value)
    return array if array.dtype in (np.float64, np.int64) else None


def _fits(texts: Any, size: int) -> bool:
    """Return whether an array of fixed-length texts is not much larger than the texts."""
    taken = 4 * max(map(len, texts), default=0) * len(texts)
    return taken <= max(2**20, 64 * (size + 8 * len(texts)))


def _label(key: Any, i: int) -> str:
    """Return the name of the arrays below a key: the key itself if it is a word."""
    return key if isinstance(key, str) and re.fullmatch(r"\w{1,40}", key) else str(i)


@dataclass
class Reader:
    """Convert JSON and arrays back to values.

    Invalid input raises ValueError, TypeError or KeyError. `given` is a function of a place and a
    JSON node that returns what a file does not hold. `classes` may also have classes by earlier
    names; `old_fields` has the new names of fields by "OldClass.old_field".
    """

    classes: Mapping[str, type[Any]]
    tensors: dict[str, Array]
    given: Callable[[str, Any], Any]
    old_fields: Mapping[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def value(self, name: str, node: Any, depth: int = 0) -> Any:
        """Return the value of a JSON node; `name` is its place in the file."""
        if depth > _DEPTH:
            raise ValueError(f"{name} is nested too deeply")
        if isinstance(node, list):
            return [self.value(f"{name}.{i}", n, depth + 1) for i, n in enumerate(node)]
        if not isinstance(node, dict):
            return node
        kind = node.pop("kind")
        read = getattr(self, f"_read_{kind}", None) if isinstance(kind, str) else None
        if read is None:
            raise ValueError(f"{name} has the unknown kind {kind!r:.40}")
        return read(name, depth + 1, **node)

    def _tensor(self, name: Any) -> Array:
        if name in self.used:
            raise ValueError(f"the tensor {name!r:.60} is used twice")
        self.used.add(name)
        return self.tensors[name]

    def _class(self, name: Any) -> type[Any]:
        if not isinstance(name, str) or name not in self.classes:
            raise ValueError(f"the class {name!r:.60} is not known")
        return self.classes[name]

    def _read_float(self, _: str, _depth: int, /, value: str) -> float:
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[value]

    def _read_scalar(self, name: str, depth: int, /, dtype: str, value: Any) -> Any:
        kind = np.dtype(dtype)
        if kind.kind not in "biuf":
            raise ValueError(f"{name} has dtype {dtype!r:.20}")
        return kind.type(self.value(name, value, depth))

    def _read_array(self, _: str, _depth: int, /, tensor: str) -> Array:
        return self._tensor(tensor)

    def _read_list(self, _: str, _depth: int, /, tensor: str) -> list[Any]:
        values: list[Any] = self._tensor(tensor).tolist()
        return values

    def _read_clock(self, name: str, _depth: int, /, dtype: str, tensor: str) -> Array:
        if not _CLOCK.fullmatch(dtype):
            raise ValueError(f"{name} has dtype {dtype!r:.20}")
        return self._tensor(tensor).view(dtype)

    def _read_text(self, _: str, _depth: int, /, tensor: str) -> str:
        return _bytes(self._tensor(tensor)).decode()

    def _read_strings(
        self,
        name: str,
        _depth: int,
        /,
        object: bool,
        tensor: str,
        ends: str,
    ) -> Array:
        data, stops = _bytes(self._tensor(tensor)), self._tensor(ends)
        begins = np.concatenate([[0], stops.ravel()])
        if stops.dtype != np.int64 or (np.diff(begins) < 0).any() or begins[-1] != len(data):
            raise ValueError(f"the texts of {name} do not cover their bytes")
        pairs = zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True)
        texts = np.empty(stops.size, dtype="O")
        texts[:] = [data[begin:end].decode() for begin, end in pairs]
        if not object and not _fits(texts, len(data)):
            raise ValueError(f"the texts of {name} differ too much in length")
        shaped = texts.reshape(stops.shape)
        return shaped if object else shaped.astype(np.str_)

    def _read_objects(self, name: str, depth: int, /, items: Any) -> Array:
        values = self.value(name, items, depth)
        array = np.empty(len(values), dtype="O")
        array[:] = values
        return array

    def _read_tuple(self, name: str, depth: int, /, items: Any) -> tuple[Any, ...]:
        return tuple(self.value(name, items, depth))

    def _read_dict(self, name: str, depth: int, /, items: Any) -> dict[Any, Any]:
        pairs = [
            [self.value(f"{name}.{i}", part, depth) for part in p] for i, p in enumerate(items)
        ]
        return {key: value for key, value in pairs}  # noqa: C416  (exactly two each)

    def _read_random_state(self, name: str, depth: int, /, state: Any) -> np.random.RandomState:
        made = np.random.RandomState(0)
        made.set_state(self.value(name, state, depth))
        return made

    def _read_class(self, _: str, _depth: int, /, **node: Any) -> type[Any]:
        return self._class(node["class"])

    def _read_object(self, name: str, depth: int, /, fields: Any, **node: Any) -> Any:
        made = self._class(node["class"])
        values = {key: self.value(f"{name}.{key}", n, depth) for key, n in fields.items()}
        old = node["class"], made.__name__
        if old[0] != old[1]:  # written under an earlier name
            values = {self.old_fields.get(f"{old[0]}.{k}", k): v for k, v in values.items()}
        return made(**values)

    def _read_foreign(self, name: str, depth: int, /, **node: Any) -> Any:
        if node.get("fields") is not None:
            node["fields"] = {
                key: self.value(f"{name}.{key}", n, depth) for key, n in node["fields"].items()
            }
        return self.given(name, node)


def _bytes(array: Array) -> bytes:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError("a text is not a row of bytes")
    return array.tobytes()
