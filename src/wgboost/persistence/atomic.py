"""Files that are replaced as a whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["replacing"]


@contextmanager
def replacing(path: Any, what: str = "the model") -> Iterator[BinaryIO]:
    """Open a temporary file beside `path`, which takes its place once it is written and synced.

    Whatever fails before that, a full disk say, leaves the file that was there and removes the
    temporary one; an OSError then says that `what` was not saved. A process that is killed may
    leave a file `.wgboost-*.tmp` behind.
    """
    target = Path(os.path.realpath(os.fspath(path)))  # a link goes on pointing at the file
    temporary = target.with_name(f".wgboost-{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(temporary, flags, 0o666)
    except OSError as error:
        raise _unsaved(error, path, what) from error
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            if target.exists():
                os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unsaved(error, path, what) from error
        raise
    _sync_folder(target.parent)


def _unsaved(error: OSError, path: Any, what: str) -> OSError:
    """The same error with what it means here; OSError picks the subclass by its number."""
    reason = error.strerror or str(error)
    left = "the file that was there is unchanged" if os.path.exists(path) else "no file was made"
    return OSError(error.errno or errno.EIO, f"{what} was not saved ({reason}); {left}", path)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure, where folders can be synced."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network folders cannot
            raise
    finally:
        os.close(descriptor)
