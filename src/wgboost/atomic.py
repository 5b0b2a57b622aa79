"""Files that are replaced completely or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

if sys.platform != "win32":
    import fcntl

__all__ = ["check_place", "replacing"]

_TEMPORARY = re.compile(r"\.wgboost-[0-9a-f]{16}\.tmp")
_TRIES = 100
_BINARY = getattr(os, "O_BINARY", 0)
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


def check_place(path: Any, what: str = "the model") -> None:
    """Check that `replacing` can write to a path.

    The folder has to exist, and `path` has to be a regular file, a link to one, or absent:
    `os.replace` would replace a device, pipe or socket by a regular file.

    Parameters
    ----------
    path : str or path
        The file to write.
    what : str, default="the model"
        What would be saved, for the message.

    Raises
    ------
    OSError
        If the path cannot be written to.

    Examples
    --------
    >>> from wgboost.atomic import check_place
    >>> check_place("model.wgb")
    """
    try:
        _check_place(path)
    except OSError as error:
        raise _unsaved(error, path, what) from error


def _check_place(path: Any) -> None:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        os.stat(os.path.dirname(os.path.realpath(path)))
        return
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EEXIST
        raise OSError(code, f"this is {kind}, not a regular file", os.fspath(path))


@contextmanager
def replacing(path: Any, what: str = "the model") -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` once it is written and synced.

    If anything fails before that, such as a full disk, the old file is unchanged and the temporary
    file is removed. The temporary file `.wgboost-*.tmp` of a process that was killed is removed by
    the next call in the same folder.

    Parameters
    ----------
    path : str or path
        The file to replace.
    what : str, default="the model"
        What is saved, for the message.

    Yields
    ------
    file : binary file
        The temporary file, in the same folder.

    Raises
    ------
    OSError
        If `path` exists and is not a regular file, or the file cannot be written. The message says
        that `what` was not saved.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from wgboost.atomic import replacing
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "numbers"
    ...     with replacing(path) as file:
    ...         _ = file.write(b"123")
    ...     path.read_bytes()
    b'123'
    """
    try:
        _check_place(path)
        target = Path(os.path.realpath(os.fspath(path)))  # a link keeps pointing to the file
        _remove_stale(target.parent)
        descriptor, temporary = _new_file(target.parent)
    except OSError as error:
        raise _unsaved(error, path, what) from error
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            if target.exists():
                os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
            os.fsync(file.fileno())
            if os.name != "nt":  # while it is locked; Windows renames closed files only
                os.replace(temporary, target)
        if os.name == "nt":
            os.replace(temporary, target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unsaved(error, path, what) from error
        raise
    _sync_folder(target.parent)


def _new_file(folder: Path) -> tuple[int, Path]:
    """Return the descriptor of a new temporary file, which is locked, and its path."""
    for _ in range(_TRIES):
        path = folder / f".wgboost-{secrets.token_hex(8)}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
        descriptor = os.open(path, flags, 0o666)
        if _lock(descriptor) and (os.name == "nt" or os.fstat(descriptor).st_nlink):
            return descriptor, path
        os.close(descriptor)  # another process took it for stale before it was locked
        path.unlink(missing_ok=True)
    raise BlockingIOError(errno.EAGAIN, "other processes lock every new file")


def _lock(descriptor: int) -> bool:
    """Lock a file until it is closed; return whether no other process has it locked.

    True where the system has no such locks.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL):
            raise
    return True


def _remove_stale(folder: Path) -> None:
    """Remove temporary files whose writers are gone: the lock of a file ends with its process."""
    if sys.platform == "win32":
        return
    try:
        with os.scandir(folder) as entries:
            found = [entry.path for entry in entries if _TEMPORARY.fullmatch(entry.name)]
    except PermissionError:  # a folder that can be written to and not read
        return
    for path in found:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:  # of another user, or removed meanwhile
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(path)
        except OSError:  # in use, removed meanwhile, or not ours to remove
            continue
        finally:
            os.close(descriptor)


def _unsaved(error: OSError, path: Any, what: str) -> OSError:
    """Return the error with a message about `what`; OSError picks the subclass by its number."""
    reason = error.strerror or str(error)
    left = "the file that was there is unchanged" if os.path.exists(path) else "no file was made"
    return OSError(error.errno or errno.EIO, f"{what} was not saved ({reason}); {left}", path)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure, where folders can be opened and synced."""
    if os.name == "nt":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder that can be written to and not read
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network folders cannot
            raise
    finally:
        os.close(descriptor)
