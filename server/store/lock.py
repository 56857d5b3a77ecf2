"""A lock beside a file, so that one process at a time uses the file as its store.

The lock is an advisory `flock` on `PATH.lock`. The kernel releases it when the process ends, also
after `kill -9`, and child processes do not inherit it. The file `PATH.lock` is not the lock: it
stays behind, and without a lock on it, it is harmless. It holds the id of the last process that had
the lock, so that a second process can name the first.

Readers of the file, such as a backup, need no lock. On platforms without `fcntl` there is no lock.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from server.store import CannotOpen

with suppress(ImportError):  # not on every platform
    import fcntl


class Lock:
    """Held from here until `close`, or until the process ends; `CannotOpen` if it is taken."""

    def __init__(self, path: Path) -> None:
        # The same file by another name, relative or linked, has the same lock.
        beside = f"{path.resolve()}.lock"
        try:
            self._descriptor = os.open(beside, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as problem:
            raise CannotOpen(f"cannot use {path} as a store: {problem}") from problem
        try:
            self._take()
        except BlockingIOError as taken:
            owner = os.read(self._descriptor, 20).decode(errors="replace").strip()
            self.close()
            who = f"process {owner}" if owner else "another process"
            raise CannotOpen(
                f"{path} is in use by {who}: stop that server first, or use another file"
            ) from taken
        except OSError as problem:
            self.close()
            raise CannotOpen(f"cannot use {path} as a store: {problem}") from problem

    def _take(self) -> None:
        if "fcntl" in globals():
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def close(self) -> None:
        os.close(self._descriptor)
