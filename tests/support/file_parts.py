"""Model files taken apart and put together again."""

import hashlib
import json

from wgboost import load

PREFIX = len(b'{"__metadata__":{"sha256":"')


def parts(data):
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    return header, json.loads(header["__metadata__"]["model"]), data[8 + length :]


def made(header, model, body):
    """A file with a checksum that fits."""
    header["__metadata__"] = {**header["__metadata__"], "model": json.dumps(model)}
    header["__metadata__"]["sha256"] = "0" * 64
    text = json.dumps(header, separators=(",", ":")).encode()
    data = bytearray(len(text).to_bytes(8, "little") + text + body)
    data[8 + PREFIX : 8 + PREFIX + 64] = hashlib.sha256(data).hexdigest().encode()
    return bytes(data)


def loaded(data, folder):
    (folder / "file").write_bytes(data)
    return load(folder / "file")
